import { OwnWebIds } from '../../../src/identity/OwnWebIds';
import { parseWebId } from '../../../src/platform/webId';

const base = 'https://pods.example/';
const elsewhere = parseWebId('https://me.example/card#me');

/** Owners of the pods here; a pod in `unlinked` has an account without the WebID. */
function ownWebIds(
  owners: Record<string, string[]>,
  { enabled = true, unlinked = []}: { enabled?: boolean; unlinked?: string[] } = {},
): { service: OwnWebIds; secluded: string[] } {
  const secluded: string[] = [];
  const service = new OwnWebIds({
    citizens: { isTombstone: async(podUrl): Promise<boolean> => podUrl === `${base}gone/` },
    podOwners: {
      podsOf: async(webId): Promise<string[]> =>
        Object.keys(owners).filter((pod): boolean => owners[pod].includes(webId)),
      ownersOfAny: async(pods): Promise<string[]> => pods.flatMap((pod): string[] => owners[pod] ?? []),
    },
    pods: {
      findAccount: async({ podUrl }): Promise<string | undefined> => unlinked.includes(podUrl) ? undefined : 'account',
      seclude: async({ container }): Promise<void> => {
        secluded.push(container);
      },
    },
    baseUrl: base,
    enabled,
  });
  return { service, secluded };
}

describe('Own WebIDs', (): void => {
  const alice = parseWebId(`${base}alice/profile/card#me`);

  it.each([
    [ 'the only pod that it owns', { [`${base}alice/`]: [ alice ]}, alice, `${base}alice/` ],
    [ 'the only pod, when its document is elsewhere', { [`${base}alice/`]: [ elsewhere ]}, elsewhere, `${base}alice/` ],
    [
      'the pod with its document',
      { [`${base}a/`]: [ alice ], [`${base}alice/`]: [ alice ], [`${base}alice2/`]: [ alice ]},
      alice,
      `${base}alice/`,
    ],
    [
      'their own among those of others',
      { [`${base}alice/`]: [ alice ], [`${base}x/`]: [ 'x' ]},
      alice,
      `${base}alice/`,
    ],
  ])('get %s.', async(_name, owners, webId, podUrl): Promise<void> => {
    await expect(ownWebIds(owners as Record<string, string[]>).service.find(parseWebId(webId), 'new'))
      .resolves.toEqual({ webId, podUrl, brought: 'POD' });
  });

  it.each([
    [ 'own no pod', {}],
    [ 'own the root only', { [base]: [ elsewhere ]}],
    [ 'own a container on another server', { 'https://me.example/pod/': [ elsewhere ]}],
    [ 'own what is no pod on this interface', { [`${base}a/b/`]: [ elsewhere ]}],
  ])('get a pod if they %s.', async(_name, owners): Promise<void> => {
    await expect(ownWebIds(owners as Record<string, string[]>).service.find(elsewhere, 'new'))
      .resolves.toEqual({ webId: elsewhere, podUrl: `${base}new/`, brought: 'WEBID' });
  });

  it.each([
    [ 'several pods, and none has the document', { [`${base}a/`]: [ elsewhere ], [`${base}b/`]: [ elsewhere ]}, []],
    [ 'a pod with another owner', { [`${base}a/`]: [ elsewhere, alice ]}, []],
    [ 'a pod of an account without the WebID', { [`${base}a/`]: [ elsewhere ]}, [ `${base}a/` ]],
  ])('are ambiguous with %s.', async(_name, owners, unlinked): Promise<void> => {
    await expect(ownWebIds(owners as Record<string, string[]>, { unlinked }).service.find(elsewhere, 'new'))
      .rejects.toMatchObject({ type: 'identity-ambiguous', status: 403 });
  });

  it.each([
    'HTTPS://me.example/card#me',
    'https://ME.example/card#me',
    'https://me.example:443/card#me',
    'https://me.example/c%61rd#me',
    'https://me.example/x/../card#me',
    `${base}gone/profile/card#me`,
  ])('are not linked in another form, or if they are gone: %s.', async(webId): Promise<void> => {
    await expect(ownWebIds({}).service.find(parseWebId(webId), 'new'))
      .rejects.toMatchObject({ type: 'identity-mismatch' });
  });

  it('are not linked if the operator has turned it off.', async(): Promise<void> => {
    await expect(ownWebIds({}, { enabled: false }).service.find(elsewhere, 'new'))
      .rejects.toMatchObject({ type: 'identity-mismatch', message: expect.stringMatching(/links none/u) });
  });

  it('receive data in a separate container while the pod is theirs alone.', async(): Promise<void> => {
    const podUrl = `${base}alice/`;
    const citizen = { id: 'id-1', podUrl, webId: alice, brought: 'POD' } as const;
    const { service, secluded } = ownWebIds({ [podUrl]: [ alice ]});
    await service.prepare(citizen);
    expect(secluded).toEqual([ `${podUrl}credentials-id-1/` ]);
    for (const owners of [[ alice, elsewhere ], [ elsewhere ], []]) {
      await expect(ownWebIds({ [podUrl]: owners }).service.prepare(citizen))
        .rejects.toMatchObject({ type: 'access-forbidden' });
    }
  });

  it('need no such container in pods created here.', async(): Promise<void> => {
    const { service, secluded } = ownWebIds({});
    await service.prepare({ id: 'id-1', podUrl: `${base}id-1/`, webId: elsewhere, brought: 'WEBID' });
    await service.prepare({ id: 'id-2', podUrl: `${base}id-2/`, webId: alice });
    expect(secluded).toEqual([]);
  });
});
