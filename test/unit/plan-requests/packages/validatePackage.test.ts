import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { maxDocumentBytes } from '../../../../src/plan-requests/packages/documents';
import type { OpenNetworkModel } from '../../../../src/plan-requests/packages/NetworkModel';
import { readNetworkModel } from '../../../../src/plan-requests/packages/NetworkModel';
import { newReport, packageSteps, stoppedReport } from '../../../../src/plan-requests/packages/Report';
import type { PackageReport, PackageStep } from '../../../../src/plan-requests/packages/Report';
import { validateInThread } from '../../../../src/plan-requests/packages/validateInThread';
import type { PackageTask } from '../../../../src/plan-requests/packages/validatePackage';
import { networkDocument, networkFiles, patched, zip } from '../../../support/networkPackage';
import { ringOf } from '../../../support/PlanWorld';
import type { Certified } from '../../../support/signedPackage';
import { makeCertificate, signedZip } from '../../../support/signedPackage';
import { removeFolder, temporaryFolder } from '../../../support/world';

type Compiled = typeof import('../../../../src/plan-requests/packages/validatePackage');

/** Compiled, because Jest cannot import the XML library, an ES module, from sources. */
const { validatePackage } = jest.requireActual<Compiled>('../../../../dist/plan-requests/packages/validatePackage');

/** A square of 100 m at Ghent, about. */
const zone = [[ ringOf(104_000, 193_000, 100) ]];

function skipped(steps: number): string[] {
  return Array.from<string>({ length: steps }).fill('Skipped');
}

