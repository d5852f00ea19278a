import { Readable } from 'node:stream';
import { sourceTroubles } from '../diagnostics';
import type { Clock } from '../clock';
import type { CredentialDocument } from '../credentials/Credential';
import { CheckUnavailable } from '../credentials/Credential';
import type { CredentialService } from '../credentials/CredentialService';
import { digestOf, maxCredentialBytes } from '../personal-data/digest';
import type { Share, ShareStore } from '../personal-data/ShareStore';
import { NotValidAtOrigin, NotVerifiable, OriginUnavailable, ResourceNotFound } from '../problems';
import type { SourceCatalogue } from '../sources/Source';
import { SourceFailure } from '../sources/Source';
import type { PodGateway, PodResource } from '../pods/PodGateway';

/** What {@link OriginVerifier} works with. */
export interface OriginVerifierOptions {
  shares: Pick<ShareStore, 'findByResource' | 'listIntents' | 'setInvalid'>;
  gateway: Pick<PodGateway, 'exists' | 'findBytes'>;
  credentials: Pick<CredentialService, 'verify'>;
  sources: SourceCatalogue;
  now: Clock;
}

/** A shared resource with the bytes that are judged. */
interface Content {
  share: Share;
  resource: PodResource;
  document: CredentialDocument;
}

/**
 * Verifies shared data at its origin.
 */
export class OriginVerifier {
  private readonly options: OriginVerifierOptions;

  public constructor(options: OriginVerifierOptions) {
    this.options = options;
  }

  /**
   * Reads a shared credential, and answers it when it is the one that was shared, its signature, status and validity
   * are good, and its source still stands by it. What is answered are the very bytes that were judged. The judgement is
   * noted on the share.
   *
   * @param uri - Canonical.
   *
   * @throws ResourceNotFound, NotVerifiable, NotValidAtOrigin
   * @throws OriginUnavailable when it cannot be told now: a false no would make data users delete their copies.
   */
  public async read(uri: string): Promise<PodResource> {
    const content = await this.contentOf(uri);
    if (!await this.isValid(content)) {
      throw await this.notValid(uri);
    }
    if (content.share.invalidAt) {
      await this.options.shares.setInvalid(uri, undefined);
    }
    return content.resource;
  }

  /** Twice when the stored bytes are not the recorded ones: sharing may have replaced them between two looks. */
  private async contentOf(uri: string, isAgain = false): Promise<Content> {
    const { gateway, shares } = this.options;
    const found = await gateway.findBytes(uri, maxCredentialBytes);
    const share = await shares.findByResource(uri);
    if (!found && !await gateway.exists(uri)) {
      throw new ResourceNotFound();
    }
    if (!share) {
      throw new NotVerifiable();
    }
    const document = found && digestOf(found.bytes) === share.digest ? parseObject(found.bytes) : undefined;
    if (found && document) {
      const { bytes, contentType, etag, modified } = found;
      const body = Readable.from([ bytes ]);
      return { share, document, resource: { contentType, etag, modified, size: bytes.length, body }};
    }
    if ((await shares.listIntents()).some(({ resource }): boolean => resource === uri)) {
      throw new OriginUnavailable('The resource is being shared again at this moment.');
    }
    if (!isAgain) {
      return this.contentOf(uri, true);
    }
    throw await this.notValid(uri);
  }

  private async isValid({ document, share }: Content): Promise<boolean> {
    const source = this.options.sources.find(share.dataType);
    if (!source) {
      throw new OriginUnavailable('No source is set up for this kind of data.');
    }
    const isOwn = share.status !== undefined;
    try {
      const findings = await this.options.credentials.verify(document, isOwn ? undefined : source.trustedIssuers);
      return findings.length === 0 && await source.verify({
        id: share.recordId,
        version: share.version,
        ...isOwn ? {} : { credential: document },
      });
    } catch (error: unknown) {
      if (error instanceof CheckUnavailable || error instanceof SourceFailure) {
        sourceTroubles.publish({ dataType: share.dataType });
        throw new OriginUnavailable(undefined, { cause: error });
      }
      throw error;
    }
  }

  private async notValid(uri: string): Promise<NotValidAtOrigin> {
    await this.options.shares.setInvalid(uri, this.options.now());
    return new NotValidAtOrigin();
  }
}

function parseObject(bytes: Buffer): CredentialDocument | undefined {
  try {
    const parsed: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof parsed === 'object' && parsed !== null ? parsed as CredentialDocument : undefined;
  } catch {
    return undefined;
  }
}
