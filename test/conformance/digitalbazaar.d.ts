/* eslint-disable @typescript-eslint/no-extraneous-class -- only what is used of a class stands here */
// The used parts of libraries that come without types.

declare module '@digitalbazaar/data-integrity' {
  export class DataIntegrityProof {
    public constructor(options: { cryptosuite: object });
  }
}

declare module '@digitalbazaar/ed25519-signature-2020' {
  export class Ed25519Signature2020 {}
}

declare module '@digitalbazaar/eddsa-rdfc-2022-cryptosuite' {
  export const cryptosuite: object;
}

declare module '@digitalbazaar/vc' {
  export function verifyCredential(options: object): Promise<{ verified: boolean }>;
}

declare module '@digitalbazaar/vc-bitstring-status-list' {
  export function checkStatus(options: object):
  Promise<{ verified: boolean; results: { status: boolean }[]; error?: unknown }>;
}

declare module '@digitalbazaar/vc-revocation-list' {
  export function checkStatus(options: object): Promise<{ verified: boolean }>;
}