describe('A package', (): void => {
  let folder: string;
  let model: OpenNetworkModel;
  let count = 0;

  beforeAll(async(): Promise<void> => {
    folder = await temporaryFolder();
    model = await readNetworkModel(join(__dirname, '../../../../templates/plan-requests/network-model'));
  });

  afterAll(async(): Promise<void> => removeFolder(folder));

  /** The model, with `pos` beside `posList`. */
  async function withSeparatePositions(): Promise<OpenNetworkModel> {
    const other = join(folder, 'model');
    await mkdir(other);
    const schema = await readFile(join(model.folder, model.schema), 'utf8');
    const list = '<xs:element name="posList" type="Positions"/>';
    const choice = `<xs:choice maxOccurs="unbounded">${list}${list.replace('posList', 'pos')}</xs:choice>`;
    await writeFile(join(other, model.schema), schema.replace(list, choice));
    return { ...model, folder: other };
  }

  async function write(zipped: Buffer, more: Partial<PackageTask> = {}): Promise<PackageTask> {
    count += 1;
    const path = join(folder, `${count}.zip`);
    await writeFile(path, zipped);
    return { path, model, authorities: [], zone, now: new Date(), ...more };
  }

  /** Validates without a thread, whose start takes far longer than the validation. */
  async function validate(zipped: Buffer, more?: Partial<PackageTask>): Promise<PackageReport> {
    return validatePackage(await write(zipped, more), (): undefined => undefined);
  }

  it('that follows every rule passes every step.', async(): Promise<void> => {
    expect((await validate(await zip(networkFiles(), true, true))).findings).toEqual([]);
    const report = await validateInThread(await write(await zip(networkFiles())), (): undefined => undefined);
    expect(report.findings).toEqual([]);
    expect(report.progress).toBe(100);
    expect(packageSteps.map((step): string => report.steps[step]))
      .toEqual([ 'Passed', 'Passed', 'Skipped', 'Passed', 'Passed', 'Passed', 'Passed' ]);
  });

  it('has a report of limited size, however long its names and texts are.', async(): Promise<void> => {
    const long = 'x'.repeat(60_000);
    const names = Object.fromEntries(Array.from({ length: 50 }, (_, at): [string, string] => [ `${at}#${long}`, '' ]));
    const links = Array.from({ length: 50 }, (_, at): string =>
      `<Pipe id="p${at}"><link href="#${at}${long}"/></Pipe>`);
    const packages: [PackageStep, Record<string, Buffer | string>][] = [
      [ 'Names', { ...networkFiles(), ...names }],
      [ 'Archive', Object.fromEntries([ 'a', 'A' ].map((name): [string, string] => [ name + long, '' ])) ],
      [ 'Rules', networkFiles({ elements: links.join('\n') }) ],
      [ 'Coordinates', networkFiles({ srsName: long }) ],
    ];
    for (const [ step, files ] of packages) {
      const report = await validate(await zip(files, false));
      expect(report.steps[step]).toBe('Failed');
      expect(JSON.stringify(report.findings).length).toBeLessThan(1200 * report.findings.length);
    }
  });

  it('is read to its end, also after a processing instruction.', async(): Promise<void> => {
    const elements = networkDocument().split('\n').slice(2, -2).join('\n');
    const link = '<UtilityLink id="link2"><posList>1 1 2 2</posList></UtilityLink>';
    const far = `${link}<Pipe id="pipe2"><link href="#link2"/></Pipe>`;
    const good = await validate(await zip(networkFiles({ elements: `<?a b?>${elements}` })));
    expect(good.findings).toEqual([]);
    const bad = await validate(await zip(networkFiles({ elements: `${elements}<?a b?>${far}` })));
    expect(bad.findings).toEqual([ expect.objectContaining({ rule: 'coordinates-implausible' }) ]);
  });

  it('is refused if checking it takes too long.', async(): Promise<void> => {
    const task = await write(await zip(networkFiles()));
    const report = await validateInThread(task, (): undefined => undefined, undefined, 1);
    expect(report.findings).toEqual([ expect.objectContaining({ rule: 'package-too-slow' }) ]);
    expect(packageSteps.map((step): string => report.steps[step])).toEqual([ 'Failed', ...skipped(6) ]);
  });

  it('whose checks were stopped fails in the step that was running.', (): void => {
    const report = newReport();
    report.steps = { ...report.steps, Archive: 'Passed', Names: 'Passed', Signature: 'Skipped', Schema: 'Running' };
    const { findings, progress, steps } = stoppedReport(report, 'package-too-slow', 'Too slow.');
    expect(packageSteps.map((step): string => steps[step]))
      .toEqual([ 'Passed', 'Passed', 'Skipped', 'Failed', ...skipped(3) ]);
    expect({ findings, progress })
      .toEqual({ findings: [{ step: 'Schema', rule: 'package-too-slow', message: 'Too slow.' }], progress: 100 });
  });

  it.each<[what: string, rule: string, elements: string]>([
    [
      'each of very many elements is wrong',
      'schema-invalid',
      Array.from({ length: 200_000 }, (_, at): string => `<Pipe id="${at}"/>`).join('\n'),
    ],
    [
      'many elements refer to one with many positions',
      'nothing-near',
      [
        '<UtilityLink id="link1" srsName="EPSG:3812"><posList>',
        ...Array.from({ length: 20_000 }, (_, at): string => `${700_000 + at} 600000`),
        '</posList></UtilityLink>',
        ...Array.from({ length: 10_000 }, (_, at): string => `<Pipe id="pipe${at}"><link href="#link1"/></Pipe>`),
      ].join('\n'),
    ],
  ])('is checked in seconds when %s.', async(_, rule, elements): Promise<void> => {
    const task = await write(await zip({ 'network.xml': networkDocument({ elements }) }));
    const report = await validateInThread(task, (): undefined => undefined, undefined, 40_000);
    expect(report.findings[0]).toMatchObject({ rule });
  });

  describe('is not an archive that can be read safely', (): void => {
    it.each<[what: string, rule: string, make: () => Promise<Buffer>]>([
      [ 'when it is no zip', 'archive-unreadable', async(): Promise<Buffer> => Buffer.from('no zip at all') ],
      [ 'when it is cut short', 'archive-unreadable', async(): Promise<Buffer> =>
        (await zip(networkFiles())).subarray(0, -60) ],
      [ 'when it climbs out of its folder', 'name-climbs', async(): Promise<Buffer> =>
        patched(await zip({ 'aa/evil.xml': 'x', ...networkFiles() }), 'aa/evil.xml', '../evil.xml') ],
      [ 'when it has an absolute name', 'name-climbs', async(): Promise<Buffer> =>
        patched(await zip({ 'aa/evil.xml': 'x', ...networkFiles() }), 'aa/evil.xml', '/aaevil.xml') ],
      [ 'when it has backslashes that climb', 'name-climbs', async(): Promise<Buffer> =>
        patched(await zip({ 'aa/evil.xml': 'x', ...networkFiles() }), 'aa/evil.xml', '..\\evil.xml') ],
      [ 'when a name is there twice', 'name-twice', async(): Promise<Buffer> =>
        patched(await zip({ ...networkFiles(), network2xml: 'x' }), 'network2xml', 'network.xml') ],
      [ 'when two names differ in case alone', 'name-twice', async(): Promise<Buffer> =>
        zip({ ...networkFiles(), 'Network.XML': 'x' }) ],
      [ 'when a name is there twice, once with a dot', 'name-twice', async(): Promise<Buffer> =>
        zip({ ...networkFiles(), 'plans/./plan 1.pdf': 'x' }) ],
      [ 'when two names differ in a dot at the end, which Windows leaves out', 'name-twice', async(): Promise<Buffer> =>
        zip({ ...networkFiles(), 'network.xml. .': 'x' }) ],
      [ 'when a file has the name of a folder', 'name-twice', async(): Promise<Buffer> =>
        zip({ ...networkFiles(), Plans: 'x' }) ],
      [ 'when the header before a file has another name', 'name-ambiguous', async(): Promise<Buffer> =>
        patchedOnce(await zip({ 'aa/evil.xml': 'x', ...networkFiles() }), 'aa/evil.xml', '../evil.xml') ],
      [ 'when its name in Unicode hides another one', 'name-ambiguous', async(): Promise<Buffer> =>
        renamed(await zip(networkFiles()), 'network.xml', '../evil.xml') ],
      [ 'when its directory has more entries than it says', 'archive-ambiguous', async(): Promise<Buffer> =>
        changedEnd(await zip({ ...networkFiles(), 'more.xml': 'x' }), (end): void => {
          end.writeUInt16LE(2, 8);
          end.writeUInt16LE(2, 10);
        }) ],
      [ 'when its directory is larger than it says', 'archive-ambiguous', async(): Promise<Buffer> =>
        changedEnd(await zip(networkFiles()), (end): void => {
          end.writeUInt32LE(end.readUInt32LE(12) - 1, 12);
        }) ],
      [ 'when its long record has another directory', 'archive-ambiguous', async(): Promise<Buffer> =>
        changedEnd(await zip(networkFiles(), true, true), (end): void => {
          end.writeUInt32LE(30, 16);
        }) ],
      [ 'when it blows up', 'archive-expands', async(): Promise<Buffer> =>
        zip({ ...networkFiles(), 'zeros.txt': Buffer.alloc(32 * 1024 * 1024) }) ],
      [ 'when it nests', 'archive-nested', async(): Promise<Buffer> =>
        zip({ ...networkFiles(), 'inner.txt': await zip(networkFiles()) }) ],
      [ 'when it contains a tar', 'archive-nested', async(): Promise<Buffer> =>
        zip({ ...networkFiles(), 'inner.txt': Buffer.concat([ Buffer.alloc(257), Buffer.from('ustar\0') ]) }) ],
      [ 'when it contains an archive of another kind', 'archive-nested', async(): Promise<Buffer> =>
        zip({ ...networkFiles(), 'inner.txt': Buffer.from('28b52ffd', 'hex') }) ],
      [ 'when it is encrypted', 'entry-encrypted', async(): Promise<Buffer> => encrypted(await zip(networkFiles())) ],
      [ 'when a file is damaged', 'entry-damaged', async(): Promise<Buffer> =>
        patched(await zip(networkFiles(), false), 'a plan', 'a plam') ],
      [ 'when it has 100,000 entries', 'entries-too-many', async(): Promise<Buffer> =>
        withEntryCount(await zip(networkFiles(), true, true), 100_000) ],
    ])('%s.', async(...[ , rule, make ]): Promise<void> => {
      expectFailure(await validate(await make()), 'Archive', rule);
    });
  });

  it('has one finding for a name that is there twice.', async(): Promise<void> => {
    const twice = patched(await zip({ ...networkFiles(), network2xml: 'x' }), 'network2xml', 'network.xml');
    expect((await validate(twice)).findings).toEqual([ expect.objectContaining({ file: 'network.xml' }) ]);
  });

  // Repaired, each passes every step.
  describe('fails in exactly one step, without', (): void => {
    const files = networkFiles();
    const link = '<UtilityLink id="link1"><posList>104000 193000 104100 193000</posList></UtilityLink>';
    const pipe = '<Pipe id="pipe1"><link href="#link1"/></Pipe>';
    const twice = document(link + pipe.replace('<link ', '<link href="#link2"/><link '));
    const far = networkFiles({ posList: '104600.1 193000 104700 193000' });

    it.each<[what: string, step: PackageStep, rule: string, files: Record<string, string | Buffer>]>([
      [ 'characters of names', 'Names', 'name-characters', { ...files, 'plán.txt': 'x' }],
      [ 'a document', 'Schema', 'document-missing', { 'plan.pdf': '%PDF-' }],
      [ 'well-formed XML', 'Schema', 'xml-malformed', { ...files, 'network.xml': '<Network>' }],
      [ 'XML of limited depth', 'Schema', 'xml-malformed', { ...files, 'deep.xml': '<a>'.repeat(1_000_000) }],
      [ 'documents of limited size', 'Schema', 'document-too-large', {
        ...files,
        'deep.xml': '<a>'.repeat(Math.ceil(maxDocumentBytes / 3)),
      }],
      [ 'no document type', 'Schema', 'document-type', { ...files, 'network.xml': networkDocument({
        prologue: '<!DOCTYPE Network [<!ENTITY e SYSTEM "file:///etc/passwd">]>',
      }) }],
      [ 'the encoding that is declared', 'Schema', 'encoding', { ...files, 'network.xml': networkDocument({
        prologue: '<?xml version="1.0" encoding="UTF-16"?>',
      }) }],
      [ 'UTF-8', 'Schema', 'encoding', { ...files, 'network.xml': Buffer.from(networkDocument({
        prologue: '<?xml version="1.0" encoding="UTF-8"?><!-- é -->',
      }), 'latin1') }],
      [ 'UTF-8, in UTF-16 without a mark', 'Schema', 'encoding', {
        ...files,
        'network.xml': Buffer.from(networkDocument({
          prologue: '<?xml version="1.0"?><!DOCTYPE Network [<!ENTITY e "x">]>',
        }), 'utf16le'),
      }],
      [ 'the version of the model', 'Schema', 'model-version', { ...files, 'network.xml': networkDocument({
        namespace: 'urn:css-data-sharing:network-model:2.2',
      }) }],
      [ 'the schema', 'Schema', 'schema-invalid', document(`${link}<Sewer id="s"/>`) ],
      [ 'references that resolve', 'Rules', 'reference-unresolved', twice ],
      [ 'references to other documents that resolve', 'Rules', 'reference-unresolved', {
        ...files,
        'more.xml': networkDocument({ elements: '<Pipe id="pipe2"><link href="network.xml#link2"/></Pipe>' }),
      }],
      [ 'references to the documents that have the element', 'Rules', 'reference-unresolved', {
        ...files,
        'more.xml': networkDocument({ elements: '<Pipe id="pipe2"><link href="more.xml#link1"/></Pipe>' }),
      }],
      [ 'links that are used', 'Rules', 'link-unreferenced', document(link + link.replace('link1', 'link2') + pipe) ],
      [ 'attachments', 'Rules', 'attachment-missing', { 'network.xml': networkDocument() }],
      [ 'their media types', 'Rules', 'attachment-type', { ...files, 'plans/plan 1.pdf': 'no PDF' }],
      [ 'media types that are accepted', 'Rules', 'attachment-type', document(`${link}${pipe}
        <Attachment id="plan1" file="network.xml" mediaType="constructor"/>`) ],
      [ 'coordinates of the system', 'Coordinates', 'coordinates-implausible', networkFiles({ srsName: 'EPSG:3812' }) ],
      [ 'a known system', 'Coordinates', 'system-unknown', networkFiles({ srsName: 'EPSG:4326' }) ],
      [ 'a known system, by its whole number', 'Coordinates', 'system-unknown', networkFiles({
        srsName: 'EPSG:131370',
      }) ],
      [ 'something near the zone', 'Proximity', 'nothing-near', far ],
    ])('%s.', async(...[ , step, rule, broken ]): Promise<void> => {
      const report = await validate(await zip(broken, false));
      expectFailure(report, step, rule);
      expect(report.progress).toBe(100);
    });

    it.each([
      [ 'an empty folder', 'r#d/' ],
      [ 'a file behind a backslash', 'a\\bc' ],
    ])('characters of names, of %s.', async(_what, name): Promise<void> => {
      const report = await validate(patched(await zip({ ...files, name: '' }, false), 'name', name));
      expectFailure(report, 'Names', 'name-characters');
      expect(report.findings).toEqual([ expect.objectContaining({ file: name }) ]);
    });

    it.each<[x: number, rules: string[]]>([
      [ 104_599.9, []],
      [ 104_600.1, [ 'nothing-near' ]],
    ])('something near, with a pipe at %d.', async(x, rules): Promise<void> => {
      const posList = `${x} 193050 ${x + 100} 193050`;
      const report = await validate(await zip(networkFiles({ posList })));
      expect(report.findings.map(({ rule }): string => rule)).toEqual(rules);
    });

    it('references to other documents, which may be in other folders, and to code lists.', async(): Promise<void> => {
      const other = '<Pipe id="pipe2"><link href="../network.xml#link1"/><link href="more%20plans.xml#pipe3"/></Pipe>';
      const third = '<Pipe id="pipe3"><link href="https://codes.example/kinds#water"/></Pipe>';
      const report = await validate(await zip({
        ...files,
        'more/other.xml': networkDocument({ elements: other }),
        'more/more plans.xml': networkDocument({ elements: third }),
        'link.xml': networkDocument({ elements: link.replace('link1', 'link2') }),
        'pipe.xml': networkDocument({ elements: '<Pipe id="pipe4"><link href="link.xml#link2"/></Pipe>' }),
      }));
      expect(report.findings).toEqual([]);
    });

    it('media types of attachments, in any case.', async(): Promise<void> => {
      const plan = '<Attachment id="plan1" file="plans/plan 1.pdf" mediaType="Application/PDF"/>';
      const report = await validate(await zip({ ...files, ...document(link + pipe + plan) }));
      expect(report.findings).toEqual([]);
    });

    it('something near, when each position of a line is an element.', async(): Promise<void> => {
      const positions = '<posList>103000 193050 105000 193050</posList>';
      const separate = '<pos>103000 193050</pos><!-- to --><pos>105000 193050</pos>';
      const other = await withSeparatePositions();
      for (const [ text, rules ] of [
        [ positions, []],
        [ separate, []],
        [ separate.replace(' 193050</pos>', '</pos>'), [ 'coordinates-implausible' ]],
        [ separate.replace('<pos>105000 193050', '<pos>105000 193050 9'), [ 'coordinates-implausible' ]],
        [ separate.replace('<!-- to -->', '<posList>103000 193050</posList>'), [ 'nothing-near' ]],
      ] as const) {
        const crossing = `<UtilityLink id="link1">${text}</UtilityLink>`;
        const report = await validate(await zip(document(crossing + pipe)), { model: other });
        expect([ text, report.findings.map(({ rule }): string => rule) ]).toEqual([ text, rules ]);
      }
    });

    it('a valid document, and names the line of the error.', async(): Promise<void> => {
      const report = await validate(await zip(document(`\n${link}\n<Sewer id="s"/>\n`)));
      expect(report.findings).toEqual([
        expect.objectContaining({ file: 'network.xml', line: 4, message: expect.stringContaining('Sewer') }),
      ]);
    });

    it('something near, also in EPSG:3812.', async(): Promise<void> => {
      const near = networkFiles({ srsName: 'urn:ogc:def:crs:EPSG::3812', posList: '604090 693000 604190 693000' });
      expect((await validate(await zip(near))).findings).toEqual([]);
    });

    it('something near only if there is a plan request.', async(): Promise<void> => {
      const far = await zip(networkFiles({ posList: '204000 193000 204100 193000' }));
      const report = await validate(far, { zone: undefined });
      expect([ report.findings, report.steps.Proximity ]).toEqual([[], 'Skipped' ]);
    });
  });

  describe('of an operator that signs', (): void => {
    let authority: Certified;
    const subject = 'CN=Water, O=Water company';

    beforeAll((): void => {
      authority = makeCertificate(folder, 'Authority', '/CN=Authority');
    });

    it('needs a signature by its certificate, from an authority of the server.', async(): Promise<void> => {
      const authorities = [ await readFile(authority.certificate, 'utf8') ];
      const good = makeCertificate(folder, 'Water', '/O=Water company/CN=Water', authority);
      const other = makeCertificate(folder, 'Gas', '/O=Gas company/CN=Gas', authority);
      const own = makeCertificate(folder, 'Own', '/O=Water company/CN=Water');
      const files = networkFiles();
      const passed = await validate(await signedZip(files, good), { subject, authorities });
      expect([ passed.findings, passed.steps.Signature ]).toEqual([[], 'Passed' ]);
      for (const zipped of [
        await zip(files),
        await zip({ ...files, 'signature.jws': 'none' }),
        await signedZip(files, other),
        await signedZip(files, own),
        patched(await signedZip(files, good), 'signature.jws', 'signature.jwz'),
      ]) {
        expectFailure(await validate(zipped, { subject, authorities }), 'Signature', 'signature-invalid');
      }
      const signed = await signedZip({ ...files, 'more.txt': 'x' }, good);
      expectFailure(await validate(signed, { subject, authorities: []}), 'Signature', 'signature-invalid');
      const later = new Date(Date.now() + (3 * 86_400_000));
      expectFailure(await validate(signed, { subject, authorities, now: later }), 'Signature', 'signature-invalid');
    });
  });
});

