import type { CredentialDocument } from '../credentials/Credential';
import { asList } from '../credentials/json';
import { CredentialMalformed } from '../problems';
import { isRecord } from '../platform/isRecord';
import { parseObject } from '../platform/parseJson';

const maxBytes = 64 * 1024;
const maxDepth = 32;
const base64 = /^[\w+/-]+={0,2}$/u;

/**
 * Reads the credential that a caller sends as text: JSON, or its base64 or base64url encoding, of the credential or of
 * a presentation with exactly one. The content is not verified.
 *
 * @throws CredentialMalformed
 */
export function parseAccessGrantVc(text: string): CredentialDocument {
  const document = parseObject(decode(text.trim()));
  if (!document || isDeeperThan(document, maxDepth)) {
    throw new CredentialMalformed('It is not a JSON object or base64 of one, or it is nested too deeply.');
  }
  const credential = asList(document.type).includes('VerifiablePresentation') ? onlyOne(document) : document;
  if (!isRecord(credential) || !asList(credential.type).includes('VerifiableCredential') ||
    typeof credential.id !== 'string') {
    throw new CredentialMalformed('It is not a verifiable credential with an id.');
  }
  return credential;
}

function decode(text: string): string {
  if (text.startsWith('{')) {
    return checkSize(Buffer.from(text)).toString();
  }
  // Base64 is a third longer than the data.
  if (text.length > maxBytes * 2 || !base64.test(text)) {
    throw new CredentialMalformed('It is neither JSON nor base64 of it.');
  }
  return checkSize(Buffer.from(text, 'base64')).toString();
}

function checkSize(bytes: Buffer): Buffer {
  if (bytes.length > maxBytes) {
    throw new CredentialMalformed(`It is larger than ${maxBytes} bytes.`);
  }
  return bytes;
}

function onlyOne({ verifiableCredential }: Record<string, unknown>): unknown {
  const credentials = asList(verifiableCredential);
  if (credentials.length !== 1) {
    throw new CredentialMalformed('A presentation must hold exactly one credential.');
  }
  return credentials[0];
}

/** Works level by level, so that no depth can exhaust the stack. */
function isDeeperThan(value: unknown, levels: number): boolean {
  let level: unknown[] = [ value ];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) {
      return true;
    }
    level = level.flatMap((item): unknown[] => typeof item === 'object' && item !== null ? Object.values(item) : []);
  }
  return false;
}
