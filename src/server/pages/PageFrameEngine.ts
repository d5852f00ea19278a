import { TemplateEngine } from '@solid/community-server';
import type { ServicePages } from './ServicePages';

/** Puts HTML that other parts of the server made, such as the listing of a container, into a page of the service. */
export class PageFrameEngine extends TemplateEngine {
  private readonly pages: ServicePages;

  /**
   * @param pages - Renders the page.
   */
  public constructor(pages: ServicePages) {
    super();
    this.pages = pages;
  }

  public async handle({ contents }: Parameters<TemplateEngine['handle']>[0]): Promise<string> {
    return this.pages.render('embedded', contents);
  }
}
