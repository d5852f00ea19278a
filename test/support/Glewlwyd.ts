import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { freePort } from '../../demo/lib/freePort';
import { startProcess } from '../../demo/lib/startProcess';
import type { Authorizing } from './nationalLogin';
import { makeKey } from './StockProviders';

const program = '/usr/bin/glewlwyd';
const modules = '/usr/lib/glewlwyd';
const schema = '/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3';
const password = 'a password of a test';
const clientId = 'data-sharing';
/** Id of this server as a client with a secret. */
export const clientWithSecret = 'data-sharing-by-secret';
const userProperty = 'national-number';
const keysProperty = 'jwks_uri';

/** This server as a client of the provider, once with its key and once with a secret. */
export interface RegisteredClient {
  redirectUris: string[];
  /** Where this server publishes its keys. */
  jwksUri: string;
  secret: string;
}

/**
 * Glewlwyd, an OpenID provider packaged by Debian, with its own process and database. The script of its log-in page
 * calls its API; these tests call the API in the same way.
 */
export class Glewlwyd {
  private constructor(
    private readonly base: string,
    private readonly process: Awaited<ReturnType<typeof startProcess>>,
  ) {}

  /**
   * Starts it.
   *
   * @param folder - For its settings, database and log.
   * @param client - The only client, under two ids.
   * @param people - National number of each person, if they have one, by user name.
   */
  public static async start(
    folder: string,
    client: RegisteredClient,
    people: Record<string, string | undefined>,
  ): Promise<Glewlwyd> {
    if (!existsSync(program)) {
      throw new Error(`No provider at ${program}: install glewlwyd and dbconfig-sqlite3 of Debian`);
    }
    const port = await freePort();
    const base = `http://localhost:${port}/`;
    const database = new Database(join(folder, 'glewlwyd.sqlite'));
    database.exec(await readFile(schema, 'utf8'));
    database.close();
    const settings = join(folder, 'glewlwyd.conf');
    await writeFile(settings, describeSettings(port, join(folder, 'glewlwyd.sqlite')));
    const provider = new Glewlwyd(base, await startProcess({
      program,
      args: [ '--config-file', settings ],
      logFile: join(folder, 'glewlwyd.log'),
      readyUrl: `${base}config/`,
    }));
    try {
      await provider.setUp(client, people);
    } catch (error) {
      await provider.stop();
      throw error;
    }
    return provider;
  }

  public get issuer(): string {
    return `${this.base}api/oidc`;
  }

  /** A person with their own browser, who logs in and lets the client read their identity. */
  public person(name: string): Authorizing {
    const session = new Session(this.base);
    return {
      authorize: async(location): Promise<URL> => {
        const page = new URL(await session.visit(location));
        await session.send('POST', 'api/auth/', { username: name, password });
        const scope = page.searchParams.get('scope');
        await session.send('PUT', `api/auth/grant/${page.searchParams.get('client_id')}`, { scope });
        return new URL(await session.visit(`${page.searchParams.get('callback_url')}&g_continue`));
      },
    };
  }

  public async stop(): Promise<void> {
    await this.process.stop();
  }

  private async setUp(client: RegisteredClient, people: Record<string, string | undefined>): Promise<void> {
    const admin = new Session(this.base);
    await admin.send('POST', 'api/auth/', { username: 'admin', password: 'password' });
    await admin.send('POST', 'api/mod/plugin/', {
      module: 'oidc',
      name: 'oidc',
      display_name: 'OpenID Connect',
      parameters: await describePlugin(this.issuer),
    });
    await addProperty(admin, 'client', keysProperty);
    await addProperty(admin, 'user', userProperty);
    const usual = {
      name: 'Data sharing',
      enabled: true,
      confidential: true,
      redirect_uri: client.redirectUris,
      authorization_type: [ 'code' ],
    };
    await admin.send('POST', 'api/client/', {
      ...usual,
      client_id: clientId,
      token_endpoint_auth_method: [ 'private_key_jwt' ],
      [keysProperty]: client.jwksUri,
    });
    await admin.send('POST', 'api/client/', {
      ...usual,
      client_id: clientWithSecret,
      token_endpoint_auth_method: [ 'client_secret_post' ],
      password: client.secret,
    });
    for (const [ username, number ] of Object.entries(people)) {
      await admin.send('POST', 'api/user/', {
        username,
        password,
        name: username,
        enabled: true,
        scope: [ 'openid' ],
        [userProperty]: number,
      });
    }
  }
}

interface Module {
  parameters: { 'data-format': Record<string, object> };
}

/** Defines a property of users or clients that only administrators can see and change. */
async function addProperty(admin: Session, kind: 'client' | 'user', property: string): Promise<void> {
  const path = `api/mod/${kind}/database`;
  const module = await (await admin.send('GET', path)).json() as Module;
  module.parameters['data-format'][property] =
    { multiple: false, read: true, write: true, 'profile-read': false, 'profile-write': false };
  await admin.send('PUT', path, module);
  await admin.send('PUT', `${path}/reset`);
}

/** A session with its interface. */
class Session {
  private cookie = '';

  public constructor(private readonly base: string) {}

  public async send(method: string, path: string, body?: object): Promise<Response> {
    const response = await fetch(new URL(path, this.base), {
      method,
      redirect: 'manual',
      headers: { cookie: this.cookie, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    });
    if (response.status >= 400) {
      throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    }
    this.cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? this.cookie;
    return response;
  }

  /** URL to which a page redirects. */
  public async visit(location: string): Promise<string> {
    return (await this.send('GET', location)).headers.get('location')!;
  }
}

function describeSettings(port: number, database: string): string {
  return `port=${port}
bind_address="127.0.0.1"
external_url="http://localhost:${port}"
login_url="login.html"
api_prefix="api"
log_mode="console"
log_level="WARNING"
cookie_secure=0
user_module_path="${modules}/user"
client_module_path="${modules}/client"
user_auth_scheme_module_path="${modules}/scheme"
plugin_module_path="${modules}/plugin"
hash_algorithm="SHA512"
database={type="sqlite3" path="${database}"};
`;
}

async function describePlugin(iss: string): Promise<object> {
  const { secret } = await makeKey('ES256', 'one', 'sig');
  return {
    iss,
    'jwks-private': JSON.stringify({ keys: [ secret ]}),
    'jwks-show': true,
    'access-token-duration': 60,
    'refresh-token-duration': 60,
    'code-duration': 60,
    'refresh-token-rolling': false,
    'allow-non-oidc': false,
    'auth-type-code-enabled': true,
    'auth-type-token-enabled': false,
    'auth-type-id-token-enabled': true,
    'auth-type-password-enabled': false,
    'auth-type-client-enabled': false,
    'auth-type-refresh-enabled': false,
    'pkce-allowed': true,
    'pkce-required': true,
    'client-jwks_uri-parameter': keysProperty,
    'request-parameter-allow': true,
    'request-uri-allow-https-non-secure': true,
    'oauth-as-iss-id': true,
    'oauth-par-allowed': true,
    'oauth-par-duration': 60,
    'oauth-par-request_uri-prefix': 'urn:ietf:params:oauth:request_uri:',
    claims: [{ name: 'national_number', 'user-property': userProperty, mandatory: true }],
  };
}
