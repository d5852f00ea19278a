/** How many passwords, pods, links to WebIDs and client credentials an account may have, of each. */
export const mostOfAccount = 100;
