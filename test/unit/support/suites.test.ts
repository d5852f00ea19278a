import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onServers, onServersOnly } from '../../support/suites';

const test = join(__dirname, '../..');

/** Paths of the suites in a folder of tests. */
function suitesIn(kind: string): string[] {
  return readdirSync(join(test, kind), { recursive: true, encoding: 'utf8' })
    .filter((name): boolean => name.endsWith('.test.ts'))
    .map((name): string => join(test, kind, name));
}

function isAmong(patterns: string[], path: string): boolean {
  return patterns.some((pattern): boolean => new RegExp(pattern, 'u').test(path));
}

describe('The suites on PostgreSQL', (): void => {
  it('are all those that npm test leaves out.', (): void => {
    const left = [ ...suitesIn('unit'), ...suitesIn('integration') ]
      .filter((path): boolean => isAmong(onServersOnly, path));
    expect(left).toHaveLength(onServersOnly.length);
    expect(left.filter((path): boolean => !isAmong(onServers, path))).toEqual([]);
    expect(left).toContain(join(test, 'integration/nodes.test.ts'));
  });

  it('are the stories, except those that the documentation names.', (): void => {
    const left = suitesIn('integration').filter((path): boolean => !isAmong(onServers, path))
      .map((path): string => /(\w+)\.test\.ts$/u.exec(path)![1]);
    const architecture = readFileSync(join(test, '../docs/architecture.md'), 'utf8');
    const [ table ] = /\| left out \|[\s\S]*?\n\n/u.exec(architecture)!;
    const rows = [ ...table.matchAll(/^\| (`.*?) \|/gmu) ].map(([ , names ]): string => names);
    const named = rows.flatMap((names): string[] => names.match(/\w+/gu)!);
    expect(left.sort()).toEqual(named.sort());
  });

  it('include those over each storage.', (): void => {
    expect(isAmong(onServers, join(test, 'unit/storage/stores/sharing.test.ts'))).toBe(true);
    expect(isAmong(onServersOnly, join(test, 'unit/storage/stores/sharing.test.ts'))).toBe(false);
    expect(isAmong(onServers, join(test, 'unit/platform/targets.test.ts'))).toBe(false);
  });
});
