/** Settings of these pages, from `settings.json` beside them. */
export interface Settings {
  /** Base URL of the service, with a trailing slash. */
  service: string;
  /** URL of the identity provider. */
  issuer: string;
  /** Client ID document of these pages (Solid-OIDC, section 5). */
  clientId: string;
  /** IANA time zone in which days and times are shown; the reader's when it is absent. */
  timeZone?: string;
  /** Name of the service in each language. */
  name?: Record<string, string>;
  /** Name of the operator in each language, when it has another one. */
  operator?: Record<string, string>;
  /** Addresses of links in the footer, by language. */
  links?: Partial<Record<LinkName, Record<string, string>>>;
  /** Addresses of a logo, and of its dark variant. */
  logo?: string;
  logoDark?: string;
}

/** Links that an operator may put in the footer, in this order. */
export const linkNames = [ 'privacy', 'accessibility', 'help' ] as const;

/** See {@link linkNames}. */
export type LinkName = typeof linkNames[number];

/** Reads the settings. */
export async function readSettings(): Promise<Settings> {
  const response = await fetch(`${import.meta.env.BASE_URL}settings.json`);
  return await response.json() as Settings;
}
