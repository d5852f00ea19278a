import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepApart } from '../../../src/platform/keepApart';

describe('Files and folders of the service', (): void => {
  let folder: string;
  let pods: string;

  beforeAll((): void => {
    folder = mkdtempSync(join(tmpdir(), 'keep-apart-'));
    pods = join(folder, 'pods');
    mkdirSync(join(pods, 'inside'), { recursive: true });
    mkdirSync(join(folder, 'pods-of-others'));
    symlinkSync(join(pods, 'inside'), join(folder, 'linked'));
  });

  afterAll((): void => {
    rmSync(folder, { recursive: true });
  });

  it('can be beside the pods, even with the same prefix, and need not exist.', (): void => {
    expect((): void => keepApart(pods, {
      records: join(folder, 'records', 'records.sqlite'),
      keys: join(folder, 'pods-of-others'),
      sources: '',
    })).not.toThrow();
  });

  it.each([
    [ 'equals', 'pods' ],
    [ 'lies in', 'pods/inside/keys' ],
    [ 'contains', '.' ],
    [ 'leads by a link into', 'linked/keys' ],
    [ 'leads by dots into', 'pods-of-others/../pods/keys' ],
  ])('stop the start if one %s the pod root, naming the flag.', (_how, path): void => {
    expect((): void => keepApart(pods, { keys: `${folder}/${path}` })).toThrow('--keys');
  });
});
