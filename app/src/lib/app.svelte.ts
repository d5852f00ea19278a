import { tick } from 'svelte';
import type { Service } from './service';
import { hasEndedLogIn } from './service';
import { readKept } from './session';
import type { Session, Sessions } from './session';
import type { Settings } from './settings';
import type { Language, Word } from './words';
import { keepLanguage, Words } from './words';

/** State that all pages share: words, session and address. */
export class App {
  // Set by the constructor: a rune may only stand here.
  public words: Words = $state.raw()!;
  public session: Session | undefined = $state.raw();
  /** Address of the page. */
  public url: URL = $state.raw(new URL(location.href));
  /** False while the browser reports that it is offline. */
  public online: boolean = $state(navigator.onLine);
  /** True when the service refused the log-in before its time: it was ended elsewhere. */
  public isRefused: boolean = $state(false);
  /** True when the last log-in or log-out by a button could not begin. */
  public hasFailed: boolean = $state(false);
  /** Text for screen readers to announce once. */
  public announcement: string = $state('');

  /** Language that was chosen last. Its texts may still be loading. */
  private wanted?: Language;

  public constructor(
    public readonly settings: Settings,
    public readonly service: Service,
    public readonly sessions: Sessions,
    words: Words,
    session: Session | undefined,
  ) {
    this.words = words;
    this.session = session;
    addEventListener('popstate', (): void => this.arrive());
    addEventListener('click', (event): void => this.follow(event));
    addEventListener('pageshow', ({ persisted }): void => {
      if (persisted) {
        this.wake().catch((): void => location.reload());
      }
    });
    // Of the window, also when it shows another tab than before.
    addEventListener('focus', (): void => {
      this.leaveWithCitizen().catch((): undefined => undefined);
    });
    addEventListener('online', (): void => {
      this.online = true;
      this.announcement = this.words.text('state.online');
    });
    addEventListener('offline', (): void => {
      this.online = false;
      this.announcement = this.words.text('state.offline');
    });
  }

  /** Name of the page: `share` in `/.app/share`. */
  public get page(): string {
    return this.url.pathname.slice(import.meta.env.BASE_URL.length);
  }

  /** Checks for a network; announces why nothing happens without one. */
  public checkOnline(): boolean {
    if (!this.online) {
      this.announcement = this.words.text('state.offlineText');
    }
    return this.online;
  }

  /** Reason why what the citizen asked for did not work, for a text beside it. */
  public get failure(): Word {
    if (!this.online) {
      return 'state.offline';
    }
    return this.isRefused ? 'state.expired' : 'error.title';
  }

  /** Notes and announces that something on the page failed. A log-in that has ended is also said above the page. */
  public noteFailure(error: unknown): void {
    this.isRefused ||= hasEndedLogIn(error);
    this.announcement = this.words.text(this.failure);
  }

  /** Returns a parameter of the address. */
  public parameter(name: string): string | undefined {
    return this.url.searchParams.get(name) ?? undefined;
  }

  /**
   * Goes to another page of the app, and focuses its heading.
   *
   * @param page - Name of the page, such as `check`.
   * @param options - Options.
   * @param options.keepsQuery - False to drop the parameters of the address.
   * @param options.replaces - True to skip the present page when the citizen goes *Back* in the browser.
   */
  public go(page: string, { keepsQuery = true, replaces = false } = {}): void {
    const url = new URL(`${import.meta.env.BASE_URL}${page}${keepsQuery ? location.search : ''}`, location.href);
    this.visit(url, replaces);
  }

  /**
   * Address of a page, for links.
   *
   * @param page - Name of the page, such as `check`.
   * @param parameters - Of the address: those that it has now when left out.
   */
  public address(page: string, parameters?: Record<string, string>): string {
    const query = (parameters ? new URLSearchParams(parameters) : this.url.searchParams).toString();
    return `${import.meta.env.BASE_URL}${page}${query && `?${query}`}`;
  }

