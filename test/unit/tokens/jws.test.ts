import type { JWK } from 'jose';
import { calculateJwkThumbprint } from 'jose';
import { fitsAlgorithm, importPublicKey, parseJws, thumbprint } from '../../../src/tokens/jws';
import { newKey } from './tokenWorld';

describe('thumbprint', (): void => {
  it('is the one of RFC 7638, section 3.1.', (): void => {
    const key: JWK = {
      kty: 'RSA',
      n: '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjB' +
        'ZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8' +
        'KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_' +
        'xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw',
      e: 'AQAB',
      alg: 'RS256',
      kid: '2011-04-29',
    };
    expect(thumbprint(key)).toBe('NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs');
  });

  it('is the one of RFC 8037, appendix A.3.', (): void => {
    expect(thumbprint({ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }))
      .toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k');
  });

  it('agrees with another implementation.', async(): Promise<void> => {
    for (const alg of [ 'ES256', 'ES384', 'PS256', 'EdDSA' ]) {
      const { jwk } = await newKey(alg, { kid: 'x', use: 'sig' });
      expect(thumbprint(jwk)).toBe(await calculateJwkThumbprint(jwk));
    }
  });
});

describe('parseJws', (): void => {
  it('parses the example of RFC 7515, appendix A.3.', (): void => {
    const jws = parseJws(
      'eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19' +
      'yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU' +
      '1Q',
    );
    expect(jws?.header).toEqual({ alg: 'ES256' });
    expect(jws?.payload).toEqual({ iss: 'joe', exp: 1300819380, 'http://example.com/is_root': true });
    expect(jws?.signature).toHaveLength(64);
  });

  it('refuses text that is not UTF-8.', (): void => {
    const broken = Buffer.from([ 0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D ]).toString('base64url');
    expect(parseJws(`e30.${broken}.AA`)).toBeUndefined();
  });
});

describe('fitsAlgorithm', (): void => {
  it('knows both names of Ed25519.', (): void => {
    const key: JWK = { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA' };
    expect(fitsAlgorithm(key, 'Ed25519')).toBe(true);
    expect(fitsAlgorithm({ ...key, alg: 'Ed25519' }, 'EdDSA')).toBe(true);
    expect(fitsAlgorithm({ ...key, crv: 'Ed448' }, 'EdDSA')).toBe(false);
    expect(fitsAlgorithm({ ...key, crv: 'X25519' }, 'EdDSA')).toBe(false);
  });

  it('needs its own kind of key, and its own curve.', (): void => {
    expect(fitsAlgorithm({ kty: 'EC', crv: 'P-256' }, 'ES256')).toBe(true);
    expect(fitsAlgorithm({ kty: 'EC', crv: 'P-384' }, 'ES256')).toBe(false);
    expect(fitsAlgorithm({ kty: 'RSA', crv: 'P-256' }, 'ES256')).toBe(false);
    expect(fitsAlgorithm({ kty: 'EC' }, 'RS256')).toBe(false);
  });

  it('accepts RSA keys of 2,048 to 8,192 bits, as longer ones take too long to verify.', (): void => {
    const taken = [ 2047, 2048, 8192, 8193 ].map((bits): boolean => {
      const modulus = Buffer.alloc(Math.ceil(bits / 8), 255);
      modulus[0] = 255 >> (8 * modulus.length - bits);
      return importPublicKey({ kty: 'RSA', e: 'AQAB', n: modulus.toString('base64url') }) !== undefined;
    });
    expect(taken).toEqual([ false, true, true, false ]);
  });

  it('does not mix the two RSA algorithms if the key names one.', (): void => {
    expect(fitsAlgorithm({ kty: 'RSA' }, 'PS256')).toBe(true);
    expect(fitsAlgorithm({ kty: 'RSA', alg: 'RS256' }, 'PS256')).toBe(false);
  });
});
