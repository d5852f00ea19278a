/** Encodes JSON as base64url, like the parts of a JWS. */
export function encodeJson(part: unknown): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
