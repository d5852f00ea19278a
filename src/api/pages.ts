/* eslint-disable @typescript-eslint/naming-convention -- names on the wire */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { PathUnknown } from '../problems';
import type { RepresentationAnswer } from '../http/Answer';
import { publicDocument } from '../http/Answer';
import type { Call } from '../http/Operation';

/** Made of `app/` when the package is built. */
const built = join(__dirname, '../../dist/app');
const year = 31_536_000;
const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Files by the paths that they are served at: read once, and no others. */
const files = new Map<string, { bytes: Buffer; type: string; maxAge: number }>();

/** The one document of the citizen's pages, whichever of them is asked for. */
export function getCitizenPage({ site: { baseUrl }}: Call): RepresentationAnswer {
  const assets = `${baseUrl}.app/`;
  return publicDocument(find('index.html').bytes, 'text/html; charset=utf-8', 0, {
    'Content-Security-Policy': [
      `default-src 'none'`,
      // Whole paths: a pod of this origin is no place for scripts of these pages.
      `script-src ${assets}assets/`,
      `style-src ${assets}assets/`,
      `img-src ${assets} ${baseUrl}v1/data-users/`,
      `connect-src ${baseUrl}`,
      `base-uri 'none'`,
      `form-action 'none'`,
      `frame-ancestors 'none'`,
      `require-trusted-types-for 'script'`,
      `trusted-types 'none'`,
    ].join('; '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  });
}

/** A script, style sheet or picture of the pages: its name changes with what is in it. */
export function getCitizenPageAsset({ params }: Call<{ params: 'asset' }>): RepresentationAnswer {
  const { bytes, type, maxAge } = find(`assets/${params.asset}`);
  return publicDocument(bytes, type, maxAge, { 'X-Content-Type-Options': 'nosniff' });
}

/** The logo of the service. */
export function getCitizenPageLogo(): RepresentationAnswer {
  const { bytes, type, maxAge } = find('logo.svg');
  return publicDocument(bytes, type, maxAge, { 'Content-Security-Policy': `default-src 'none'; style-src 'unsafe-inline'` });
}

/** The settings that the pages read: where the service and the identity provider are. */
export function getCitizenPageSettings({ site: { baseUrl }}: Call): RepresentationAnswer {
  const settings = { service: baseUrl, issuer: baseUrl, clientId: `${baseUrl}.app/client.jsonld` };
  return publicDocument(JSON.stringify(settings), 'application/json', 60);
}

/**
 * The client ID document of the pages.
 *
 * @see [Solid-OIDC, section 5.1](https://solidproject.org/TR/oidc#clientids-document)
 */
export function getCitizenPageClient({ site: { baseUrl }}: Call): RepresentationAnswer {
  const pages = `${baseUrl}.app/`;
  return publicDocument(JSON.stringify({
    '@context': [ 'https://www.w3.org/ns/solid/oidc-context.jsonld' ],
    client_id: `${pages}client.jsonld`,
    client_name: 'Citizen pages',
    client_uri: pages,
    logo_uri: `${pages}logo.svg`,
    redirect_uris: [ `${pages}callback` ],
    post_logout_redirect_uris: [ pages ],
    scope: 'openid webid',
    grant_types: [ 'authorization_code' ],
    response_types: [ 'code' ],
    token_endpoint_auth_method: 'none',
  }), 'application/ld+json', 60);
}

/** @throws PathUnknown when the pages have no such file. */
function find(path: string): { bytes: Buffer; type: string; maxAge: number } {
  if (files.size === 0 && existsSync(built)) {
    for (const name of [ 'index.html', 'logo.svg', ...readdirSync(join(built, 'assets')).map((asset): string => `assets/${asset}`) ]) {
      const maxAge = name.startsWith('assets/') ? year : 3600;
      files.set(name, { bytes: readFileSync(join(built, name)), type: types[extname(name)], maxAge });
    }
  }
  const file = files.get(path);
  if (!file) {
    throw new PathUnknown();
  }
  return file;
}
