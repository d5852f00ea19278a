import { AccessMode, IdentifierSetMultiMap } from '@solid/community-server';
import type { PermissionReader } from '@solid/community-server';
import { credentialsOf } from './Subscriber';
import type { Subscriber } from './Subscriber';

interface Verdict {
  until: number;
  mayRead: Promise<boolean>;
}

const rememberedMs = 1000;
const maxRemembered = 10_000;

/** The right of subscribers to read, checked at each change and remembered for a second. */
export class ReadingRight {
  private readonly permissionReader: PermissionReader;
  private readonly verdicts = new Map<string, Verdict>();

  /**
   * @param permissionReader - The server's own rule on permissions.
   */
  public constructor(permissionReader: PermissionReader) {
    this.permissionReader = permissionReader;
  }

  /**
   * Checks whether a subscriber may read a resource now. The resource need not exist.
   *
   * @throws Error when this cannot be determined now.
   */
  public async mayRead({ webId, clientId, issuer }: Subscriber, path: string): Promise<boolean> {
    const key = JSON.stringify([ webId, clientId, issuer, path ]);
    const now = performance.now();
    let verdict = this.verdicts.get(key);
    if (!verdict || verdict.until <= now) {
      verdict = { until: now + rememberedMs, mayRead: this.ask({ webId, clientId, issuer }, path) };
      this.remember(key, verdict);
    }
    return verdict.mayRead;
  }

  private remember(key: string, verdict: Verdict): void {
    this.verdicts.delete(key);
    if (this.verdicts.size >= maxRemembered) {
      const [ oldest ] = this.verdicts.keys();
      this.verdicts.delete(oldest);
    }
    this.verdicts.set(key, verdict);
    verdict.mayRead.catch((): boolean => this.verdicts.delete(key));
  }

  private async ask(subscriber: Subscriber, path: string): Promise<boolean> {
    const requestedModes = new IdentifierSetMultiMap<AccessMode>([[{ path }, AccessMode.read ]]);
    const credentials = credentialsOf(subscriber);
    const permissions = await this.permissionReader.handleSafe({ credentials, requestedModes });
    return permissions.get({ path })?.read === true;
  }
}