/** Expects that all steps before one pass, that it fails for one reason, and that all later ones are skipped. */
function expectFailure(report: PackageReport, step: PackageStep, rule: string): void {
  expect([ ...new Set(report.findings.map((finding): string => `${finding.step} ${finding.rule}`)) ])
    .toEqual([ `${step} ${rule}` ]);
  const at = packageSteps.indexOf(step);
  for (const [ index, name ] of packageSteps.entries()) {
    const passed = name === 'Signature' && step !== 'Signature' ? 'Skipped' : 'Passed';
    const after = index === at ? 'Failed' : 'Skipped';
    expect([ name, report.steps[name] ]).toEqual([ name, index < at ? passed : after ]);
  }
}

/** A package of one document with these elements. */
function document(elements: string): Record<string, string> {
  return { 'network.xml': networkDocument({ elements }) };
}

/** A zip in 64-bit form that declares a number of entries. */
function withEntryCount(zipped: Buffer, count: number): Buffer {
  const bytes = Buffer.from(zipped);
  const at = bytes.indexOf('PK\u0006\u0006', 0, 'latin1');
  bytes.writeBigUInt64LE(BigInt(count), at + 24);
  bytes.writeBigUInt64LE(BigInt(count), at + 32);
  return bytes;
}

/** Changes the record at the end of a zip. */
function changedEnd(zipped: Buffer, change: (end: Buffer) => void): Buffer {
  const bytes = Buffer.from(zipped);
  change(bytes.subarray(-22));
  return bytes;
}

