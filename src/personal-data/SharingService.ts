import type { CallContext } from '../audit/CallContext';
import type { UsableContracts } from '../contracts/UsableContracts';
import type { Citizen } from '../identity/CitizenStore';
import type { OwnWebIds } from '../identity/OwnWebIds';
import { Unavailable } from '../problems';
import type { Candidates } from './Candidates';
import type { Shareable } from './selectValues';
import { assertIds, selectValues } from './selectValues';
import type { SharePlan, SharePlanner, Sharing } from './SharePlanner';
import type { ShareTurns } from './ShareTurns';
import type { ShareWriter } from './ShareWriter';

/** Dependencies of {@link SharingService}. */
export interface SharingServiceOptions {
  contracts: Pick<UsableContracts, 'assertAsFirstUsed' | 'get'>;
  candidates: Pick<Candidates, 'list'>;
  ownWebIds: Pick<OwnWebIds, 'prepare'>;
  turns: Pick<ShareTurns, 'run'>;
  planner: Pick<SharePlanner, 'plan'>;
  writer: Pick<ShareWriter, 'run' | 'wereOvertaken'>;
}

/** A value that was shared. */
export interface Shared {
  /** URI of the resource in the pod. */
  podResource: string;
  /** URI of the grant that gives the contract's data user access to it. */
  accessGrant: string;
}

/**
 * Shares personal data under a contract: each value becomes a credential in the citizen's pod, with an access grant for
 * the contract's data user.
 *
 * One resource per citizen, contract and record. Sharing again gives the same resource and, while it is effective, the
 * same grant; a new version replaces the content, and the credential that it supersedes is revoked.
 */
export class SharingService {
  public constructor(private readonly options: SharingServiceOptions) {}

  /**
   * Shares values, all or none. What is stored is always read from the source, never taken from the caller.
   *
   * @param ids - Of 1 to 50 values, none of them twice.
   *
   * @returns In the order of the ids.
   *
   * @throws BodyInvalid, ContractIdInvalid, ContractNotFound, ContractNotConsumable, ContractSuspended,
   * DataUserSuspended, ValueUnknown, ValueChanged, ValueInvalid, SourceUnavailable
   */
  public async share(citizen: Citizen, contractId: string, ids: string[], context: CallContext): Promise<Shared[]> {
    const { candidates, contracts, ownWebIds, turns } = this.options;
    assertIds(ids);
    const contract = await contracts.get(contractId);
    return turns.run(citizen, async(): Promise<Shared[]> => {
      await contracts.assertAsFirstUsed(contract);
      const values = selectValues(await candidates.list(citizen, contract, new Set(ids)), ids);
      await ownWebIds.prepare(citizen);
      return this.shareValues({ citizen, contract, context }, values);
    });
  }

  /** Once more when the rows are not as planned: shared elsewhere meanwhile, or here, but the answer was lost. */
  private async shareValues(sharing: Sharing, values: Shareable[], isAgain = false): Promise<Shared[]> {
    const { planner, writer } = this.options;
    const plans = await planner.plan(sharing, values);
    try {
      await writer.run(plans);
    } catch (error: unknown) {
      if (!await writer.wereOvertaken(plans)) {
        throw error;
      }
      if (isAgain) {
        throw new Unavailable('The same values were shared elsewhere at the same time.', { cause: error });
      }
      return this.shareValues(sharing, values, true);
    }
    return plans.map(({ change, grant }: SharePlan): Shared =>
      ({ podResource: change.share.resource, accessGrant: grant.uri }));
  }
}
