import { NOTIFY, RDF } from '@solid/community-server';
import type { NotificationChannelType } from '@solid/community-server';
import type { NamedNode, Store, Term } from 'n3';
import { DataFactory } from 'n3';
import ShaclValidator from 'rdf-validate-shacl';
import { replacePart } from '../replacePart';
import { opened } from '../../platform/opened';

/** A channel type with a shape of its own, like all of the server's. */
interface ShapedType {
  getShaclQuads: () => Promise<Store>;
  path: string;
  type: NamedNode;
}

/** Maximum statements of a request, because each that breaks the shape takes a millisecond. */
const maxStatements = 100;

/**
 * Makes a channel type parse the shape of its subscriptions once instead of for each request, where it takes most of
 * the time, and bounds what is validated. Other error messages stay the server's.
 *
 * Its name alone, as in the examples of the specifications, stands for the type: the published contexts lack it, so
 * that it is read as relative to the subscription service.
 */
export function reuseShape(channelType: NotificationChannelType): void {
  const { type, path } = opened<ShapedType>(channelType);
  const shortType = DataFactory.namedNode(path + type.value.slice(NOTIFY.namespace.length));
  let validator: ShaclValidator | undefined;
  replacePart(channelType, 'validateSubscription', async(data: Store): Promise<Term> => {
    if (data.size > maxStatements) {
      throw new Error(`A subscription may have at most ${maxStatements} statements.`);
    }
    const subjects = data.getSubjects(NOTIFY.terms.topic, null, null);
    if (subjects.length === 0) {
      throw new Error('Missing topic value.');
    }
    if (subjects.length > 1) {
      throw new Error('Only one subscription can be done at the same time.');
    }
    for (const quad of data.getQuads(subjects[0], RDF.terms.type, shortType, null)) {
      data.delete(quad);
      data.add(DataFactory.quad(quad.subject, quad.predicate, type, quad.graph));
    }
    const used = validator ?? new ShaclValidator(await opened<ShapedType>(channelType).getShaclQuads());
    // After an error, a validator is in an undefined state.
    validator = undefined;
    const [ violation ] = used.validate(data).results;
    validator = used;
    if (violation) {
      throw new Error(`${violation.message[0].value} - ${violation.path?.value}`);
    }
    return subjects[0];
  });
}
