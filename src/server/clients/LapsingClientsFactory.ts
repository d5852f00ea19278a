import { PassthroughAdapter, PassthroughAdapterFactory } from '@solid/community-server';
import type { AdapterFactory, ExpiringStorage } from '@solid/community-server';
import { systemClock } from '../../platform/clock';
import { HeavyMap } from '../../platform/HeavyMap';

type Adapter = ReturnType<AdapterFactory['createStorageAdapter']>;
type Client = Exclude<Awaited<ReturnType<Adapter['find']>>, void>;

/** A registered client as it is stored. */
interface Registered {
  metadata: Client;
  /** True when somebody has logged in with it. */
  isUsed: boolean;
}

const dayMs = 86_400_000;
/** Lifetime of a client that nobody has logged in with, from its registration. */
const unusedMs = dayMs;
/** Lifetime of other clients, from the last log-in: longer than that of anything issued for them. */
const usedMs = 90 * dayMs;
const mostUnusedOfProcess = 10_000;
const maxNoted = 10_000;
/** Prefixes under which earlier versions stored clients and their tokens. */
const earlierClients = 'Client/';
const earlierTokens = 'RegistrationAccessToken/';
const takenOver = 'taken over';

/**
 * Clients that register by themselves, as anybody can. They are stored apart from what is issued to people, and removed
 * when they are no longer used. The number of clients without any log-in is bounded: the oldest are removed first.
 */
export class LapsingClientsFactory extends PassthroughAdapterFactory {
  private readonly book: ClientBook;
  private readonly earlier: ExpiringStorage<string, unknown>;

  /**
   * @param source - Stores everything else.
   * @param clients - Storage of clients.
   * @param earlier - Storage of clients in earlier versions.
   * @param mostUnused - Maximum clients of this process that nobody has used.
   */
  public constructor(
    source: AdapterFactory,
    clients: ExpiringStorage<string, unknown>,
    earlier: ExpiringStorage<string, unknown>,
    mostUnused?: number,
  ) {
    super(source);
    this.earlier = earlier;
    this.book = new ClientBook(clients, mostUnused ?? mostUnusedOfProcess);
  }

  public override createStorageAdapter(name: string): Adapter {
    const adapter = this.source.createStorageAdapter(name);
    return name === 'Client' ? new ClientAdapter(name, adapter, this.book) : new UseAdapter(name, adapter, this.book);
  }

  /** Migrates clients of earlier versions. Call once, before any client is requested. */
  public async takeOver(): Promise<void> {
    await this.book.takeOver(this.earlier);
  }
}

class ClientBook {
  /** Ids of clients that registered with this process, oldest first. */
  private readonly unused = new Set<string>();
  /** Clients whose use was recorded today. */
  private readonly noted = new HeavyMap<true>({ weight: maxNoted, ageMilliseconds: dayMs }, systemClock);

  public constructor(
    private readonly clients: ExpiringStorage<string, unknown>,
    private readonly mostUnused: number,
  ) {}

  public async find(id: string): Promise<Client | undefined> {
    return (await this.registered(id))?.metadata;
  }

  public async add(id: string, metadata: Client): Promise<void> {
    await this.clients.set(keyOf(id), { metadata, isUsed: false } satisfies Registered, unusedMs);
    this.unused.add(id);
    while (this.unused.size > this.mostUnused) {
      const [ oldest ] = this.unused;
      this.unused.delete(oldest);
      if (!(await this.registered(oldest))?.isUsed) {
        await this.remove(oldest);
      }
    }
  }

  public async remove(id: string): Promise<void> {
    this.unused.delete(id);
    await this.clients.delete(keyOf(id));
  }

  /** Records that somebody logs in with a client, once a day. */
  public async keep(id: string): Promise<void> {
    if (this.noted.get(id)) {
      return;
    }
    const registered = await this.registered(id);
    if (registered) {
      await this.clients.set(keyOf(id), { ...registered, isUsed: true }, usedMs);
      this.unused.delete(id);
    }
    this.noted.set(id, true, 1);
  }

  /**
   * Migrates clients that an earlier version stored among other values. They count as used, because their use is not
   * recorded.
   */
  public async takeOver(earlier: ExpiringStorage<string, unknown>): Promise<void> {
    if (await this.clients.has(takenOver)) {
      return;
    }
    const found: [string, unknown][] = [];
    for await (const [ key, value ] of earlier.entries()) {
      if (key.startsWith(earlierClients) || key.startsWith(earlierTokens)) {
        found.push([ key, value ]);
      }
    }
    for (const [ key, metadata ] of found) {
      if (key.startsWith(earlierClients)) {
        // Stored by the server's own factory.
        const registered: Registered = { metadata: metadata as Client, isUsed: true };
        await this.clients.set(key.slice(earlierClients.length), registered, usedMs);
      }
      await earlier.delete(key);
    }
    await this.clients.set(takenOver, true);
  }

  private async registered(id: string): Promise<Registered | undefined> {
    // Keys of clients have no other values.
    return await this.clients.get(keyOf(id)) as Registered | undefined;
  }
}

class ClientAdapter extends PassthroughAdapter {
  public constructor(name: string, source: Adapter, private readonly book: ClientBook) {
    super(name, source);
  }

  public override async upsert(id: string, payload: Client): Promise<void> {
    await this.book.add(id, payload);
  }

  public override async find(id: string): Promise<Client | undefined> {
    return this.book.find(id);
  }

  public override async destroy(id: string): Promise<void> {
    await this.book.remove(id);
  }
}

/** Codes, grants and tokens of a person. */
class UseAdapter extends PassthroughAdapter {
  public constructor(name: string, source: Adapter, private readonly book: ClientBook) {
    super(name, source);
  }

  public override async upsert(id: string, payload: Client, expiresIn: number): Promise<void> {
    if (typeof payload.accountId === 'string' && typeof payload.clientId === 'string') {
      await this.book.keep(payload.clientId);
    }
    await super.upsert(id, payload, expiresIn);
  }
}

function keyOf(id: string): string {
  return encodeURIComponent(id);
}
