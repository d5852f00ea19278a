import type { Store } from 'n3';
import { DescriptionPatcher } from './DescriptionPatcher';
import { requireModest, sizeOf } from './descriptionSize';

/**
 * Refuses patches that make a description large (422): it is read into memory for each request on its resource, also
 * for those of strangers. Longer descriptions of earlier versions can become smaller.
 */
export class BoundedDescriptionPatcher extends DescriptionPatcher {
  protected watch(before: Store): (after: Store) => void {
    const size = sizeOf(before);
    return (after): void => requireModest(sizeOf(after), size);
  }
}
