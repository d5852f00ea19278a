/**
 * Yields the chunks already taken from a stream, then the rest of it. Ending early ends the stream.
 *
 * @param chunks - Chunks already taken.
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
