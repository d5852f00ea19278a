/** A response. */
export interface Visited<T = Record<string, unknown>> {
  status: number;
  type: string;
  location?: string;
  json: T;
}

interface Cookie {
  value: string;
  path: string;
}

/** A browser without a screen: keeps cookies by name and path, and sends the requests of a page's script. */
export class UserAgent {
  private readonly cookies = new Map<string, Cookie>();

  /**
   * @param base - Base URL of the visited server.
   * @param headers - Sent with each request.
   */
  public constructor(private readonly base: string, private readonly headers: Record<string, string> = {}) {}

  /** Names of its cookies. */
  public get cookieNames(): string[] {
    return [ ...this.cookies.values() ].length === 0 ? [] : [ ...this.cookies.keys() ];
  }

  /** Copies the cookies of another browser. */
  public steal(other: UserAgent): void {
    for (const [ name, cookie ] of other.cookies) {
      this.cookies.set(name, cookie);
    }
  }

  /** Forgets a cookie. */
  public forget(name: string): void {
    this.cookies.delete(name);
  }

  /** Requests or sends JSON. */
  public async ask<T = Record<string, unknown>>(
    url: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Visited<T>> {
    const target = new URL(url, this.base);
    const response = await fetch(target, {
      method: body === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: {
        accept: 'application/json',
        cookie: this.cookiesFor(target.pathname),
        ...this.headers,
        ...body !== undefined && { 'content-type': 'application/json' },
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    this.keep(response);
    const text = await response.text();
    return {
      status: response.status,
      type: response.headers.get('content-type') ?? '',
      location: response.headers.get('location') ?? undefined,
      json: (text.startsWith('{') ? JSON.parse(text) : {}) as T,
    };
  }

  /** Reads a page. */
  public async read(url: string): Promise<string> {
    return (await this.send(url, { headers: { accept: 'text/html' }})).text();
  }

  /** Submits a form of a page of the server. */
  public async post(url: string, form: Record<string, string>): Promise<Response> {
    return this.send(url, {
      method: 'POST',
      headers: { origin: new URL(this.base).origin },
      body: new URLSearchParams(form),
    });
  }

  /** Follows redirects within the server, up to a page or to the first URL elsewhere. */
  public async follow(url: string): Promise<string> {
    for (let at = new URL(url, this.base).href, count = 0; count < 10; count += 1) {
      const { location } = await this.ask(at);
      if (!location?.startsWith(this.base)) {
        return location ?? at;
      }
      at = location;
    }
    throw new Error('It never ends');
  }

  private async send(url: string, { headers, ...init }: RequestInit): Promise<Response> {
    const target = new URL(url, this.base);
    const cookie = this.cookiesFor(target.pathname);
    const all = { cookie, ...this.headers, ...headers as Record<string, string> };
    const response = await fetch(target, { redirect: 'manual', headers: all, ...init });
    this.keep(response);
    return response;
  }

  private cookiesFor(path: string): string {
    return [ ...this.cookies ].filter(([ , cookie ]): boolean => path.startsWith(cookie.path))
      .map(([ name, { value }]): string => `${name.split('@')[0]}=${value}`).join('; ');
  }

  private keep(response: Response): void {
    for (const line of response.headers.getSetCookie()) {
      const [ , name, value ] = /^([^=]+)=([^;]*)/u.exec(line)!;
      const path = /; path=([^;]+)/iu.exec(line)?.[1] ?? '/';
      const isGone = /; expires=Thu, 01 Jan 1970/iu.test(line);
      // Cookies with one name for different paths coexist.
      this.cookies.delete(`${name}@${path}`);
      if (!isGone) {
        this.cookies.set(`${name}@${path}`, { value, path });
      }
    }
  }
}
