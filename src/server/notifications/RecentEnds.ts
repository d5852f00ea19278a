import { BoundedMap } from '../../platform/BoundedMap';

const maxRemembered = 10_000;

/** Remembers when subscriptions of a WebID ended: a request may arrive before, and its subscriber be known after. */
export class RecentEnds {
  private readonly ends = new BoundedMap<string, number>(maxRemembered);

  /**
   * Notes that those of a holder end now.
   *
   * @param holder - A WebID, or the URL of a pod.
   */
  public note(holder: string): void {
    this.ends.set(holder, performance.now());
  }

  /**
   * Checks whether the subscriptions of a WebID have ended since a moment.
   *
   * @param webId - The WebID of a subscriber, if any.
   * @param since - The moment, by `performance.now()`.
   */
  public hasEnded(webId: string | undefined, since: number): boolean {
    return webId !== undefined && (this.ends.get(webId) ?? 0) > since;
  }
}
