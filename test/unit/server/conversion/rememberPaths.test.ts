import {
  BaseTypedRepresentationConverter,
  BasicRepresentation,
  ChainedConverter,
  ContainerToTemplateConverter,
  HandlebarsTemplateEngine,
  NotImplementedHttpError,
  SingleRootIdentifierStrategy,
  StaticTemplateEngine,
} from '@solid/community-server';
import type { Representation, RepresentationConverterArgs, ValuePreferences } from '@solid/community-server';
import { rememberPaths } from '../../../../src/server/conversion/rememberPaths';

/** Converts to one type, and counts how often it is asked for it. */
class Counting extends BaseTypedRepresentationConverter {
  public asked = 0;

  public constructor(from: string, private readonly to: string) {
    super(from, to);
  }

  public override async getOutputTypes(type: string): Promise<ValuePreferences> {
    this.asked += 1;
    return super.getOutputTypes(type);
  }

  public override async handle({ identifier }: RepresentationConverterArgs): Promise<Representation> {
    return new BasicRepresentation([], identifier, this.to);
  }
}

/** Converts only documents of one name. */
class Choosy extends Counting {
  public override async canHandle(args: RepresentationConverterArgs): Promise<void> {
    await super.canHandle(args);
    if (!args.identifier.path.endsWith('chosen')) {
      throw new NotImplementedHttpError();
    }
  }
}

async function typeOf(chain: ChainedConverter, from: string, type?: ValuePreferences, name = 'a'): Promise<string> {
  const identifier = { path: `http://localhost/${name}` };
  const representation = new BasicRepresentation([], identifier, from);
  return (await chain.handleSafe({ identifier, representation, preferences: { type }})).metadata.contentType ?? '';
}

describe('The way through the converters', (): void => {
  beforeAll(rememberPaths);

  it('is looked for once for each type and preferences.', async(): Promise<void> => {
    const [ first, second ] = [ new Counting('a/a', 'b/b'), new Counting('b/b', 'c/c') ];
    const chain = new ChainedConverter([ first, second ]);
    await expect(typeOf(chain, 'a/a', { 'c/c': 1 })).resolves.toBe('c/c');
    const asked = second.asked;
    await expect(typeOf(chain, 'a/a', { 'c/c': 1 }, 'other')).resolves.toBe('c/c');
    expect(second.asked).toBe(asked);
    await expect(typeOf(chain, 'a/a', { 'b/b': 1 })).resolves.toBe('b/b');
    await expect(typeOf(chain, 'b/b', { 'c/c': 1 })).resolves.toBe('c/c');
    await expect(typeOf(chain, 'a/a')).resolves.toBe('a/a');
    await expect(typeOf(chain, 'a/a', { 'a/a': 0.5, 'c/c': 1 })).resolves.toBe('c/c');
    await expect(typeOf(chain, 'a/a', { 'a/a': 1, 'c/c': 0.5 })).resolves.toBe('a/a');
  });

  it('of one chain is not that of another.', async(): Promise<void> => {
    const chain = new ChainedConverter([ new Counting('a/a', 'b/b') ]);
    await expect(typeOf(chain, 'a/a', { 'b/b': 1 })).resolves.toBe('b/b');
    const other = new ChainedConverter([ new Counting('a/a', 'c/c') ]);
    await expect(typeOf(other, 'a/a', { 'b/b': 1 })).rejects.toThrow('No conversion path');
  });

  it('that was not found is looked for again.', async(): Promise<void> => {
    const converter = new Counting('a/a', 'b/b');
    const chain = new ChainedConverter([ converter ]);
    await expect(typeOf(chain, 'a/a', { 'd/d': 1 })).rejects.toThrow('No conversion path');
    const { asked } = converter;
    await expect(typeOf(chain, 'a/a', { 'd/d': 1 })).rejects.toThrow('No conversion path');
    expect(converter.asked).toBeGreaterThan(asked);
  });

  it('is looked for each time for long preferences.', async(): Promise<void> => {
    const converter = new Counting('a/a', 'b/b');
    const chain = new ChainedConverter([ converter ]);
    const preferences = { 'b/b': 1, [`d/${'d'.repeat(300)}`]: 1 };
    await typeOf(chain, 'a/a', preferences);
    const { asked } = converter;
    await typeOf(chain, 'a/a', preferences);
    expect(converter.asked).toBeGreaterThan(asked);
  });

  it('of a container is not that of a document.', async(): Promise<void> => {
    const identifierStrategy = new SingleRootIdentifierStrategy('http://localhost/');
    const engine = new HandlebarsTemplateEngine('http://localhost/');
    const template = new StaticTemplateEngine(engine, '@css:templates/container.md.hbs');
    const page = new ContainerToTemplateConverter(template, 'c/c', identifierStrategy);
    const chain = new ChainedConverter([ page, new Counting('internal/quads', 'b/b') ]);
    const preferences = { 'b/b': 0.5, 'c/c': 1 };
    await expect(typeOf(chain, 'internal/quads', preferences)).resolves.toBe('b/b');
    await expect(typeOf(chain, 'internal/quads', preferences, 'a/')).resolves.toBe('c/c');
    await expect(typeOf(chain, 'internal/quads', preferences)).resolves.toBe('b/b');
  });

  it('is looked for each time where a converter decides by more than the type.', async(): Promise<void> => {
    const chain = new ChainedConverter([ new Choosy('a/a', 'b/b'), new Counting('a/a', 'c/c') ]);
    const preferences = { 'b/b': 1, 'c/c': 0.5 };
    await expect(typeOf(chain, 'a/a', preferences, 'chosen')).resolves.toBe('b/b');
    await expect(typeOf(chain, 'a/a', preferences, 'other')).resolves.toBe('c/c');
  });
});
