import type { AccessRequest, Grant } from '../../../app/src/lib/service';
import { Service } from '../../../app/src/lib/service';
import type { Session } from '../../../app/src/lib/session';

const base = 'https://service.example/';
const purpose = `${base}v1/purposes/loan`;

describe('The description of a purpose', (): void => {
  let answer: jest.Mock;

  beforeEach((): void => {
    answer = jest.fn();
    jest.spyOn(globalThis, 'fetch').mockImplementation(answer);
  });

  afterEach((): void => {
    jest.restoreAllMocks();
  });

  it('is what the service says of it.', async(): Promise<void> => {
    answer.mockResolvedValue(new Response(JSON.stringify({ '@graph': [
      { '@id': purpose, 'skos:prefLabel': { '@value': 'a loan', '@language': 'en' }},
    ]}), { headers: { 'content-type': 'application/ld+json' }}));
    await expect(new Service(base).describe(purpose)).resolves
      .toMatchObject({ labels: [{ value: 'a loan', language: 'en' }]});
  });

  it.each([
    [ 'a page', `${base}v1/docs`, new Response('<!doctype html>', { headers: { 'content-type': 'text/html' }}) ],
    [ 'nothing there', `${base}v1/purposes/none`, Response.json({}, { status: 404 }) ],
    [ 'another document', `${base}v1/openapi.json`, Response.json({ openapi: '3.1.0' }) ],
  ])('is empty when it is %s.', async(_, iri, response): Promise<void> => {
    answer.mockResolvedValue(response);
    await expect(new Service(base).describe(iri)).resolves
      .toEqual({ labels: [], phrases: [], definitions: [], source: []});
  });

  it.each([
    [ 'another server', 'https://other.example/purpose' ],
    [ 'a pod, by dots in its path', `${base}v1/../mallory/purpose` ],
    [ 'a pod, by encoded dots in its path', `${base}v1/%2E%2E/mallory/purpose` ],
  ])('is not asked of %s.', async(_, iri): Promise<void> => {
    answer.mockResolvedValue(Response.json(null));
    await expect(new Service(base).describe(iri)).resolves.toMatchObject({ labels: []});
    expect(answer).not.toHaveBeenCalled();
  });
});

describe('The grants that a citizen gave', (): void => {
  const webId = `${base}anna/profile/card#me`;

  it('are all found, however many others gave to the citizen.', async(): Promise<void> => {
    const own = { id: `${base}.access/vc/1`, owner: webId } as Grant;
    const others: Partial<Grant>[] = Array.from({ length: 200 }, (_, at): Partial<Grant> =>
      ({ id: `${base}.access/vc/other-${at}`, owner: 'https://stranger.example/#me' }));
    const session = {
      webId,
      async fetch(url): Promise<Response> {
        const { searchParams } = new URL(url);
        return Response.json(searchParams.get('given') === 'true' ?
            { accessGrants: [ own ], next: null } :
            { accessGrants: others, next: `${base}v1/access-grants?cursor=more` });
      },
    } as Pick<Session, 'fetch' | 'webId'> as Session;
    await expect(new Service(base).listGrants(session)).resolves.toEqual([ own ]);
  });
});

/** A session of a citizen with 60 pages of requests of strangers, one of which also has a log-in. */
function sessionWithLogIn(pageOfLogIn: number): { session: Session; asked: string[] } {
  const asked: string[] = [];
  const session = {
    async fetch(url): Promise<Response> {
      asked.push(url);
      const at = Number(new URL(url).searchParams.get('after') ?? 0);
      const logIn = { type: 'login.succeeded', at: '2026-11-22T10:05:00Z' };
      return Response.json({
        activities: [{ type: 'grant.requested' }, ...at === pageOfLogIn ? [ logIn ] : [] ],
        next: at < 59 ? `${base}v1/activity?after=${at + 1}` : null,
      });
    },
  } as Pick<Session, 'fetch'> as Session;
  return { session, asked };
}