/** Replaces the first occurrence of a text, which is in the header before the file. */
function patchedOnce(zipped: Buffer, from: string, to: string): Buffer {
  return Buffer.from(zipped.toString('latin1').replace(from, to), 'latin1');
}

/**
 * Gives the only file with a name another one in its headers, of the same length, and keeps the name in the extra field
 * for names in Unicode of the directory.
 */
function renamed(zipped: Buffer, name: string, to: string): Buffer {
  const bytes = patched(zipped, name, to);
  const header = bytes.lastIndexOf('PK\u0001\u0002', bytes.lastIndexOf(to, undefined, 'latin1'), 'latin1');
  const field = Buffer.alloc(9 + name.length);
  field.writeUInt16LE(0x7075, 0);
  field.writeUInt16LE(5 + name.length, 2);
  field.writeUInt8(1, 4);
  field.writeUInt32LE(crc32(to), 5);
  field.write(name, 9, 'latin1');
  bytes.writeUInt16LE(bytes.readUInt16LE(header + 30) + field.length, header + 30);
  const at = header + 46 + name.length;
  const longer = Buffer.concat([ bytes.subarray(0, at), field, bytes.subarray(at) ]);
  const end = longer.lastIndexOf('PK\u0005\u0006', undefined, 'latin1');
  longer.writeUInt32LE(longer.readUInt32LE(end + 12) + field.length, end + 12);
  return longer;
}

/** Sets the flag of encryption in every header. */
function encrypted(zipped: Buffer): Buffer {
  const bytes = Buffer.from(zipped);
  for (const [ magic, offset ] of [[ 'PK\u0001\u0002', 8 ], [ 'PK\u0003\u0004', 6 ]] as const) {
    for (let at = bytes.indexOf(magic, 0, 'latin1'); at !== -1; at = bytes.indexOf(magic, at + 4, 'latin1')) {
      bytes[at + offset] |= 1;
    }
  }
  return bytes;
}
