import type { HttpApiSettings } from '../http/HttpApi';
import { HttpApi } from '../http/HttpApi';
import { openApi } from './openApi';
import { operations } from './routes';
import { belgianKey, schemasFor } from './schemas';
import type { Services } from './Services';

/** Settings of the interface. */
export interface ApiSettings extends HttpApiSettings {
  services: Services;
  /** Version that the OpenAPI document names. */
  buildId: string;
  /** The type of business keys; `NATIONAL_NUMBER_BE` by default. */
  businessKeyType?: string;
  /** Value that `aud` of tokens must contain: for the OpenAPI document. */
  audience?: string;
}

/** Makes the HTTP interface of this service: every operation of the table, described by an OpenAPI document. */
export function createApi(settings: ApiSettings): HttpApi<Services> {
  const schemas = schemasFor(settings.businessKeyType ?? belgianKey);
  return new HttpApi({
    ...settings,
    operations,
    schemas,
    openApi: (): object => openApi(operations, { ...settings, schemas }),
  });
}
