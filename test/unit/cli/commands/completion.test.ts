import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { operate } from '../../../support/commandLine';
import { removeFolder, temporaryFolder } from '../../../support/world';

const nowhere = { records: '/nowhere/records.sqlite', keys: '/nowhere/keys' };

describe('The completion', (): void => {
  let folder: string;
  let script: string;

  beforeAll(async(): Promise<void> => {
    folder = await temporaryFolder();
    for (const shell of [ 'bash', 'zsh' ]) {
      writeFileSync(join(folder, shell), (await operate(nowhere, [ 'completion', shell ])).output);
    }
    script = join(folder, 'bash');
  });

  afterAll(async(): Promise<void> => removeFolder(folder));

  function complete(words: string[]): string[] {
    const run = 'source "$0"; COMP_WORDS=(css-data-sharing "$@"); COMP_CWORD=$#; _css_data_sharing';
    const shell = spawnSync('bash', [ '-c', `${run}; printf '%s\\n' "\${COMPREPLY[@]}"`, script, ...words ], {
      encoding: 'utf8',
      // Bash warns of a locale that the machine does not have.
      env: { ...process.env, LC_ALL: 'C' },
    });
    return [ ...shell.stdout.split('\n').filter(Boolean), ...shell.stderr === '' ? [] : [ shell.stderr ] ];
  }

  it.each([
    [[ 'cit' ], [ 'citizens' ]],
    [[ 'citizens', '' ], [ 'list', 'relink', 'export', 'erase' ]],
    [[ 'citizens', 'export', '--w' ], [ '--webid', '--with-contents' ]],
    [[ 'new', 'd' ], [ 'data-type' ]],
    [[ 'check', 're' ], [ 'record' ]],
    [[ 'check', '--sour' ], [ '--sources' ]],
    [[ 'check', 'record', 'a file', '--ty' ], [ '--type' ]],
    [[ 'suspend', '--c' ], [ '--contract' ]],
    [[ '--nationalI' ], [ '--nationalIssuers' ]],
    [[ '-p', '3000', '--contr' ], [ '--contracts' ]],
    [[ 'nothing', '' ], []],
    [[ '$(touch x)', '' ], []],
  ])('of bash suggests what can follow: %j.', (words, found): void => {
    expect(complete(words)).toEqual(found);
  });

  it('is for bash and zsh, and the same for both.', async(): Promise<void> => {
    await expect(operate(nowhere, [ 'completion', 'fish' ])).resolves.toMatchObject({ code: 2, output: '' });
    const [ bash, zsh ] = [ 'bash', 'zsh' ].map((shell): string[] => readFileSync(join(folder, shell), 'utf8')
      .replaceAll('candidates=', 'words=').split('\n').filter((line): boolean => line.includes(') words=')));
    expect(zsh).toEqual(bash);
  });
});
