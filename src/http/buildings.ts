import type { RepresentationAnswer } from './Answer';
import { registerBytes } from './Answer';
import type { Call } from './Operation';
import type { Services } from './Services';

/** A document of the building register. */
export async function getBuilding({ params, context }: Call, { buildings }: Services): Promise<RepresentationAnswer> {
  const { bytes, contentType } = await buildings.get(params['**'], context);
  return registerBytes(bytes, contentType);
}
