import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRegularFile, readRegularFileSync, readRegularText, whyUnreadable } from
  '../../../src/platform/readRegularFile';

async function expectRefused(path: string, reason: string, maxBytes?: number): Promise<void> {
  const error: unknown = await readRegularFile(path, maxBytes).catch((refused: unknown): unknown => refused);
  expect(whyUnreadable(error)).toBe(reason);
  let atOnce: unknown;
  try {
    readRegularFileSync(path, maxBytes);
  } catch (refused: unknown) {
    atOnce = refused;
  }
  expect(whyUnreadable(atOnce)).toBe(reason);
}

describe('A file of an operator', (): void => {
  let folder: string;

  beforeEach(async(): Promise<void> => {
    folder = await mkdtemp(join(tmpdir(), 'regular-'));
  });

  afterEach(async(): Promise<void> => rm(folder, { recursive: true }));

  it('is read, also through a link.', async(): Promise<void> => {
    await writeFile(join(folder, 'file'), 'één');
    await symlink('file', join(folder, 'link'));
    await expect(readRegularText(join(folder, 'link'))).resolves.toBe('één');
    expect(readRegularFileSync(join(folder, 'link')).toString()).toBe('één');
  });

  it('is refused at once when it is a named pipe that nobody writes to.', async(): Promise<void> => {
    execFileSync('mkfifo', [ join(folder, 'pipe') ]);
    await symlink('pipe', join(folder, 'link'));
    await expectRefused(join(folder, 'pipe'), 'cannot be read: it is a named pipe, not a file');
    await expectRefused(join(folder, 'link'), 'cannot be read: it is a named pipe, not a file');
  });

  it('is refused when it is a folder, a device or a socket.', async(): Promise<void> => {
    await mkdir(join(folder, 'folder'));
    await expectRefused(join(folder, 'folder'), 'cannot be read: it is a folder, not a file');
    await expectRefused('/dev/zero', 'cannot be read: it is a device, not a file');
    const server = createServer().listen(join(folder, 'socket'));
    await once(server, 'listening');
    await expectRefused(join(folder, 'socket'), 'cannot be read: it is a socket or device, not a file');
    await new Promise((resolve): unknown => server.close(resolve));
  });

  it('is refused when it is too large or missing.', async(): Promise<void> => {
    await writeFile(join(folder, 'file'), '12345');
    await expectRefused(join(folder, 'file'), 'cannot be read: it has more than 4 bytes', 4);
    await expectRefused(join(folder, 'none'), 'cannot be read (ENOENT)');
  });
});
