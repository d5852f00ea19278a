import { opened } from '../../platform/opened';

/** The part of `libxml2-wasm` that its index leaves out. */
// eslint-disable-next-line @typescript-eslint/no-unsafe-assignment -- the rule takes the attribute for a value
type Internals = typeof import('libxml2-wasm/lib/libxml2.mjs', { with: { 'resolution-mode': 'import' }});

/** Registers a function that the library can call. */
interface Functions {
  addFunction: (collect: (errors: number, error: number) => void, signature: string) => number;
}

/** Maximum errors kept of a document. */
const maxErrors = 100;
/** Level of an error; warnings are below. */
const errorLevel = 2;

/**
 * Makes the library keep only the first errors of each document, and not the path of their elements: to write a path,
 * it counts all earlier siblings, so that a document with a mistake in each of many elements took minutes.
 */
export function keepFirstErrors(internals: Internals): void {
  const { error: collected, XmlErrorStruct: members } = internals;
  collected.errorCollector = opened<Functions>(internals).addFunction((index, error): void => {
    const errors = collected.storage.get(index);
    const level = members.level(error);
    if (level >= errorLevel && errors.length < maxErrors) {
      errors.push({ message: members.message(error), level, line: members.line(error), col: members.col(error) });
    }
  }, 'vii');
}
