import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PathUnknown } from '../problems';
import type { RepresentationAnswer } from '../http/Answer';
import { publicDocument } from '../http/Answer';
import type { Call } from '../http/Operation';
import { problemPage } from './problemPages';

const pages = join(__dirname, '../../templates/docs');
/** Folder that the build copies Swagger UI to. */
const viewer = join(__dirname, '../../dist/swagger-ui');
const assets: Record<string, { type: string; path: string }> = {
  'swagger-ui.css': { type: 'text/css; charset=utf-8', path: join(viewer, 'swagger-ui.css') },
  'swagger-ui-bundle.js': { type: 'text/javascript; charset=utf-8', path: join(viewer, 'swagger-ui-bundle.js') },
  'initializer.js': { type: 'text/javascript; charset=utf-8', path: join(pages, 'initializer.js') },
};

const html = 'text/html; charset=utf-8';
const pagePolicy = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `img-src 'self' data:`,
  `connect-src 'self'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ');

/**
 * Returns the entry points of the interface, by name.
 *
 * @see [RFC 8631, sections 4.1 and 4.2](https://www.rfc-editor.org/rfc/rfc8631#section-4) on the links
 */
export function getIndex({ site: { baseUrl, indexed, paths }}: Call): RepresentationAnswer {
  const index = {
    ...paths.includes('/v1/contracts') && { contracts: `${baseUrl}v1/contracts` },
    dataTypes: `${baseUrl}v1/data-types`,
    openApi: `${baseUrl}v1/openapi.json`,
    docs: `${baseUrl}v1/docs`,
    vocabulary: `${baseUrl}v1/ns/core`,
    credentialIssuer: `${baseUrl}v1/issuer`,
    accessIssuer: `${baseUrl}.access/`,
    wellKnown: [ 'openid-configuration', 'solid', 'uma2-configuration', 'vc-configuration' ]
      .filter((name): boolean => name === 'openid-configuration' || paths.includes(`/.well-known/${name}`))
      .map((name): string => `${baseUrl}.well-known/${name}`),
    ...indexed.length > 0 && { more: indexed.map((path): string => baseUrl + path.slice(1)) },
  };
  return publicDocument(JSON.stringify(index), 'application/json', 60, {
    Link: `<${index.openApi}>; rel="service-desc", <${index.docs}>; rel="service-doc"`,
  });
}

/** Returns the OpenAPI document of this server. */
export function getOpenApi({ site }: Call): RepresentationAnswer {
  return publicDocument(site.openApi(), 'application/json', 60);
}

/**
 * Returns a page that shows an OpenAPI document.
 *
 * @param document - Path of the document.
 * @param title - Title of the page.
 */
export function getDocsPage(document: string, title: string): RepresentationAnswer {
  const page = readFileSync(join(pages, 'index.html'), 'utf8')
    .replaceAll('{document}', document)
    .replace('{title}', title);
  return publicDocument(page, html, 60, { 'Content-Security-Policy': pagePolicy });
}

/** Returns a script or style sheet of that page; no other file of the folder can be read. */
export function getDocsAsset({ params }: Call<{ params: 'asset' }>): RepresentationAnswer {
  if (!Object.hasOwn(assets, params.asset)) {
    throw new PathUnknown();
  }
  const { type, path } = assets[params.asset];
  return publicDocument(readFileSync(path), type, 86_400);
}

/** Returns the page that explains a problem type and what to do about it. */
export function getProblemPage({ params }: Call<{ params: 'name' }>): RepresentationAnswer {
  const page = problemPage(params.name);
  if (page === undefined) {
    throw new PathUnknown();
  }
  return publicDocument(page, html, 3600, { 'Content-Security-Policy': `default-src 'none'; frame-ancestors 'none'` });
}
