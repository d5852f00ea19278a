import type { Contract, ContractCatalogue } from '../contracts/Contract';
import type { Clock } from '../platform/clock';
import type { WebId } from '../platform/webId';
import type { AccessDecision } from './AccessDecision';
import type { AccessGrant, AccessMode } from './AccessGrant';
import type { GrantIssuer } from './GrantIssuer';
import type { GrantStore } from './GrantStore';

/** Dependencies of {@link ContractGrants}. */
export interface ContractGrantsOptions {
  grants: Pick<GrantStore, 'findById'>;
  contracts: Pick<ContractCatalogue, 'grantExpiry'>;
  issuer: Pick<GrantIssuer, 'issue'>;
  decision: Pick<AccessDecision, 'isEffective'>;
  now: Clock;
}

/** Finds and makes the grants that contracts give their data users. */
export class ContractGrants {
  public constructor(private readonly options: ContractGrantsOptions) {}

  /** The grant with an id, while it gives the contract's data user all that the contract says. */
  public async findUsable(id: string, contract: Contract): Promise<AccessGrant | undefined> {
    const grant = await this.options.grants.findById(id);
    const isOfContract = grant?.recipient === contract.forDataUser && grant.contract?.digest === contract.digest &&
      modesOf(contract).every((mode): boolean => grant.modes.includes(mode));
    return isOfContract && await this.options.decision.isEffective(grant, contract.forDataUser) ? grant : undefined;
  }

  /**
   * Builds and signs the grant that a contract gives its data user on one resource. Nothing is stored but the place it
   * takes in a status list: whoever calls inserts it.
   *
   * @param owner - WebID of the citizen.
   * @param resource - Canonical URI.
   */
  public async build(owner: WebId, contract: Contract, resource: string): Promise<AccessGrant> {
    const issuedAt = this.options.now();
    return this.options.issuer.issue({
      kind: 'grant',
      subject: owner,
      recipient: contract.forDataUser,
      modes: modesOf(contract),
      resources: [ resource ],
      purposes: [ contract.forPurpose ],
      inherit: false,
      contract: { id: contract.id, digest: contract.digest },
      issuedAt,
      expiresAt: this.options.contracts.grantExpiry(contract, issuedAt),
    });
  }
}

/** The data user consumes the data in the contract's mode, and who may only write consumes nothing. */
function modesOf({ accessMode }: Pick<Contract, 'accessMode'>): AccessMode[] {
  return accessMode === 'WRITE' ? [ 'Read', 'Write' ] : [ 'Read' ];
}
