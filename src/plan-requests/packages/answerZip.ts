import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { NetworkPackage, RequestZone } from '../PlanStores';
import type { PackageFiles } from './PackageFiles';

/** An answer as one zip file. */
export interface DownloadedAnswer {
  etag: string;
  /** In bytes. */
  size: number;
  open: () => Readable;
}

/**
 * Describes the answer to a plan request: an index and each package as uploaded, so that its signature stays valid. The
 * bytes are always the same.
 */
export async function describeAnswer(
  accepted: readonly NetworkPackage[],
  zones: readonly RequestZone[],
  files: Pick<PackageFiles, 'read'>,
): Promise<DownloadedAnswer> {
  const sorted = [ ...accepted ].sort(({ zoneId: one = '' }, { zoneId: other = '' }): number =>
    one.localeCompare(other));
  const index = JSON.stringify(zones.map(({ state, unaId, unaName, zoneId }): object => ({
    UnaId: unaId,
    Name: unaName,
    UnaZoneId: zoneId,
    State: state,
  })), null, 2);
  function make(done?: (size: number) => void): ZipFile {
    const made = new ZipFile();
    const [{ receivedAt: mtime }] = sorted;
    made.addBuffer(Buffer.from(index), 'index.json', { mtime, compress: false });
    for (const { id, receivedAt, size, zoneId } of sorted) {
      const options = { mtime: receivedAt, compress: false, size };
      made.addReadStreamLazy(`${zoneId}.zip`, options, (give): void => give(null, files.read(id)));
    }
    // The types of the library leave the size out.
    made.end({ forceZip64Format: false, comment: '' }, done as () => void);
    return made;
  }
  const size = await new Promise<number>((resolve): void => {
    make(resolve);
  });
  const ids = sorted.map(({ id }): string => id).join(' ');
  const digest = createHash('sha256').update(index).update(ids).digest('base64url');
  return {
    etag: `"${digest.slice(0, 27)}"`,
    size,
    open: (): Readable => {
      const made = make();
      const output = Readable.from(made.outputStream);
      made.on('error', (error: Error): void => {
        output.destroy(error);
      });
      return output;
    },
  };
}
