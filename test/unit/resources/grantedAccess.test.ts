import type { GivenModes } from '../../../src/grants/AccessDecision';
import type { AccessMode, GrantTerms } from '../../../src/grants/AccessGrant';
import type { NeededMode } from '../../../src/resources/grantedAccess';
import { describeAccess, findGrant } from '../../../src/resources/grantedAccess';

const container = 'https://pods.example/pod/';
const uri = `${container}a`;

function grantOf(id: string): GrantTerms {
  return { id } as GrantTerms;
}

function granted(place: string, mode: AccessMode, id: string): [string, GivenModes] {
  return [ place, new Map([[ mode, grantOf(id) ]]) ];
}

describe('The grant that gives a mode', (): void => {
  it.each<[NeededMode, AccessMode]>([
    [ 'read', 'Read' ],
    [ 'append', 'Append' ],
    [ 'append', 'Write' ],
    [ 'create', 'Append' ],
    [ 'write', 'Write' ],
    [ 'delete', 'Write' ],
  ])('%s is one of %s.', (needed, mode): void => {
    expect(findGrant(uri, needed, new Map([ granted(uri, mode, 'one') ]))).toEqual(grantOf('one'));
  });

  it('is one on the resource before one on its container.', (): void => {
    const both = new Map([ granted(container, 'Write', 'outer'), granted(uri, 'Write', 'inner') ]);
    expect(findGrant(uri, 'delete', both)).toEqual(grantOf('inner'));
    both.delete(uri);
    expect(findGrant(uri, 'delete', both)).toEqual(grantOf('outer'));
    expect(findGrant(`${uri}/b`, 'delete', both)).toBeUndefined();
  });

  it('is none of another mode.', (): void => {
    expect(findGrant(uri, 'write', new Map([ granted(uri, 'Append', 'one') ]))).toBeUndefined();
  });
});

describe('A request', (): void => {
  it('is described by the most specific mode that only a grant gave it.', (): void => {
    const given = [{ uri: container, mode: 'append' as const }, { uri, mode: 'create' as const }];
    expect(describeAccess(given)).toEqual({ type: 'resource.created', uri });
    expect(describeAccess([])).toBeUndefined();
  });

  it('that appends to a container and creates a resource is described by that resource.', (): void => {
    const given = [{ uri: container, mode: 'append' as const }];
    expect(describeAccess(given, uri)).toEqual({ type: 'resource.created', uri });
    expect(describeAccess(given)).toEqual({ type: 'resource.appended', uri: container });
  });
});
