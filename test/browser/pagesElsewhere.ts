import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { startLoopback } from '../support/loopback';

const root = join(__dirname, '../..');
const built = join(root, 'dist/app');
const types: Record<string, string> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.jsonld': 'application/ld+json',
  '.svg': 'image/svg+xml',
};

/**
 * Serves the built pages on another host than the service, as in `docs/usage/pages.md`: with the settings, the
 * client ID document and the headers shown there.
 *
 * @param service - Base URL of the service.
 *
 * @returns URL of the pages, with a trailing slash.
 */
export async function servePagesElsewhere(service: string): Promise<{ pages: string; stop: () => Promise<void> }> {
  const names = await readdir(built, { recursive: true, withFileTypes: true });
  const files = new Map<string, Buffer | string>(await Promise.all(names
    .filter((entry): boolean => entry.isFile())
    .map(async({ name, parentPath }): Promise<[string, Buffer]> => {
      const file = join(parentPath, name);
      return [ `/.app/${file.slice(built.length + 1)}`, await readFile(file) ];
    })));
  let headers: [string, string][] = [];
  const { stop, url } = await startLoopback((request, response): void => {
    const path = request.url!.split('?', 1)[0];
    const name = files.has(path) ? path : '/.app/index.html';
    response.setHeader('Content-Type', types[extname(name)]);
    for (const [ header, value ] of name.endsWith('.html') ? headers : []) {
      response.setHeader(header, value);
    }
    response.end(files.get(name));
  });
  const documented = readDocumented({ 'https://pods.example/': service, 'https://vault.example': url });
  ({ headers } = documented);
  files.set('/.app/settings.json', documented.settings).set('/.app/client.jsonld', documented.client);
  // A style sheet of the operator's own, named in the head.
  files.set('/.app/own.css', ':root { --accent: #7a1f5c; }');
  const page = files.get('/.app/index.html')!.toString();
  files.set('/.app/index.html', page.replace('</head>', '<link rel="stylesheet" href="/.app/own.css"></head>'));
  return { pages: `${url}/.app/`, stop };
}

/** Returns the files and headers of the documentation, with other addresses. */
function readDocumented(addresses: Record<string, string>): {
  settings: string;
  client: string;
  headers: [string, string][];
} {
  const page = readFileSync(join(root, 'docs/usage/pages.md'), 'utf8');
  const [ , section ] = page.split('## Serving them from elsewhere\n');
  const [ settings, client, headers ] = [ ...section.matchAll(/^```\w+\n(.*?)^```$/gmsu) ].map(([ , block ]): string =>
    block.replaceAll(/https:\/\/(?:pods\.example\/|vault\.example)/gu, (address): string => addresses[address]));
  return { settings, client, headers: headers.trim().split('\n').map((line): [string, string] => {
    const [ name, ...value ] = line.split(': ');
    return [ name, value.join(': ') ];
  }) };
}
