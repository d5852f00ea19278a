import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { getCitizenPage } from '../../../src/api/pages';
import type { RepresentationAnswer } from '../../../src/http/Answer';
import { PathUnknown } from '../../../src/problems';
import { plainTheme } from '../../../src/platform/theme';

const folder = join(__dirname, '../../../dist/app/assets');
const asset = readdirSync(folder).find((name): boolean => name.endsWith('.css'))!;

const look = { theme: plainTheme('Meerstad'), timeZone: 'Europe/Brussels' };

function get(path: string, accepted?: string): { headers: Record<string, string>; bytes: Buffer; etag: string } {
  const call = {
    params: { '**': path },
    site: { baseUrl: 'https://pod.example/' },
    headers: { 'accept-encoding': accepted },
  } as unknown as Parameters<typeof getCitizenPage>[0];
  const { headers, representation }: RepresentationAnswer = getCitizenPage(call, look);
  return { headers, bytes: representation.body as Buffer, etag: representation.etag };
}

describe('The documents of the citizen\'s pages', (): void => {
  it('have the name of a service without a theme.', (): void => {
    const [ settings, client ] = [ 'settings.json', 'client.jsonld' ].map((path): Record<string, unknown> =>
      JSON.parse(get(path).bytes.toString()) as Record<string, unknown>);
    expect(settings.name).toEqual({ nl: 'Meerstad', fr: 'Meerstad', de: 'Meerstad', en: 'Meerstad' });
    expect(settings).not.toHaveProperty('operator');
    expect(client.client_name).toBe('Meerstad');
  });

  it('have the time zone of contract dates, in which days are shown.', (): void => {
    expect(JSON.parse(get('settings.json').bytes.toString())).toMatchObject({ timeZone: 'Europe/Brussels' });
  });

  it('are at the addresses of the pages only.', (): void => {
    expect(get('share').headers).toHaveProperty('Cross-Origin-Opener-Policy');
    expect((): unknown => get('index.html')).toThrow(PathUnknown);
  });
});

/** Scripts and style sheets are four times smaller when compressed. */
describe('A file of the citizen\'s pages', (): void => {
  const bytes = readFileSync(join(folder, asset));

  it.each([ 'gzip', 'br, GZIP', 'deflate, gzip;q=0.5, *', 'gzip ; q=1' ])('is zipped for %s.', (accepted): void => {
    const zipped = get(`assets/${asset}`, accepted);
    expect(zipped.headers).toMatchObject({ 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding, Origin' });
    expect(gunzipSync(zipped.bytes)).toEqual(bytes);
    expect(zipped.bytes.length).toBeLessThan(bytes.length / 2);
    expect(zipped.etag).not.toBe(get(`assets/${asset}`).etag);
  });

  it.each([ undefined, '', 'identity', 'br', 'gzip; q=0.0', 'xgzip' ])('is plain for %s.', (accepted): void => {
    const plain = get(`assets/${asset}`, accepted);
    expect(plain.headers).not.toHaveProperty('Content-Encoding');
    expect(plain.headers.Vary).toBe('Accept-Encoding, Origin');
    expect(plain.bytes).toEqual(bytes);
  });
});
