import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { JWK } from 'jose';
import { isRecord } from '../platform/isRecord';
import { schemaCompiler } from '../platform/jsonSchema';
import { isList } from '../platform/lists';
import { readSettingFile } from '../platform/readSettingFile';
import { parseSettings, settingsProblem } from '../sources/settings';
import type { ClientAuthentication, LoginProvider } from './LoginProvider';
import { providerLanguages } from './LoginProvider';

/** Parameters of authorization requests that this server sets. */
const ownParameters = [
  'client_id',
  'client_secret',
  'code_challenge',
  'code_challenge_method',
  'nonce',
  'redirect_uri',
  'request',
  'request_uri',
  'response_mode',
  'response_type',
  'scope',
  'state',
];

const text = { type: 'string', minLength: 1, maxLength: 2048 };
const texts = { type: 'array', items: { type: 'string', pattern: '^\\S+$' }, minItems: 1, uniqueItems: true };

/** A provider in the file. */
type Given = Omit<LoginProvider, 'clientAuthentication' | 'decryptionKeys'> & {
  clientAuthentication: {
    method: ClientAuthentication['method'];
    audience?: 'issuer' | 'token_endpoint';
    keyFile?: string;
    secretEnv?: string;
  };
  decryptionKeyFile?: string;
};

/** Schema of a method of authentication with its secret. */
function authentication(methods: string[], further: Record<string, unknown>, required: string[]): object {
  return {
    properties: { method: { enum: methods }, ...further },
    required: [ 'method', ...required ],
    additionalProperties: false,
  };
}

const isGiven = schemaCompiler({ strictTypes: false, discriminator: true }).compile<Given[]>({
  type: 'array',
  minItems: 1,
  items: {
    type: 'object',
    properties: {
      id: { type: 'string', pattern: '^[a-z\\d][a-z\\d-]{0,39}$' },
      issuer: text,
      name: {
        type: 'object',
        properties: Object.fromEntries(providerLanguages.map((language): [string, object] =>
          [ language, { type: 'string', minLength: 1, maxLength: 60 }])),
        required: [ ...providerLanguages ],
        additionalProperties: false,
      },
      clientId: text,
      clientAuthentication: {
        type: 'object',
        discriminator: { propertyName: 'method' },
        required: [ 'method' ],
        oneOf: [
          authentication(
            [ 'private_key_jwt' ],
            { keyFile: text, audience: { enum: [ 'issuer', 'token_endpoint' ]}},
            [],
          ),
          authentication([ 'client_secret_basic', 'client_secret_post' ], { secretEnv: text }, [ 'secretEnv' ]),
          authentication([ 'none' ], {}, []),
        ],
      },
      scopes: { ...texts, contains: { const: 'openid' }},
      nationalNumber: {
        type: 'object',
        properties: { from: { enum: [ 'id_token', 'userinfo' ]}, claim: text, prefix: text, pattern: text },
        required: [ 'from', 'claim' ],
        additionalProperties: false,
      },
      nameClaim: text,
      acrValues: texts,
      acceptedAcr: texts,
      decryptionKeyFile: text,
      par: { type: 'boolean' },
      requestObject: { type: 'boolean' },
      parameters: {
        type: 'object',
        properties: Object.fromEntries(ownParameters.map((name): [string, boolean] => [ name, false ])),
        additionalProperties: text,
      },
    },
    required: [ 'id', 'issuer', 'name', 'clientId', 'clientAuthentication', 'scopes', 'nationalNumber' ],
    additionalProperties: false,
  },
});

/** Options of {@link readLoginProviders}. */
export interface LoginProvidersFile {
  /** The JSON file that `--nationalLogin` names; key files that it names are relative to its folder. */
  file: string;
  /** Environment variables with secrets. */
  environment: NodeJS.ProcessEnv;
  /** True when http is allowed. */
  allowHttp: boolean;
}

/**
 * Reads the national identity providers, without contacting any of them.
 *
 * @throws Error that names the flag, or file and member, without any secret.
 */
