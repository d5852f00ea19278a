import { originsOf } from '../../../app/src/lib/origins';
import type { Making } from '../../../app/src/lib/origins';

const me = 'https://pod.example/anna/profile/card#me';
const bank = 'https://bank.example/#us';
const file = 'https://pod.example/anna/letters/a.txt';

function created(at: string, by: string | null, type = 'resource.created'): Making {
  return { type, at, by, byNames: [{ value: 'Bank', language: 'nl' }], resources: [{ uri: file }]};
}

describe('The app that put a file in the vault', (): void => {
  it('is the one that created it last.', (): void => {
    const newestFirst = [
      created('2026-03-01T00:00:00Z', bank, 'resource.written'),
      created('2026-02-01T00:00:00Z', bank),
      created('2026-01-01T00:00:00Z', 'https://other.example/#us'),
    ];
    expect([ ...originsOf(newestFirst, me) ])
      .toEqual([[ file, { at: '2026-02-01T00:00:00Z', by: bank, byNames: [{ value: 'Bank', language: 'nl' }]}]]);
  });

  it.each([[ 'the citizen', me ], [ 'nobody known', null ]])('is not shown for %s.', (_, by): void => {
    expect(originsOf([ created('2026-02-01T00:00:00Z', by) ], me).size).toBe(0);
  });
});
