/* eslint jest/no-standalone-expect: [ error, { additionalTestBlockFunctions: [ itHere ] } ] */
import { existsSync } from 'node:fs';
import { isOutage } from '../../../../src/platform/outage';
import { SlashSafeFileLocker } from '../../../../src/server/files/SlashSafeFileLocker';
import { removeFolder, temporaryFolder } from '../../../support/world';

/** A folder in which nobody can make one, on Linux; elsewhere the test is skipped. */
const unwritable = '/sys';
const itHere = existsSync(unwritable) ? it : it.skip;
const document = { path: 'http://localhost:3000/alice/note' };
const attemptSettings = { retryDelay: 0, retryJitter: 0 };

describe('Locks on disk', (): void => {
  let root: string;
  let locker: SlashSafeFileLocker;

  beforeEach(async(): Promise<void> => {
    root = await temporaryFolder();
    locker = new SlashSafeFileLocker({ rootFilePath: root, lockDirectory: 'locks', attemptSettings });
    await locker.initialize();
  });

  afterEach(async(): Promise<void> => {
    await locker.finalize();
    await removeFolder(root);
  });

  it('are for a document and a container of the same name.', async(): Promise<void> => {
    const container = { path: `${document.path}/` };
    await locker.acquire(document);
    await locker.acquire(container);
    await locker.release(document);
    await expect(locker.release(container)).resolves.toBeUndefined();
  });

  it('are waited for while others have them.', async(): Promise<void> => {
    const steps: string[] = [];
    await locker.acquire(document);
    const second = locker.acquire(document).then((): unknown => steps.push('acquired'));
    await new Promise(setImmediate);
    steps.push('released');
    await locker.release(document);
    await second;
    expect(steps).toEqual([ 'released', 'acquired' ]);
    await locker.release(document);
  });

  itHere('are refused at once where the disk takes none.', async(): Promise<void> => {
    const elsewhere = new SlashSafeFileLocker({ rootFilePath: unwritable, lockDirectory: '/', attemptSettings });
    const error = await elsewhere.acquire(document).catch((thrown: unknown): unknown => thrown);
    expect(isOutage(error)).toBe(true);
  });
});
