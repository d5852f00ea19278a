import type { Question } from '../../../app/src/lib/requests';
import { nameOfResource } from '../../../app/src/lib/requests';
import type { Words } from '../../../app/src/lib/words';

const vault = { id: 'anna', url: 'https://pod.example/anna/' };
const words = {
  text: (word, values): string => [ word, ...Object.values(values ?? {}) ].join(' '),
} as Pick<Words, 'text'> as Words;

describe('A resource that somebody asks for', (): void => {
  it.each([
    [ 'a file', `${vault.url}letters/a.txt`, 'request.file letters/a.txt' ],
    [ 'a folder', `${vault.url}letters/`, 'request.folder letters' ],
    [ 'all', vault.url, 'request.vault' ],
    [ 'one of another server', 'https://other.example/%E9', 'https://other.example/%E9' ],
    [ 'one that looks like one of another server', 'https://v\u0430ult.example/\u202Ea', 'https://xn--vult-53d.example/%E2%80%AEa' ],
    [ 'one with marks of direction', `${vault.url}a%E2%80%AEb`, 'request.file ab' ],
  ])('is named in one direction: %s.', (_, uri, name): void => {
    expect(nameOfResource(uri, { vault } as Question, words)).toBe(name);
  });
});