  /**
   * Leaves for the identity provider to log in.
   *
   * @param goal - Address in these pages to return to; this page by default.
   */
  public async logIn(goal = `${this.page}${location.search}`): Promise<never> {
    return this.sessions.logIn(goal);
  }

  /**
   * Logs in when the citizen presses a button, and says so when that cannot begin.
   *
   * @param goal - As of {@link logIn}.
   */
  public async pressLogIn(goal?: string): Promise<void> {
    await this.attempt(async(): Promise<never> => this.logIn(goal));
  }

  /** Logs out, here and at the identity provider; does nothing when that cannot be asked, because both end together. */
  public async logOut(): Promise<void> {
    await this.attempt(async(): Promise<void> => {
      const { session } = this;
      this.session = undefined;
      try {
        await this.sessions.logOut();
      } catch (error: unknown) {
        this.session = session;
        throw error;
      }
      this.go('logged-out', { keepsQuery: false });
    });
  }

  /** Loads all texts, also those of a language that is chosen meanwhile. */
  public async completeWords(): Promise<void> {
    const { words } = this;
    await words.complete();
    if (words !== this.words) {
      await this.completeWords();
    }
  }

  /** Changes the language, now and for later visits; announces it when its texts cannot be loaded. */
  public async speak(language: Language): Promise<void> {
    this.wanted = language;
    let words;
    try {
      words = await Words.load(language, this.settings);
      if (this.words.isComplete) {
        await words.complete();
      }
    } catch {
      this.announcement = this.words.text(this.online ? 'error.title' : 'state.offlineText');
      return;
    }
    if (language !== this.wanted) {
      return;
    }
    this.words = words;
    keepLanguage(language);
    document.documentElement.lang = language;
  }

  /**
   * Loads a page again that the browser had kept while others were shown, when the log-in has changed since: it would
   * show the data of a citizen who has logged out, or wait for a log-in that was broken off.
   */
  private async wake(): Promise<void> {
    const session = await this.sessions.find(readKept());
    if (!session || session.endsAt !== this.session?.endsAt || session.webId !== this.session.webId) {
      location.reload();
    }
  }

  /** Loads the page again when the citizen whose data it shows has logged out in another tab. */
  private async leaveWithCitizen(): Promise<void> {
    const { session } = this;
    // When a log-in just ends, the page says so, and what was chosen stays.
    if (session && session.endsAt > Date.now() && !this.isRefused) {
      const found = await this.sessions.find(readKept());
      if (found?.webId !== session.webId && session === this.session) {
        location.reload();
      }
    }
  }

  private async attempt(act: () => Promise<void>): Promise<void> {
    this.hasFailed = false;
    if (this.checkOnline()) {
      await act().catch((error: unknown): void => {
        this.hasFailed = true;
        this.noteFailure(error);
      });
    }
  }

  private visit(url: URL, replaces = false): void {
    history[replaces ? 'replaceState' : 'pushState'](null, '', url);
    this.arrive();
  }

  /**
   * Opens a link to another page of the app without loading it again, unless the reader (with a key or another button)
   * or the page prevents this.
   */
  private follow(event: MouseEvent): void {
    const link = (event.target as Element | null)?.closest('a');
    const hasKey = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
    if (event.defaultPrevented || event.button !== 0 || hasKey || !link || link.hasAttribute('download')) {
      return;
    }
    const url = new URL(link.href);
    const { origin, pathname } = new URL(import.meta.env.BASE_URL, location.href);
    const isHere = url.pathname === location.pathname && url.search === location.search;
    if (url.origin === origin && url.pathname.startsWith(pathname) && !(isHere && url.hash)) {
      event.preventDefault();
      this.visit(url);
    }
  }

  private arrive(): void {
    this.hasFailed = false;
    this.url = new URL(location.href);
    scrollTo(0, 0);
  }
}

/** Focuses the element that matches a selector, once it exists. */
export async function focusOn(selector: string): Promise<void> {
  await tick();
  document.querySelector<HTMLElement>(selector)?.focus();
}
