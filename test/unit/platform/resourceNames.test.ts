import { isAuxiliaryName, isMisnamed } from '../../../src/platform/resourceNames';

describe('The name of a resource', (): void => {
  it('can be that of an auxiliary resource.', (): void => {
    for (const name of [ '.acl', 'x.acr', 'x.META', '.Meta', 'x%2Eacl', 'x.%61cl', '.acl.meta' ]) {
      expect([ name, isAuxiliaryName(name) ]).toEqual([ name, true ]);
    }
  });

  it('can be that of an ordinary one.', (): void => {
    for (const name of [ 'acl', 'x.aclx', '.acl.txt', 'meta', '', '.acl%2Fx', '%zz' ]) {
      expect([ name, isAuxiliaryName(name) ]).toEqual([ name, false ]);
    }
  });

  it.each([
    [ 'a/b.txt', false ],
    [ 'a/', false ],
    [ 'a/.acl', false ],
    [ 'a/b.acl', false ],
    [ 'a/b.meta', false ],
    [ 'a/b.acr', true ],
    [ 'a/b.ACL', true ],
    [ 'a/b.acl/', true ],
    [ 'a/.meta/b', true ],
    [ 'a/b.AcR/c/d', true ],
    [ 'a/b.acl.meta', true ],
    [ 'a/.meta.acl', true ],
  ])('at %s is refused or not: %s.', (path, isRefused): void => {
    expect(isMisnamed(path, (): boolean => /\.(?:acl|meta)$/u.test(path))).toBe(isRefused);
  });
});
