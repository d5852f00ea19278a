/** Settings of these pages, `settings.json` beside them. */
export interface Settings {
  /** Base URL of the service, with a trailing slash. */
  service: string;
  /** URL of the identity provider. */
  issuer: string;
  /** Client ID document of these pages (Solid-OIDC, section 5). */
  clientId: string;
}

/** Reads the settings. */
export async function readSettings(): Promise<Settings> {
  const response = await fetch(`${import.meta.env.BASE_URL}settings.json`);
  return await response.json() as Settings;
}
