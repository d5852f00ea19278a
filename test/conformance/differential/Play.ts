import type { Observation } from './observe';
import { observe } from './observe';
import { Scribe } from './Scribe';
import type { Answer, Side } from './Side';
import type { Step } from './steps';

/** Answer of one server to one step. */
export interface Outcome {
  answer: Answer;
  observed: Observation;
}

const longAgo = 'Mon, 01 Jan 2001 00:00:00 GMT';

/** Methods that change nothing. */
export const safeMethods: ReadonlySet<string> = new Set([ 'GET', 'HEAD', 'OPTIONS' ]);

/** One sequence on one server, in its own container. */
export class Play {
  private readonly tags = new Map<string, string>();
  private readonly modified = new Map<string, string>();
  private readonly scribe: Scribe;
  private created = 'nothing-yet';

  /** @param container - Path of the container. */
  public constructor(public readonly side: Side, private readonly container: string) {
    this.scribe = new Scribe(side.base);
  }

  /** Makes the container. */
  public async begin(): Promise<void> {
    const { status } = await this.side.send({ caller: 'owner', method: 'PUT', target: this.container, headers: {}});
    if (status !== 201) {
      throw new Error(`${this.side.name} answered ${status} to a new container`);
    }
  }

  /** Sends one step. */
  public async take(step: Step): Promise<Outcome> {
    const { caller, method } = step;
    const target = this.fill(step.target, this.container, '');
    const headers = Object.fromEntries(Object.entries(step.headers)
      .map(([ name, value ]): [ string, string ] => [ name, this.fill(value, this.url(this.container), target) ]));
    const answer = await this.side.send({ caller, method, target, headers, body: this.bodyOf(step, target) });
    if (method === 'POST' && answer.status === 201) {
      this.noteCreated(answer);
    }
    const observed = await observe(answer, { method, target, scribe: this.scribe, tags: this.tags });
    this.note(method, target, answer);
    return { answer, observed };
  }

  /** Forgets the recorded values of a target, if not every server has reported them. */
  public forget(target: string): void {
    const path = this.fill(target, this.container, '');
    this.tags.delete(path);
    this.modified.delete(path);
  }

  private url(path: string): string {
    return this.side.base + path.slice(1);
  }

  private bodyOf({ body, bytes }: Step, target: string): Buffer | undefined {
    if (bytes !== undefined) {
      return Buffer.from(bytes, 'hex');
    }
    return body === undefined ? undefined : Buffer.from(this.fill(body, this.url(this.container), target));
  }

  /** Replaces placeholders by values of this server. */
  private fill(text: string, here: string, target: string): string {
    const { access } = this.side;
    const filled = text
      .replaceAll(/\{#(\w+) (.*?)#\}/gsu, (_, system: string, rules: string): string => system === access ? rules : '')
      .replaceAll('{here}', here)
      .replaceAll('{subject}', (): string => this.url(target.replace(/\.(?:acl|acr|meta)$/u, '')))
      .replaceAll('{rules}', access === 'WAC' ? 'acl' : 'acr')
      .replaceAll(/\{(owner|other)\}/gu, (_, name: 'owner' | 'other'): string => this.side.webId(name))
      .replaceAll('{created}', this.created)
      .replaceAll('{etag}', this.tags.get(target) ?? '"never-seen"')
      .replaceAll('{modified}', this.modified.get(target) ?? longAgo);
    return this.scribe.restore(filled);
  }

  private noteCreated({ headers }: Answer): void {
    const [ location ] = headers.location ?? [];
    if (location !== undefined) {
      this.scribe.learn(location);
      this.created = location.replace(this.url(this.container), '');
    }
  }

  /** Times are usable until something is written: they are in seconds. */
  private note(method: string, target: string, { headers, status }: Answer): void {
    if (!safeMethods.has(method)) {
      this.modified.clear();
    } else if (status < 300) {
      const [ etag ] = headers.etag ?? [];
      const [ modified ] = headers['last-modified'] ?? [];
      if (etag !== undefined) {
        this.tags.set(target, etag);
      }
      if (modified !== undefined) {
        this.modified.set(target, modified);
      }
    }
  }
}
