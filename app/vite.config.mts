import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { parse } from '@formatjs/icu-messageformat-parser';
import type { Plugin } from 'vite';
import { defineConfig } from 'vite';

/** Texts of a language by name. */
type Words = Record<string, string>;

/** Reads the texts of a language when the pages are built, so that no page needs the parser of messages. */
function parsedWords(): Plugin {
  return {
    name: 'parsed-words',
    enforce: 'pre',
    transform(code, id): { code: string; moduleType?: 'js' } | undefined {
      const found = /\/app\/words\/\w+\.json(\?late)?$/u.exec(id);
      if (found) {
        const isEarly = found[1] === undefined;
        const json = JSON.stringify(parsed(JSON.parse(code) as Words, isEarly));
        return isEarly ? { code: json } : { code: `export default ${json}`, moduleType: 'js' };
      }
    },
  };
}

/** Texts of the pages that people see first, the question and the start page, and of what is around every page. */
const early = /^(?:(?:app|error|footer|home|login|nav|say|share|state|value)\.|(?:overview\.title|refused\.back)$)/u;

/** Those texts among them that other pages alone have. */
const lateAmongEarly =
  /^(?:app\.(?:change|leave|loggedOut|next|still)|error\.notFound|value\.(?:andMore|download|folded))/u;

function isEarlyText(name: string): boolean {
  return early.test(name) && !lateAmongEarly.test(name);
}

/** Texts by name, the early ones or the others: those that are more than plain text as what they are parsed to. */
function parsed(words: Words, isEarly: boolean): Record<string, unknown> {
  return Object.fromEntries(Object.entries(words).filter(([ name ]): boolean => isEarlyText(name) === isEarly)
    .map(([ name, text ]): [string, unknown] =>
      [ name, /[{}<>'#]/u.test(text) ? parse(text, { captureLocation: false }) : text ]));
}

/** Writes into the document what it says without the pages' scripts, and when they cannot start. */
function wordsOfDocument(): Plugin {
  const languages = [ 'en', 'nl', 'fr', 'de' ];
  return {
    name: 'words-of-document',
    transformIndexHtml(html): string {
      const needed = languages.map((language): string =>
        `<p lang="${language}">${read('../templates/pages/words', language)['frame.noScript']}</p>`);
      const failed = languages.map((language): string => {
        const words = read('words', language);
        return `<main lang="${language}"><div class="wrap lead"><h1>${words['error.title']}</h1>` +
          `<div class="acts"><a class="btn solid" href="">${words['error.again']}</a></div></div></main>`;
      });
      return html.replace('<!-- needed -->', needed.join('\n')).replace('<!-- failed -->', failed.join('\n'));
    },
  };
}

function read(folder: string, language: string): Words {
  return JSON.parse(readFileSync(join(import.meta.dirname, folder, `${language}.json`), 'utf8')) as Words;
}

/** Where `npm start` serves, and where `npm run app` does. */
const service = 'http://localhost:3000/';
const port = 5173;

/** Serves what pages at an origin of their own have beside them: they are an app of their own to the service, too. */
function ownOrigin(): Plugin {
  const pages = `http://localhost:${port}/.app/`;
  const clientId = `${pages}client.jsonld`;
  const documents = new Map<string, object>([
    [ '/.app/settings.json', { service, issuer: service, clientId }],
    [ '/.app/client.jsonld', {
      '@context': [ 'https://www.w3.org/ns/solid/oidc-context.jsonld' ],
      client_id: clientId,
      client_name: 'My data vault, while it is worked on',
      redirect_uris: [ `${pages}callback` ],
      post_logout_redirect_uris: [ `${pages}logged-out` ],
      scope: 'openid webid',
      grant_types: [ 'authorization_code' ],
      response_types: [ 'code' ],
      token_endpoint_auth_method: 'none',
    }],
  ]);
  return {
    name: 'own-origin',
    configureServer({ middlewares }): void {
      middlewares.use((request, response, pass): void => {
        const document = documents.get(request.url ?? '');
        if (document) {
          response.setHeader('Content-Type', 'application/ld+json');
          response.end(JSON.stringify(document));
        } else {
          pass();
        }
      });
    },
  };
}

/** The citizen's pages: static files, which the service serves at `/.app/`. */
export default defineConfig({
  root: import.meta.dirname,
  server: { port, strictPort: true },
  base: '/.app/',
  resolve: { alias: {
    '@formatjs/icu-messageformat-parser': '@formatjs/icu-messageformat-parser/no-parser.js',
  }},
  plugins: [ ownOrigin(), parsedWords(), wordsOfDocument(), svelte({
    compilerOptions: {
      // Made of nodes, never of HTML text: the page's policy allows no Trusted Types policy.
      fragments: 'tree',
    },
  }) ],
  build: {
    outDir: '../dist/app',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    // A style or picture in a data URL would be against the page's policy.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // One file for the first view: each request costs several milliseconds, however small the file is.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'start', tags: [ '$initial' ]}]}}},
  },
});
