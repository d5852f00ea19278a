import { isContainerIdentifier, joinUrl } from '@solid/community-server';
import type { ResourceIdentifier } from '@solid/community-server';
import { internalFolder } from '../../server/files/internalFolder';
import { messageOf } from '../../platform/errors';
import { describeResource, digestDocument, readForWriting } from './describeResource';
import type { CanKeep, PodTree } from './PodSide';
import { count } from './PodSide';

/** Number of resources between two reports of progress. */
const resourcesPerLine = 10_000;

/** Counts of the contents of pods. */
export interface PodCount {
  resources: number;
  bytes: number;
}

/** A move of pods from one side to the other. */
export interface PodMove {
  from: PodTree;
  to: PodTree;
  baseUrl: string;
  /** Receives reports of progress. */
  report: (line: string) => void;
}

/**
 * Checks, before anything is moved, that all names can be kept.
 *
 * @param from - Resources to move.
 * @param canKeep - Check of the target for a name.
 * @param baseUrl - Base URL of the server.
 *
 * @throws Error that lists all names that cannot be kept.
 */
export async function requireNames(from: PodTree, canKeep: CanKeep, baseUrl: string): Promise<void> {
  const unfit: string[] = [];
  for await (const identifier of walk(from, baseUrl)) {
    if (!await canKeep(identifier, async(): Promise<string | undefined> => typeOf(from, identifier))) {
      unfit.push(identifier.path);
    }
  }
  if (unfit.length > 0) {
    throw new Error([ `Nothing was moved: the names of ${unfit.length} resources cannot be file names. ` +
      'Copy or remove them while the server runs on the source:', ...unfit ].join('\n'));
  }
}

async function typeOf({ accessor }: PodTree, identifier: ResourceIdentifier): Promise<string | undefined> {
  return (await accessor.getMetadata(identifier)).contentType;
}

/** Copies all resources that the target does not have yet in the same state. */
export async function movePods({ from, to, baseUrl, report }: PodMove): Promise<void> {
  let copied = 0;
  for await (const identifier of walk(from, baseUrl)) {
    if (!await isThere(from, to, identifier)) {
      await write(from, to, identifier);
    }
    copied += 1;
    if (copied % resourcesPerLine === 0) {
      report(`pods: ${copied} resources copied`);
    }
  }
  if (to.settle) {
    for await (const identifier of walk(from, baseUrl)) {
      if (isContainerIdentifier(identifier)) {
        await to.settle(identifier, await from.modifiedOf(identifier));
      }
    }
  }
}

/**
 * Reads both sides and compares every byte.
 *
 * @throws Error that names a resource that differs.
 */
export async function comparePods({ from, to, baseUrl, report }: PodMove): Promise<PodCount> {
  const compared: PodCount = { resources: 0, bytes: 0 };
  for await (const identifier of walk(from, baseUrl)) {
    compared.bytes += await compare(from, to, identifier);
    compared.resources += 1;
    if (compared.resources % resourcesPerLine === 0) {
      report(`pods: ${compared.resources} resources compared`);
    }
  }
  const there = await count(walk(to, baseUrl));
  if (there !== compared.resources) {
    throw new Error(`There are ${there} resources at the target and ${compared.resources} at the source: ` +
      'empty the target and start again');
  }
  return compared;
}

/** Iterates over all resources, each container before its members, without the server's own values. */
async function* walk({ accessor }: PodTree, baseUrl: string): AsyncIterable<ResourceIdentifier> {
  const values = joinUrl(baseUrl, internalFolder);
  async function* below(identifier: ResourceIdentifier): AsyncIterable<ResourceIdentifier> {
    yield identifier;
    if (isContainerIdentifier(identifier)) {
      for await (const { identifier: { value: path }} of accessor.getChildren(identifier)) {
        if (path !== values) {
          yield* below({ path });
        }
      }
    }
  }
  yield* below({ path: joinUrl(baseUrl, '/') });
}

/** Checks whether an earlier run has copied a resource. */
async function isThere(from: PodTree, to: PodTree, identifier: ResourceIdentifier): Promise<boolean> {
  const there = await describeResource(to, identifier);
  if (there === undefined) {
    return false;
  }
  const here = await describeResource(from, identifier);
  if (isContainerIdentifier(identifier)) {
    return isSame(here, to.settle && here ? { ...there, modified: here.modified } : there);
  }
  return isSame(here, there) && isSame(await digestDocument(from, identifier), await digestDocument(to, identifier));
}

async function write(from: PodTree, to: PodTree, identifier: ResourceIdentifier): Promise<void> {
  const metadata = await readForWriting(from, identifier);
  try {
    if (isContainerIdentifier(identifier)) {
      await to.accessor.writeContainer(identifier, metadata);
    } else {
      await to.accessor.writeDocument(identifier, await from.accessor.getData(identifier), metadata);
      await to.settle?.(identifier, await from.modifiedOf(identifier));
    }
  } catch (error: unknown) {
    throw new Error(`${identifier.path} cannot be stored at the target: ${messageOf(error)}`, { cause: error });
  }
}

async function compare(from: PodTree, to: PodTree, identifier: ResourceIdentifier): Promise<number> {
  let isEqual = isSame(await describeResource(from, identifier), await describeResource(to, identifier));
  let bytes = 0;
  if (isEqual && !isContainerIdentifier(identifier)) {
    const document = await digestDocument(from, identifier);
    isEqual = isSame(document, await digestDocument(to, identifier));
    bytes = document.size;
  }
  if (!isEqual) {
    throw new Error(`${identifier.path} differs between the two sides: empty the target and start again`);
  }
  return bytes;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
