import type { Quad, Quad_Object as QuadObject, Term } from 'n3';
import { DataFactory, Parser, Store } from 'n3';
import type { Claims } from '../data-types/Claims';
import { CREDENTIALS, I18N, RDF, SCHEMA } from '../vocabulary';
import type { WebId } from '../platform/webId';
import type { Statements } from './canonicalize';
import type { CredentialDocument } from './Credential';
import { idOf } from './json';

/** Reason why claims cannot be read from a credential: its form, or its subject is not exactly one citizen. */
export type ClaimsProblem = 'shape' | 'subject';

/** Allowed properties of the credential itself. Others are refused, because users are not shown them. */
const credentialProperties: ReadonlySet<string> = new Set([
  RDF.type,
  SCHEMA.name,
  SCHEMA.description,
  ...[
    'confidenceMethod',
    'credentialSchema',
    'credentialStatus',
    'credentialSubject',
    'evidence',
    'expirationDate',
    'issuanceDate',
    'issuer',
    'refreshService',
    'relatedResource',
    'renderMethod',
    'termsOfUse',
    'validFrom',
    'validUntil',
  ].map((name): string => CREDENTIALS + name),
]);

/**
 * Reads the claims of a credential about a citizen from the statements that its proof covers, so that users see what is
 * signed.
 *
 * There must be exactly one subject, whose id is the citizen's WebID or absent, and all its statements must be in one
 * place. All other statements must be about the credential itself.
 *
 * @param document - The credential or draft.
 * @param statements - Its statements, without the proof.
 * @param webId - WebID of the citizen.
 *
 * @see [Verifiable Credentials Data Model v2.0, section 4.8](https://www.w3.org/TR/vc-data-model-2.0/#credential-subject)
 */
export function readClaims(
  document: CredentialDocument,
  statements: Statements,
  webId: WebId,
): Claims | ClaimsProblem {
  const { nquads, keywords, restated } = statements;
  const quads = new Parser({ format: 'N-Quads', blankNodePrefix: 'record-' }).parse(nquads).map(withoutDirection);
  const subjects = quads.filter(({ predicate }): boolean => predicate.value === `${CREDENTIALS}credentialSubject`);
  if (subjects.length === 0) {
    return 'shape';
  }
  const [{ subject: credential, object: subject }] = subjects;
  if (subjects.length > 1 || !isCitizen(subject, webId, quads) || isToldElsewhere(webId, restated, document)) {
    return 'subject';
  }
  const known = reach(credential, quads);
  const isWhole = quads.every((quad): boolean => quad.graph.termType === 'DefaultGraph' && known.has(quad.subject.id));
  if (keywords.has('@graph') || keywords.has('@included') || !isWhole || !isCredential(credential, quads)) {
    return 'shape';
  }
  const claimed = reach(subject, quads);
  return {
    json: document,
    subject,
    data: new Store(quads.filter((quad): boolean => claimed.has(quad.subject.id))),
    others: quads.filter((quad): boolean => !claimed.has(quad.subject.id)),
  };
}

/**
 * A text whose base direction is known is a text: a proof covers the direction in the place of its datatype, where data
 * types expect the language.
 *
 * @see [JSON-LD 1.1, section 10.4.1, The i18n Namespace](https://www.w3.org/TR/json-ld11/#the-i18n-namespace)
 */
function withoutDirection(quad: Quad): Quad {
  const { subject, predicate, object, graph } = quad;
  return object.termType === 'Literal' && object.datatype.value.startsWith(I18N) ?
      DataFactory.quad(subject, predicate, plainText(object.value, object.datatype.value), graph) :
    quad;
}

function plainText(text: string, datatype: string): QuadObject {
  const [ language ] = datatype.slice(I18N.length).split('_', 1);
  return DataFactory.literal(text, language === '' ? undefined : language);
}

/** A subject without an id is the citizen as long as nothing else refers to it. */
function isCitizen(subject: Term, webId: WebId, quads: Quad[]): boolean {
  return subject.termType === 'BlankNode' ?
    quads.filter(({ object }): boolean => object.equals(subject)).length === 1 :
    subject.value === webId;
}

/** Checks whether the subject has statements elsewhere, also under a blank node id, or in the proof. */
function isToldElsewhere(webId: WebId, restated: ReadonlySet<string>, { proof }: CredentialDocument): boolean {
  return restated.has(webId) || [ ...restated ].some((id): boolean => id.startsWith('_:')) || idOf(proof) === webId;
}

function isCredential(credential: Term, quads: Quad[]): boolean {
  const own = quads.filter(({ subject }): boolean => subject.equals(credential));
  return !quads.some(({ object }): boolean => object.equals(credential)) &&
    own.some(({ predicate, object }): boolean =>
      predicate.value === RDF.type && object.value === `${CREDENTIALS}VerifiableCredential`) &&
      own.every(({ predicate }): boolean => credentialProperties.has(predicate.value));
}

/** A term and all terms reachable from it, by n3's ids. */
function reach(start: Term, quads: Quad[]): Set<string> {
  const bySubject = new Map<string, Quad[]>();
  for (const quad of quads) {
    const own = bySubject.get(quad.subject.id) ?? [];
    own.push(quad);
    bySubject.set(quad.subject.id, own);
  }
  const reached = new Set([ start.id ]);
  const next = [ start ];
  for (let term = next.pop(); term; term = next.pop()) {
    for (const { object } of bySubject.get(term.id) ?? []) {
      if (object.termType !== 'Literal' && !reached.has(object.id)) {
        reached.add(object.id);
        next.push(object);
      }
    }
  }
  return reached;
}
