import type { OwnIris } from '../vocabulary';
import { isRecord } from '../platform/isRecord';
import type { CredentialDocument, CredentialFinding } from './Credential';
import { CheckUnavailable } from './Credential';
import { finding, issuerIdOf, startOf, verifyShape, verifyValidity } from './credentialShape';
import type { FetchJson } from './VerificationKeys';
import { asList } from './json';
import type { ProofVerifier } from './ProofVerifier';
import { isAnyBitSet, ownListId, readIndex, readSize, unpackBits } from './statusEntries';
import type { StatusListStore } from './StatusListStore';
import { statusListLength } from './StatusListStore';

/** Required types of the list that a status entry names. */
const listTypes: Record<string, { credential: string; subject: string }> = {
  BitstringStatusListEntry: { credential: 'BitstringStatusListCredential', subject: 'BitstringStatusList' },
  StatusList2021Entry: { credential: 'StatusList2021Credential', subject: 'StatusList2021' },
};

/** Purposes that end a credential; others only add information to it. */
const endingPurposes = new Set([ 'revocation', 'suspension' ]);

/** A status entry of a credential. */
interface StatusClaim {
  type: string;
  purpose: string;
  list: string;
  index: number;
  /** Bits of each entry of the list. */
  size: number;
}

/**
 * Checks whether a credential was revoked or suspended: locally for credentials of this server, otherwise in the list
 * that its issuer publishes.
 *
 * @see [Bitstring Status List v1.0, section 3.2](https://www.w3.org/TR/vc-bitstring-status-list/#validate-algorithm)
 */
export class CredentialStatus {
  public constructor(
    private readonly store: Pick<StatusListStore, 'findRevokedAt'>,
    private readonly proofs: ProofVerifier,
    private readonly iris: OwnIris,
    private readonly fetchJson: FetchJson,
  ) {}

  /**
   * @param document - A credential whose proof was verified.
   *
   * @throws CheckUnavailable when a list cannot be fetched, or is not a valid list of the same issuer: that says
   *   nothing about the credential.
   */
  public async verify(document: CredentialDocument, now: Date): Promise<CredentialFinding[]> {
    const findings: CredentialFinding[] = [];
    for (const status of asList(document.credentialStatus)) {
      const problem = await this.problemOf(status, issuerIdOf(document), now);
      if (problem) {
        findings.push(problem);
      }
    }
    return findings;
  }

  private async problemOf(
    status: unknown,
    issuer: string | undefined,
    now: Date,
  ): Promise<CredentialFinding | undefined> {
    const entry = readEntry(status);
    if (!entry) {
      return finding('status', 'the status is of a kind that cannot be checked here');
    }
    if (!endingPurposes.has(entry.purpose)) {
      return undefined;
    }
    const since = issuer === this.iris.credentialIssuer ?
        await this.findSetHere(entry) :
        await this.findSetAbroad(entry, issuer, now);
    return since && finding('status', `the status list says: ${entry.purpose}`, since);
  }

  private async findSetHere({ list, index }: StatusClaim): Promise<Date | undefined> {
    const listId = ownListId('credentials', list, this.iris);
    if (listId === undefined) {
      throw new CheckUnavailable('The status list of a credential of this server is not one of its own');
    }
    return this.store.findRevokedAt({ listId, index });
  }

  /** Returns when the list that has a bit of the entry set was signed: it was set by then. */
  private async findSetAbroad(
    entry: StatusClaim,
    issuer: string | undefined,
    now: Date,
  ): Promise<Date | undefined> {
    const { bits, signed } = await this.fetchBits(entry, issuer, now);
    const isSet = isAnyBitSet(bits, entry.index, entry.size);
    if (isSet === undefined) {
      throw new CheckUnavailable(`The status list ${entry.list} has no entry ${entry.index}`);
    }
    return isSet ? signed : undefined;
  }

  private async fetchBits(
    entry: StatusClaim,
    issuer: string | undefined,
    now: Date,
  ): Promise<{ bits: Buffer; signed: Date }> {
    const list = await this.fetchList(entry.list);
    const findings = [ ...verifyShape(list), ...verifyValidity(list, now) ];
    if (findings.length > 0 || issuerIdOf(list) !== issuer || (await this.proofs.verify(list, now)).length > 0) {
      throw new CheckUnavailable(`The status list ${entry.list} is not a valid credential of the same issuer`);
    }
    const bits = readBits(list, entry);
    if (!bits) {
      throw new CheckUnavailable(`The status list ${entry.list} cannot be read for this purpose`);
    }
    return { bits, signed: startOf(list) ?? now };
  }

  private async fetchList(url: string): Promise<CredentialDocument> {
    let list: unknown;
    try {
      list = await this.fetchJson(url);
    } catch (error: unknown) {
      throw new CheckUnavailable(`The status list ${url} cannot be fetched`, { cause: error });
    }
    if (!isRecord(list)) {
      throw new CheckUnavailable(`The status list ${url} is not a JSON object`);
    }
    return list;
  }
}

function readEntry(status: unknown): StatusClaim | undefined {
  const type = isRecord(status) ? readType(status.type) : undefined;
  if (!isRecord(status) || type === undefined) {
    return undefined;
  }
  const { statusPurpose, statusListCredential } = status;
  const index = readIndex(status.statusListIndex);
  const size = readSize(status.statusSize);
  return typeof statusPurpose === 'string' && typeof statusListCredential === 'string' && index !== undefined &&
    size !== undefined ?
      { type, purpose: statusPurpose, list: statusListCredential, index, size } :
    undefined;
}

/**
 * Returns the one of the types that can be checked here; `undefined` for none, or several.
 *
 * @see [VC Data Model v2.0, section 4.5](https://www.w3.org/TR/vc-data-model-2.0/#types)
 */
function readType(types: unknown): string | undefined {
  const known = asList(types).filter((type): type is string =>
    typeof type === 'string' && Object.hasOwn(listTypes, type));
  return known.length === 1 ? known[0] : undefined;
}

function readBits(list: CredentialDocument, { type, purpose, size }: StatusClaim): Buffer | undefined {
  const subject = list.credentialSubject;
  const expected = listTypes[type];
  if (!asList(list.type).includes(expected.credential) || !isRecord(subject) ||
    !asList(subject.type).includes(expected.subject) || !asList(subject.statusPurpose).includes(purpose)) {
    return undefined;
  }
  const bits = unpackBits(subject.encodedList);
  return bits && bits.length * 8 >= statusListLength * size ? bits : undefined;
}
