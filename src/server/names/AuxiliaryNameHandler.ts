import {
  BadRequestHttpError,
  isContainerPath,
  LDP,
  RDF,
  SOLID_HTTP,
  toCanonicalUriPath,
  trimTrailingSlashes,
} from '@solid/community-server';
import type {
  AuxiliaryIdentifierStrategy,
  Operation,
  OperationHttpHandler,
  OperationHttpHandlerInput,
  ResponseDescription,
} from '@solid/community-server';
import { isMisnamed } from '../../platform/resourceNames';
import { PassthroughHandler } from '../PassthroughHandler';

/** Options of {@link AuxiliaryNameHandler}. */
export interface AuxiliaryNameHandlerArgs {
  /** Recognises auxiliary resources. */
  auxiliaryStrategy: AuxiliaryIdentifierStrategy;
  /** Handles all other requests. */
  source: OperationHttpHandler;
}

/** Methods that create nothing: existing resources with such a name can be read and removed. */
const harmless = new Set([ 'GET', 'HEAD', 'OPTIONS', 'DELETE' ]);

/**
 * Refuses, before any look-up, requests that would create a container with the name of an auxiliary resource, a
 * resource below one, or an auxiliary resource of another. Such a container would replace a description or access
 * control document, and its resource could no longer be read, written or removed.
 */
export class AuxiliaryNameHandler extends PassthroughHandler {
  private readonly args: AuxiliaryNameHandlerArgs;

  public constructor(args: AuxiliaryNameHandlerArgs) {
    super(args.source);
    this.args = args;
  }

  public async handle(input: OperationHttpHandlerInput): Promise<ResponseDescription> {
    const { method, target } = input.operation;
    const isRefused = !harmless.has(method) &&
      [ target.path, ...newMember(input.operation) ].some((path): boolean => this.isMisnamed(path));
    if (isRefused) {
      throw new BadRequestHttpError('Names that end with .acl, .acr or .meta are those of auxiliary resources.');
    }
    return this.source.handle(input);
  }

  private isMisnamed(path: string): boolean {
    const [ , , , ...segments ] = path.split('/');
    return isMisnamed(segments.join('/'), (): boolean => this.args.auxiliaryStrategy.isAuxiliaryIdentifier({ path }));
  }
}

/** Returns the URL that the server would give to the resource of a slug: it makes one in containers only. */
function newMember({ method, target, body: { metadata }}: Operation): string[] {
  const slug = metadata.get(SOLID_HTTP.terms.slug)?.value;
  if (method !== 'POST' || !slug || !isContainerPath(target.path)) {
    return [];
  }
  const isContainer = metadata.getAll(RDF.terms.type)
    .some(({ value }): boolean => value === LDP.Container || value === LDP.BasicContainer);
  return [ `${target.path}${canonical(trimTrailingSlashes(slug))}${isContainer ? '/' : ''}` ];
}

/** A slug that cannot be decoded is refused later. */
function canonical(slug: string): string {
  try {
    return toCanonicalUriPath(slug);
  } catch {
    return encodeURIComponent(slug);
  }
}
