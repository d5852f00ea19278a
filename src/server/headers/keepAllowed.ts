import type { HttpResponse } from '@solid/community-server';

/** Leaves methods out of the `Allow` header, with the formats that they accept. A header without methods is removed. */
export function keepAllowed(response: HttpResponse, isAllowed: (method: string) => boolean): void {
  const named = String(response.getHeader('allow') ?? '').split(', ');
  const kept = named.filter((method): boolean => method !== '' && isAllowed(method));
  for (const method of named.filter((name): boolean => !kept.includes(name))) {
    response.removeHeader(`accept-${method}`);
  }
  if (kept.length > 0) {
    response.setHeader('Allow', kept.join(', '));
  } else {
    response.removeHeader('allow');
  }
}
