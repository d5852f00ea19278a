import type { SecretName } from '../../../../src/credentials/KeyStore';
import type { Database } from '../../../../src/storage/schema';
import { Vault } from '../../../../src/storage/keys/Vault';
import { nationalNumber } from '../places';

const db = undefined as unknown as Database;

function vault(byte: number): Vault {
  function getSecret(name: SecretName): Buffer {
    return Buffer.alloc(32, name === 'encryption' ? byte : byte + 1);
  }
  return new Vault({
    getSecret,
    getSecrets: (name): Buffer[] => [ getSecret(name) ],
    lock: async(): Promise<void> => undefined,
    refreshOn: async(): Promise<boolean> => false,
  });
}

describe('A vault', (): void => {
  const text = Buffer.from(nationalNumber(1));
  const sealed = vault(1).encrypt('citizens/a', text);

  it('decrypts what it encrypted, in its place.', async(): Promise<void> => {
    await expect(vault(1).decrypt(db, 'citizens/a', sealed)).resolves.toEqual(text);
  });

  it('encrypts the same text differently each time.', (): void => {
    expect(vault(1).encrypt('citizens/a', text)).not.toBe(sealed);
  });

  it('decrypts nothing in another place.', async(): Promise<void> => {
    await expect(vault(1).decrypt(db, 'citizens/b', sealed)).rejects.toThrow(/authenticate/u);
  });

  it('decrypts nothing with another key.', async(): Promise<void> => {
    await expect(vault(3).decrypt(db, 'citizens/a', sealed)).rejects.toThrow('is not encrypted under this key');
  });

  it('decrypts nothing that was changed or truncated anywhere.', async(): Promise<void> => {
    const bytes = Buffer.from(sealed, 'base64url');
    for (let index = 0; index < bytes.length; index += 1) {
      const changed = Buffer.from(bytes);
      changed[index] += 1;
      for (const wrong of [ changed, bytes.subarray(0, index) ]) {
        await expect(vault(1).decrypt(db, 'citizens/a', wrong.toString('base64url')))
          .rejects.toThrow(/authenticate|not encrypted under this key/u);
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
