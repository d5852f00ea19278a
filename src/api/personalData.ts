import { isRecord } from '../platform/isRecord';
import { isJson, parseStrictJson } from '../http/json';
import type { JsonAnswer } from '../http/Answer';
import { ok } from '../http/Answer';
import type { Call } from '../http/Operation';
import type { WebIdCaller } from '../tokens/Caller';
import type { ShareRequest } from './schemas';
import type { Services } from './Services';

/** Lists the citizen's values that a contract covers. */
export async function listPersonalData(
  { caller, params, context }: Call<{ caller: WebIdCaller; params: 'contractId' }>,
  { citizens, personalData }: Services,
): Promise<JsonAnswer> {
  const citizen = await citizens.getByWebId(caller);
  return ok({ dataValues: await personalData.list(citizen, params.contractId, context) });
}

/** Shares the chosen values under a contract. */
export async function sharePersonalData(
  { caller, params, body, context }: Call<{ caller: WebIdCaller; params: 'contractId'; body: ShareRequest }>,
  { citizens, sharing }: Services,
): Promise<JsonAnswer> {
  const citizen = await citizens.getByWebId(caller);
  const shared = await sharing.share(citizen, params.contractId, body.dataValues, context);
  return ok(shared.map(({ podResource, accessGrant }): object => ({ podResource, accessGrant })));
}

/**
 * Normalises the accepted forms of a choice: the object, the array alone, a string that contains either as JSON, or a
 * single id. A whole listed value is accepted in place of its id; its other members are ignored.
 */
export function normaliseShareRequest(json: unknown): unknown {
  const value = typeof json === 'string' && isJson(json) ? parseStrictJson(json) : json;
  const list = isRecord(value) && 'dataValues' in value ? value.dataValues : value;
  if (Array.isArray(list)) {
    return { ...isRecord(value) && value, dataValues: list.map(idOf) };
  }
  const id = idOf(value);
  return typeof id === 'string' ? { dataValues: [ id ]} : value;
}

function idOf(choice: unknown): unknown {
  return isRecord(choice) && typeof choice.id === 'string' ? choice.id : choice;
}
