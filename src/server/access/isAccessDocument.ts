import type { ResourceIdentifier } from '@solid/community-server';

/** Whether a resource says who may use another: an access control list of WAC, or an access control resource of ACP. */
export function isAccessDocument({ path }: ResourceIdentifier): boolean {
  return /\.ac[lr]$/u.test(path);
}
