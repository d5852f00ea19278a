const uuid = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gu;

/** Normalises one server's responses: without its base URL, the names it chose, and the time. */
export class Scribe {
  private readonly given: string[] = [];

  /** @param base - Base URL of the server. */
  public constructor(private readonly base: string) {}

  /** Records the names in the URL of a new resource that only this server can have chosen. */
  public learn(location: string): void {
    for (const [ name ] of location.matchAll(uuid)) {
      if (!this.given.includes(name)) {
        this.given.push(name);
      }
    }
  }

  /** Returns a response of this server in normalised form. */
  public rewrite(text: string): string {
    return text
      .replaceAll(encodeURIComponent(this.base), encodeURIComponent('http://base/'))
      .replaceAll(this.base.slice(0, -1), 'http://base')
      .replaceAll(new URL(this.base).host, 'base')
      .replaceAll(uuid, (name): string => this.given.includes(name) ? `given-${this.given.indexOf(name)}` : 'some-id');
  }

  /** Returns a request with this server's names. */
  public restore(text: string): string {
    return text.replaceAll(/given-(\d+)/gu, (word, index: string): string => this.given[Number(index)] ?? word);
  }
}
