/** Maximum number of each of passwords, pods, WebID links and client credentials of an account. */
export const maxPerAccount = 100;
