import { NOTIFY } from '@solid/community-server';
import type { NotificationChannelType } from '@solid/community-server';
import type { Store, Term } from 'n3';
import ShaclValidator from 'rdf-validate-shacl';
import { replacePart } from '../replacePart';
import { opened } from '../../platform/opened';

/** A channel type with a shape of its own, as all of the server's have. */
interface ShapedType {
  getShaclQuads: () => Promise<Store>;
}

/**
 * Has a channel type read the shape of its subscriptions once instead of for each request, where it takes most of the
 * work. Requests are refused in the server's words.
 */
export function reuseShape(channelType: NotificationChannelType): void {
  let validator: ShaclValidator | undefined;
  replacePart(channelType, 'validateSubscription', async(data: Store): Promise<Term> => {
    const subjects = data.getSubjects(NOTIFY.terms.topic, null, null);
    if (subjects.length === 0) {
      throw new Error('Missing topic value.');
    }
    if (subjects.length > 1) {
      throw new Error('Only one subscription can be done at the same time.');
    }
    const used = validator ?? new ShaclValidator(await opened<ShapedType>(channelType).getShaclQuads());
    // One that throws is left in disorder, and is not used again.
    validator = undefined;
    const [ violation ] = used.validate(data).results;
    validator = used;
    if (violation) {
      throw new Error(`${violation.message[0].value} - ${violation.path?.value}`);
    }
    return subjects[0];
  });
}
