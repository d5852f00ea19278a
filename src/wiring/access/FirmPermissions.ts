import { IdentifierMap, Initializer, UnionPermissionReader } from '@solid/community-server';
import type { PermissionMap, PermissionReader, PermissionReaderInput } from '@solid/community-server';
import { isOutage } from '../../http/outage';
import { replacePart } from '../../server/replacePart';

/** The parts of the server's permission readers that have others inside. */
interface Nested {
  source?: PermissionReader;
  reader?: PermissionReader;
  handlers?: PermissionReader[];
  combine: (maps: PermissionMap[]) => Promise<PermissionMap>;
}

/**
 * Lets a failure through where the server unites what several readers allow. The server's own unions leave out what
 * failed: an owner whose access control document can't be read now would be told that the pod is not theirs.
 */
export class FirmPermissions extends Initializer {
  /**
   * @param reader - Unions in it, however deep, are changed in place: the server has no setting for this.
   */
  public constructor(reader: PermissionReader) {
    super();
    makeFirm(reader);
  }

  /** The unions are changed as soon as the server's objects are made. */
  public async handle(): Promise<void> {
    // Nothing is left to do.
  }
}

function makeFirm(reader: PermissionReader): void {
  const { source, reader: inner, handlers = [], combine } = reader as unknown as Nested;
  for (const each of [ source, inner, ...handlers ]) {
    if (each) {
      makeFirm(each);
    }
  }
  if (reader instanceof UnionPermissionReader) {
    replacePart(reader, 'handle', async(input: PermissionReaderInput): Promise<PermissionMap> => {
      const maps = await Promise.all(handlers.map(async(each): Promise<PermissionMap> => readFirmly(each, input)));
      return combine.call(reader, maps);
    });
  }
}

/** A reader that can't handle something, or finds a mistake in it, allows nothing. */
async function readFirmly(reader: PermissionReader, input: PermissionReaderInput): Promise<PermissionMap> {
  try {
    return await reader.handleSafe(input);
  } catch (error: unknown) {
    if (isOutage(error)) {
      throw error;
    }
    return new IdentifierMap();
  }
}
