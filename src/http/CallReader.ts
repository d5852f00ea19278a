import type { IncomingMessage } from 'node:http';
import type { RateLimits } from '../limits/RateLimits';
import { ClaimMissing, TokenInvalid, TokenMissing, TokenNotAccepted, WebIdMissing } from '../problems';
import type { Caller, TokenPolicy } from '../tokens/Caller';
import type { TokenVerifier } from '../tokens/TokenVerifier';
import type { Exchange } from './Exchange';
import { parseStrictJson } from './json';
import type { Mounted } from './mount';
import type { AnyCall, ApiSite, BodySpec, Operation, QueryValues, UploadSpec } from './Operation';
import type { BodyLimits } from './readBody';
import { bodyMissing, checkFormType, checkJsonType, checkUploadType, hasBody, readBody, streamBody } from './readBody';
import type { Target } from './target';

/** Dependencies and settings of {@link CallReader}. */
export interface CallReaderOptions {
  verifier: Pick<TokenVerifier, 'verify' | 'verifyAgain'>;
  /** Limits on requests of one caller. */
  limits?: Pick<RateLimits, 'checkCaller'>;
  /** Limits of bodies of operations without limits of their own; by default 64 KiB in 10 seconds. */
  bodyLimits?: BodyLimits;
  /** Additional claims that operations for clients receive. */
  claims?: readonly string[];
  site: ApiSite;
  /** Date from which the deprecated JWS tokens of citizens are no longer accepted, announced to their senders. */
  legacyTokensSunset?: Date;
}

type VerifiedFor = Pick<Operation, 'caller' | 'tokenRefusedAs403'>;

/** Date from which the JWS tokens of citizens are deprecated. */
const deprecatedSince = new Date('2025-01-01T00:00:00Z');

const usualBodyLimits: BodyLimits = { maxBytes: 65_536, timeoutMs: 10_000 };

/** Maximum pause within an upload. */
const uploadPauseMs = 30_000;

/** Reads a request into the {@link AnyCall} of its operation. */
export class CallReader {
  private readonly options: CallReaderOptions;
  private readonly bodyLimits: BodyLimits;
  /** Origin of the configured base URL: tokens are checked against it, never against a Host header. */
  private readonly origin: string;
  private readonly deprecation: Record<string, string>;
  /** One object for each policy, because cached tokens compare policies by identity. */
  private readonly policies: Record<'citizen' | 'webid' | 'client', TokenPolicy>;

  public constructor(options: CallReaderOptions) {
    this.options = options;
    this.bodyLimits = options.bodyLimits ?? usualBodyLimits;
    this.origin = new URL(options.site.baseUrl).origin;
    this.deprecation = deprecationHeaders(options.legacyTokensSunset);
    this.policies = {
      citizen: { citizen: true },
      webid: { citizen: false },
      client: { citizen: false, byClient: true, claims: options.claims },
    };
  }

  /**
   * Reads caller, query and body, in this order: a refused caller learns nothing about the rest.
   *
   * @param exchange - The request; headers for every response to this caller are set on its response.
   * @param mounted - Its operation.
   * @param target - Its target.
   * @param params - The parameters in its path.
   * @param services - For {@link Operation.admit}.
   *
   * @throws Problem that describes what is wrong with the token, a parameter or the body.
   * @throws ClientGone when the client has closed the connection.
   */
  public async read<TServices>(
    exchange: Exchange,
    mounted: Mounted<TServices>,
    target: Target,
    params: Record<string, string>,
    services: TServices,
  ): Promise<AnyCall> {
    const url = `${this.origin}${target.raw}`;
    const caller = await this.authenticate(exchange, mounted.operation, url);
    if (caller?.kind === 'citizen-jws') {
      for (const [ name, value ] of Object.entries(this.deprecation)) {
        exchange.response.setHeader(name, value);
      }
    }
    const { request } = exchange;
    mounted.operation.admit?.({ caller, headers: request.headers, params }, services);
    const query = mounted.readQuery(target.query);
    const isLate = !request.complete;
    const { upload } = mounted.operation;
    // What the caller may do may have ended while the body arrived.
    const decideAgain = async(): Promise<void> => {
      if (isLate) {
        const again = await this.verify('verifyAgain', request, mounted.operation, url);
        mounted.operation.admit?.({ caller: again, headers: request.headers, params }, services);
      }
    };
    const body = upload ?
        followed(this.openUpload(request, upload), decideAgain) :
        await this.readWhole(request, mounted);
    if (!upload && body !== undefined) {
      await decideAgain();
    }
    return {
      caller,
      params,
      query,
      body,
      headers: request.headers,
      context: { correlationId: exchange.correlationId, app: caller?.app },
      path: `/${target.segments.join('/')}`,
      url,
      site: this.options.site,
    };
  }

