import type { ResourceIdentifier } from '@solid/community-server';

/** Checks whether a resource is an access control list of WAC or an access control resource of ACP. */
export function isAccessDocument({ path }: ResourceIdentifier): boolean {
  return /\.ac[lr]$/u.test(path);
}
