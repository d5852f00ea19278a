import { BasicRepresentation, readableToString } from '@solid/community-server';
import { BoundedFormConverter } from '../../../../src/server/conversion/BoundedFormConverter';

const type = 'application/x-www-form-urlencoded';

async function toJson(form: string): Promise<string> {
  const { data } = await new BoundedFormConverter().handleSafe({
    identifier: { path: 'http://localhost/pod/form' },
    representation: new BasicRepresentation(form, type),
    preferences: { type: { 'application/json': 1 }},
  });
  return readableToString(data);
}

describe('A form', (): void => {
  it('is converted to JSON.', async(): Promise<void> => {
    await expect(toJson('a=b&c=%C3%A9&c=2')).resolves.toBe('{"a":"b","c":["é","2"]}');
  });

  it('of more than a mebibyte is not converted.', async(): Promise<void> => {
    await expect(toJson('a=b&'.repeat(300_000))).rejects.toThrow('A form may have at most 1048576 bytes.');
  });
});
