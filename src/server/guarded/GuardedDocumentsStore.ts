import {
  BadRequestHttpError,
  BasicRepresentation,
  ForbiddenHttpError,
  guardedStreamFrom,
  INTERNAL_QUADS,
  NotFoundHttpError,
  PassthroughStore,
} from '@solid/community-server';
import type {
  ChangeMap,
  Conditions,
  Representation,
  RepresentationConverter,
  ResourceIdentifier,
  ResourceStore,
} from '@solid/community-server';
import type { Quad } from '@rdfjs/types';
import { isAccessDocument } from '../access/isAccessDocument';
import { nameFromSlug } from '../names/nameFromSlug';
import { readBounded } from '../readBounded';
import type { DocumentGuard, GuardedStatements } from './DocumentGuard';
import type { PublicReading, RulesStore } from './PublicReading';
import { collectQuads, isUnsupported, openQuads, quadsOf } from './quadsOf';
import type { StatementsByText } from './statements';
import { describeChange, isSame, selectStatements } from './statements';

/** Maximum bytes of a guarded document, and of access rules for one. */
const maxBytes = 1024 * 1024;
const turtle = 'text/turtle';

/** A guarded document that a write affects. */
interface Guarded {
  document: ResourceIdentifier;
  statements: GuardedStatements;
}

/** A body that was read, with its statements. */
interface Body {
  /** The same body, readable again. */
  representation: Representation;
  quads: Quad[];
}

/**
 * Protects guarded documents from everybody with write access: they cannot be removed, their guarded statements cannot
 * be added, changed or removed, and access rules cannot hide them. Other content can be changed.
 *
 * Belongs where patches have become whole documents and locks are held: every write passes it. A guarded document is
 * stored as Turtle, because the statements of JSON-LD with a remote context, or of an HTML page, may change without a
 * request to this server.
 */
export class GuardedDocumentsStore extends PassthroughStore {
  private readonly guard: DocumentGuard;
  private readonly converter: RepresentationConverter;
  private reading?: PublicReading;

  /**
   * @param source - The store behind it.
   * @param guard - Knows which documents are guarded.
   * @param converter - Reads and writes RDF.
   */
  public constructor(source: ResourceStore, guard: DocumentGuard, converter: RepresentationConverter) {
    super(source);
    this.guard = guard;
    this.converter = converter;
  }

  /**
   * Sets the check whether a document is public. Set after construction, because it reads access rules through this
   * store.
   */
  public setReading(reading: PublicReading): void {
    this.reading = reading;
  }

  public override async addResource(
    container: ResourceIdentifier,
    representation: Representation,
    conditions?: Conditions,
  ): Promise<ChangeMap> {
    const name = nameFromSlug(representation.metadata);
    const identifier = name && { path: `${container.path}${name}` };
    const guarded = identifier ? await this.find(identifier) : undefined;
    // If the resource exists, the server creates one with another name.
    if (identifier && guarded?.document.path === identifier.path && !await this.source.hasResource(identifier)) {
      throw new ForbiddenHttpError(`${identifier.path} is not made by POST.`);
    }
    return super.addResource(container, representation, conditions);
  }

  public override async setRepresentation(
    identifier: ResourceIdentifier,
    representation: Representation,
    conditions?: Conditions,
  ): Promise<ChangeMap> {
    const guarded = await this.find(identifier);
    return super.setRepresentation(
      identifier,
      guarded ? await this.check(identifier, representation, guarded) : representation,
      conditions,
    );
  }

  public override async deleteResource(identifier: ResourceIdentifier, conditions?: Conditions): Promise<ChangeMap> {
    const guarded = await this.find(identifier);
    if (guarded?.document.path === identifier.path) {
      throw new ForbiddenHttpError(`${identifier.path} is the document of a WebID of this service: it must stay.`);
    }
    if (guarded && isAccessDocument(identifier)) {
      await this.requirePublic(guarded.document, identifier);
    }
    return super.deleteResource(identifier, conditions);
  }

  private async find(identifier: ResourceIdentifier): Promise<Guarded | undefined> {
    const document = this.guard.documentNear(identifier);
    const statements = document && await this.guard.statementsOf(document);
    return statements && { document, statements };
  }

