import type { CallContext } from '../audit/CallContext';
import type { UsableContracts } from '../contracts/UsableContracts';
import type { I18nString } from '../data-types/DataType';
import type { Citizen } from '../identity/CitizenStore';
import type { OwnWebIds } from '../identity/OwnWebIds';
import type { Problem, ProblemClass } from '../problems';
import { BodyInvalid, SourceUnavailable, Unavailable, ValueChanged, ValueInvalid, ValueUnknown } from '../problems';
import type { Candidate, Candidates, Shareable } from './Candidates';
import type { SharePlan, SharePlanner, Sharing } from './SharePlanner';
import type { ShareTurns } from './ShareTurns';
import type { ShareWriter } from './ShareWriter';
import { isSameRecord, isValueId } from './valueId';

/** Dependencies of {@link SharingService}. */
export interface SharingServiceOptions {
  contracts: Pick<UsableContracts, 'assertAsFirstUsed' | 'get'>;
  candidates: Pick<Candidates, 'list'>;
  ownWebIds: Pick<OwnWebIds, 'prepare'>;
  turns: Pick<ShareTurns, 'run'>;
  planner: Pick<SharePlanner, 'plan'>;
  writer: Pick<ShareWriter, 'run' | 'wereOvertaken'>;
}

/** The result of sharing a value. */
export interface Shared {
  /** URI of the resource in the pod. */
  podResource: string;
  /** URI of the grant that gives the contract's data user access to it. */
  accessGrant: string;
}

/** A value that cannot be shared, as in the problem document. */
interface RefusedValue {
  /** Index in the request, from 0. */
  index: number;
  /** Absent when the caller sent something that is not a value id: it is not repeated. */
  id?: string;
  problem: string;
  error?: I18nString[];
}

const afterChange =
  'changed since the values were listed: list the data values again, and let the citizen choose again';
const whileAway = 'be looked up while a source is away';

/** Problems by precedence, each with advice for one value and for several. */
const refusals: [ProblemClass, string, string][] = [
  [ ValueUnknown, 'is not known here', 'are not known here' ],
  [ ValueChanged, `has ${afterChange}`, `have ${afterChange}` ],
  [ ValueInvalid, 'has errors', 'have errors' ],
  [ SourceUnavailable, `cannot ${whileAway}`, `cannot ${whileAway}` ],
];

/** Maximum number of values in one call. */
const maxShared = 50;

/**
 * Shares personal data under a contract: each value becomes a credential in the citizen's pod, with an access grant for
 * the contract's data user.
 *
 * There is one resource per citizen, contract and record. Sharing again returns the same resource and, while it is
 * effective, the same grant. A new version replaces the content, and revokes the credential that it supersedes.
 */
export class SharingService {
  public constructor(private readonly options: SharingServiceOptions) {}

  /**
   * Shares values, all or none. The stored content is always read from the source, never taken from the caller.
   *
   * @param ids - Ids of 1 to 50 values, without duplicates.
   *
   * @returns The shared values, in the order of the ids.
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

  /**
   * Shares values. Tries once more when the rows differ from the plan: shared elsewhere meanwhile, or here and the
   * answer was lost.
   */
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

/** @throws BodyInvalid unless there are 1 to 50 ids, without duplicates. */
export function assertIds(ids: string[]): void {
  if (ids.length === 0 || ids.length > maxShared) {
    throw new BodyInvalid(`Between 1 and ${maxShared} data values can be shared at once.`);
  }
  if (new Set(ids).size !== ids.length) {
    throw new BodyInvalid('A data value is named twice.');
  }
}

/**
 * Returns the chosen values, in the order of their ids.
 *
 * @param candidates - All values of the contract, as the sources have them now.
 *
 * @throws ValueUnknown, ValueChanged, ValueInvalid
 * @throws SourceUnavailable when an id may belong to a source that is unavailable now. All errors name the values
 * concerned, in `detail` and the member `dataValues`.
 */
export function selectValues(candidates: Candidate[], ids: string[]): Shareable[] {
  const found = ids.map((id): Shareable | RefusedValue => selectValue(candidates, id));
  const refused = found.flatMap((value, index): RefusedValue[] => 'problem' in value ? [{ ...value, index }] : []);
  if (refused.length > 0) {
    throw refusal(refused);
  }
  return found.filter((value): value is Shareable => !('problem' in value));
}

function selectValue(candidates: Candidate[], id: string): Shareable | RefusedValue {
  const found = candidates.find(({ value }): boolean => value.id === id);
  if (found?.record && !found.value.error) {
    return { value: found.value, record: found.record };
  }
  const named = { index: 0, ...isValueId(id) && { id }};
  if (found) {
    return { ...named, problem: ValueInvalid.type, error: found.value.error };
  }
  if (candidates.some(({ value }): boolean => isSameRecord(value.id, id))) {
    return { ...named, problem: ValueChanged.type };
  }
  const isAway = candidates.some(({ value }): boolean => value.unavailable === true);
  return { ...named, problem: isAway ? SourceUnavailable.type : ValueUnknown.type };
}

function refusal(refused: RefusedValue[]): Problem {
  const present = refusals.filter(([{ type }]): boolean => refused.some(({ problem }): boolean => problem === type));
  const reasons = present.map(([{ type }, ofOne, ofSeveral ]): string => {
    const those = refused.filter(({ problem }): boolean => problem === type);
    const names = those.map(({ id, index }): string => id ?? `dataValues[${index}]`);
    return `${names.join(', ')} ${those.length === 1 ? ofOne : ofSeveral}`;
  });
  const [[ first ]] = present;
  // eslint-disable-next-line new-cap -- a class out of the list above
  return new first(`${reasons.join('; ')}.`, { members: { dataValues: refused }});
}