export async function readLoginProviders(options: LoginProvidersFile): Promise<LoginProvider[]> {
  const { file } = options;
  const given = parseSettings(file, await readSettingFile('--nationalLogin', file));
  if (!isGiven(given)) {
    throw settingsProblem(file, isGiven.errors);
  }
  const ids = given.map(({ id }): string => id);
  const again = ids.findIndex((id, index): boolean => ids.indexOf(id) < index);
  if (again !== -1) {
    throw new Error(`${file}: /${again}/id is also used by another provider`);
  }
  return Promise.all(given.map(async(provider, index): Promise<LoginProvider> =>
    complete(options, provider, `${file}: /${index}`)));
}

async function complete(options: LoginProvidersFile, given: Given, place: string): Promise<LoginProvider> {
  const { clientAuthentication, decryptionKeyFile, ...provider } = given;
  requireIssuer(provider.issuer, options.allowHttp, `${place}/issuer`);
  requirePattern(provider.nationalNumber.pattern, `${place}/nationalNumber/pattern`);
  const authenticated = await readAuthentication(options, clientAuthentication, `${place}/clientAuthentication`);
  if (provider.requestObject && authenticated.method !== 'private_key_jwt') {
    throw new Error(`${place}/requestObject needs private_key_jwt: requests are signed with the same key`);
  }
  return {
    ...provider,
    acrValues: provider.acrValues ?? [],
    par: provider.par ?? false,
    requestObject: provider.requestObject ?? false,
    parameters: provider.parameters ?? {},
    clientAuthentication: authenticated,
    decryptionKeys: decryptionKeyFile === undefined ?
        [] :
        await readKeys(options.file, decryptionKeyFile, `${place}/decryptionKeyFile`),
  };
}

async function readAuthentication(
  { environment, file }: LoginProvidersFile,
  { audience, keyFile, method, secretEnv }: Given['clientAuthentication'],
  place: string,
): Promise<ClientAuthentication> {
  if (method === 'none') {
    return { method };
  }
  if (method === 'private_key_jwt') {
    const key = keyFile === undefined ? undefined : (await readKeys(file, keyFile, `${place}/keyFile`))[0];
    return { method, audience, key };
  }
  const secret = secretEnv === undefined ? undefined : environment[secretEnv];
  if (secret === undefined || secret === '') {
    throw new Error(`${place}/secretEnv: the environment has no variable ${secretEnv}`);
  }
  return { method, secret };
}

function requirePattern(pattern: string | undefined, place: string): void {
  try {
    // Compiled alone first, so that its parentheses cannot close those around it.
    new RegExp(pattern ?? '', 'u').test('');
  } catch (cause: unknown) {
    throw new Error(`${place} is not a regular expression`, { cause });
  }
}

function requireIssuer(issuer: string, allowHttp: boolean, place: string): void {
  const scheme = allowHttp ? /^https?:\/\/[^\s?#@]+$/u : /^https:\/\/[^\s?#@]+$/u;
  if (!scheme.test(issuer) || !URL.canParse(issuer)) {
    throw new Error(`${place} must be an https URL without credentials, query and fragment`);
  }
}

/** Reads the private keys of a JWK or JWK set, each with its algorithm. */
async function readKeys(file: string, name: string, place: string): Promise<JWK[]> {
  const path = resolve(dirname(file), name);
  const found = await stat(path).catch((): undefined => undefined);
  if (found && process.platform !== 'win32' && (found.mode & 0o077) !== 0) {
    throw new Error(`${place}: ${path} can be read or written by others: give it mode 0600`);
  }
  const document = parseSettings(path, await readSettingFile(place, path));
  const keys = isRecord(document) && isList(document.keys) ? document.keys : [ document ];
  if (keys.length === 0 || !keys.every(isPrivateKey)) {
    throw new Error(`${place}: ${path} is neither a private JWK with an alg nor a set of them`);
  }
  return keys;
}

function isPrivateKey(key: unknown): key is JWK {
  return isRecord(key) && typeof key.kty === 'string' && key.kty !== 'oct' && typeof key.d === 'string' &&
    typeof key.alg === 'string';
}