describe('The last log-in of a citizen', (): void => {
  it('is found, however much strangers asked since.', async(): Promise<void> => {
    const { session } = sessionWithLogIn(4);
    await expect(new Service(base).findLastLogIn(session)).resolves.toMatchObject({ at: '2026-11-22T10:05:00Z' });
  });

  it('takes one request when it is recent.', async(): Promise<void> => {
    const { asked, session } = sessionWithLogIn(0);
    await expect(new Service(base).findLastLogIn(session)).resolves.toBeDefined();
    expect(asked).toHaveLength(1);
  });

  it('is not searched for without end.', async(): Promise<void> => {
    const { asked, session } = sessionWithLogIn(58);
    await expect(new Service(base).findLastLogIn(session)).resolves.toBeUndefined();
    expect(asked.length).toBeLessThan(20);
  });
});

describe('An access request', (): void => {
  const webId = `${base}anna/profile/card#me`;
  const uri = `${base}.access/vc/5f1d3c0e-6b93-4f0c-8b7a-0f6f1f3b8f52`;

  function sessionWith(consent: object): Session {
    const document = { id: uri, credentialSubject: { id: 'https://bank.example/#me', hasConsent: {
      mode: [ 'http://www.w3.org/ns/auth/acl#Read' ],
      inherit: true,
      isConsentForDataSubject: webId,
      ...consent,
    }}};
    return {
      webId,
      fetch: async(url): Promise<Response> =>
        Response.json(url === uri ? document : { items: [ document ]}),
    } as Pick<Session, 'fetch' | 'webId'> as Session;
  }

  it('is found for its data subject.', async(): Promise<void> => {
    const resources = [ `${base}anna/letter` ];
    await expect(new Service(base).getRequest(sessionWith({ forPersonalData: resources }), uri)).resolves
      .toMatchObject({ isOpen: true, resources, requestor: 'https://bank.example/#me' });
  });

  it.each([
    [ 'of somebody else', { forPersonalData: [ `${base}bob/letter` ], isConsentForDataSubject: `${base}bob/#me` }],
    [ 'of templates, which only an app can fill in', { template: [ `${base}anna/{file}` ]}],
  ])('%s is not one that the pages can ask.', async(_, consent): Promise<void> => {
    await expect(new Service(base).getRequest(sessionWith(consent), uri)).rejects
      .toMatchObject({ status: 404, type: 'grant-not-found' });
  });
});

describe('The answer to an access request', (): void => {
  const webId = `${base}anna/profile/card#me`;
  const requestor = 'https://asker.example/#us';
  const uri = `${base}.access/vc/6f1b0c1e-0000-4000-8000-000000000000`;
  const resources = [ `${base}anna/notes` ];
  const asked: AccessRequest = { uri, requestor, modes: [ 'Read' ], resources, purposes: [], inherit: true };

  /** Returns a session in which the request is open or not, and the credentials that it issues. */
  function begin(isOpen: boolean): { issued: string[]; session: Session } {
    const issued: string[] = [];
    const consent = { mode: [ 'acl#Read' ], forPersonalData: resources, inherit: true };
    const hasConsent = { ...consent, isConsentForDataSubject: webId };
    const request = { id: uri, credentialSubject: { id: requestor, hasConsent }};
    const session = {
      webId,
      async fetch(url, { body } = {}): Promise<Response> {
        issued.push(...body === undefined ? [] : [ body ]);
        return Response.json(url.startsWith(`${base}.access/query`) ? { items: isOpen ? [ request ] : []} : request);
      },
    } as Pick<Session, 'fetch' | 'webId'> as Session;
    return { issued, session };
  }

  it('is issued while the request is open.', async(): Promise<void> => {
    const { issued, session } = begin(true);
    await expect(new Service(base).answerRequest(session, asked)).resolves.toBe(uri);
    expect(issued).toEqual([ expect.stringContaining('SolidAccessDenial') ]);
  });

  it('is not issued once it was answered, such as in another tab.', async(): Promise<void> => {
    const { issued, session } = begin(false);
    await expect(new Service(base).answerRequest(session, asked)).rejects.toMatchObject({ status: 409 });
    expect(issued).toEqual([]);
  });
});
