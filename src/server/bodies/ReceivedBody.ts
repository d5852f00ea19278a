import { randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { bytesOf } from '../../platform/bytesOf';

/** Longer bodies are written to a file, and at most this many of their bytes are in memory at a time. */
const maxBytesInMemory = 64 * 1024;

/** A body that has arrived in full. Must be closed when no longer needed. */
export class ReceivedBody {
  private constructor(
    private readonly chunks: Buffer[],
    private readonly file?: FileHandle,
  ) {}

  /**
   * Receives a body in full, however slow it is.
   *
   * @throws Error when the stream breaks off, or there is no room to store it.
   */
  public static async receive(body: Readable): Promise<ReceivedBody> {
    const chunks: Buffer[] = [];
    let size = 0;
    let file: FileHandle | undefined;
    try {
      // The response goes out on the same connection.
      for await (const chunk of body.iterator({ destroyOnReturn: false })) {
        const bytes = bytesOf(chunk);
        chunks.push(bytes);
        size += bytes.length;
        if (size > maxBytesInMemory) {
          file ??= await openNameless();
          await file.appendFile(Buffer.concat(chunks.splice(0)));
        }
      }
      if (file) {
        await file.appendFile(Buffer.concat(chunks.splice(0)));
      }
      return new ReceivedBody(chunks, file);
    } catch (error: unknown) {
      await file?.close();
      throw error;
    }
  }

  /** Reads the body; can be called once. */
  public read(): Readable {
    return this.file ?
        this.file.createReadStream({ start: 0, autoClose: false, highWaterMark: maxBytesInMemory }) :
        Readable.from(this.chunks, { objectMode: false });
  }

  /** Discards the memory or file of the body. */
  public async close(): Promise<void> {
    await this.file?.close();
  }
}

/** Opens a file without a name, which disappears with the process at the latest. */
async function openNameless(): Promise<FileHandle> {
  const path = join(tmpdir(), randomUUID());
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}
