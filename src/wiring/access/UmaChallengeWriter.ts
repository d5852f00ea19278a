import { HTTP, MetadataWriter } from '@solid/community-server';
import type { MetadataWriterInput } from '@solid/community-server';
import { DataFactory } from 'n3';
import { challenge } from '../../tokens/challenge';

/** Predicate of the UMA challenge in the metadata of a response. */
export const challengeTerm = DataFactory.namedNode('urn:css-data-sharing:meta:umaChallenge');

/**
 * Writes `WWW-Authenticate`, instead of the server's own writer: the UMA challenge comes first, because clients of
 * access grants read the first scheme only; the ordinary ones follow.
 */
export class UmaChallengeWriter extends MetadataWriter {
  public async handle({ response, metadata }: MetadataWriterInput): Promise<void> {
    const uma = metadata.get(challengeTerm)?.value;
    if (uma !== undefined || metadata.get(HTTP.terms.statusCodeNumber)?.value === '401') {
      const [[ name, ordinary ]] = Object.entries(challenge());
      response.setHeader(name, uma === undefined ? ordinary : `${uma}, ${ordinary}`);
    }
  }
}
