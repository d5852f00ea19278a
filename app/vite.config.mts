import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

/** The citizen's pages: static files, which the service serves at `/.app/`. */
export default defineConfig({
  root: import.meta.dirname,
  // The service, started by `npm start`, answers everything but the pages themselves.
  // eslint-disable-next-line @typescript-eslint/naming-convention -- a pattern of paths
  server: { proxy: { '^/(?!\\.app/(?!settings|client))': 'http://localhost:3000' }},
  base: '/.app/',
  plugins: [ svelte({
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
