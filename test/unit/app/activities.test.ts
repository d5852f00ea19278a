import { appOf, nameOf } from '../../../app/src/lib/activities';

describe('The name of a file or folder', (): void => {
  it.each([
    [ 'of a file', 'https://pod.example/anna/letters/my%20%C3%A9t%C3%A9.txt', 'my été.txt' ],
    [ 'of a folder', 'https://pod.example/anna/letters/', 'letters' ],
    [ 'of another server, in another encoding', 'https://other.example/%E9t%E9', '%E9t%E9' ],
    [ 'of another server, with a lone percent sign', 'https://other.example/100%', '100%' ],
    [ 'with marks of direction', 'https://pod.example/anna/a%E2%80%AEfdp.exe', 'afdp.exe' ],
    [ 'of a host that only some browsers know', 'https://a\u0378b.example/letter\u202E', 'letter' ],
    [ 'of a server, without one', 'https://pod.example/?a=/b#/c', 'https://pod.example/?a=/b#/c' ],
  ])('%s is the last part of its path.', (_, uri, name): void => {
    expect(nameOf(uri)).toBe(name);
  });
});

describe('The app that acted', (): void => {
  it.each([
    [ 'https://app.example/id', 'https://app.example/id' ],
    // The second letter is Cyrillic.
    [ 'https://b\u0430nk.example/id', 'https://xn--bnk-6cd.example/id' ],
    [ 'https:\u202Eelpmaxe.knab', 'https:%E2%80%AEelpmaxe.knab' ],
    [ 'https://pages.example/id', undefined ],
    [ 'app_1', undefined ],
    [ null, undefined ],
  ])('%j is shown as %j.', (app, shown): void => {
    expect(appOf({ app }, 'https://pages.example/id')).toBe(shown);
  });
});
