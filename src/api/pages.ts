import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { PathUnknown } from '../problems';
import type { RepresentationAnswer } from '../http/Answer';
import { publicDocument } from '../http/Answer';
import type { Call } from '../http/Operation';
import type { Theme } from '../platform/theme';
import { themePath } from '../platform/theme';
import type { Services } from './Services';

/** Folder that the build writes `app/` to. */
const built = join(__dirname, '../../dist/app');
/** Document of all pages, which is served at their addresses. */
const document = 'index.html';
const minute = 60;
const hour = 3600;
const year = 31_536_000;
const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The operator's decisions about the pages. */
type Look = Pick<Services, 'theme' | 'timeZone'>;

/** Headers for assets: a picture or script that is opened as a page can do nothing. */
const inert = {
  'Content-Security-Policy': `default-src 'none'; frame-ancestors 'none'`,
  'X-Content-Type-Options': 'nosniff',
};

/** Files that are generated for each server, by name. */
const documents: Record<string, (baseUrl: string, look: Look) => RepresentationAnswer> = {
  'settings.json': settings,
  'client.jsonld': clientDocument,
};

/** A built file, and its gzip form once a client has accepted gzip. */
interface BuiltFile {
  bytes: Buffer;
  zipped?: Buffer;
}

/** The files that can be served, by path below `/.app/`. Read once. */
let files: Map<string, BuiltFile> | undefined;

/** Returns one of the citizen's pages, which all share one document, or a file that they load. */
export function getCitizenPage(
  { headers, params: { '**': path }, site: { baseUrl }}: Call<{ params: '**' }>,
  look: Look,
): RepresentationAnswer {
  const { theme } = look;
  files ??= readFiles();
  if (Object.hasOwn(documents, path)) {
    return documents[path](baseUrl, look);
  }
  const own = theme.files.get(path.replace(/^theme\//u, ''));
  if (path.startsWith('theme/') && own) {
    return publicDocument(own.bytes, own.contentType, minute, inert);
  }
  const file = files.get(path);
  if (file && path !== document) {
    // The name of an asset changes with its content.
    return builtFile(path, file, takesGzip(headers['accept-encoding']));
  }
  if (!/^[a-z-]*$/u.test(path)) {
    throw new PathUnknown();
  }
  // Built with the package.
  const page = themed(files.get(document)!.bytes, theme);
  return publicDocument(page, 'text/html; charset=utf-8', 0, pageHeaders(baseUrl));
}

function builtFile(path: string, file: BuiltFile, isZipped: boolean): RepresentationAnswer {
  // The name of an asset changes with its content.
  const maxAge = path.startsWith('assets/') ? year : hour;
  return publicDocument(isZipped ? zippedOf(file) : file.bytes, types[extname(path)], maxAge, {
    ...inert,
    Vary: 'Accept-Encoding, Origin',
    ...isZipped && { 'Content-Encoding': 'gzip' },
  });
}

function zippedOf(file: BuiltFile): Buffer {
  file.zipped ??= gzipSync(file.bytes, { level: 9 });
  return file.zipped;
}

/**
 * Checks whether a client takes gzip.
 *
 * @see [RFC 9110, section 12.5.3, Accept-Encoding](https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3)
 */
function takesGzip(accepted: string | string[] = ''): boolean {
  return String(accepted).split(',')
    .some((coding): boolean => /^gzip\s*(?:;\s*q=(?!0(?:\.0*)?$).*)?$/iu.test(coding.trim()));
}

/** The document of the pages, with the operator's style and icon. */
function themed(page: Buffer, { files: own }: Theme): Buffer | string {
  if (own.size === 0) {
    return page;
  }
  const text = page.toString().replace('</head>', `<link rel="stylesheet" href="/${themePath}style.css">\n</head>`);
  return own.has('logo') ? text.replace('"/.app/logo.svg"', `"/${themePath}logo"`) : text;
}

function pageHeaders(baseUrl: string): Record<string, string> {
  const assets = `${baseUrl}.app/assets/`;
  return {
    'Content-Security-Policy': [
      `default-src 'none'`,
      // Whole paths, not `'self'`: scripts in pods share this origin, and must not run here.
      `script-src ${assets}`,
      `style-src ${assets} ${baseUrl}${themePath}`,
      `font-src ${baseUrl}${themePath}`,
      `img-src ${baseUrl}.app/ ${baseUrl}v1/data-users/`,
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
  };
}

/** Settings of the pages: URLs of the service and the identity provider, and the operator's theme and time zone. */
function settings(baseUrl: string, { theme, timeZone }: Look): RepresentationAnswer {
  const { files: own, links, name, operator } = theme;
  const [ logo, logoDark ] = [ 'logo', 'logo-dark' ].map((each): string | undefined =>
    own.has(each) ? `/${themePath}${each}` : undefined);
  const clientId = `${baseUrl}.app/client.jsonld`;
  const members = { service: baseUrl, issuer: baseUrl, clientId, timeZone, name, operator, links, logo, logoDark };
  return publicDocument(JSON.stringify(members), 'application/json', minute);
}

/**
 * Client ID document of the pages.
 *
 * @see [Solid-OIDC, section 5.1](https://solidproject.org/TR/oidc#clientids-document)
 */
function clientDocument(baseUrl: string, { theme: { files: own, name }}: Look): RepresentationAnswer {
  const pages = `${baseUrl}.app/`;
  return publicDocument(JSON.stringify({
    '@context': [ 'https://www.w3.org/ns/solid/oidc-context.jsonld' ],
    client_id: `${pages}client.jsonld`,
    client_name: name.en,
    client_uri: pages,
    logo_uri: own.has('logo') ? `${baseUrl}${themePath}logo` : `${pages}logo.svg`,
    redirect_uris: [ `${pages}callback` ],
    post_logout_redirect_uris: [ `${pages}logged-out` ],
    scope: 'openid webid',
    grant_types: [ 'authorization_code' ],
    response_types: [ 'code' ],
    token_endpoint_auth_method: 'none',
  }), 'application/ld+json', minute);
}

function readFiles(): Map<string, BuiltFile> {
  const assets = readdirSync(join(built, 'assets')).map((name): string => `assets/${name}`);
  return new Map([ document, 'logo.svg', ...assets ]
    .map((name): [string, BuiltFile] => [ name, { bytes: readFileSync(join(built, name)) }]));
}
