import { requireOfServer } from '../requireOfServer';

/** Components.js, typed by hand because it is loaded dynamically; the version is that of the types here. */
export const componentsJs = requireOfServer('componentsjs') as typeof import('componentsjs');

const includers = requireOfServer('componentsjs/lib/rdf/RdfStreamIncluder') as {
  RdfStreamIncluder: { prototype: { flushCallback?: () => void }};
};
// Components.js 5 counts a file that another imports only once that other has been read to its end, which it tells by
// this callback, and waits for ever if the imported one was quicker. A busy disk is enough.
includers.RdfStreamIncluder.prototype.flushCallback = (): void => undefined;
