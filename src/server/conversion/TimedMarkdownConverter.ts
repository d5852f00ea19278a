import { createContext, Script } from 'node:vm';
import {
  BaseTypedRepresentationConverter,
  BasicRepresentation,
  isContainerIdentifier,
  readableToString,
} from '@solid/community-server';
import type { Representation, RepresentationConverterArgs, TemplateEngine } from '@solid/community-server';
import { readBounded } from '../readBounded';
import { requireOfServer } from '../requireOfServer';

type Marked = (markdown: string) => string;

/** The server's own library, which takes minutes for some texts of a few kilobytes. */
const { marked } = requireOfServer('marked') as { marked: Marked };

const maxBytes = 1024 * 1024;
/** Other requests wait for so long, at most. */
const maxMilliseconds = 200;

const timed = new Script('marked(markdown)');
const context: { marked: Marked; markdown: string } = { marked, markdown: '' };
createContext(context);

/**
 * Shows Markdown in the template of a page, as the server does, but no document that takes long: then the conversion
 * fails. A container's Markdown is the server's own listing, in which each name is a short line.
 */
export class TimedMarkdownConverter extends BaseTypedRepresentationConverter {
  private readonly templateEngine: TemplateEngine;

  /**
   * @param templateEngine - Renders the page.
   */
  public constructor(templateEngine: TemplateEngine) {
    super('text/markdown', 'text/html');
    this.templateEngine = templateEngine;
  }

  public async handle({ identifier, representation }: RepresentationConverterArgs): Promise<Representation> {
    const { data, metadata } = representation;
    const htmlBody = isContainerIdentifier(identifier) ?
        marked(await readableToString(data)) :
        withinTime(await readBounded(data, maxBytes, 'Markdown'));
    const html = await this.templateEngine.handleSafe({ contents: { htmlBody }});
    return new BasicRepresentation(html, metadata, 'text/html');
  }
}

/** @throws Error of Node when it takes too long. */
function withinTime(markdown: string): string {
  context.markdown = markdown;
  try {
    // The library's function returns HTML.
    return timed.runInContext(context, { timeout: maxMilliseconds }) as string;
  } finally {
    context.markdown = '';
  }
}
