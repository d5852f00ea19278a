/** The URL leads to a place that callers may not make this server request. Nothing was sent. */
export class FetchRefused extends Error {
  public override readonly name = 'FetchRefused';
}

/** The other server could not be reached, was too slow, sent too much, or sent something unusable. */
export class FetchFailed extends Error {
  public override readonly name = 'FetchFailed';
}

/** Checks for an error of a guarded fetch. */
export function isFetchError(error: unknown): error is FetchFailed | FetchRefused {
  return error instanceof FetchRefused || error instanceof FetchFailed;
}
