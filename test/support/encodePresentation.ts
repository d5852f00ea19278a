/** Makes a claim token: an unsigned presentation of credentials in base64. */
export function encodePresentation(...credentials: unknown[]): string {
  return Buffer.from(JSON.stringify({
    '@context': [ 'https://www.w3.org/2018/credentials/v1' ],
    type: [ 'VerifiablePresentation' ],
    verifiableCredential: credentials,
  })).toString('base64');
}
