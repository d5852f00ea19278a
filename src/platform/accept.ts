/**
 * Returns the media type that a caller prefers.
 *
 * @param accept - Header of the request; when absent, any type is accepted.
 * @param offered - Available media types, the default first.
 *
 * @returns `undefined` when none of them is accepted.
 *
 * @see [RFC 9110, section 12.5.1](https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1)
 */
export function preferredMediaType(accept: string | undefined, offered: readonly string[]): string | undefined {
  if (accept === undefined || accept.trim() === '') {
    return offered[0];
  }
  const ranges = accept.split(',').map(parseRange);
  let best: string | undefined;
  let bestQuality = 0;
  for (const type of offered) {
    const quality = qualityOf(type, ranges);
    if (quality > bestQuality) {
      best = type;
      bestQuality = quality;
    }
  }
  return best;
}

/** Checks whether a caller names this media type itself, not by a wildcard, and does not prefer the usual one. */
export function asksFor(accept: string | undefined, type: string, usual: string): boolean {
  if (accept === undefined) {
    return false;
  }
  const ranges = accept.split(',').map(parseRange);
  const quality = namedQuality(type, ranges);
  return quality > 0 && quality >= namedQuality(usual, ranges);
}

interface MediaRange {
  type: string;
  quality: number;
}

function parseRange(text: string): MediaRange {
  const [ type, ...parameters ] = text.split(';').map((part): string => part.trim().toLowerCase());
  const weight = parameters.find((parameter): boolean => parameter.startsWith('q='));
  const quality = weight === undefined ? 1 : Number.parseFloat(weight.slice(2));
  return { type, quality: Number.isNaN(quality) ? 0 : quality };
}

function namedQuality(type: string, ranges: MediaRange[]): number {
  return ranges.find((range): boolean => range.type === type)?.quality ?? 0;
}

/** JSON-LD also satisfies `application/json`. */
function qualityOf(type: string, ranges: MediaRange[]): number {
  const plainer = type === 'application/ld+json' ? [ 'application/json' ] : [];
  for (const candidate of [ type, ...plainer, `${type.split('/', 1)[0]}/*`, '*/*' ]) {
    const range = ranges.find((entry): boolean => entry.type === candidate);
    if (range) {
      return range.quality;
    }
  }
  return 0;
}
