import { writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { createClientCredentials, logInToAccount } from '../../../demo/lib/accounts';
import type { Account, SeededAccount } from '../../../demo/lib/accounts';
import { startDataSharing } from '../../../demo/lib/servers';
import { startProcess } from '../../../demo/lib/startProcess';
import type { ClientCredentials } from '../../../demo/lib/tokens';
import { postgresStorage } from '../../support/storage';
import { Client, freePort, logInByClientCredentials, removeFolder, temporaryFolder } from '../../support/world';

/** Access system of a server. */
export type AccessSystem = 'WAC' | 'ACP';

/** A server in the comparison: the stock one, or ours on one of its storages. */
export type SideName = 'stock' | 'files' | 'PostgreSQL';

/** The caller of a request. */
export type Caller = 'owner' | 'other' | 'nobody';

/** A request as sent to one server. */
export interface Sent {
  caller: Caller;
  method: string;
  /** Request target, sent as it is. */
  target: string;
  headers: Record<string, string>;
  body?: Buffer;
}

/** A complete response. */
export interface Answer {
  status: number;
  /** By lower-case name; repeated ones one after the other. */
  headers: Record<string, string[]>;
  body: Buffer;
  /** Reason why it is incomplete. */
  cut?: string;
}

const password = 'correct horse battery staple';
const seed: SeededAccount[] = [ 'owner', 'other' ].map((name): SeededAccount =>
  ({ email: `${name}@example.org`, password, pods: [{ name }]}));
/** Tokens of the server last ten minutes. */
const tokenMilliseconds = 240_000;
const patienceMilliseconds = 30_000;
const root = join(__dirname, '../../..');

interface LogIn {
  credentials: ClientCredentials;
  token: Promise<string>;
  until: number;
}

/** One of the servers that get the same requests, with two accounts. */
export class Side {
  private readonly agent = new Agent({ keepAlive: true });
  private readonly logIns = new Map<Caller, LogIn>();

  private constructor(
    public readonly name: SideName,
    public readonly access: AccessSystem,
    private readonly port: number,
    private readonly end: () => Promise<void>,
  ) {}

  /** Starts a server, and logs its accounts in. */
  public static async start(name: SideName, access: AccessSystem): Promise<Side> {
    const port = await freePort();
    const end = await (name === 'stock' ? startStock(port, access) : startOurs(name, port, access));
    const side = new Side(name, access, port, end);
    try {
      await side.logIn('owner');
      await side.logIn('other');
    } catch (error: unknown) {
      await side.stop();
      throw error;
    }
    return side;
  }

  /** Base URL, with a trailing slash. */
  public get base(): string {
    return `http://localhost:${this.port}/`;
  }

  /** WebID of an account. */
  public webId(caller: Caller): string {
    return `${this.base}${caller}/profile/card#me`;
  }

  public async stop(): Promise<void> {
    this.agent.destroy();
    await this.end();
  }

  /** Sends a request; an unreadable response has status 0. */
  public async send(sent: Sent): Promise<Answer> {
    try {
      return await this.exchange(sent);
    } catch (error: unknown) {
      const { code, message } = error as NodeJS.ErrnoException;
      return { status: 0, headers: {}, body: Buffer.alloc(0), cut: code ?? message };
    }
  }

  private async exchange({ caller, method, target, headers, body }: Sent): Promise<Answer> {
    const token = caller === 'nobody' ? undefined : await this.token(caller);
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const length = body === undefined ? {} : { 'content-length': String(body.length) };
    const response = await new Promise<IncomingMessage>((resolve, reject): void => {
      const sent = request({
        host: 'localhost',
        port: this.port,
        agent: this.agent,
        method,
        path: target,
        headers: { ...authorization, ...length, ...headers },
        timeout: patienceMilliseconds,
      }, resolve);
      sent.on('error', reject);
      sent.on('timeout', (): void => {
        sent.destroy(new Error('No answer'));
      });
      sent.end(body);
    });
    const received: Buffer[] = [];
    const answer = { status: response.statusCode!, headers: headersOf(response) };
    try {
      for await (const chunk of response) {
        received.push(chunk as Buffer);
      }
      return { ...answer, body: Buffer.concat(received) };
    } catch (error: unknown) {
      return { ...answer, body: Buffer.concat(received), cut: (error as Error).message };
    }
  }

  private async token(caller: Caller): Promise<string> {
    const logIn = this.logIns.get(caller)!;
    if (Date.now() > logIn.until) {
      this.renew(caller, logIn.credentials);
    }
    return this.logIns.get(caller)!.token;
  }

  private async logIn(caller: Caller): Promise<void> {
    const account: Account = await logInToAccount(this.base, { email: `${caller}@example.org`, password });
    this.renew(caller, await createClientCredentials(account, this.webId(caller)));
    await this.token(caller);
  }

  private renew(caller: Caller, credentials: ClientCredentials): void {
    const until = Date.now() + tokenMilliseconds;
    const token = logInByClientCredentials(Client.withBearer(), this.base, credentials)
      .then((client): string => client.token!);
    this.logIns.set(caller, { credentials, token, until });
  }
}

function headersOf({ rawHeaders }: IncomingMessage): Record<string, string[]> {
  const headers: Record<string, string[]> = {};
  for (let index = 0; index < rawHeaders.length; index += 2) {
    (headers[rawHeaders[index].toLowerCase()] ??= []).push(rawHeaders[index + 1]);
  }
  return headers;
}

async function startStock(port: number, access: AccessSystem): Promise<() => Promise<void>> {
  const folder = await temporaryFolder();
  const seedConfig = join(folder, 'accounts.json');
  await writeFile(seedConfig, JSON.stringify(seed));
  const flags = {
    port: String(port),
    rootFilePath: join(folder, 'pods'),
    loggingLevel: 'error',
    seedConfig,
  };
  const server = await startProcess({
    args: [
      require.resolve('@solid/community-server/bin/server.js'),
      '-m',
      root,
      '-c',
      access === 'WAC' ? '@css:config/file.json' : '@css:config/file-acp.json',
      ...Object.entries(flags).flatMap(([ flag, value ]): string[] => [ `--${flag}`, value ]),
    ],
    logFile: join(folder, 'server.log'),
    readyUrl: `http://localhost:${port}/.account/`,
  });
  return async(): Promise<void> => {
    // A stock server exits on a signal without cleaning up.
    server.child.kill('SIGTERM');
    await server.exited;
    await removeFolder(folder);
  };
}

async function startOurs(
  name: Exclude<SideName, 'stock'>,
  port: number,
  access: AccessSystem,
): Promise<() => Promise<void>> {
  const folder = await temporaryFolder();
  const kept = name === 'files' ? 'file' : 'postgres';
  const options = {
    config: `${kept}${access === 'WAC' ? '' : '-acp'}.json`,
    loggingLevel: 'error',
    seed,
    flags: { rateLimitPerAddress: '0', rateLimitPerCaller: '0', rateLimitFailures: '0' },
  };
  const postgres = name === 'files' ? undefined : await postgresStorage(folder);
  const server = await startDataSharing({ ...options, ...postgres?.options(options), folder, port });
  return async(): Promise<void> => {
    await server.stop();
    await postgres?.remove();
    await removeFolder(folder);
  };
}
