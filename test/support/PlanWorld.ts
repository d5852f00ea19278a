import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Role } from '../../src/plan-requests/Organisations';
import type { ServerOptions } from '../../demo/lib/servers';
import { storageOf } from './storage';
import type { Claims } from './TestIssuer';
import { TestIssuer } from './TestIssuer';
import type { TestServer } from './world';
import { createClient, freePort, removeFolder, startServer, temporaryFolder } from './world';

/** An organisation of a test, which the client id of its token identifies. */
export interface PlanCaller {
  id: string;
  token: string;
  /** Calls an operation below the base of plan requests. */
  call: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Response>;
}

/** The operator's file of organisations. */
interface OrganisationEntry {
  id: string;
  name: string;
  clients: string[];
  roles: Role[];
}

/** A server with plan requests at `/ws/plans/v3`, and an issuer that it trusts. */
export class PlanWorld {
  private constructor(
    public server: TestServer,
    public readonly issuer: TestIssuer,
    public readonly folder: string,
    private readonly organisations: OrganisationEntry[],
    private readonly options: Partial<ServerOptions>,
    private readonly makeStorage: typeof storageOf,
  ) {}

  /**
   * @param flags - In addition to the usual ones.
   * @param makeStorage - Storage of the server; by default that of the environment.
   */
  public static async start(flags: Record<string, string> = {}, makeStorage = storageOf): Promise<PlanWorld> {
    const folder = await temporaryFolder();
    const issuer = await TestIssuer.start();
    await writeFile(join(folder, 'organisations.json'), '[]');
    const options: Partial<ServerOptions> = {
      folder: join(folder, 'server'),
      port: await freePort(),
      addition: 'plan-requests.json',
      loggingLevel: 'info',
      flags: {
        planRequests: 'plans',
        organisations: join(folder, 'organisations.json'),
        planPackages: join(folder, 'packages'),
        trustedIssuers: issuer.issuer,
        ...flags,
      },
    };
    return new PlanWorld(await startServer(options, makeStorage), issuer, folder, [], options, makeStorage);
  }

  /** URL of an operation. */
  public url(path: string): string {
    return `${this.server.base}ws/plans/v3${path}`;
  }

  /** Kills the server without warning, and starts it on the same data. */
  public async crash(): Promise<void> {
    await this.server.crash();
    await this.restart();
  }

  /** Starts the server again on the same data, after it has ended. */
  public async restart(): Promise<void> {
    await this.server.exited;
    this.server = await startServer(this.options, this.makeStorage);
  }

  public async stop(): Promise<void> {
    await Promise.all([ this.server.stop(), this.issuer.stop() ]);
    await (await this.makeStorage(this.server.folder)).remove();
    await removeFolder(this.folder);
  }

  /** Adds organisations with the given roles, and makes the server read the file. */
  public async addOrganisations(...roles: Role[][]): Promise<PlanCaller[]> {
    const added = roles.map((held): OrganisationEntry => {
      const id = randomUUID();
      return { id, name: `Organisation ${id}`, clients: [ `https://${id}.example/id` ], roles: held };
    });
    this.organisations.push(...added);
    await this.reload();
    return Promise.all(added.map(async({ id }): Promise<PlanCaller> => this.caller(id)));
  }

  /** Adds a client to an organisation, and makes the server read the file. */
  public async addClient(id: string, client: string): Promise<void> {
    this.organisations.find((each): boolean => each.id === id)?.clients.push(client);
    await this.reload();
  }

  /** Removes a client of an organisation, and makes the server read the file. */
  public async removeClient(id: string, client: string): Promise<void> {
    const organisation = this.organisations.find((each): boolean => each.id === id)!;
    organisation.clients = organisation.clients.filter((each): boolean => each !== client);
    await this.reload();
  }

  /** Calls as an organisation. */
  public async caller(id: string, claims: Claims = {}): Promise<PlanCaller> {
    const token = await this.issuer.sign({ client_id: `https://${id}.example/id`, ...claims });
    const client = (await createClient('Bearer')).withToken(token);
    return {
      id,
      token,
      call: async(method, path, body, headers = {}): Promise<Response> =>
        client.request(method, this.url(path), { body, headers: { organisationId: id, ...headers }}),
    };
  }

  private async reload(): Promise<void> {
    const times = this.reloads();
    await writeFile(join(this.folder, 'organisations.json'), JSON.stringify(this.organisations));
    this.server.signal('SIGHUP');
    while (this.reloads() === times) {
      await new Promise((resolve): void => {
        setTimeout(resolve, 20);
      });
    }
  }

  private reloads(): number {
    return this.server.log().split(`Organisations were reloaded: `).length;
  }
}

/** A square zone in EPSG:31370, counterclockwise. */
export function square(x: number, y: number, side: number): { Geometry: object } {
  return { Geometry: { type: 'Polygon', coordinates: [ ringOf(x, y, side) ]}};
}

/** The ring of a square, counterclockwise. */
export function ringOf(x: number, y: number, side: number): [number, number][] {
  return [[ x, y ], [ x + side, y ], [ x + side, y + side ], [ x, y + side ], [ x, y ]];
}
