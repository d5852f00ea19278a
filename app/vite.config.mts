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
    transform(code, id): string | undefined {
      return /\/app\/words\/\w+\.json$/u.test(id) ? JSON.stringify(parsed(JSON.parse(code) as Words)) : undefined;
    },
  };
}

/** Texts by name: those that are more than plain text as what they are parsed to. */
function parsed(words: Words): Record<string, unknown> {
  return Object.fromEntries(Object.entries(words).map(([ name, text ]): [string, unknown] =>
    [ name, /[{}<>'#]/u.test(text) ? parse(text, { captureLocation: false }) : text ]));
}

/** The citizen's pages: static files, which the service serves at `/.app/`. */
export default defineConfig({
  root: import.meta.dirname,
  // The service, started by `npm start`, answers everything but the pages themselves.
  server: { proxy: { '^/(?!\\.app/(?!settings|client))': 'http://localhost:3000' }},
  base: '/.app/',
  resolve: { alias: {
    '@formatjs/icu-messageformat-parser': '@formatjs/icu-messageformat-parser/no-parser.js',
  }},
  plugins: [ parsedWords(), svelte({
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
  },
});
