import type { TokenForm } from '../uma/UmaService';
import type { JsonAnswer, RepresentationAnswer } from '../http/Answer';
import { publicDocument } from '../http/Answer';
import type { Call } from '../http/Operation';
import type { Services } from './Services';

/** Returns the discovery document of the authorization server. */
export function getUmaConfiguration(_call: Call, { uma }: Services): RepresentationAnswer {
  return publicDocument(JSON.stringify(uma.configuration), 'application/json', 60);
}

/** Returns the public keys of the authorization server. */
export async function getUmaKeys(_call: Call, { uma }: Services): Promise<RepresentationAnswer> {
  return publicDocument(JSON.stringify(await uma.keys()), 'application/jwk-set+json', 60);
}

/** Exchanges a permission ticket for a requesting party token. */
export async function exchangeTicket(
  { body, headers, url, context }: Call<{ body: TokenForm }>,
  { uma }: Services,
): Promise<JsonAnswer> {
  const { authorization, dpop } = headers;
  const token = await uma.exchange(body, { authorization, dpop, method: 'POST', url }, context);
  return {
    status: 200,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', Vary: 'Origin' },
    text: JSON.stringify(token),
  };
}
