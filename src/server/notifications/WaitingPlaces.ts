import { tooBusy } from '../tooBusy';
import type { Subscriber } from './Subscriber';

/** Share of places that anonymous callers can use. */
const shareOfAnonymous = 0.5;
/** Share of places that one WebID or one address can use: all of it at once leaves places for anonymous callers. */
const shareOfOne = 0.25;

/** Returns the share of places that callers like this one can use. */
export function shareOf({ webId }: Subscriber): number {
  return webId === undefined ? shareOfAnonymous : 1;
}

/** Bounds the requests that wait for their check, in total and of each WebID and address. */
export class WaitingPlaces {
  private inAll = 0;
  private readonly counts = new Map<string, number>();

  /**
   * @param places - Maximum number of waiting requests.
   */
  public constructor(private readonly places: number) {}

  /**
   * Takes a place.
   *
   * @returns Function to call when the request no longer waits.
   *
   * @throws HttpError 503 when there is no place.
   */
  public take(subscriber: Subscriber): () => void {
    const { address, webId } = subscriber;
    const names = [ webId, address ].filter((name): name is string => name !== undefined);
    const isFull = this.inAll >= this.places * shareOf(subscriber);
    if (isFull || names.some((name): boolean => this.count(name) >= this.places * shareOfOne)) {
      throw tooBusy('There are too many requests to subscribe at once.');
    }
    this.add(names, 1);
    return (): void => this.add(names, -1);
  }

  private count(name: string): number {
    return this.counts.get(name) ?? 0;
  }

  private add(names: string[], added: number): void {
    this.inAll += added;
    for (const name of names) {
      const count = this.count(name) + added;
      if (count > 0) {
        this.counts.set(name, count);
      } else {
        this.counts.delete(name);
      }
    }
  }
}
