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

/** Decisions by the media type, and one also by whether the resource is a container. */
const deciding = new Set([ BaseTypedRepresentationConverter, ContainerToTemplateConverter, ContentTypeReplacer ]
  .map(({ prototype }): unknown => opened<Decision>(prototype).canHandle));

const maxPaths = 1000;
/** Longer preferences are not remembered. */
const maxPreferences = 300;

/**
 * Makes the server remember how it converts representations. It asks each converter, in up to three rounds, and those
 * that cannot throw: for a plain read with its access rules, sixty errors with stack traces, a fifth of its CPU.
 *
 * Where a converter may decide by more than the media type and the kind of resource, nothing is remembered.
 */
export const rememberPaths = once((): void => {
  const own = opened<Chain>(ChainedConverter.prototype).findPath;
  const known = new WeakMap<Chain, BoundedMap<string, Path>>();
  replacePart(ChainedConverter.prototype, 'findPath', async function(
    this: Chain,
    args: RepresentationConverterArgs,
  ): Promise<Path> {
    const { preferences, representation: { metadata: { contentType, identifier }}} = args;
    const isContainer = isContainerIdentifier({ path: identifier.value });
    const key = JSON.stringify([ isContainer, contentType, preferences.type ]);
    if (key.length > maxPreferences) {
      return own.call(this, args);
    }
    const paths = known.get(this) ?? new BoundedMap(this.converters.every(isKnown) ? maxPaths : 0);
    known.set(this, paths);
    const path = paths.get(key) ?? await own.call(this, args);
    paths.set(key, path);
    return path;
  });
});

/** Checks for a converter of which it is known by what it decides. */
function isKnown(converter: TypedRepresentationConverter): boolean {
  return deciding.has(opened<Decision>(converter).canHandle);
}
