import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { TemplateEngine } from '@solid/community-server';
import type { ServicePages } from './ServicePages';

type Input = Parameters<TemplateEngine['handle']>[0];

const stockTemplate = /(?:^@css:|\/)templates\/identity\/(?<name>[\w/-]+)\.html\.ejs$/u;
const ownTemplate = /^@data-sharing:pages\/(?<name>[\w/-]+)\.html\.ejs$/u;
const folder = join(__dirname, '../../../templates/pages');

/**
 * Renders the pages of log-in, consent and accounts with the templates of this package instead of the server's, which
 * insert outside data as HTML. Pages without a template here, such as that of an operator's own log-in method, are
 * rendered by the server.
 */
export class AccountPageEngine extends TemplateEngine {
  private readonly pages: ServicePages;
  private readonly source: TemplateEngine;

  /**
   * @param pages - Renders this package's pages. Its templates are named `@data-sharing:pages/{name}.html.ejs`, or like
   * the server's own that they replace.
   * @param source - Renders all other pages.
   */
  public constructor(pages: ServicePages, source: TemplateEngine) {
    super();
    this.pages = pages;
    this.source = source;
  }

  public async handle(input: Input): Promise<string> {
    const name = ownName(input.template);
    return name === undefined ? this.source.handleSafe(input) : this.pages.render(name, input.contents);
  }
}

function ownName(template: Input['template']): string | undefined {
  const file = typeof template === 'object' && 'templateFile' in template ? template.templateFile : template;
  if (typeof file !== 'string') {
    return;
  }
  const name = (stockTemplate.exec(file) ?? ownTemplate.exec(file))?.groups?.name;
  return name !== undefined && existsSync(join(folder, `${name}.html.ejs`)) ? name : undefined;
}
