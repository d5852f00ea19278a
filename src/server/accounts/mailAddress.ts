/** Maximum characters of an e-mail address. */
export const maxAddressLength = 254;
const addressShape = /^[^\s@<>"(),:;\\]+@[^\s@<>"(),:;\\]+$/u;

/** Returns a typed e-mail address, trimmed; undefined for anything that cannot be one. */
export function findMailAddress(email: string): string | undefined {
  const address = email.trim();
  return address.length <= maxAddressLength && addressShape.test(address) ? address : undefined;
}
