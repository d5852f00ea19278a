import type { SecretName } from '../../../src/credentials/KeyStore';
import { Vault } from '../../../src/storage/Vault';
import { nationalNumber } from './places';

function vault(byte: number): Vault {
  return new Vault({
    getSecret: (name: SecretName): Buffer => Buffer.alloc(32, name === 'encryption' ? byte : byte + 1),
    getSigningKeys: (): never[] => [],
  });
}

describe('A vault', (): void => {
  const text = Buffer.from(nationalNumber(1));
  const sealed = vault(1).encrypt('citizens/a', text);

  it('opens what it closed, in its place.', (): void => {
    expect(vault(1).decrypt('citizens/a', sealed).equals(text)).toBe(true);
  });

  it('closes the same text differently each time.', (): void => {
    expect(vault(1).encrypt('citizens/a', text)).not.toBe(sealed);
  });

  it('opens nothing in another place.', (): void => {
    expect((): unknown => vault(1).decrypt('citizens/b', sealed)).toThrow(/authenticate/u);
  });

  it('opens nothing with another key.', (): void => {
    expect((): unknown => vault(3).decrypt('citizens/a', sealed)).toThrow('is not encrypted under this key');
  });

  it('opens nothing that was changed or cut, wherever.', (): void => {
    const bytes = Buffer.from(sealed, 'base64url');
    for (let index = 0; index < bytes.length; index += 1) {
      const changed = Buffer.from(bytes);
      changed[index] += 1;
      for (const wrong of [ changed, bytes.subarray(0, index) ]) {
        expect((): unknown => vault(1).decrypt('citizens/a', wrong.toString('base64url')))
          .toThrow(/authenticate|not encrypted under this key/u);
      }
    }
  });

  it('indexes equal texts of one use equally, and no others.', (): void => {
    const index = vault(1).blindIndex('citizen-number', nationalNumber(1));
    expect(vault(1).blindIndex('citizen-number', nationalNumber(1))).toBe(index);
    expect(vault(1).blindIndex('citizen-number', nationalNumber(2))).not.toBe(index);
    expect(vault(1).blindIndex('guess-number', nationalNumber(1))).not.toBe(index);
    expect(vault(3).blindIndex('citizen-number', nationalNumber(1))).not.toBe(index);
  });
});