  /** @returns The representation to write. */
  private async check(
    identifier: ResourceIdentifier,
    given: Representation,
    { document, statements }: Guarded,
  ): Promise<Representation> {
    if (identifier.path === document.path) {
      return this.checkDocument(identifier, given, statements);
    }
    if (identifier.path.endsWith('.meta')) {
      const { quads, representation } = await this.read(identifier, given);
      await this.requireKept(identifier, quads, statements.predicates, new Map());
      return representation;
    }
    if (isAccessDocument(identifier)) {
      const { quads, representation } = await this.read(identifier, given);
      await this.requirePublic(document, identifier, quads);
      return representation;
    }
    if (identifier.path.startsWith(`${document.path}/`)) {
      throw new ForbiddenHttpError(`${document.path} is the document of a WebID of this service.`);
    }
    return given;
  }

  private async checkDocument(
    identifier: ResourceIdentifier,
    given: Representation,
    { expected, predicates }: GuardedStatements,
  ): Promise<Representation> {
    const { quads, representation } = await this.read(identifier, given);
    const said = [ ...given.metadata.quads() ];
    await this.requireKept(identifier, [ ...quads, ...said ], predicates, selectStatements(expected, predicates));
    if (quads.some(({ graph }): boolean => graph.termType !== 'DefaultGraph')) {
      throw new BadRequestHttpError('The document of a WebID of this service has no named graphs.');
    }
    if (representation.metadata.contentType === turtle) {
      return representation;
    }
    const source = new BasicRepresentation(guardedStreamFrom(quads), representation.metadata, INTERNAL_QUADS);
    return this.converter.handleSafe({ identifier, representation: source, preferences: { type: { [turtle]: 1 }}});
  }

  /** @throws ForbiddenHttpError unless the guarded statements stay the same or become the expected ones. */
  private async requireKept(
    identifier: ResourceIdentifier,
    quads: Quad[],
    predicates: readonly string[],
    expected: StatementsByText,
  ): Promise<void> {
    const after = selectStatements(quads, predicates);
    const before = selectStatements(await quadsOf(this.source, identifier), predicates);
    if (!isSame(after, before) && !isSame(after, expected)) {
      const names = predicates.join(' and ');
      const change = describeChange(before, after);
      throw new ForbiddenHttpError(`The document of a WebID of this service keeps its ${names}. This would ${change}`);
    }
  }

  /**
   * @throws BadRequestHttpError when the body is not valid RDF of its type. A body of another type has no statements.
   */
  private async read(identifier: ResourceIdentifier, { data, metadata }: Representation): Promise<Body> {
    if (metadata.contentType === INTERNAL_QUADS) {
      const quads = await collectQuads(data);
      return { quads, representation: new BasicRepresentation(guardedStreamFrom(quads), metadata) };
    }
    const text = await readBounded(data, maxBytes, 'The document of a WebID of this service, or its rules,');
    const representation = new BasicRepresentation(text, metadata);
    try {
      const quads = await collectQuads(await openQuads(this.converter, identifier, text, metadata.contentType));
      return { quads, representation };
    } catch (error: unknown) {
      if (isUnsupported(error)) {
        return { quads: [], representation };
      }
      throw error;
    }
  }

  /**
   * @param document - Document that must stay readable by everyone.
   * @param rules - Access rules that are written or removed.
   * @param quads - New content of the rules; undefined when they are removed.
   *
   * @throws ForbiddenHttpError
   */
  private async requirePublic(document: ResourceIdentifier, rules: ResourceIdentifier, quads?: Quad[]): Promise<void> {
    const { reading, source } = this;
    if (!reading || !await source.hasResource(document) || !await reading.isPublic(document, source)) {
      return;
    }
    if (!await reading.isPublic(document, withRules(source, rules, quads))) {
      throw new ForbiddenHttpError(`${document.path} is the document of a WebID of this service: it must stay public.`);
    }
  }
}

/** Returns the same store with some access rules replaced or removed. */
function withRules(store: ResourceStore, rules: ResourceIdentifier, quads?: Quad[]): RulesStore {
  return {
    hasResource: async(identifier): Promise<boolean> =>
      identifier.path === rules.path ? quads !== undefined : store.hasResource(identifier),
    async getRepresentation(identifier, ...others): Promise<Representation> {
      if (identifier.path !== rules.path) {
        return store.getRepresentation(identifier, ...others);
      }
      if (!quads) {
        throw new NotFoundHttpError();
      }
      return new BasicRepresentation(guardedStreamFrom(quads), identifier, INTERNAL_QUADS, false);
    },
  };
}
