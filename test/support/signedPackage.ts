import { execFileSync } from 'node:child_process';
import { createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CompactSign } from 'jose';
import { zip } from './networkPackage';

/** Files of a certificate and its key, as PEM. */
export interface Certified {
  certificate: string;
  key: string;
}

/**
 * Makes a certificate that is valid for two days, with its key.
 *
 * @param folder - For both files.
 * @param name - Of the files.
 * @param subject - As OpenSSL takes it.
 * @param issuer - Signs the certificate; by default it is self-signed.
 */
export function makeCertificate(folder: string, name: string, subject: string, issuer?: Certified): Certified {
  const made = { certificate: join(folder, `${name}.pem`), key: join(folder, `${name}.key`) };
  execFileSync('openssl', [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '2',
    '-subj',
    subject,
    '-keyout',
    made.key,
    '-out',
    made.certificate,
    ...issuer ? [ '-CA', issuer.certificate, '-CAkey', issuer.key ] : [],
  ], { stdio: 'pipe' });
  return made;
}

/** Makes a package of these files with their signature. */
export async function signedZip(files: Record<string, string | Buffer>, by: Certified): Promise<Buffer> {
  const digests = Object.fromEntries(Object.entries(files).map(([ name, content ]): [string, string] =>
    [ name, createHash('sha256').update(content).digest('base64url') ]));
  const certificate = new X509Certificate(await readFile(by.certificate));
  const jws = await new CompactSign(Buffer.from(JSON.stringify({ files: digests })))
    .setProtectedHeader({ alg: 'ES256', x5c: [ certificate.raw.toString('base64') ]})
    .sign(createPrivateKey(await readFile(by.key)));
  return zip({ ...files, 'signature.jws': jws });
}
