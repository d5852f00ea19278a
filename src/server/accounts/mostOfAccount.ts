/** Maximum passwords, pods, links to WebIDs and client credentials of an account, of each. */
export const mostOfAccount = 100;
