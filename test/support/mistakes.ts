import { Artefacts } from '../../src/contracts/Artefacts';
import type { ArtefactsOptions } from '../../src/contracts/Artefacts';
import { ShaclDataTypes } from '../../src/data-types/ShaclDataTypes';
import type { DataTypesOptions } from '../../src/data-types/ShaclDataTypes';
import { Mistakes } from '../../src/platform/Mistakes';

/** Returns the result of work that notes mistakes; throws all lines if one would prevent a start. */
export async function sound<T>(work: (mistakes: Mistakes) => Promise<T>): Promise<T> {
  const mistakes = new Mistakes();
  const result = await work(mistakes);
  mistakes.throwErrors();
  return result;
}

/** Data types without mistakes. */
export async function loadDataTypes(options: DataTypesOptions): Promise<ShaclDataTypes> {
  return sound(async(mistakes): Promise<ShaclDataTypes> => ShaclDataTypes.load(options, mistakes));
}

/** Artefacts without mistakes, of data users without descriptions. */
export async function loadArtefacts(options: Omit<ArtefactsOptions, 'dataUsers'>): Promise<Artefacts> {
  const dataUsers = { list: (): [] => []};
  return sound(async(mistakes): Promise<Artefacts> => Artefacts.load({ ...options, dataUsers }, mistakes));
}
