import { HTTP, MetadataWriter } from '@solid/community-server';
import type { MetadataWriterInput } from '@solid/community-server';
import { DataFactory } from 'n3';
import { challengeOf } from './refusedTokens';

/** Predicate of the UMA challenge in the metadata of a response. */
export const challengeTerm = DataFactory.namedNode('urn:css-data-sharing:meta:umaChallenge');

/**
 * Writes `WWW-Authenticate`, instead of the server's own writer: the UMA challenge comes first, because clients of
 * access grants read the first scheme only; the ordinary ones follow, with the error of a refused token.
 *
 * @see [RFC 6750, section 3](https://www.rfc-editor.org/rfc/rfc6750#section-3), [RFC 9449, section 7.1](https://www.rfc-editor.org/rfc/rfc9449#section-7.1)
 */
export class UmaChallengeWriter extends MetadataWriter {
  public async handle({ response, metadata }: MetadataWriterInput): Promise<void> {
    const uma = metadata.get(challengeTerm)?.value;
    if (uma !== undefined || metadata.get(HTTP.terms.statusCodeNumber)?.value === '401') {
      const ordinary = challengeOf(response.req);
      response.setHeader('WWW-Authenticate', uma === undefined ? ordinary : `${uma}, ${ordinary}`);
    }
  }
}
