/** Settings of these pages, `settings.json` beside them. */
export interface Settings {
  /** Base URL of the service, with a trailing slash. */
  service: string;
  /** URL of the identity provider. */
  issuer: string;
  /** Client ID document of these pages (Solid-OIDC, section 5). */
  clientId: string;
  /** Name of the service in each language, when the operator has a theme. */
  name?: Record<string, string>;
  /** The organisation that runs it, likewise. */
  operator?: Record<string, string>;
  /** Addresses in the footer by language. */
  links?: Partial<Record<LinkName, Record<string, string>>>;
  /** Address of a logo, and of one for the dark. */
  logo?: string;
  logoDark?: string;
}

/** Links that an operator may have in the footer, in their order. */
export const linkNames = [ 'privacy', 'accessibility', 'help' ] as const;

/** See {@link linkNames}. */
export type LinkName = typeof linkNames[number];

/** Reads the settings. */
export async function readSettings(): Promise<Settings> {
  const response = await fetch(`${import.meta.env.BASE_URL}settings.json`);
  return await response.json() as Settings;
}
