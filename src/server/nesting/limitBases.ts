import { Parser } from 'n3';
import { once } from '../../platform/once';
import { opened } from '../../platform/opened';
import { replacePart } from '../replacePart';

/** Maximum characters; twice as many as the longest paths have. */
const maxLength = 4096;

/** The library's step that reads the IRI after `@base`, and the one that refuses a token. */
type BaseReader = Record<'_error' | '_readBaseIRI', (...args: unknown[]) => unknown> & { _base?: string };

/**
 * Makes all parsers of Turtle, TriG and N3 in this process refuse a base longer than 4,096 characters. Each relative
 * IRI, and each further base, is resolved against the whole of it: a megabyte of bases took minutes, in steps that
 * nothing interrupts.
 */
export const limitBases = once((): void => {
  const readBase = opened<BaseReader>(Parser.prototype)._readBaseIRI;
  replacePart(Parser.prototype, '_readBaseIRI', function(this: BaseReader, token: unknown): unknown {
    const next = readBase.call(this, token);
    return (this._base?.length ?? 0) > maxLength ? this._error('The base is too long', token) : next;
  });
});
