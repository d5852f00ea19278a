import type { AuditLog } from '../audit/AuditLog';
import type { CallContext } from '../audit/CallContext';
import { ofCall } from '../audit/CallContext';
import type { CredentialDocument } from '../credentials/Credential';
import type { CredentialIssuer } from '../credentials/CredentialIssuer';
import type { AccessGrant } from '../grants/AccessGrant';
import { isParty } from '../grants/AccessGrant';
import { citizenIdOf } from '../grants/grantEvents';
import type { GrantStore } from '../grants/GrantStore';
import type { CitizenStore } from '../identity/CitizenStore';
import type { ShareStore } from '../personal-data/ShareStore';
import type { Clock, NewId } from '../platform/clock';
import { isOwnUuid } from '../platform/uuid';
import type { WebId } from '../platform/webId';
import { GrantNotFound } from '../problems';
import type { OwnIris } from '../vocabulary';
import { consentReceipt, receiptContext } from './consentReceipt';
import type { Named, NamedResource, Names } from './Names';

/** Dependencies of {@link ReceiptService}. */
export interface ReceiptServiceOptions {
  records: {
    audit: Pick<AuditLog, 'enqueue'>;
    citizens: Pick<CitizenStore, 'findByWebId'>;
    grants: Pick<GrantStore, 'findById'>;
    shares: Pick<ShareStore, 'findTypes'>;
  };
  credentials: Pick<CredentialIssuer, 'sign'>;
  names: Names;
  iris: OwnIris;
  now: Clock;
  newId: NewId;
}

/** Makes receipts of consent for the parties of access grants. */
export class ReceiptService {
  public constructor(private readonly options: ReceiptServiceOptions) {}

  /**
   * Returns a signed receipt of the current state of an access grant, as a verifiable credential. It is not stored, and
   * has no status: a later receipt shows later events.
   *
   * @param id - Last segment of the grant's URI.
   *
   * @throws GrantNotFound when it does not exist, or the caller is not a party to it.
   */
  public async make(id: string, caller: WebId, context: CallContext): Promise<CredentialDocument> {
    const { credentials, iris, newId, now, records: { audit, citizens }} = this.options;
    const grant = await this.getGrant(id, caller);
    const receiptId = newId();
    const at = now();
    const receipt = await credentials.sign({
      context: receiptContext,
      id: `urn:uuid:${receiptId}`,
      type: `${iris.core}ConsentReceiptCredential`,
      subject: consentReceipt(await this.factsOf(grant), { id: receiptId, now: at }, iris),
      at,
    });
    audit.enqueue({
      type: 'grant.read',
      at,
      ...ofCall(context, { receipt: receiptId }),
      personal: { webId: caller, grant: grant.uri },
      citizenId: await citizenIdOf(grant, citizens),
    });
    return receipt;
  }

  private async getGrant(id: string, caller: WebId): Promise<AccessGrant> {
    const grant = isOwnUuid(id) ? await this.options.records.grants.findById(id) : undefined;
    if (grant?.kind !== 'grant' || !isParty(grant, caller)) {
      throw new GrantNotFound();
    }
    return grant;
  }

  private async factsOf(grant: AccessGrant): Promise<Parameters<typeof consentReceipt>[0]> {
    const { names, records: { shares }} = this.options;
    const types = await shares.findTypes(grant.resources);
    return {
      grant,
      granteeNames: names.ofParty(grant.recipient),
      ...names.addressesOf(grant.recipient),
      purposes: grant.purposes.map((uri): Named => names.ofPurpose(uri)),
      resources: grant.resources.map((uri): NamedResource => names.ofResource(uri, types)),
    };
  }
}
