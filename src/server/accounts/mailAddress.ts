const longestAddress = 254;
const addressShape = /^[^\s@<>"(),:;\\]+@[^\s@<>"(),:;\\]+$/u;

/** An e-mail address as somebody typed it, trimmed; undefined for anything that cannot be one. */
export function findMailAddress(email: unknown): string | undefined {
  const address = typeof email === 'string' ? email.trim() : '';
  return address.length <= longestAddress && addressShape.test(address) ? address : undefined;
}
