import { createRequire } from 'node:module';
import { giveWay, isOverdue } from '../../platform/giveWay';
import { once } from '../../platform/once';
import { opened } from '../../platform/opened';
import { replacePart } from '../replacePart';
import { requireOfServer } from '../requireOfServer';

/** The library's step that makes statements of one value. The steps of a document run one after another. */
type ValueReader = Record<'newOnValueJob', (...value: unknown[]) => Promise<void>>;

/**
 * Makes all parsers of JSON-LD in this process let other work run between values. The library handles the whole of a
 * document in one go, once its context is known: 125,000 numbers in 250 KB took six seconds of CPU.
 */
export const pauseInJsonLd = once((): void => {
  const ofParsers = createRequire(requireOfServer.resolve('rdf-parse'));
  const ofParser = createRequire(ofParsers.resolve('@comunica/actor-rdf-parse-jsonld'));
  const { JsonLdParser: parser } = ofParser('jsonld-streaming-parser') as Record<string, { prototype: object }>;
  const { newOnValueJob: readValue } = opened<ValueReader>(parser.prototype);
  replacePart(parser.prototype, 'newOnValueJob', async function(
    this: ValueReader,
    ...value: unknown[]
  ): Promise<void> {
    if (isOverdue()) {
      await giveWay();
    }
    return readValue.apply(this, value);
  });
});
