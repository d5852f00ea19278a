/**
 * Yields the chunks that were taken from a stream, then all that is left in it. Ending early ends the stream.
 *
 * @param chunks - Taken already.
 * @param rest - Iterator over the stream.
 */
export async function* withRest(chunks: Buffer[], rest: AsyncIterator<Buffer | string>): AsyncGenerator<Buffer> {
  try {
    yield* chunks;
    for (let next = await rest.next(); !next.done; next = await rest.next()) {
      yield Buffer.from(next.value);
    }
  } finally {
    await rest.return?.();
  }
}
