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

/** The first way that leads from a file back to itself, by depth-first search. */
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

  it('lie in the folders that the map in docs/architecture.md names.', (): void => {
    const page = readFileSync(join(source, '../docs/architecture.md'), 'utf8');
    const [ , table ] = /## Where what lives\n\n([\s\S]+?)\n\n/u.exec(page)!;
    const named = [ ...table.matchAll(/^\| ([^|]+) \|/gmu) ]
      .flatMap(([ , names ]): string[] => [ ...names.matchAll(/`([^`]+)`/gu) ].map(([ , name ]): string => name))
      .filter((name): boolean => name !== 'src/');
    const there = new Set(files.map((file): string => file.split('/')[0]));
    there.delete('index.ts');
    expect(named.sort()).toEqual([ ...there ].sort());
  });
});
