import {
  BaseTypedRepresentationConverter,
  ChainedConverter,
  ContainerToTemplateConverter,
  ContentTypeReplacer,
  isContainerIdentifier,
} from '@solid/community-server';
import type { RepresentationConverterArgs, TypedRepresentationConverter } from '@solid/community-server';
import { BoundedMap } from '../../platform/BoundedMap';
import { once } from '../../platform/once';
import { opened } from '../../platform/opened';
import { replacePart } from '../replacePart';

/** Converters to apply one after the other, as the server finds them. */
type Path = object;

/** The server's step that finds the best path from the type of a representation to the types that are preferred. */
interface Chain {
  converters: TypedRepresentationConverter[];
  findPath: (this: Chain, args: RepresentationConverterArgs) => Promise<Path>;
}

/** A converter's decision. */
type Decision = Record<'canHandle', unknown>;

/** Decisions by media type, and one that refuses all documents. */
const deciding = new Set([ BaseTypedRepresentationConverter, ContainerToTemplateConverter, ContentTypeReplacer ]
  .map(({ prototype }): unknown => opened<Decision>(prototype).canHandle));

const maxPaths = 1000;
/** Longer preferences are not remembered. */
const maxPreferences = 300;

/**
 * Makes the server remember how it converts documents. It asks each converter, in up to three rounds and by an error
 * for each that cannot: for a plain read with its access rules, sixty errors with their stack traces, a seventh of the
 * CPU of the read.
 *
 * Where a converter may decide by anything but the media type, nothing is remembered.
 */
export const rememberPaths = once((): void => {
  const own = opened<Chain>(ChainedConverter.prototype).findPath;
  const known = new WeakMap<Chain, BoundedMap<string, Path>>();
  replacePart(ChainedConverter.prototype, 'findPath', async function(
    this: Chain,
    args: RepresentationConverterArgs,
  ): Promise<Path> {
    const { identifier, preferences, representation } = args;
    const key = JSON.stringify([ representation.metadata.contentType, preferences.type ]);
    if (isContainerIdentifier(identifier) || key.length > maxPreferences || !this.converters.every(decidesByType)) {
      return own.call(this, args);
    }
    const paths = known.get(this) ?? new BoundedMap(maxPaths);
    known.set(this, paths);
    const path = paths.get(key) ?? await own.call(this, args);
    paths.set(key, path);
    return path;
  });
});

/** Checks for a converter that takes documents by their media type alone. */
function decidesByType(converter: TypedRepresentationConverter): boolean {
  return deciding.has(opened<Decision>(converter).canHandle);
}
