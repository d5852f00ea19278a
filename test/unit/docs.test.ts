import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { operations } from '../../src/api/routes';
import { commands } from '../../src/cli/commands/commands';
import { settings } from '../../src/cli/commands/commandSettings';
import { serverFlags } from '../../src/cli/serverSettings';
import { wantedDifferences } from '../conformance/differential/wanted';

const root = join(__dirname, '../..');
const folders = [ 'config', 'demo', 'deploy', 'docs', 'templates' ];

function jsonFiles(folder: string): string[] {
  return readdirSync(join(root, folder)).filter((name): boolean => name.endsWith('.json'));
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

function listPages(): string[] {
  const inFolders = folders.flatMap((folder): string[] =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name): string => join(folder, name)));
  return [ ...readdirSync(root), ...inFolders ].filter((path): boolean => path.endsWith('.md'));
}

/** A page without its blocks of code. */
function prose(page: string): string {
  return read(page).replaceAll(/^ *```[\s\S]+?^ *```$/gmu, '');
}

/** Returns the anchors of a page's headings, as on the web. */
function anchors(page: string): string[] {
  return [ ...prose(page).matchAll(/^#+ (.+)$/gmu) ]
    .map(([ , heading ]): string => heading.toLowerCase().replaceAll(/[^\w\s-]/gu, '').trim().replaceAll(/\s/gu, '-'));
}

/** Returns the links of a page that are broken within this package. */
function brokenLinks(page: string): string[] {
  return [ ...prose(page).matchAll(/\]\(([^)\s]+)\)/gu) ]
    .map(([ , link ]): string => link)
    .filter((link): boolean => !/^[a-z]+:/u.test(link))
    .filter((link): boolean => {
      const [ path, anchor ] = link.split('#');
      const target = path === '' ? page : relative(root, join(root, dirname(page), path));
      const isThere = existsSync(join(root, target));
      return !isThere || (anchor !== undefined && !anchors(target).includes(anchor));
    });
}

