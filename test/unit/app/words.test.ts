import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const languages = [ 'nl', 'fr', 'de', 'en' ] as const;

function read(language: string): Record<string, string> {
  const text = readFileSync(join(__dirname, `../../../app/words/${language}.json`), 'utf8');
  return JSON.parse(text) as Record<string, string>;
}

/** Names of the arguments and tags of a text, whatever the order. */
function parts(text: string): string[] {
  const names = [ ...text.matchAll(/\{(\w+)[,}]/gu), ...text.matchAll(/<(\w+)>/gu) ].map(([ , name ]): string => name);
  return [ ...new Set(names) ].sort();
}

/** Every text exists in four languages, with the same arguments. */
describe('The words of the citizen\'s pages', (): void => {
  const english = read('en');

  it.each(languages)('in %s are those of all languages, with the same arguments and tags.', (language): void => {
    const words = read(language);
    expect(Object.keys(words)).toEqual(Object.keys(english));
    for (const [ name, text ] of Object.entries(words)) {
      expect([ name, parts(text) ]).toEqual([ name, parts(english[name]) ]);
      expect([ name, text.trim() ]).not.toEqual([ name, '' ]);
    }
  });
});
