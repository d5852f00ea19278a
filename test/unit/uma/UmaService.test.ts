import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { AccessGrant, GrantTerms } from '../../../src/grants/AccessGrant';
import { grantUri } from '../../../src/grants/AccessGrant';
import { grantDocument } from '../../../src/grants/grantDocument';
import type { SigningKey } from '../../../src/credentials/KeyStore';
import { TokenInvalid, TokenMissing } from '../../../src/problems';
import type { TokenRequest } from '../../../src/tokens/Caller';
import { OAuthError } from '../../../src/uma/OAuthError';
import type { Rpt } from '../../../src/uma/RequestingPartyTokens';
import type { TokenForm } from '../../../src/uma/UmaService';
import { UmaResourceServer } from '../../../src/uma/UmaResourceServer';
import { UmaService } from '../../../src/uma/UmaService';
import { UmaSigners } from '../../../src/uma/UmaSigners';
import { resourceUriOf } from '../../../src/wiring/access/resourceUriOf';
import { parseWebId } from '../../../src/platform/webId';
import { encodePresentation } from '../../support/encodePresentation';
import { base, context, iris, SharingBench } from '../../support/sharingBench';
import { newKey } from '../credentials/support';
import { bob, sign, TokenWorld } from '../tokens/tokenWorld';
import { resourceUri } from '../../support/uris';

const alice = parseWebId(`${base}alice/profile/card#me`);
const notes = `${base}alice/notes`;
const folder = `${base}alice/folder/`;
const mallory = parseWebId('https://mallory.example/profile/card#me');
const vcFormat = 'https://www.w3.org/TR/vc-data-model/#json-ld';
const idTokenFormat = 'http://openid.net/specs/openid-connect-core-1_0.html#IDToken';
const grantType = 'urn:ietf:params:oauth:grant-type:uma-ticket';
const url = `${base}.uma/token`;
const secret = randomBytes(32);

/** A proof in a token request names no access token. */
const noAth = { ath: undefined };

type Document = Record<string, unknown>;

