import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allProperties } from '../../../src/data-types/Shape';
import { readDataType } from '../../../src/data-types/readDataType';
import type { ShapedDataType } from '../../../src/data-types/Shape';
import { readTurtle } from '../../../src/data-types/turtle';
import { ownIris } from '../../../src/vocabulary';
import { loadDataTypes } from '../../support/mistakes';

const base = 'https://pods.example/';
const fixture = join(__dirname, '../../fixtures/data-types/library-card.ttl');

describe('A data type file', (): void => {
  let folder: string;
  let file: string;
  let turtle: string;

  beforeAll(async(): Promise<void> => {
    folder = await mkdtemp(join(tmpdir(), 'data-types-'));
    file = join(folder, 'broken.ttl');
    turtle = await readFile(fixture, 'utf8');
  });

  afterAll(async(): Promise<void> => rm(folder, { recursive: true }));

  async function readWith(before: RegExp | string, after: string): Promise<ShapedDataType> {
    const changed = turtle.replace(before, after);
    expect(changed).not.toBe(turtle);
    await writeFile(file, changed);
    return readDataType(await readTurtle(file, base), ownIris(base));
  }

  it('gives the IRI, slug, class and labels of the data type.', async(): Promise<void> => {
    const type = readDataType(await readTurtle(fixture, base), ownIris(base));
    expect(type.iri).toBe('https://library.example/types/library-card/2025-02-01');
    expect(type.slug).toBe('library-card/2025-02-01');
    expect(type.targetClass).toBe('https://library.example/ns#LibraryCard');
    expect(type.labels).toContainEqual({ value: 'Bibliotheekkaart', language: 'nl' });
    expect(type.turtle).toContain(`@base <${base}> .`);
  });

  it('gives the properties in the order of sh:order.', async(): Promise<void> => {
    const { shape } = readDataType(await readTurtle(fixture, base), ownIris(base));
    expect(shape.properties.map(({ key, kind }): string[] => [ key, kind ])).toEqual([
      [ 'kind', 'concept' ],
      [ 'cardHolder', 'string' ],
      [ 'issued', 'date' ],
      [ 'number', 'string' ],
      [ 'weight', 'number' ],
      [ 'interest', 'string' ],
      [ 'branch', 'group' ],
    ]);
    expect(allProperties(shape).filter(({ mandatory }): boolean => mandatory).map(({ key }): string => key))
      .toEqual([ 'cardHolder', 'branchName' ]);
  });

  it.each([
    [ 'byte', 'number' ],
    [ 'unsignedByte', 'number' ],
    [ 'negativeInteger', 'number' ],
    [ 'nonPositiveInteger', 'number' ],
    [ 'dateTimeStamp', 'timestamp' ],
  ])('shows xsd:%s as a %s.', async(datatype, kind): Promise<void> => {
    const { shape } = await readWith('sh:datatype xsd:double', `sh:datatype xsd:${datatype}`);
    expect(shape.properties.find(({ key }): boolean => key === 'weight')).toMatchObject({ kind });
  });

  it.each<[string, RegExp | string, string, RegExp]>([
    [ 'no Turtle', 'sh:NodeShape, skos:Concept ;', 'sh:NodeShape, skos:Concept', /broken\.ttl:\d+: not valid Turtle/u ],
    [ 'no subject that is a shape and a concept', 'sh:NodeShape, skos:Concept ;', 'sh:NodeShape ;', /there are 0/u ],
    [ 'two such subjects', 'lib:BranchShape a sh:NodeShape', 'lib:BranchShape a sh:NodeShape, skos:Concept', /are 2/u ],
    [ 'another scheme', '</v1/data-types/base>', '</v1/data-types/other>', /skos:inScheme/u ],
    [ 'no target class', 'sh:targetClass lib:LibraryCard ;', '', /sh:targetClass/u ],
    [ 'a label lacking a language', ', "Bibliotheksausweis"@de', '', /skos:prefLabel.*'de'/u ],
    [ 'two labels in a language', '"Library card"@en', '"Library card"@en, "Card"@en', /skos:prefLabel.*'en'/u ],
    [
      'no properties',
      /sh:targetClass lib:LibraryCard ;[\s\S]*?\] \.\n/u,
      'sh:targetClass lib:LibraryCard .\n',
      /sh:property/u,
    ],
    [ 'a property without path', 'sh:path lib:holder ;', '', /sh:property number 1 of \S+2025-02-01 must/u ],
    [ 'an unknown datatype', 'xsd:double', 'xsd:duble', /\S+weight: xsd:duble .*mean xsd:double\?/u ],
    [ 'an unknown datatype of RDF', 'rdf:langString', 'rdf:langstrin', /rdf:langstrin is not .*rdf:langString\?/u ],
    [ 'a datatype that is a text', 'sh:datatype xsd:double', 'sh:datatype "xsd:double"', /weight must be an IRI/u ],
    [ 'a term that SHACL does not have', 'sh:minCount', 'sh:mincount', /sh:mincount is not a .*mean sh:minCount\?/u ],
    [ 'a class that SHACL does not have', 'lib:BranchShape a sh:NodeShape', 'lib:BranchShape a sh:Nod', /sh:Nod is/u ],
    [
      'a path that is of no shape',
      'lib:Adult a skos:Concept',
      'lib:Loose sh:path lib:loose . lib:Adult a skos:Concept',
      /sh:path of \S+Loose is of no shape/u,
    ],
    [
      'a list that leads back to itself',
      /sh:in \( lib:Adult lib:Youth \)([\s\S]*)$/u,
      'sh:in _:a$1\n_:a rdf:first lib:Adult ; rdf:rest _:b . _:b rdf:first lib:Youth ; rdf:rest _:a .',
      /sh:in of .*kind is a list that does not end in rdf:nil/u,
    ],
    [
      'a property path that is more than an IRI',
      'sh:path lib:holder',
      'sh:path [ sh:inversePath lib:x ]',
      /sh:path/u,
    ],
    [ 'a path twice', 'sh:path lib:weight', 'sh:path lib:issued', /sh:path.*twice/u ],
    [ 'a field name twice', '"cardHolder"', '"weight"', /sh:name.*twice/u ],
    [ 'a field name that reaches a prototype', '"cardHolder"', '"__proto__"', /sh:name/u ],
    [ 'a field label lacking a language', ', "Inhaber"@de', '', /sh:name of .*holder.*'de'/u ],
    [ 'an order that is not a number', 'sh:order 3', 'sh:order "third"', /sh:order of .*issued/u ],
    [
      'a minimum that is no number',
      'sh:minCount 1 ;\n    sh:name "Houder"',
      'sh:minCount -1 ; sh:name "Houder"',
      /sh:minCount of .*holder/u,
    ],
    [ 'a code without name', 'lib:Youth )', 'lib:Youth lib:Child )', /sh:in of .*kind.*Child/u ],
    [ 'a code lacking a label', ', "Jugend"@de', '', /skos:prefLabel of .*Youth.*'de'/u ],
    [ 'an unknown summary role', 'core:title', 'core:heading', /core:summaryRole of .*kind/u ],
    [ 'two titles', 'core:subtitle', 'core:title', /core:summaryRole/u ],
    [
      'a group as title',
      'sh:node lib:BranchShape',
      'sh:node lib:BranchShape ; core:summaryRole core:title',
      /core:summaryRole of .*branch/u,
    ],
    [ 'an inDetails that is no boolean', 'core:inDetails false', 'core:inDetails "no"', /core:inDetails of .*number/u ],
    [
      'a nationalNumber that is no boolean',
      'core:nationalNumber true',
      'core:nationalNumber 2',
      /core:nationalNumber/u,
    ],
    [
      'a nested shape that is not there',
      'sh:node lib:BranchShape',
      'sh:node lib:Elsewhere',
      /sh:property of .*Elsewhere/u,
    ],
    [
      'a shape within itself',
      'sh:path lib:branchName ; sh:datatype xsd:string',
      'sh:path lib:branchName ; sh:node lib:BranchShape',
      /sh:node of .*BranchShape/u,
    ],
    [ 'an IRI that cannot name a folder', 'library-card/2025-02-01', '.library-card', /IRI/u ],
  ])('is refused with %s.', async(_name, before, after, reason): Promise<void> => {
    const reading = readWith(before, after);
    await expect(reading).rejects.toThrow(reason);
    await expect(reading).rejects.toThrow(file);
  });

  it('is refused when there is another data type with its slug.', async(): Promise<void> => {
    await writeFile(file, turtle);
    await writeFile(join(folder, 'same.ttl'), turtle.replaceAll('library.example/types', 'library.example/more'));
    const loading = loadDataTypes({ base, folder });
    await expect(loading).rejects.toThrow('library-card/2025-02-01');
  });

  it('cannot be read from a missing folder.', async(): Promise<void> => {
    const absent = join(folder, 'absent');
    await expect(loadDataTypes({ base, folder: absent })).rejects.toThrow('--dataTypes');
  });

  it('is refused if the folder is a file.', async(): Promise<void> => {
    await expect(loadDataTypes({ base, folder: fixture })).rejects.toThrow('--dataTypes');
  });
});
