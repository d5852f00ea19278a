import {
  BasicRepresentation,
  MarkdownToHtmlConverter,
  readableToString,
  TemplateEngine,
} from '@solid/community-server';
import type { RepresentationConverter } from '@solid/community-server';
import { TimedMarkdownConverter } from '../../../../src/server/conversion/TimedMarkdownConverter';

/** Shows the body alone. */
class BodyEngine extends TemplateEngine<{ htmlBody: string }> {
  public async handle({ contents }: { contents: { htmlBody: string }}): Promise<string> {
    return contents.htmlBody;
  }
}

describe('Markdown', (): void => {
  const engine = new BodyEngine() as TemplateEngine;

  async function show(
    markdown: string,
    path = 'http://localhost/pod/notes.md',
    converter: RepresentationConverter = new TimedMarkdownConverter(engine),
  ): Promise<string> {
    const representation = new BasicRepresentation(markdown, 'text/markdown');
    const preferences = { type: { 'text/html': 1 }};
    return readableToString((await converter.handleSafe({ identifier: { path }, representation, preferences })).data);
  }

  /** Shows what is quickly converted: a busy machine may take longer than a conversion may, but not each time. */
  async function showQuick(markdown: string, path?: string): Promise<string> {
    for (let tries = 1; tries < 5; tries += 1) {
      try {
        return await show(markdown, path);
      } catch (error: unknown) {
        expect(String(error)).toContain('timed out');
      }
    }
    return show(markdown, path);
  }

  it('becomes a page as on the stock server.', async(): Promise<void> => {
    const text = '# Title\n\n*text*, [a link](https://example.org/)\n\n* one\n* two\n\na|b\n-|-\n1|2\n';
    const stock = await show(text, undefined, new MarkdownToHtmlConverter(engine));
    await expect(showQuick(text)).resolves.toBe(stock);
    await expect(showQuick(text, 'http://localhost/pod/')).resolves.toBe(stock);
  });

  it.each([
    [ 'emphasis', '*a_'.repeat(40_000) ],
    [ 'a table', `a|b\n-|-\n${'a|b\n'.repeat(200_000)}` ],
    [ 'escapes', '\\'.repeat(200_000) ],
    [ 'quotes', '>'.repeat(50_000) ],
    [ 'lists', `${'* '.repeat(100_000)}a` ],
  ])('that would take long is not converted: %s.', async(_name, text): Promise<void> => {
    await expect(show(text)).rejects.toThrow(/timed out|call stack/u);
    await expect(showQuick('*short*')).resolves.toBe('<p><em>short</em></p>\n');
  });

  it('of more than a mebibyte is not converted.', async(): Promise<void> => {
    await expect(show('a\n\n'.repeat(400_000))).rejects.toThrow('1048576 bytes');
  });
});
