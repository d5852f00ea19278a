import { signatureAlgorithms } from './jws';
import type { Refusal } from './Refusal';
import type { TokenScheme } from './tokenRules';

const dpop = `DPoP algs="${signatureAlgorithms.join(' ')}"`;
const bearer = 'Bearer scope="openid webid"';

/**
 * Returns the `WWW-Authenticate` header of a 401: both schemes, with the error on the scheme that was used.
 *
 * @see [RFC 6750, section 3](https://www.rfc-editor.org/rfc/rfc6750#section-3), [RFC 9449, section 7.1](https://www.rfc-editor.org/rfc/rfc9449#section-7.1)
 */
export function challenge(scheme?: TokenScheme, error?: Refusal['about']): Record<string, string> {
  const reason = error ? `, error="${error}"` : '';
  return {
    'WWW-Authenticate': scheme === 'Bearer' ? `${dpop}, ${bearer}${reason}` : `${dpop}${reason}, ${bearer}`,
  };
}
