import { Readable } from 'node:stream';
import { sourceTroubles } from '../platform/diagnostics';
import type { Clock } from '../platform/clock';
import type { CredentialDocument, CredentialFinding } from '../credentials/Credential';
import { CheckUnavailable } from '../credentials/Credential';
import type { CredentialVerifier } from '../credentials/CredentialVerifier';
import type { Invalidity } from '../personal-data/invalidity';
import { markInvalid } from '../personal-data/markInvalid';
import type { Examined } from '../personal-data/ResourceWatch';
import { ResourceWatch } from '../personal-data/ResourceWatch';
import type { InvalidReason, Share } from '../personal-data/ShareStore';
import type { ShareStates } from '../personal-data/SharingStores';
import type { PodBytes, PodGateway } from '../pods/PodGateway';
import type { PodResource } from '../platform/PodResource';
import { NotValidAtOrigin, NotVerifiable, OriginUnavailable, ResourceNotFound } from '../problems';
import { parseObject } from '../platform/parseJson';
import type { Records } from '../platform/Records';
import type { Source, SourceCatalogue } from '../sources/Source';
import { SourceFailure } from '../sources/Source';
import type { ResourceUri } from '../pods/resourceUri';

/** Dependencies of {@link OriginVerifier}. */
export interface OriginVerifierOptions {
  records: Records<ShareStates>;
  gateway: Pick<PodGateway, 'exists' | 'findBytes'>;
  credentials: Pick<CredentialVerifier, 'verify'>;
  sources: SourceCatalogue;
  now: Clock;
}

/** Verifies shared data at its origin: the one rule for verified reads and for automatic checks. */
export class OriginVerifier {
  private readonly options: OriginVerifierOptions;
  private readonly watch: ResourceWatch;

  public constructor(options: OriginVerifierOptions) {
    this.options = options;
    this.watch = new ResourceWatch(options);
  }

  /**
   * Reads a shared credential if it is the one that was shared, its signature, status and validity hold, and its source
   * still confirms it. Returns exactly the bytes that were verified. A failure is recorded on the share permanently.
   *
   * @throws ResourceNotFound, NotVerifiable, NotValidAtOrigin
   * @throws OriginUnavailable when this cannot be decided now: a false failure would make data users delete their
   *   copies.
   */
  public async read(uri: ResourceUri): Promise<PodResource> {
    const share = await this.options.records.shares.findByResource(uri);
    if (!share) {
      throw await this.options.gateway.exists(uri) ? new NotVerifiable() : new ResourceNotFound();
    }
    const { content, missing } = await this.verifyShare(share);
    if (missing) {
      throw new ResourceNotFound();
    }
    if (!content) {
      throw new NotValidAtOrigin();
    }
    const { bytes, contentType, etag, modified } = content;
    return { contentType, etag, modified, size: bytes.length, body: Readable.from([ bytes ]) };
  }

  /**
   * Checks a share, and records on it when it is missing or not valid.
   *
   * @returns The updated share.
   *
   * @throws OriginUnavailable when this cannot be decided now; its cause is a `SourceFailure` when the source is
   *   unavailable.
   */
  public async check(share: Share): Promise<Share> {
    return (await this.verifyShare(share)).share;
  }

  private async verifyShare(share: Share): Promise<Examined> {
    const examined = await this.watch.examine(share);
    if (examined.missing === 'in progress') {
      throw new OriginUnavailable('The resource is being shared again at this moment.');
    }
    const invalidity = examined.content && await this.ask(examined.share, examined.content);
    if (!invalidity) {
      return examined;
    }
    const { now, records } = this.options;
    const marked = await markInvalid(records, examined.share, invalidity, now());
    // Shared again meanwhile: the check was of another credential.
    return marked.digest === share.digest || marked.invalidAt ? { share: marked } : this.verifyShare(marked);
  }

  private async ask(share: Share, { bytes }: PodBytes): Promise<Invalidity | undefined> {
    const source = this.options.sources.find(share.dataType);
    if (!source) {
      throw new OriginUnavailable('No source is set up for this kind of data.');
    }
    const document = parseObject(bytes);
    try {
      return document ?
          await this.verify(share, document, source) :
          { at: this.options.now(), reason: 'shape' };
    } catch (error: unknown) {
      if (error instanceof CheckUnavailable || error instanceof SourceFailure) {
        sourceTroubles.publish({ dataType: share.dataType });
        throw new OriginUnavailable(undefined, { cause: error });
      }
      throw error;
    }
  }

  private async verify(share: Share, document: CredentialDocument, source: Source): Promise<Invalidity | undefined> {
    const { credentials, now } = this.options;
    const isOwn = share.status !== undefined;
    const [ finding ] = await credentials.verify(document, isOwn ? undefined : source.trustedIssuers);
    if (finding) {
      return invalidityOf(finding, share, now());
    }
    const { recordId: id, version } = share;
    return await source.verify({ id, version, ...!isOwn && { credential: document }}) ?
      undefined :
        { at: now(), reason: 'withdrawn' };
  }
}

const reasons: Record<CredentialFinding['check'], InvalidReason> = {
  shape: 'shape',
  issuer: 'issuer',
  proof: 'proof',
  status: 'revoked',
  validity: 'expired',
};

/**
 * Not earlier than the last successful check: a status list may have been signed long before one of its bits was set.
 */
function invalidityOf({ check, since }: CredentialFinding, share: Share, now: Date): Invalidity {
  const reason = reasons[check];
  if (!since || reason === 'expired') {
    return { at: since ?? now, reason };
  }
  const good = (share.checkedAt ?? share.modifiedAt).getTime();
  return { at: new Date(Math.min(Math.max(since.getTime(), good), now.getTime())), reason };
}
