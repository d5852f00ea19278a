import { readStatements } from '../../src/credentials/canonicalize';
import { createDocumentLoader } from '../../src/credentials/documentLoader';
import { CONTEXTS } from '../../src/platform/contextFiles';
import { readClaims } from '../../src/credentials/readClaims';
import type { DataTypeCatalogue, Inspection } from '../../src/data-types/DataType';
import { NationalNumber } from '../../src/identity/NationalNumber';
import { parseWebId } from '../../src/platform/webId';

const load = createDocumentLoader();
const webId = parseWebId('https://pods.example/citizen/profile/card#me');

/**
 * Validates a record against a data type, as the credential that it would become.
 *
 * @throws Error when no claims can be read from it.
 */
export async function inspectRecord(
  types: Pick<DataTypeCatalogue, 'inspect'>,
  dataType: string,
  record: Record<string, unknown>,
  nationalNumber: string,
): Promise<Inspection> {
  const { '@context': context, '@id': id, ...subject } = record;
  const document = {
    '@context': [ CONTEXTS.credentialsV2, context ?? {} ].flat(),
    type: [ 'VerifiableCredential' ],
    issuer: 'https://issuer.example/',
    credentialSubject: { id: webId, ...subject },
  };
  const claims = readClaims(document, await readStatements(document, load), webId);
  if (typeof claims === 'string') {
    throw new TypeError(claims);
  }
  return types.inspect(dataType, { ...claims, json: record }, NationalNumber.stored(nationalNumber));
}
