/** Permissions that files of this process never grant to others. */
export const privateUmask = 0o077;
