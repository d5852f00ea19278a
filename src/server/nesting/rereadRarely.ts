import { Lexer } from 'n3';
import { once } from '../../platform/once';
import { opened } from '../../platform/opened';
import { replacePart } from '../replacePart';

/** Takes an error or a symbol. */
type Callback = (error: Error | null, symbol?: unknown) => void;

/** The library's step that reads symbols from what has arrived, with the beginning of an incomplete one. */
type SymbolReader = Record<'_tokenizeToEnd', (callback: Callback, isFinished: boolean) => void> &
  { _input?: string | null };

/** Maximum characters of an incomplete symbol that is read again whenever more of the document arrives. */
const smallLength = 64 * 1024;

/** Characters that must have arrived before the incomplete symbol is read again. */
const awaited = new WeakMap<SymbolReader, number>();

/**
 * Makes all parsers of Turtle, TriG and N3 in this process read a long incomplete symbol again only when its length has
 * doubled. The library does so with each piece of a stream: for a word, IRI or comment of 100 MB, a thousand times.
 */
export const rereadRarely = once((): void => {
  const { _tokenizeToEnd: read } = opened<SymbolReader>(Lexer.prototype);
  replacePart(Lexer.prototype, '_tokenizeToEnd', function(
    this: SymbolReader,
    callback: Callback,
    isFinished: boolean,
  ): void {
    if (isFinished || (this._input?.length ?? 0) >= (awaited.get(this) ?? 0)) {
      read.call(this, callback, isFinished);
      const rest = this._input?.length ?? 0;
      awaited.set(this, rest > smallLength ? 2 * rest : 0);
    }
  });
});
