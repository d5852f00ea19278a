import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const program = join(__dirname, '../../../support/sendToKilledWorker.js');

describe('outliveWorkers', (): void => {
  it('keeps the primary process running when a message is sent to a killed worker.', async(): Promise<void> => {
    await expect(promisify(execFile)(process.execPath, [ program ])).resolves.toMatchObject({ stdout: 'outlived\n' });
  });
});
