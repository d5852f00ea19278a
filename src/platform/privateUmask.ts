/** Permissions that files of this process never give to others. */
export const privateUmask = 0o077;
