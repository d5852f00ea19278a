import { Lexer, Parser } from 'n3';
import { once } from '../../platform/once';
import { opened } from '../../platform/opened';
import { replacePart } from '../replacePart';

/** Takes an error or a symbol. */
type Callback = (error: unknown, symbol?: unknown) => void;

/** The library's step that reads symbols from what has arrived, and takes each as part of a statement. */
type SymbolReader = Record<'_tokenizeToEnd', (take: Callback, isFinished: boolean) => void> &
  { _input?: string | null };

/** The library's step that passes a statement on. */
type StatementEmitter = Record<'_emit', (...terms: unknown[]) => void>;

/**
 * Makes all parsers of Turtle, TriG and N3 in this process report whatever fails in them as an error of the document:
 * thrown where a piece of it arrives, it would end the process. Fifty bytes were enough, from anybody.
 *
 * The library does not expect each mistake, such as `|}` without `{|`, and then reads members of terms that are not
 * there, or passes on statements without them. A symbol of more than some eight million characters, and rarely one of
 * four, exceeds the stack of a regular expression.
 */
export const catchFailures = once((): void => {
  const { _tokenizeToEnd: read } = opened<SymbolReader>(Lexer.prototype);
  replacePart(Lexer.prototype, '_tokenizeToEnd', function(
    this: SymbolReader,
    take: Callback,
    isFinished: boolean,
  ): void {
    try {
      read.call(this, take, isFinished);
    } catch (error: unknown) {
      this._input = null;
      take(describe(error));
    }
  });
  const { _emit: emit } = opened<StatementEmitter>(Parser.prototype);
  replacePart(Parser.prototype, '_emit', function(
    this: StatementEmitter,
    subject: unknown,
    predicate: unknown,
    object: unknown,
    graph: unknown,
  ): void {
    if (!subject || !predicate || !object) {
      throw new TypeError('A term of a statement is missing.');
    }
    emit.call(this, subject, predicate, object, graph);
  });
});

/** Returns what is wrong with a document, from what failed when it was read. */
function describe(error: unknown): unknown {
  if (error instanceof RangeError) {
    return new Error('A symbol of the document is too long.', { cause: error });
  }
  return error instanceof TypeError ? new Error('A statement is incomplete.', { cause: error }) : error;
}
