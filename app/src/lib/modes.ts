import type { AccessMode } from './terms';
import type { Word, Words } from './words';

/** Says what somebody may do, for a sentence: `read and change`. Who may change something may add to it. */
export function describeModes(modes: readonly AccessMode[], words: Words): string {
  const said: [boolean, Word][] = [
    [ modes.includes('Read'), 'request.canRead' ],
    [ modes.includes('Write'), 'request.canWrite' ],
    [ modes.includes('Append') && !modes.includes('Write'), 'request.canAppend' ],
  ];
  return words.list(said.filter(([ may ]): boolean => may).map(([ , word ]): string => words.text(word)));
}
