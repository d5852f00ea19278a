import {
  BasicRepresentation,
  ConflictHttpError,
  HttpError,
  isContainerIdentifier,
  LDP,
  OperationHandler,
} from '@solid/community-server';
import type {
  Operation,
  OperationHandlerInput,
  RepresentationConverter,
  ResponseDescription,
} from '@solid/community-server';
import type { Quad } from 'n3';
import { collectQuads, openQuads } from '../guarded/quadsOf';
import { isAboutMember } from '../patches/ContainedMetadataPatcher';
import { limited } from '../patches/limitPatched';
import { readBounded } from '../readBounded';

/** Maximum bytes of a body, as of a patch. */
const maxBytes = 1024 * 1024;

/** Statuses of a body that is no RDF, malformed, or has contexts that are not fetched. */
const unreadable = new Set([ 400, 406, 415, 501 ]);

/** Options of {@link ContainerPutHandler}. */
export interface ContainerPutHandlerArgs {
  /** Handles the request. */
  source: OperationHandler;
  /** Reads RDF. */
  converter: RepresentationConverter;
}

/**
 * Refuses to PUT a container with a body that states its members or facts about them, which only the server does. The
 * server itself ignores the bodies of new containers; here, only other statements in them are ignored.
 *
 * @see [Solid Protocol, section 5.3](https://solidproject.org/TR/protocol#server-protect-containment)
 */
export class ContainerPutHandler extends OperationHandler {
  private readonly args: ContainerPutHandlerArgs;

  public constructor(args: ContainerPutHandlerArgs) {
    super();
    this.args = args;
  }

  public override async canHandle(input: OperationHandlerInput): Promise<void> {
    await this.args.source.canHandle(input);
  }

  /** @throws ConflictHttpError */
  public async handle({ operation }: OperationHandlerInput): Promise<ResponseDescription> {
    const { body, target } = operation;
    if (!isContainerIdentifier(target) || body.isEmpty) {
      return this.args.source.handle({ operation });
    }
    const quads = await this.read(operation);
    if (quads.some((quad): boolean => isAboutMember(quad, target.path) || isContainment(quad, target.path))) {
      throw new ConflictHttpError('Only the server states the members of a container and facts about them.');
    }
    return this.args.source.handle({ operation: { ...operation, body: new BasicRepresentation([], body.metadata) }});
  }

  /** Returns the statements of a body; none when it is no RDF that can be read. */
  private async read({ body: { data, metadata: { contentType }}, target }: Operation): Promise<Quad[]> {
    const text = await readBounded(data, maxBytes, 'The body of a container');
    try {
      return await collectQuads(limited(await openQuads(this.args.converter, target, text, contentType)));
    } catch (error: unknown) {
      if (HttpError.isInstance(error) && unreadable.has(error.statusCode)) {
        return [];
      }
      throw error;
    }
  }
}

function isContainment({ predicate, subject }: Quad, container: string): boolean {
  return subject.value === container && predicate.value === LDP.contains;
}
