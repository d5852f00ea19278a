import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shippedExtensions } from '../../../src/cli/shippedExtensions';

const file = join(__dirname, '../../../config/data-sharing/extensions.json');

interface Configuration {
  '@graph': Record<string, unknown>[];
}

function describeClass(part: object): object {
  return { '@type': part.constructor.name };
}

describe('The extensions that commands know without a configuration', (): void => {
  it('are those of the presets.', (): void => {
    const { '@graph': [ described ] } = JSON.parse(readFileSync(file, 'utf8')) as Configuration;
    const shipped = Object.entries(shippedExtensions('BE')).map(([ name, parts ]): [string, unknown] =>
      [ `args_${name}`, Array.isArray(parts) ? parts.map(describeClass) : describeClass(parts) ]);
    expect(described).toMatchObject(Object.fromEntries(shipped));
    expect(Object.keys(described).filter((name): boolean => name.startsWith('args_')).sort())
      .toEqual(shipped.map(([ name ]): string => name).sort());
  });
});