  private async authenticate(
    { request, response }: Exchange,
    operation: VerifiedFor,
    url: string,
  ): Promise<Caller | undefined> {
    const caller = await this.verify('verify', request, operation, url);
    const name = caller?.webId ?? (operation.caller === 'client' ? caller?.app : undefined);
    if (name !== undefined) {
      this.options.limits?.checkCaller(name, response);
    }
    return caller;
  }

  private async verify(
    how: 'verify' | 'verifyAgain',
    { headers: { authorization, dpop }, method = 'GET' }: IncomingMessage,
    { caller: kind, tokenRefusedAs403 }: VerifiedFor,
    url: string,
  ): Promise<Caller | undefined> {
    if (kind === 'none') {
      return undefined;
    }
    try {
      return await this.options.verifier[how]({ authorization, dpop, method, url }, this.policies[kind]);
    } catch (error: unknown) {
      throw tokenRefusedAs403 ? asForbidden(error) : error;
    }
  }

  private async readWhole(request: IncomingMessage, { body, form }: Pick<Mounted, 'body' | 'form'>): Promise<unknown> {
    return form ? this.readFields(request, form) : this.readJson(request, body);
  }

  private async readJson(request: IncomingMessage, mountedBody: Mounted['body']): Promise<unknown> {
    if (!mountedBody) {
      return undefined;
    }
    const { spec, check } = mountedBody;
    const bytes = await this.readBytes(request, spec);
    if (!bytes) {
      if (spec.optional) {
        return undefined;
      }
      throw bodyMissing();
    }
    const json = parseStrictJson(bytes);
    const body = spec.normalise ? spec.normalise(json) : json;
    check(body);
    return body;
  }

  /**
   * Reads the bytes of a JSON body; `undefined` when there are none: a proxy may send a request without body in chunks.
   */
  private async readBytes(request: IncomingMessage, spec: BodySpec): Promise<Buffer | undefined> {
    if (!hasBody(request)) {
      return undefined;
    }
    if (request.headers['content-type'] !== undefined || request.headers['content-length'] !== undefined) {
      checkJsonType(request);
    }
    const bytes = await readBody(request, this.limitsOf(spec));
    if (bytes.length === 0) {
      return undefined;
    }
    checkJsonType(request);
    return bytes;
  }

  private openUpload(request: IncomingMessage, { maxBytes, mediaTypes }: UploadSpec): AsyncIterable<Buffer> {
    if (!hasBody(request)) {
      throw bodyMissing();
    }
    checkUploadType(request, mediaTypes);
    return streamBody(request, { maxBytes, timeoutMs: uploadPauseMs });
  }

  private async readFields(
    request: IncomingMessage,
    { spec, read }: NonNullable<Mounted['form']>,
  ): Promise<QueryValues> {
    checkFormType(request);
    return read((await readBody(request, this.limitsOf(spec))).toString());
  }

  private limitsOf({ maxBytes }: { maxBytes?: number }): BodyLimits {
    return { ...this.bodyLimits, maxBytes: maxBytes ?? this.bodyLimits.maxBytes };
  }
}

/** Yields the bytes of an upload, and does work before their end. */
async function* followed(bytes: AsyncIterable<Buffer>, work: () => Promise<void>): AsyncGenerator<Buffer> {
  yield* bytes;
  await work();
}

/** Turns a 401 into a 403, for operations whose interface has no 401. */
function asForbidden(error: unknown): unknown {
  if (error instanceof WebIdMissing) {
    return new ClaimMissing(error.detail, { cause: error });
  }
  return error instanceof TokenMissing || error instanceof TokenInvalid ?
      new TokenNotAccepted(error.detail, { cause: error }) :
    error;
}

/**
 * @see [RFC 9745, section 2](https://www.rfc-editor.org/rfc/rfc9745#section-2)
 * @see [RFC 8594, section 3](https://www.rfc-editor.org/rfc/rfc8594#section-3)
 */
function deprecationHeaders(sunset: Date | undefined): Record<string, string> {
  return {
    Deprecation: `@${Math.floor(deprecatedSince.getTime() / 1000)}`,
    ...sunset && { Sunset: sunset.toUTCString() },
  };
}
