import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { preProcessFile } from 'typescript';

const source = join(__dirname, '../../src');
const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((name): boolean => name.endsWith('.ts'));

/** Files of this package that a file imports, types included. */
function importsOf(file: string): string[] {
  return preProcessFile(readFileSync(join(source, file), 'utf8'), true, true).importedFiles
    .map(({ fileName }): string => fileName)
    .filter((name): boolean => name.startsWith('.'))
    .map((name): string => relative(source, `${join(source, dirname(file), name.replace(/\.js$/u, ''))}.ts`))
    .filter((name): boolean => existsSync(join(source, name)));
}

/** Folders whose classes adapt to the server or the database, or compose parts. */
const adapters = new Set([ 'cli', 'http', 'platform', 'server', 'storage', 'wiring' ]);

/** Classes of a file and how many members their options have. */
function countParts(file: string): [name: string, parts: number][] {
  const text = readFileSync(join(source, file), 'utf8');
  return [ ...text.matchAll(/^export interface (\w+)Options\b[^{]*\{\n([\s\S]*?)^\}/gmu) ]
    .filter(([ , name ]): boolean => text.includes(`export class ${name} `))
    .map(([ , name, members ]): [string, number] => [ name, [ ...members.matchAll(/^ {2}\w+\??:/gmu) ].length ]);
}

/** Returns the first cycle of imports, by depth-first search. */
function findCycle(graph: ReadonlyMap<string, string[]>): string[] | undefined {
  const done = new Set<string>();
  function walk(file: string, path: string[]): string[] | undefined {
    if (path.includes(file)) {
      return [ ...path.slice(path.indexOf(file)), file ];
    }
    if (done.has(file)) {
      return undefined;
    }
    for (const next of graph.get(file) ?? []) {
      const cycle = walk(next, [ ...path, file ]);
      if (cycle) {
        return cycle;
      }
    }
    done.add(file);
    return undefined;
  }
  for (const file of graph.keys()) {
    const cycle = walk(file, []);
    if (cycle) {
      return cycle;
    }
  }
  return undefined;
}

describe('The sources', (): void => {
  const graph = new Map(files.map((file): [string, string[]] => [ file, importsOf(file) ]));

  it('import each other in one direction, types included.', (): void => {
    expect([ ...graph.values() ].flat().length).toBeGreaterThan(files.length);
    expect(findCycle(graph)).toBeUndefined();
  });

  it('of the server import only these and the platform, and those of the platform only each other.', (): void => {
    const wrong = [ ...graph ].flatMap(([ file, imports ]): string[] => {
      const [ folder ] = file.split('/');
      const allowed = { platform: [ 'platform' ], server: [ 'platform', 'server' ]}[folder];
      return imports
        .filter((imported): boolean => allowed !== undefined && !allowed.includes(imported.split('/')[0]))
        .map((imported): string => `${file} imports ${imported}`);
    });
    expect(wrong).toEqual([]);
  });

  it('export each type under a name that no other file gives to another.', (): void => {
    const homes = new Map<string, string[]>();
    for (const file of files) {
      const text = readFileSync(join(source, file), 'utf8');
      for (const [ , name ] of text.matchAll(/^export (?:abstract )?(?:class|enum|interface|type) (\w+)/gmu)) {
        homes.set(name, [ ...homes.get(name) ?? [], file ]);
      }
    }
    expect([ ...homes ].filter(([ , those ]): boolean => those.length > 1)).toEqual([]);
  });

  it('have no service with more than six dependencies.', (): void => {
    const services = files.filter((file): boolean => !adapters.has(file.split('/')[0])).flatMap(countParts);
    expect(services.length).toBeGreaterThan(60);
    expect(services.filter(([ , parts ]): boolean => parts > 6)).toEqual([]);
  });

  describe('and the map in docs/architecture.md', (): void => {
    const page = readFileSync(join(source, '../docs/architecture.md'), 'utf8');
    const [ , section ] = /## Where what lives\n([\s\S]+?)\n## /u.exec(page)!;
    const [ , table ] = section.split('\n|---|---|\n');
    const rows = [ ...table.split('\n\n')[0].matchAll(/^\| ([^|]+) \|/gmu) ]
      .map(([ , names ]): string[] => [ ...names.matchAll(/`([^`]+)`/gu) ].map(([ , name ]): string => name));
    /** Returns the row of the table that contains a file. The entry of the package is in none. */
    function rowOf(file: string): number {
      return rows.findIndex((names): boolean => names.includes(file.split('/')[0]));
    }

    it('name the same folders and files.', (): void => {
      const there = new Set(files.map((file): string => file.split('/')[0]));
      there.delete('index.ts');
      expect(rows.flat().sort()).toEqual([ ...there ].sort());
    });

    it('name the domain in the order of the lint rule.', (): void => {
      const [ , list ] = /^const order = \[\n([\s\S]+?)\n\];/mu.exec(
        readFileSync(join(source, '../eslint.config.mjs'), 'utf8'),
      )!;
      const domain = rows.map(([ name ]): string => name);
      expect([ ...list.matchAll(/'([\w-]+)'/gu) ].map(([ , name ]): string => name))
        .toEqual(domain.slice(domain.indexOf('audit'), domain.indexOf('http')));
    });

    it('have one order: each folder imports only those above it, types included.', (): void => {
      const wrong = [ ...graph ].flatMap(([ file, imports ]): string[] => file === 'index.ts' ?
          [] :
          imports
            .filter((imported): boolean => rowOf(imported) > rowOf(file) || imported === 'index.ts')
            .map((imported): string => `${file} imports ${imported}`));
      expect(wrong).toEqual([]);
    });
  });
});
