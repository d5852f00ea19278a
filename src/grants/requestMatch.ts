import { isRecord } from '../platform/isRecord';
import { lastOf } from '../platform/lists';
import { parseOwn } from '../platform/ownJson';
import type { WebId } from '../platform/webId';
import type { AccessGrant, AccessMode } from './AccessGrant';
import { coversMode, coversResource, grantStatus } from './AccessGrant';
import type { GrantStatement } from './GrantStatement';
import { statedTemplates } from './GrantStatement';

/**
 * Returns the reason why a statement does not answer a request; `undefined` when it does. An answer may give less than
 * requested, never more, and only to the requestor.
 *
 * @param statement - A grant or denial.
 * @param caller - WebID of the person stating it.
 */
export function requestMismatch(
  statement: GrantStatement,
  caller: WebId,
  request: AccessGrant,
  now: Date,
): string | undefined {
  const rules: [boolean, string][] = [
    [ grantStatus(request, now) === 'ACTIVE', 'the request is no longer open' ],
    [ isAddressedTo(request, caller), 'the request is addressed to somebody else' ],
    [ statement.recipient === request.subject, 'the request was not made by isProvidedTo' ],
    [ statement.modes.every((mode): boolean => asksForMode(request, mode)), 'the request lacks some of the modes' ],
    [
      statement.resources.every((resource, index): boolean =>
        asksForResource(request, resource, statement.statedResources[index], statement.inherit)),
      'the request lacks some of the resources',
    ],
  ];
  return rules.find(([ holds ]): boolean => !holds)?.[1];
}

/** Checks whether a WebID may answer a request: its data subject, or anyone if it is a template that names nobody. */
export function isAddressedTo(request: AccessGrant, webId: WebId): boolean {
  return request.recipient === '' || request.recipient === webId;
}

function asksForMode({ modes }: AccessGrant, mode: AccessMode): boolean {
  return modes.some((asked): boolean => coversMode(asked, mode));
}

function asksForResource(request: AccessGrant, resource: string, stated: string, inherit: boolean): boolean {
  // A request for a container alone does not ask for its contents.
  const isWider = inherit && resource.endsWith('/') && !request.inherit;
  return templatesOf(request).some((template): boolean => fits(template, stated)) ||
    (!isWider && request.resources.some((asked): boolean => asked === resource || covers(request, asked, resource)));
}

function covers({ inherit }: AccessGrant, asked: string, resource: string): boolean {
  return new URL(asked).origin === new URL(resource).origin && coversResource(asked, inherit, resource);
}

function templatesOf({ document }: AccessGrant): string[] {
  const { credentialSubject } = parseOwn<{ credentialSubject?: { hasConsent?: unknown }}>(document);
  const consent = credentialSubject?.hasConsent;
  return isRecord(consent) ? statedTemplates(consent.template).map(String) : [];
}

/**
 * Checks whether a URI matches a template: its literal parts in order, with any text for the expressions between. The
 * first match of a part is as good as any later one, so one pass is enough.
 */
export function fits(template: string, uri: string): boolean {
  const parts = template.split(/\{[^{}]*\}/u);
  const [ first, last ] = [ parts[0], lastOf(parts) ];
  if (parts.length === 1) {
    return template === uri;
  }
  if (!uri.startsWith(first) || !uri.endsWith(last) || uri.length < first.length + last.length) {
    return false;
  }
  const end = uri.length - last.length;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = uri.indexOf(part, at);
    if (found === -1 || found + part.length > end) {
      return false;
    }
    at = found + part.length;
  }
  return true;
}
