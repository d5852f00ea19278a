import { execFile } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { promisify } from 'node:util';
import { makePrivateJwk } from '../../../src/platform/makePrivateJwk';

const run = promisify(execFile);
const built = require.resolve('../../../dist/platform/makePrivateJwk');

describe('A new private key', (): void => {
  it.each([
    [ 'Ed25519', { kty: 'OKP', crv: 'Ed25519' }, [ 'crv', 'd', 'kty', 'x' ]],
    [ 'P-256', { kty: 'EC', crv: 'P-256' }, [ 'crv', 'd', 'kty', 'x', 'y' ]],
    [ 'RSA', { kty: 'RSA' }, [ 'd', 'dp', 'dq', 'e', 'kty', 'n', 'p', 'q', 'qi' ]],
  ] as const)('of %s can be used, and is another one each time.', (kind, members, names): void => {
    const key = makePrivateJwk(kind);
    expect(key).toMatchObject(members);
    expect(Object.keys(key).sort()).toEqual(names);
    expect(createPrivateKey({ key, format: 'jwk' }).type).toBe('private');
    expect(makePrivateJwk(kind).d).not.toBe(key.d);
  });

  it('is made while memory is cleaned up.', async(): Promise<void> => {
    const script = `for (let at = 0; at < 20_000; at += 1) require(process.argv[1]).makePrivateJwk('Ed25519');`;
    await run(process.execPath, [ '--gc-interval=97', '--eval', script, built ], { timeout: 60_000 });
  });
});
