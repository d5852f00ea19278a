/* eslint-disable jest/require-top-level-describe -- a describe that is skipped where the tools are missing */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Demo } from '../../demo/lib/startDemo';
import { startDemo } from '../../demo/lib/startDemo';
import type { Example, Run } from '../support/documentation';
import { differences, readExamples, runExamples } from '../support/documentation';
import { freePort, removeFolder, temporaryFolder } from '../support/world';

const root = join(__dirname, '../..');
const pages = [
  'README.md',
  'docs/api/README.md',
  'docs/api/citizens.md',
  'docs/api/data-users.md',
  'docs/api/events.md',
  'docs/api/access-grants.md',
  'docs/api/published.md',
];
const examples = pages.flatMap((page): Example[] => readExamples(join(root, page), page));

const tools = [ 'bash', 'curl' ].filter((tool): boolean => spawnSync(tool, [ '--version' ]).status === 0);
const describeIfPossible = tools.length === 2 || process.env.CI !== undefined ? describe : describe.skip;

if (tools.length < 2) {
  process.stderr.write('docs.test.ts needs bash and curl: the commands of the documentation are not tried here.\n');
}

jest.setTimeout(180_000);

describeIfPossible('The commands of README.md and docs/api', (): void => {
  let folder: string;
  let demo: Demo;
  let runs: Run[];
  let complaints: string;

  beforeAll(async(): Promise<void> => {
    folder = await temporaryFolder();
    const { signal } = new AbortController();
    demo = await startDemo({ folder, port: await freePort(), nationalPort: await freePort(), signal });
    ({ complaints, runs } = runExamples(examples, folder, {
      'http://localhost:3000': demo.base.slice(0, -1),
      'http://localhost:3001': demo.issuer.slice(0, -1),
    }));
  });

  afterAll(async(): Promise<void> => {
    await demo?.stop();
    await removeFolder(folder);
  });

  test('all run.', (): void => {
    expect(complaints).toBe('');
    expect(runs).toHaveLength(examples.length + 1);
  });

  test.each(examples.map(({ place }, at): [string, number] => [ place, at ]))('answer as shown: %s.', (_, at): void => {
    expect(differences(examples[at], runs[at])).toEqual([]);
  });
});
