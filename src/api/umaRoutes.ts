import { claimTokenFormats, umaGrantType } from '../uma/umaConfiguration';
import type { Operation } from '../http/Operation';
import { operation } from './operation';
import type { Services } from './Services';
import { exchangeTicket, getUmaConfiguration, getUmaKeys } from './uma';

const addition = 'Lets published clients of access grants use them on pod resources.';

/** The authorization server of pod resources, where clients exchange access grants for tokens. */
export const umaOperations: readonly Operation<Services>[] = [
  operation({
    method: 'GET',
    path: '/.well-known/uma2-configuration',
    caller: 'none',
    answer: getUmaConfiguration,
    representation: true,
    operationId: 'getUmaConfiguration',
    tag: 'User-managed access',
    summary: 'The authorization server of pod resources',
    success: { 200: { description: 'The document.', content: { 'application/json': 'UmaConfiguration' }}},
    addition,
  }),
  operation({
    method: 'GET',
    path: '/.uma/keys',
    caller: 'none',
    answer: getUmaKeys,
    representation: true,
    operationId: 'getUmaKeys',
    tag: 'User-managed access',
    summary: 'The keys of requesting party tokens',
    success: { 200: { description: 'The keys.', content: { 'application/jwk-set+json': 'JwkSet' }}},
    addition,
  }),
  operation({
    method: 'POST',
    path: '/.uma/token',
    caller: 'none',
    answer: exchangeTicket,
    form: {
      fields: {
        grant_type: { schema: { type: 'string' }, required: true, description: `\`${umaGrantType}\`` },
        ticket: { schema: { type: 'string' }, description: 'From the challenge of a refused request.' },
        claim_token: {
          schema: { type: 'string' },
          description: 'Base64 of a presentation with one access grant, or an ID token.',
        },
        claim_token_format: {
          schema: { type: 'string', examples: Object.values(claimTokenFormats) },
          description: 'Which of the two. A presentation comes with a Solid OIDC token of its holder.',
        },
      },
      // Twice the limit of a credential, to allow for base64 and escapes.
      maxBytes: 131_072,
    },
    headers: { DPoP: { schema: { type: 'string' }, description: 'DPoP proof (RFC 9449).' }},
    operationId: 'exchangeTicket',
    tag: 'User-managed access',
    summary: 'Exchange a permission ticket and an access grant for an access token',
    success: { 200: { description: 'The token.', content: { 'application/json': 'UmaToken' }}},
    addition,
  }),
];
