import type { RepresentationAnswer } from '../http/Answer';
import { registerBytes } from '../http/Answer';
import type { Call } from '../http/Operation';
import type { Services } from './Services';

/** Returns a document of the building register. */
export async function getBuilding(
  { params, context }: Call<{ params: '**' }>,
  { buildings }: Services,
): Promise<RepresentationAnswer> {
  const { bytes, contentType } = await buildings.get(params['**'], context);
  return registerBytes(bytes, contentType);
}
