import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandAnswer, CommandPlace } from '../../../support/commandLine';
import { operate } from '../../../support/commandLine';
import type { Installation } from '../../../support/installation';
import { makeInstallation } from '../../../support/installation';

/** Valid calls of the commands that work on records. */
const calls: Record<string, string[]> = {
  'audit verify': [],
  'audit export': [ '--with-identities' ],
  'citizens list': [],
  'citizens relink': [ '--pod', 'ann' ],
  'citizens export': [ '--pod', 'ann' ],
  'citizens erase': [ '--pod', 'ann', '--yes', '--wait', '0' ],
  'accounts invite': [ '--baseUrl', 'https://pod.example/' ],
  'accounts invitations': [],
  'accounts withdraw': [ '0123456789abcdef' ],
  'accounts list': [],
  suspend: [ '--contract', 'loans', '--force' ],
  resume: [ '--contract', 'loans' ],
  suspensions: [],
  'subscriptions list': [],
  'subscriptions pause': [ '5f1c1f0e-8c1c-4e53-9d3a-2c1f0f6f4b7a' ],
  'subscriptions replay': [ '5f1c1f0e-8c1c-4e53-9d3a-2c1f0f6f4b7a' ],
  'keys list': [],
  'keys make': [ 'encryption' ],
  'keys rotate': [ 'encryption' ],
  'keys rewrite': [],
  'keys retire': [ 'encryption-old.key' ],
  'origins check': [ 'https://pod.example/ann/credentials/00/x' ],
  sweep: [ '--wait', '0' ],
  backup: [ '--into', 'INTO' ],
  move: [ '--to', 'postgres://nobody@127.0.0.1:1/none' ],
};
/** Names of the commands that work on records. */
export const all = Object.keys(calls);

/** An installation, copied for each test, whose commands must refuse a call. */
export class RefusingInstallation {
  /** Folder of the copy: `keys`, `records.sqlite`, `pods`. */
  public readonly lab: string;

  private constructor(public readonly original: Installation) {
    this.lab = join(original.folder, 'lab');
  }

  public static async make(): Promise<RefusingInstallation> {
    const original = await makeInstallation();
    await original.close();
    return new RefusingInstallation(original);
  }

  /** Makes the copy. */
  public async copy(): Promise<void> {
    const { place, pods } = this.original;
    await mkdir(this.lab);
    await cp(place.keys, join(this.lab, 'keys'), { recursive: true });
    await cp(place.records, join(this.lab, 'records.sqlite'));
    await cp(pods, join(this.lab, 'pods'), { recursive: true });
  }

  public async removeCopy(): Promise<void> {
    await rm(this.lab, { recursive: true });
  }

  /** Returns everything in the copy, with its content. */
  public async snapshot(): Promise<Record<string, string>> {
    const entries = await readdir(this.lab, { recursive: true, withFileTypes: true });
    return Object.fromEntries(await Promise.all(entries.map(async(entry): Promise<[string, string]> => {
      const path = join(entry.parentPath, entry.name);
      return [ path, entry.isFile() ? createHash('sha256').update(await readFile(path)).digest('hex') : 'folder' ];
    })));
  }

  /** Runs a command on the copy, validly except for the given settings. */
  public async call(name: string, place: Partial<CommandPlace>, more: string[]): Promise<CommandAnswer> {
    const { lab } = this;
    const words = [ ...name.split(' '), ...calls[name], ...more ].map((word): string =>
      word === 'INTO' ? join(lab, 'backup') : word);
    const usual = { records: join(lab, 'records.sqlite'), keys: join(lab, 'keys'), pods: join(lab, 'pods') };
    return operate({ ...usual, ...place }, words, '85010100207\n');
  }
}

/** Expects that each command gives the reason in one line, and changes nothing. */
export async function expectRefused(
  mine: RefusingInstallation,
  names: string[],
  place: Partial<CommandPlace>,
  why: RegExp,
  more: string[] = [],
  code = 1,
): Promise<void> {
  const before = await mine.snapshot();
  for (const name of names) {
    const answer = await mine.call(name, place, more);
    expect({ name, ...answer }).toMatchObject({ name, code, output: '', errors: expect.stringMatching(why) });
    expect(answer.errors.trim().split('\n')).toHaveLength(code === 2 ? 2 : 1);
    expect(answer.errors).not.toMatch(/^ {4}at |secret/mu);
    await expect(mine.snapshot()).resolves.toEqual(before);
  }
}