/** Returns the links of a page that lead out of the published package. */
function leadingOut(page: string): string[] {
  const { files } = JSON.parse(read('package.json')) as { files: string[] };
  const packed = new Set([ ...files, 'README.md', 'LICENSE', 'package.json' ]);
  return [ ...prose(page).matchAll(/\]\(([^)\s#]+)/gu) ]
    .map(([ , link ]): string => link)
    .filter((link): boolean => !/^[a-z]+:/u.test(link))
    .map((link): string => relative(root, join(root, dirname(page), link)))
    .filter((target): boolean => !packed.has(target.split('/')[0]));
}

/** Returns the files and folders of the repository that a page names in its text but that do not exist. */
function missingFiles(page: string): string[] {
  const names = [ ...read(page).matchAll(
    /`((?:app|bench|bin|client|config|demo|deploy|docs|scripts|src|templates|test)\/[\w./-]+)`/gu,
  ) ].map(([ , name ]): string => name);
  // Suites and modules are also named without their endings.
  return names.filter((name): boolean =>
    ![ '', '.ts', '.test.ts' ].some((ending): boolean => existsSync(join(root, name + ending))));
}

/** Returns the options that a script reads by `parseArgs`. */
function optionsOf(script: string): string[] {
  const [ , options ] = /parseArgs\(\{ options: \{\n([\s\S]+?)\n *\}\}\)/u.exec(read(script))!;
  return [ ...options.matchAll(/^ *'?([\w-]+)'?: \{ type: /gmu) ].map(([ , name ]): string => name);
}

/** Flags of other programs, by program, and custom properties of style sheets. */
const flagsElsewhere = {
  css: [ 'accent', 'font' ],
  curl: [ 'data-binary', 'data-urlencode', 'json' ],
  docker: [ 'build', 'cap-drop', 'provenance', 'read-only', 'sbom', 'security-opt', 'wait' ],
  node: [ 'require' ],
  npm: [ 'access', 'provenance', 'save-dev' ],
  postgres: [ 'dbname', 'exit-on-error', 'file', 'format', 'no-owner' ],
  sha256sum: [ 'check' ],
};

const knownFlags = new Set([
  // Not in a configuration.
  'help',
  'prepare',
  'version',
  ...serverFlags().map(({ name }): string => name),
  ...[{ options: settings }, ...commands ].flatMap(({ options = {}}): string[] => Object.keys(options)),
  ...[ 'bench/run.js', 'demo/national-issuer/main.js', 'demo/serve.js', 'demo/story.js' ].flatMap(optionsOf),
  ...Object.values(flagsElsewhere).flat(),
]);

/** Returns the flags that a page names but that do not exist. */
function unknownFlags(page: string): string[] {
  return [ ...read(page).matchAll(/(?<![\w-])--([a-z][\w-]*)/giu) ]
    .map(([ , name ]): string => name)
    .filter((name): boolean => !knownFlags.has(name));
}

interface Variables {
  '@graph': {
    parameters?: { name: string }[];
    resolvers?: Record<string, { key: string; defaultValue: string | boolean }>[];
  }[];
}

describe('The documentation', (): void => {
  it.each(listPages())('has no broken link within the package: %s.', (page): void => {
    expect(brokenLinks(page)).toEqual([]);
  });

  // The changelog names files as they were.
  const pagesOfToday = listPages().filter((page): boolean => page !== 'CHANGELOG.md');

  it.each(pagesOfToday)('names no file of the repository that does not exist: %s.', (page): void => {
    expect(missingFiles(page)).toEqual([]);
  });

  // A decision names flags as they were.
  const pagesWithFlags = pagesOfToday.filter((page): boolean => !page.startsWith('docs/decisions/'));

  it.each(pagesWithFlags)('names no flag that does not exist: %s.', (page): void => {
    expect(unknownFlags(page)).toEqual([]);
  });

  it.each(listPages())('has no link that leaves the published package: %s.', (page): void => {
    expect(leadingOut(page)).toEqual([]);
  });

  it('lists each tested difference from the stock server, and no other.', (): void => {
    const rows = [ ...read('docs/usage/differences.md').matchAll(/^\| `([\w-]+)` \|/gmu) ];
    expect(rows.map(([ , name ]): string => name)).toEqual(wantedDifferences.map(({ name }): string => name));
  });

  it('lists every decision, each with its date and status.', (): void => {
    const index = read('docs/decisions/README.md');
    for (const file of readdirSync(join(root, 'docs/decisions')).filter((name): boolean => name !== 'README.md')) {
      expect(index).toContain(`](${file})`);
      expect(read(`docs/decisions/${file}`)).toMatch(/^# .+\n\nDate: \d{4}-\d\d-\d\d\. Status: \w+/u);
    }
  });

  it.each([
    [ 'One share from the request to the pod', 14 ],
    [ 'One grant id from the request to the decision', 10 ],
  ])('names the files on a path, within the limit: %s, %d.', (path, most): void => {
    const [ , list ] = read('docs/architecture.md').split(`\n${path}`);
    const steps = list.split('\n\n')[1].split('\n');
    const files = steps.map((step): string[] =>
      [ ...step.matchAll(/`([\w/-]+\.ts)`/gu) ].map(([ , file ]): string => file));
    expect(files.filter((names): boolean => names.length !== 1)).toEqual([]);
    expect(files.flat().filter((file): boolean => !existsSync(join(root, 'src', file)))).toEqual([]);
    expect(new Set(files.flat()).size).toBe(steps.length);
    expect(steps.length).toBeGreaterThan(most - 4);
    expect(steps.length).toBeLessThanOrEqual(most);
  });

  it('describes each file of config, each under its folder.', (): void => {
    const sections = read('config/README.md').split('\n## ');
    function described(heading: string): string[] {
      return sections.filter((section): boolean => section.includes(heading))
        .flatMap((section): RegExpMatchArray[] => [ ...section.matchAll(/^\| `([\w-]+\.json)` \|/gmu) ])
        .map(([ , name ]): string => name);
    }
    for (const folder of [ 'data-sharing', 'server' ]) {
      expect(described(`| file in \`${folder}/\` |`).sort()).toEqual(jsonFiles(`config/${folder}`).sort());
    }
    for (const name of jsonFiles('config')) {
      expect(sections.some((section): boolean => section.includes(`\`${name}\``))).toBe(true);
    }
  });

  it.each([ ...new Set(operations.map(({ path }): string => path)) ])('documents %s for callers.', (path): void => {
    const pages = readdirSync(join(root, 'docs/api')).map((name): string => read(join('docs/api', name)));
    expect(pages.some((page): boolean => page.includes(path))).toBe(true);
  });

  describe('has each setting with its environment variable and default:', (): void => {
    const graph = [ 'config/data-sharing', 'config/server' ]
      .flatMap((folder): string[] => readdirSync(join(root, folder)).map((name): string => `${folder}/${name}`))
      .flatMap((file): Variables['@graph'] => (JSON.parse(read(file)) as Variables)['@graph']);
    const defaults = new Map(graph
      .flatMap(({ resolvers }): Record<string, { key: string; defaultValue: string | boolean }>[] => resolvers ?? [])
      .flatMap((entry): [string, string | boolean][] => Object.values(entry)
        .filter((value): boolean => typeof value === 'object' && value.defaultValue !== undefined)
        .map(({ key, defaultValue }): [string, string | boolean] => [ key, defaultValue ])));
    const flags = graph.flatMap(({ parameters }): { name: string }[] => parameters ?? []);

    it.each(flags.map(({ name }): string => name))('--%s.', (name): void => {
      const environment = `CSS_${name.replaceAll(/[A-Z]/gu, '_$&').toUpperCase()}`;
      const row = read('docs/usage/README.md').split('\n').find((line): boolean => line.startsWith(`| \`--${name}\``));
      expect(row).toContain(`\`${environment}\``);
      const value = defaults.get(name) ?? '';
      expect(row).toContain(value === '' ? '' : `\`${value}\``);
    });
  });
});
