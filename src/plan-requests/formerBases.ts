import type { IncomingHttpHeaders } from 'node:http';
import type { TargetAndHeaders } from '../http/Routes';
import { findPlainUrl } from '../platform/plainUrl';
import { RefusedSetting } from '../platform/RefusedSetting';

/** A former base of the service: every path below it has moved below the present one. */
export interface FormerBase {
  /** Host with its port, when it is not the present one. */
  host?: string;
  /** Without a slash at the end; may be empty at a former host. */
  path: string;
}

/**
 * Reads the former bases that the setting names.
 *
 * @param text - Comma-separated paths and URLs.
 * @param service - Path segment of the present base.
 *
 * @throws RefusedSetting
 */
export function readFormerBases(text: string, service: string): FormerBase[] {
  return listEntries(text).map((entry): FormerBase => {
    const base = entry.startsWith('/') ? { path: entry } : readUrl(entry);
    if (!base || !isPath(base.path) || (base.host === undefined && isPresent(base.path, service))) {
      // Without a password that it may contain.
      const shown = entry.replace(/\/\/.*@/u, '//');
      throw new RefusedSetting(
        `--planRequestsFormer: ${shown} is no former path or URL, such as /plans/ws/v3 or https://plans.example/ws/v3`,
      );
    }
    return base;
  });
}

/** Lists the names at the root of the present host that former paths take. */
export function listFormerNames(text: string): string[] {
  return listEntries(text).filter((entry): boolean => entry.startsWith('/')).map((path): string => path.split('/')[1]);
}

/**
 * Requires that no former host is the present one, whose paths would lead back to themselves.
 *
 * @throws RefusedSetting
 */
export function requireFormerHosts(bases: readonly FormerBase[], baseUrl: string): void {
  const { host } = new URL(baseUrl);
  if (bases.some((base): boolean => base.host === host)) {
    throw new RefusedSetting(`--planRequestsFormer: ${host} is the present host: name former paths there alone`);
  }
}

/**
 * Makes a function that returns the present URL of a request below a former base; `undefined` for any other request.
 *
 * @param bases - The former bases.
 * @param present - The present base, an absolute URL without a slash at the end.
 */
export function moverOf(bases: readonly FormerBase[], present: string):
(request: TargetAndHeaders) => string | undefined {
  return ({ headers = {}, url = '/' }): string | undefined => {
    const host = hostOf(headers);
    const base = bases.find((former): boolean => (former.host === undefined || former.host === host) &&
      url.startsWith(former.path) && [ undefined, '/', '?' ].includes(url[former.path.length]));
    return base && present + url.slice(base.path.length);
  };
}

function listEntries(text: string): string[] {
  return text.split(',').map((entry): string => entry.trim()).filter((entry): boolean => entry !== '');
}

function readUrl(text: string): FormerBase | undefined {
  const url = findPlainUrl(text);
  return url?.search === '' && url.hash === '' ?
      { host: url.host, path: url.pathname === '/' ? '' : url.pathname } :
    undefined;
}

function isPath(path: string): boolean {
  return /^(?:\/[a-zA-Z\d][\w-]{0,39}){0,8}$/u.test(path);
}

function isPresent(path: string, service: string): boolean {
  return path === '/ws' || [ '/v1/', `/ws/${service}/` ].some((own): boolean => `${path}/`.startsWith(own));
}

/** Returns the host that the client asked, as the proxy reports it. */
function hostOf({ host, 'x-forwarded-host': forwarded }: IncomingHttpHeaders): string | undefined {
  return (typeof forwarded === 'string' ? forwarded.split(',', 1)[0].trim() : host)?.toLowerCase();
}
