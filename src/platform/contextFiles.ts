import { join } from 'node:path';

/** URLs of the contexts that ship with the package, by name in the code. */
export const CONTEXTS = {
  credentialsV1: 'https://www.w3.org/2018/credentials/v1',
  credentialsV2: 'https://www.w3.org/ns/credentials/v2',
  inruptV1: 'https://schema.inrupt.com/credentials/v1.jsonld',
  inruptV2: 'https://schema.inrupt.com/credentials/v2.jsonld',
  ed25519Suite: 'https://w3id.org/security/suites/ed25519-2020/v1',
  dataIntegrityV1: 'https://w3id.org/security/data-integrity/v1',
  dataIntegrityV2: 'https://w3id.org/security/data-integrity/v2',
  revocationList: 'https://w3id.org/vc-revocation-list-2020/v1',
  statusList2021: 'https://w3id.org/vc/status-list/2021/v1',
  securityV1: 'https://w3id.org/security/v1',
  securityV2: 'https://w3id.org/security/v2',
  multikey: 'https://w3id.org/security/multikey/v1',
  controlledIdentifier: 'https://www.w3.org/ns/cid/v1',
} as const;

const files: Record<string, string> = {
  [CONTEXTS.credentialsV1]: 'credentials-v1',
  [CONTEXTS.credentialsV2]: 'credentials-v2',
  [CONTEXTS.inruptV1]: 'inrupt-v1',
  [CONTEXTS.inruptV2]: 'inrupt-v2',
  [CONTEXTS.ed25519Suite]: 'ed25519-2020-v1',
  [CONTEXTS.dataIntegrityV1]: 'data-integrity-v1',
  [CONTEXTS.dataIntegrityV2]: 'data-integrity-v2',
  [CONTEXTS.revocationList]: 'revocation-list-2020-v1',
  [CONTEXTS.statusList2021]: 'status-list-2021-v1',
  [CONTEXTS.securityV1]: 'security-v1',
  [CONTEXTS.securityV2]: 'security-v2',
  [CONTEXTS.multikey]: 'multikey-v1',
  [CONTEXTS.controlledIdentifier]: 'cid-v1',
};

// Both src/platform and dist/platform are two folders below the package root.
const folder = join(__dirname, '..', '..', 'templates', 'contexts');

/** Files of the contexts that ship with the package, by URL. */
export const contextFiles: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(files).map(([ url, name ]): [string, string] => [ url, join(folder, `${name}.json`) ]),
);
