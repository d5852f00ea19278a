import type { Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import { PIM, SOLID } from '../vocabulary';
import type { WebIdWithPod } from './PodHost';

/** Statements that a profile keeps. */
export interface KeptStatements {
  /** IRIs of the predicates for which the profile has no other statements. */
  predicates: readonly string[];
  expected: readonly Quad[];
}

const predicates = [ SOLID.oidcIssuer, PIM.storage ];

/**
 * Returns the statements that the profile of a WebID made here keeps: its issuers and its storage, so that an app with
 * write access cannot become the citizen at other servers.
 *
 * @param issuers - URLs of the issuers that may vouch for the WebID.
 */
export function profileStatements(pod: WebIdWithPod, issuers: readonly string[]): KeptStatements {
  const { podUrl, webId } = pod;
  return {
    predicates,
    expected: [
      ...[ ...new Set(issuers) ].map((issuer): Quad => statement(webId, SOLID.oidcIssuer, issuer)),
      statement(webId, PIM.storage, podUrl),
    ],
  };
}

function statement(subject: string, predicate: string, object: string): Quad {
  return DataFactory.quad(
    DataFactory.namedNode(subject),
    DataFactory.namedNode(predicate),
    DataFactory.namedNode(object),
  );
}
