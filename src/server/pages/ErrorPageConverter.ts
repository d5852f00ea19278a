import {
  BaseTypedRepresentationConverter,
  BasicRepresentation,
  getSingleItem,
  HttpError,
} from '@solid/community-server';
import type { Representation, RepresentationConverterArgs } from '@solid/community-server';
import type { ServicePages } from './ServicePages';

const kinds = new Map([[ 401, 'logIn' ], [ 403, 'forbidden' ], [ 404, 'notFound' ]]);
/** Errors with a text of their own, by name. */
const namedKinds = new Map([[ 'PasswordLoginOff', 'noPassword' ]]);
const unknownClient = 'E0003';

/**
 * Shows errors to browsers as a page of the service.
 *
 * The server's own pages use Markdown, so that links and images in a message, which may contain outside data, become
 * links and images of the page. Here they remain text.
 */
export class ErrorPageConverter extends BaseTypedRepresentationConverter {
  private readonly pages: ServicePages;

  /**
   * @param pages - Renders the page.
   */
  public constructor(pages: ServicePages) {
    super('internal/error', 'text/html');
    this.pages = pages;
  }

  public async handle({ representation }: RepresentationConverterArgs): Promise<Representation> {
    // Data of this media type is a single item.
    const error = await getSingleItem(representation.data) as Error;
    const status = HttpError.isInstance(error) ? error.statusCode : 500;
    const html = await this.pages.render('error', {
      kind: kindOf(error, status),
      status,
      message: error.message,
      stack: error.stack,
    });
    return new BasicRepresentation(html, representation.metadata, 'text/html');
  }
}

/** Returns the key of the text that explains an error. */
function kindOf(error: Error, status: number): string {
  if (HttpError.isInstance(error) && error.errorCode === unknownClient) {
    return 'client';
  }
  return namedKinds.get(error.name) ?? kinds.get(status) ?? (status < 500 ? 'request' : 'server');
}
