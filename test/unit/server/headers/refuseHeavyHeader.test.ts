import type { IncomingHttpHeaders } from 'node:http';
import { refuseHeavyHeader } from '../../../../src/server/headers/refuseHeavyHeader';

describe('A header that takes long to parse', (): void => {
  it.each([
    [ 'accept', `text/turtle${';'.repeat(15_000)}` ],
    [ 'accept', `text/turtle;a="${'\\"'.repeat(7000)}` ],
    [ 'accept-language', 'en, '.repeat(3000) ],
    [ 'content-type', `text/turtle${';a=b'.repeat(3000)}` ],
    [ 'forwarded', `${' '.repeat(15_000)}x` ],
    [ 'x-forwarded-for', '\t'.repeat(300) ],
    [ 'if-match', `"a"${' '.repeat(15_000)}x` ],
    [ 'link', '<'.repeat(15_000) ],
    [ 'slug', `${'/'.repeat(15_000)}x` ],
    [ 'range', `bytes=${'0-1,'.repeat(3000)}` ],
  ])('is refused and removed: %s.', (name, value): void => {
    const headers: IncomingHttpHeaders = { [name]: value, 'user-agent': 'test' };
    const refusal = refuseHeavyHeader(headers);
    expect([ refusal?.statusCode, refusal?.message ]).toEqual([ 431, `${name} has more than 256 separators.` ]);
    expect(headers).toEqual({ 'user-agent': 'test' });
  });

  it.each([
    [ 'accept', 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8' ],
    [ 'accept', Array.from({ length: 60 }, (...[ , at ]): string => `application/x${at};q=0.5`).join(',') ],
    [ 'link', Array.from({ length: 20 }, (): string => '<https://example.org/x>; rel="type"').join(', ') ],
    [ 'link', `<https://example.org/${'x/'.repeat(500)}>; rel="type"` ],
    [ 'slug', 'x'.repeat(15_000) ],
    [ 'cookie', 'a=b; '.repeat(3000) ],
    [ 'authorization', `Bearer ${'a='.repeat(4000)}` ],
    [ 'user-agent', '; '.repeat(1000) ],
  ])('is not one that clients send: %s.', (name, value): void => {
    const headers = { [name]: value };
    expect(refuseHeavyHeader(headers)).toBeUndefined();
    expect(headers).toEqual({ [name]: value });
  });
});
