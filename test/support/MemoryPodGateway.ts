import { Readable } from 'node:stream';
import { digestOf } from '../../src/personal-data/digest';
import { Unavailable } from '../../src/problems';
import type { PodGateway } from '../../src/pods/PodGateway';
import type { PodResource } from '../../src/platform/PodResource';

/** Pods in memory. */
export class MemoryPodGateway implements PodGateway {
  public readonly resources = new Map<string, { bytes: Buffer; contentType: string; modified: Date }>();
  /** Containers that are missing. All others exist. */
  public readonly missing = new Set<string>();

  public async find(uri: string): Promise<PodResource | undefined> {
    const found = await this.findBytes(uri, Number.POSITIVE_INFINITY);
    if (!found) {
      return undefined;
    }
    const { bytes, ...metadata } = found;
    return { ...metadata, size: bytes.length, body: Readable.from([ bytes ]) };
  }

  public async findBytes(
    uri: string,
    maxBytes: number,
  ): Promise<{ bytes: Buffer; contentType: string; etag: string; modified: Date } | undefined> {
    const found = this.resources.get(uri);
    return found && found.bytes.length <= maxBytes ? { ...found, etag: `"${digestOf(found.bytes)}"` } : undefined;
  }

  public async list(container: string): Promise<string[]> {
    const members = [ ...this.resources.keys() ].filter((uri): boolean => uri.startsWith(container))
      .map((uri): string => container + /^[^/]*\/?/u.exec(uri.slice(container.length))![0]);
    return [ ...new Set(members) ];
  }

  public async exists(uri: string): Promise<boolean> {
    return uri.endsWith('/') ? !this.missing.has(uri) : this.resources.has(uri);
  }

  public async write(uri: string, bytes: Buffer, contentType: string, replaced?: string | null): Promise<void> {
    const etag = (await this.findBytes(uri, Number.POSITIVE_INFINITY))?.etag ?? null;
    if (replaced !== undefined && replaced !== etag) {
      throw new Unavailable('The resource was changed elsewhere at the same time.');
    }
    this.resources.set(uri, { bytes, contentType, modified: new Date('2026-03-02T10:00:00Z') });
  }

  public async remove(uri: string): Promise<void> {
    this.resources.delete(uri);
  }

  public text(uri: string): string | undefined {
    return this.resources.get(uri)?.bytes.toString();
  }
}