describe('The authorization server', (): void => {
  let bench: SharingBench;
  let world: TokenWorld;
  let uma: UmaService;
  let pods: UmaResourceServer;

  beforeAll(async(): Promise<void> => {
    bench = await SharingBench.start();
    world = await TokenWorld.create();
    world.at = bench.now;
    world.profiles.set(mallory, [ 'https://idp.example/' ]);
    ({ uma, pods } = service());
  });

  afterEach(async(): Promise<void> => {
    bench.dispossessed.clear();
    await bench.records.grants.endAllOf(alice, bench.now);
  });

  afterAll(async(): Promise<void> => bench.stop());

  const derived: SigningKey[] = [];

  function service(
    getSecret = (): Buffer => secret,
    getTokenKeys = (): SigningKey[] => derived,
  ): { uma: UmaService; pods: UmaResourceServer } {
    const { decision, records } = bench;
    const signers = new UmaSigners({ keys: { getSecret, getTokenKeys }, baseUrl: base, now, newId: randomUUID });
    const verifier = world.verifier({ baseUrl: base });
    return {
      uma: new UmaService({ records, decision, verifier, signers, baseUrl: base, now }),
      pods: new UmaResourceServer({ records, decision, signers, baseUrl: base }),
    };
  }

  function now(): Date {
    return bench.now;
  }

  /** A stored grant for Bob with its credential. */
  async function give(members: Partial<AccessGrant> = {}): Promise<{ grant: AccessGrant; document: Document }> {
    const id = randomUUID();
    const grant: GrantTerms = {
      id,
      uri: grantUri(iris.accessIssuer, id),
      kind: 'grant',
      subject: alice,
      recipient: bob,
      modes: [ 'Read' ],
      resources: [ notes ],
      purposes: [ 'https://purpose.example/trial' ],
      inherit: true,
      status: await bench.records.statusLists.allocate('grants'),
      issuedAt: bench.now,
      ...members,
    };
    const document = { ...grantDocument(grant, iris), proof: { type: 'Ed25519Signature2020', proofValue: 'z123' }};
    return { grant: await bench.grant({ ...grant, document: JSON.stringify(document) }), document };
  }

  function ticketFor(resource: string): string {
    return /ticket="(?<ticket>[^"]+)"/u.exec(pods.challenge(resourceUri(resource)))!.groups!.ticket;
  }

  function form(document: unknown, resource = notes): TokenForm {
    return {
      grant_type: grantType,
      ticket: ticketFor(resource),
      claim_token: encodePresentation(document),
      claim_token_format: vcFormat,
    };
  }

  async function proofOf(token: string, changes: Document = {}): Promise<string> {
    return world.proof(token, { htm: 'POST', htu: url, ...changes });
  }

  async function as(webid = bob): Promise<TokenRequest> {
    const token = await world.token({ webid });
    return { authorization: `DPoP ${token}`, dpop: await proofOf(token), method: 'POST', url };
  }

  async function exchange(request: TokenForm, webId = bob): Promise<Rpt> {
    const { access_token: token } = await uma.exchange(request, await as(webId), context);
    return pods.verify(token)!;
  }

  /** Refusal of a request by the token endpoint. */
  async function refusal(request: TokenForm, proof?: TokenRequest): Promise<OAuthError> {
    const error: unknown = await uma.exchange(request, proof ?? await as(), context)
      .catch((thrown: unknown): unknown => thrown);
    expect(error).toBeInstanceOf(OAuthError);
    return error as OAuthError;
  }

  async function denial(document: unknown, resource = notes, webId = bob): Promise<string> {
    const error = await refusal(form(document, resource), await as(webId));
    expect(error).toMatchObject({ status: 403, code: 'request_denied' });
    return error.message;
  }

  function idForm(claim_token: string, resource = notes): TokenForm {
    return { grant_type: grantType, ticket: ticketFor(resource), claim_token, claim_token_format: idTokenFormat };
  }

  /** An ID token as a request presents it: no access token, and a proof that names none. */
  async function alone(token: string, changes: Document = noAth): Promise<TokenRequest> {
    return { dpop: await proofOf(token, changes), method: 'POST', url };
  }

  async function modes(rpt: Rpt, ...targets: string[]): Promise<Record<string, string[]>> {
    const resources = (targets.length > 0 ? targets : [ notes ]).map(resourceUri);
    const given = await pods.modes(rpt, resources);
    return Object.fromEntries([ ...given ].map(([ path, found ]): [string, string[]] => [ path, [ ...found.keys() ]]));
  }

  it('challenges with quoted parameters, for pod resources only.', (): void => {
    expect(pods.challenge(resourceUri(notes)))
      .toMatch(/^UMA realm="solid", as_uri="http:\/\/localhost:3000", ticket="[\w-]+\.[\w-]+"$/u);
    for (const path of [ `${base}.internal/x`, `${base}alice//x`, 'https://elsewhere.example/x' ]) {
      expect(resourceUriOf({ path }, base)).toBeUndefined();
    }
  });

  it('gives the grant\'s rights for a ticket and a grant, in any spelling of its URI.', async(): Promise<void> => {
    const { grant, document } = await give({ modes: [ 'Read', 'Append' ]});
    const answer = await uma.exchange(form(document, `${base}al%69ce/notes`), await as(), context);
    expect(answer).toEqual({ access_token: expect.any(String), token_type: 'Bearer', expires_in: 300 });
    const rpt = pods.verify(answer.access_token)!;
    expect(rpt).toEqual({ webId: bob, resource: notes, grant: grant.id });
    await expect(modes(rpt)).resolves.toEqual({ [notes]: [ 'Read', 'Append' ]});
  });

  it('voids tickets and tokens of a secret once that is replaced, while it serves.', async(): Promise<void> => {
    let inUse = secret;
    const serving = service((): Buffer => inUse);
    const { document } = await give();
    const { access_token: token } = await serving.uma.exchange(form(document), await as(), context);
    const unused = form(document);
    expect(serving.pods.verify(token)).toBeDefined();
    const { keys: [ before ] } = await serving.uma.keys();
    inUse = randomBytes(32);
    expect(serving.pods.verify(token)).toBeUndefined();
    await expect(serving.uma.exchange(unused, await as(), context)).rejects.toThrow(OAuthError);
    expect((await serving.uma.keys()).keys).not.toEqual([ before ]);
    // Another node that has it from the start accepts what this one issues.
    const { ticket } = /ticket="(?<ticket>[^"]+)"/u.exec(serving.pods.challenge(resourceUri(notes)))!.groups!;
    const again = await service((): Buffer => inUse).uma.exchange({ ...form(document), ticket }, await as(), context);
    expect(serving.pods.verify(again.access_token)).toBeDefined();
  });

  it('signs with a signer\'s keys if there is one, and accepts what each has signed.', async(): Promise<void> => {
    let inUse = [ newKey('first') ];
    const serving = service(undefined, (): SigningKey[] => inUse);
    const { document } = await give();
    const { access_token: token } = await serving.uma.exchange(form(document), await as(), context);
    expect(serving.pods.verify(token)).toBeDefined();
    expect(service().pods.verify(token)).toBeUndefined();
    inUse = [ newKey('second'), ...inUse ];
    const { keys } = await serving.uma.keys();
    expect(keys).toMatchObject(inUse.map(({ publicKey }): object => publicKey.export({ format: 'jwk' })));
    expect(serving.pods.verify(token)).toBeDefined();
    inUse = inUse.slice(0, 1);
    expect(serving.pods.verify(token)).toBeUndefined();
  });

  it('accepts the claim token as base64, base64url or JSON, with single values for lists.', async(): Promise<void> => {
    const { document } = await give();
    const text = Buffer.from(encodePresentation(document), 'base64').toString();
    for (const claim_token of [ Buffer.from(text).toString('base64url'), text, JSON.stringify(document) ]) {
      await expect(exchange({ ...form(document), claim_token })).resolves.toMatchObject({ resource: notes });
    }
    const subject = document.credentialSubject as { providedConsent: Record<string, string[]> };
    const consent = { ...subject.providedConsent, mode: subject.providedConsent.mode[0] };
    await expect(exchange(form({ ...document, credentialSubject: { ...subject, providedConsent: consent }})))
      .resolves.toBeDefined();
  });

  it('records the exchange.', async(): Promise<void> => {
    const { grant, document } = await give();
    await exchange(form(document));
    await bench.records.audit.flush();
    const events = await bench.records.audit.list(0, 1000);
    expect(events.at(-1)!.event).toMatchObject({
      type: 'grant.exchanged',
      correlationId: context.correlationId,
      personal: { webId: bob, resource: notes, grant: grant.uri },
    });
  });

  describe('about a ticket', (): void => {
    it('accepts it once.', async(): Promise<void> => {
      const { document } = await give();
      const request = form(document);
      await expect(exchange(request)).resolves.toBeDefined();
      await expect(refusal(request)).resolves.toMatchObject({ status: 400, code: 'invalid_grant' });
    });

    it('accepts it once among many at the same time, of several callers and processes.', async(): Promise<void> => {
      const mine = await give();
      const theirs = await give({ recipient: mallory });
      const { uma: other } = service();
      const ticket = ticketFor(notes);
      const outcomes = await Promise.allSettled([ bob, mallory, bob, mallory ].map(async(webId, at): Promise<unknown> =>
        (at < 2 ? uma : other).exchange(
          { ...form((webId === bob ? mine : theirs).document), ticket },
          await as(webId),
          context,
        )));
      expect(outcomes.filter(({ status }): boolean => status === 'fulfilled')).toHaveLength(1);
    });

    it('no longer accepts it after a denial.', async(): Promise<void> => {
      const { document } = await give();
      const request = form({ ...document, issuanceDate: '2020-01-01T00:00:00Z' });
      await expect(refusal(request)).resolves.toMatchObject({ code: 'request_denied' });
      await expect(refusal({ ...request, claim_token: encodePresentation(document) }))
        .resolves.toMatchObject({ code: 'invalid_grant' });
    });

    it('keeps it valid if the caller is unknown, or the request is malformed.', async(): Promise<void> => {
      const { document } = await give();
      const request = form(document);
      await expect(uma.exchange(request, { method: 'POST', url }, context)).rejects.toThrow(TokenMissing);
      await expect(refusal({ ...request, claim_token: '!' })).resolves.toMatchObject({ code: 'invalid_request' });
      await expect(exchange(request)).resolves.toBeDefined();
    });

    it.each([ 'none', 'altered', 'expired' ])('refuses one that is %s.', async(kind): Promise<void> => {
      const { document } = await give();
      const request = form(document);
      const begun = bench.now;
      if (kind === 'expired') {
        bench.later(300_000);
        world.at = bench.now;
      }
      const tickets: Record<string, string> = { none: 'abc', altered: `A${request.ticket!.slice(1)}` };
      await expect(refusal({ ...request, ticket: tickets[kind] ?? request.ticket }))
        .resolves.toMatchObject({ status: 400, code: 'invalid_grant' });
      bench.now = begun;
      world.at = begun;
    });
  });

  describe('about a request', (): void => {
    it.each<[string, Partial<TokenForm>, number, string]>([
      [ 'of another grant type', { grant_type: 'client_credentials' }, 400, 'unsupported_grant_type' ],
      [ 'without ticket', { ticket: undefined }, 400, 'invalid_request' ],
      [ 'without format', { claim_token_format: undefined }, 400, 'invalid_request' ],
      [ 'with a format alone', { claim_token: undefined }, 400, 'invalid_request' ],
      [ 'without claim', { claim_token: undefined, claim_token_format: undefined }, 403, 'need_info' ],
      [ 'with another kind of claim', { claim_token_format: 'urn:something' }, 403, 'need_info' ],
      [ 'with a claim that is not base64', { claim_token: 'a b' }, 400, 'invalid_request' ],
      [ 'with a claim that is not JSON', { claim_token: 'AAAA' }, 400, 'invalid_request' ],
      [ 'with a claim that is too long', { claim_token: 'A'.repeat(120_000) }, 400, 'invalid_request' ],
    ])('refuses one %s.', async(_what, changes, status, code): Promise<void> => {
      const { document } = await give();
      await expect(refusal({ ...form(document), ...changes })).resolves.toMatchObject({ status, code });
    });

    it('states what it needs, with a new ticket.', async(): Promise<void> => {
      const { document } = await give();
      const { more } = await refusal({ ...form(document), claim_token: undefined, claim_token_format: undefined });
      expect(more.required_claims).toEqual([{ claim_token_format: [ vcFormat, idTokenFormat ]}]);
      await expect(exchange({ ...form(document), ticket: more.ticket as string })).resolves.toBeDefined();
    });

    it('quickly refuses a presentation that does not contain exactly one credential.', async(): Promise<void> => {
      const { document } = await give();
      const none = { ...form(document), claim_token: encodePresentation() };
      const two = { ...form(document), claim_token: encodePresentation(document, document) };
      const many = Array.from({ length: 10_000 }, (): object => ({}));
      for (const request of [ none, two, { ...form(document), claim_token: encodePresentation(...many) }]) {
        await expect(refusal(request)).resolves.toMatchObject({ status: 400, code: 'invalid_request' });
      }
    });

    it('refuses deep JSON.', async(): Promise<void> => {
      const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
      const claim_token = `{"type":["VerifiablePresentation"],"verifiableCredential":${deep}}`;
      const { document } = await give();
      await expect(refusal({ ...form(document), claim_token })).resolves.toMatchObject({ code: 'invalid_request' });
    });
  });

  describe('about a grant', (): void => {
    it('refuses one that was altered in any member.', async(): Promise<void> => {
      const { document } = await give();
      for (const member of Object.keys(document)) {
        const { [member]: value, ...without } = document;
        const changed = typeof value === 'string' && member !== 'id' ? `${value}x` : { other: value };
        const error = await refusal(form({ ...document, [member]: changed }));
        expect([ 'request_denied', 'invalid_request' ]).toContain(error.code);
        expect([ 'request_denied', 'invalid_request' ]).toContain((await refusal(form(without))).code);
      }
      await expect(denial({ ...document, more: 1 })).resolves.toContain('altered');
    });

    it('refuses one of another issuer, even if it claims one of our ids.', async(): Promise<void> => {
      const { document, grant } = await give();
      await expect(denial({ ...document, id: `https://vc.example/vc/${grant.id}` })).resolves.toContain('not issued here');
      await expect(denial({ ...document, id: `${iris.accessIssuer}vc/${randomUUID()}` }))
        .resolves.toContain('not issued here');
      await expect(denial({ ...document, issuer: 'https://vc.example/' })).resolves.toContain('not issued here');
    });

    it('tells a stranger nothing about it, and its parties why it is refused.', async(): Promise<void> => {
      const { document, grant } = await give();
      const told = await denial(document, notes, mallory);
      await bench.records.grants.revoke(grant.id, bench.now);
      await expect(denial(document, notes, mallory)).resolves.toBe(told);
      await expect(denial(document)).resolves.toContain('revoked');
    });

    it('refuses requests and denials.', async(): Promise<void> => {
      await expect(denial((await give({ kind: 'denial' })).document)).resolves.toContain('cannot be used');
      await expect(denial((await give({ kind: 'request', subject: bob, recipient: alice })).document))
        .resolves.toContain('cannot be used');
    });

    it('refuses one that has expired or not begun.', async(): Promise<void> => {
      await expect(denial((await give({ expiresAt: bench.now })).document)).resolves.toContain('expired');
      const soon = new Date(bench.now.getTime() + 1000);
      await expect(denial((await give({ issuedAt: soon })).document)).resolves.toContain('cannot be used');
    });

    it('refuses one that does not cover the resource: path segments count.', async(): Promise<void> => {
      const { document } = await give({ resources: [ `${base}alice/a/1`, folder ]});
      await expect(denial(document, `${base}alice/a/10`)).resolves.toContain('does not cover');
      await expect(denial(document, `${base}alice/folder2/x`)).resolves.toContain('does not cover');
      await expect(denial(document, `${folder}x.acl`)).resolves.toContain('does not cover');
      await expect(denial(document, `${folder}x.acr`)).resolves.toContain('does not cover');
      await expect(denial(document, `${folder}x.meta`)).resolves.toContain('does not cover');
      await expect(exchange(form(document, `${folder}deep/x`))).resolves.toBeDefined();
    });

    it('refuses one whose subject does not control the resource.', async(): Promise<void> => {
      const { document } = await give({ resources: [ `${base}carol/notes` ]});
      await expect(denial(document, `${base}carol/notes`)).resolves.toContain('does not cover');
      const own = await give();
      bench.dispossessed.add(alice);
      await expect(denial(own.document)).resolves.toContain('does not cover');
    });
  });

  describe('about a token in use', (): void => {
    it('gives nothing on any other resource, not even on what the grant covers.', async(): Promise<void> => {
      const { document } = await give({ resources: [ folder ], modes: [ 'Read', 'Append' ]});
      const rpt = await exchange(form(document, `${folder}new/x`));
      await expect(modes(rpt, `${folder}y`)).resolves.toEqual({});
      await expect(modes(rpt, folder)).resolves.toEqual({});
      await expect(modes(rpt, notes)).resolves.toEqual({});
    });

    it('gives the grant\'s modes on containers that are made with its resource.', async(): Promise<void> => {
      const { document } = await give({ resources: [ folder ], modes: [ 'Append' ]});
      const rpt = await exchange(form(document, `${folder}new/x`));
      const [ made, parent, pod ] = [ `${folder}new/x`, `${folder}new/`, `${base}alice/` ];
      await expect(modes(rpt, made, parent, pod))
        .resolves.toEqual({ [made]: [ 'Append' ], [parent]: [ 'Append' ], [pod]: []});
    });

    it('gives nothing by other grants of the same WebID.', async(): Promise<void> => {
      const { document } = await give();
      await give({ modes: [ 'Write' ]});
      await expect(modes(await exchange(form(document)))).resolves.toEqual({ [notes]: [ 'Read' ]});
    });

    it('gives nothing from the moment its grant is revoked or its subject loses control.', async(): Promise<void> => {
      const { document, grant } = await give();
      const rpt = await exchange(form(document));
      bench.dispossessed.add(alice);
      await expect(modes(rpt)).resolves.toEqual({ [notes]: []});
      bench.dispossessed.clear();
      await expect(modes(rpt)).resolves.toEqual({ [notes]: [ 'Read' ]});
      await bench.records.grants.revoke(grant.id, bench.now);
      await expect(modes(rpt)).resolves.toEqual({ [notes]: []});
    });

    it('gives nothing if its grant is unknown.', async(): Promise<void> => {
      await give();
      await expect(modes({ webId: bob, resource: resourceUri(notes), grant: randomUUID() })).resolves.toEqual({});
    });
  });

  describe('about an ID token', (): void => {
    it('gives the rights of all grants to its WebID, and none without a grant.', async(): Promise<void> => {
      const token = await world.token({ aud: [ 'https://app.example/id', 'solid' ]}, { typ: 'JWT' });
      await expect(refusal(idForm(token), await alone(token)))
        .resolves.toMatchObject({ status: 403, code: 'request_denied' });
      await give();
      const { grant } = await give({ modes: [ 'Append' ]});
      const { access_token: answer } = await uma.exchange(idForm(token), await alone(token), context);
      const rpt = pods.verify(answer)!;
      expect(rpt).toEqual({ webId: bob, resource: notes });
      await expect(modes(rpt)).resolves.toEqual({ [notes]: [ 'Read', 'Append' ]});
      await bench.records.grants.revoke(grant.id, bench.now);
      await expect(modes(rpt)).resolves.toEqual({ [notes]: [ 'Read' ]});
    });

    it('accepts a proof that names it, but not one that names another or has another key.', async(): Promise<void> => {
      await give();
      const token = await world.token();
      await expect(uma.exchange(idForm(token), await alone(token, {}), context)).resolves.toBeDefined();
      const ath = createHash('sha256').update('another').digest('base64url');
      await expect(refusal(idForm(token), await alone(token, { ath }))).resolves.toMatchObject({ code: 'need_info' });
      const stranger = await TokenWorld.create();
      stranger.at = world.at;
      const dpop = await stranger.proof(token, { htm: 'POST', htu: url });
      await expect(refusal(idForm(token), { dpop, method: 'POST', url })).resolves.toMatchObject({ code: 'need_info' });
    });

    it('refuses a bound one without proof, and an unbound one of a stranger.', async(): Promise<void> => {
      await give();
      for (const token of [ await world.token(), await world.token({ cnf: undefined }) ]) {
        await expect(refusal(idForm(token), { method: 'POST', url }))
          .resolves.toMatchObject({ status: 403, code: 'need_info' });
      }
    });

    it('refuses one for an app only, of another signer, or expired.', async(): Promise<void> => {
      await give();
      const claims = await world.claims();
      const tokens = [
        await world.token({ aud: 'https://app.example/id' }),
        await sign({ alg: 'ES256', typ: 'JWT', kid: 'one' }, claims, world.clientKey.privateKey),
        await world.token({ exp: world.seconds - 61 }),
        'no token',
      ];
      for (const token of tokens) {
        await expect(refusal(idForm(token), await alone(token))).resolves.toMatchObject({ code: 'need_info' });
      }
    });

    it('compares it with the access token sent along.', async(): Promise<void> => {
      await give();
      const token = await world.token({ aud: 'https://app.example/id' });
      await expect(uma.exchange(idForm(token), await as(), context)).resolves.toBeDefined();
      await expect(refusal(idForm(token), await as(mallory))).resolves.toMatchObject({ code: 'request_denied' });
      await expect(refusal(idForm('no token'))).resolves.toMatchObject({ code: 'request_denied' });
    });
  });

  it('refuses a bad access token as such.', async(): Promise<void> => {
    const { document } = await give();
    await expect(uma.exchange(form(document), { authorization: 'Bearer abc', method: 'POST', url }, context))
      .rejects.toThrow(TokenInvalid);
    const token = await world.token();
    const dpop = await proofOf(token, { ath: 'of another token' });
    const proof = { authorization: `DPoP ${token}`, dpop, method: 'POST', url };
    await expect(uma.exchange(form(document), proof, context)).rejects.toThrow(TokenInvalid);
  });
});
