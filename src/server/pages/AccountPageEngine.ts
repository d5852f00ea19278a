import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { TemplateEngine } from '@solid/community-server';
import type { ServicePages } from './ServicePages';

type Input = Parameters<TemplateEngine['handle']>[0];

const stockTemplate = /(?:^@css:|\/)templates\/identity\/(?<name>[\w/-]+)\.html\.ejs$/u;
const ownTemplate = /^@data-sharing:pages\/(?<name>[\w/-]+)\.html\.ejs$/u;
const folder = join(__dirname, '../../../templates/pages');

/**
 * Renders the pages of log-in, consent and accounts by the templates of this package in place of the server's, which
 * put what others wrote on the page as HTML. What it has no template for, such as the page of an operator's own log-in
 * method, is rendered as before.
 */
export class AccountPageEngine extends TemplateEngine {
  private readonly pages: ServicePages;
  private readonly source: TemplateEngine;

  /**
   * @param pages - Renders this package's pages. A template of ours is named `@data-sharing:pages/{name}.html.ejs`, or
   * as the server's own that it replaces.
   * @param source - Renders all others.
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
  const name = (stockTemplate.exec(file) ?? ownTemplate.exec(file))?.groups!.name;
  return name !== undefined && existsSync(join(folder, `${name}.html.ejs`)) ? name : undefined;
}
