import { DataFactory, Parser, Writer } from 'n3';
import type { Account } from '../../demo/lib/accounts';
import { createAccount, logInToAccount } from '../../demo/lib/accounts';
import { accessRules } from '../support/accessRules';
import type { TestCitizen } from '../support/callers';
import { clientOf, expectProblem } from '../support/callers';
import type { CommandAnswer } from '../support/commandLine';
import { operate } from '../support/commandLine';
import { issueGrant } from '../support/issueGrant';
import { describeProvider, LoggingIn, logInToApp, numberClaim, writeProviders } from '../support/nationalLogin';
import { presets } from '../support/presets';
import type { Shared } from '../support/sharing';
import { revocationUrl } from '../support/sharing';
import { json, SharingWorld } from '../support/sharingWorld';
import { isOnPostgres } from '../support/storage';
import { TestLoginProvider } from '../support/TestLoginProvider';
import type { AccountHolder, Client } from '../support/world';
import { UserAgent } from '../support/UserAgent';
import { accountWithPod, removeFolder, temporaryFolder } from '../support/world';
import { parseWebId } from '../../src/platform/webId';

const solid = 'http://www.w3.org/ns/solid/terms#';
const pim = 'http://www.w3.org/ns/pim/space#';
const evil = 'https://evil.example/';
const sparql = 'application/sparql-update';
const turtle = 'text/turtle';

/** DESIGN.md, section 4: profiles created here stay correct, and existing WebIDs can be linked. */
describe.each(presets)('With %s, the WebID of a citizen', (config, isAcp): void => {
  let world: SharingWorld;
  let folder: string;
  let provider: TestLoginProvider;
  let base: string;
  let consumer: AccountHolder;
  let webids: string;
  let names = 0;

  beforeAll(async(): Promise<void> => {
    [ folder, provider ] = await Promise.all([ temporaryFolder(), TestLoginProvider.start() ]);
    const nationalLogin = await writeProviders(folder, [ describeProvider(provider.issuer) ]);
    world = await SharingWorld.start({ usual: {}}, undefined, { nationalLogin }, config);
    ({ base } = world);
    consumer = await world.dataUser();
    webids = `${base}v1/webids`;
  });

  afterAll(async(): Promise<void> => {
    await Promise.all([ world?.stop(), provider?.stop() ]);
    await world?.remove();
    await removeFolder(folder);
  });

  function newName(): string {
    names += 1;
    return `holder-${names}`;
  }

  /** Adds the national issuer to a profile. */
  async function listIssuer({ client, webId }: AccountHolder): Promise<void> {
    const body = `@prefix solid: <${solid}>. <> a solid:InsertDeletePatch;
      solid:inserts { <${webId}> solid:oidcIssuer <${world.issuer.issuer}> . }.`;
    const response = await send(client, 'PATCH', webId.replace('#me', ''), body, 'text/n3');
    expect(response.status).toBeLessThan(300);
  }

  /** Creates an ordinary account and pod, whose profile lists the national issuer. */
  async function holder(name = newName()): Promise<AccountHolder> {
    const found = await accountWithPod(base, name);
    await listIssuer(found);
    return found;
  }

  async function national(webid: string | undefined, number = world.newNumber()): Promise<TestCitizen> {
    const claims = { ...webid !== undefined && { webid }, citizen_national_id: number };
    const client = await clientOf(world.issuer, claims, 'DPoP');
    return { client, nationalNumber: number, webId: webid ?? '', podUrl: '', podId: '' };
  }

  /** Links a WebID, and gives its citizen a diploma. */
  async function link(webId: string, status: number, number = world.newNumber()): Promise<TestCitizen> {
    const citizen = await national(webId, number);
    const podUrl = await expectLinked(await citizen.client.request('PUT', webids), status, webId);
    const linked = { ...citizen, podUrl, podId: podUrl.slice(base.length, -1) };
    await world.writeDiploma(linked, 1);
    return linked;
  }

  async function expectPrivate(shared: Shared): Promise<void> {
    const hh = new URL('.', shared.podResource).href;
    for (const url of [ shared.podResource, hh, new URL('..', hh).href ]) {
      expect((await fetch(url)).status).toBe(401);
      const stranger = await clientOf(world.issuer, { webid: world.issuer.profile('stranger') }, 'DPoP');
      expect((await send(stranger, 'GET', url)).status).toBe(403);
    }
  }

  async function expectReadable(shared: Shared): Promise<void> {
    expect((await world.read(consumer.client, shared)).status).toBe(200);
  }

  /** Creates an account, and a pod with a WebID that the national issuer vouches for. */
  async function accountHolder(): Promise<AccountHolder & { account: Account; podApi: string }> {
    const name = newName();
    const login = { email: `${name}@example.org`, password: `password of ${name}` };
    const found = await holder(name);
    const account = await logInToAccount(base, login);
    const podApi = (await controlsOf(account)).account.pod;
    return { ...found, account, podApi };
  }

  /** Runs the command as an operator does, while the server serves. */
  async function command(words: string[], input = ''): Promise<CommandAnswer> {
    const { folder, stored } = world.server;
    return operate({ records: stored.place, keys: `${folder}/keys`, pods: `${folder}/pods` }, words, input);
  }

  it('who logs in at the provider is like one created by PUT: only the profile is public.', async(): Promise<void> => {
    const claims = { [numberClaim]: world.newNumber() };
    const { client, webIds: [ webId ] } = await logInToApp(base, provider, claims);
    const pod = new URL('../', webId).href;
    const note = `${pod}note.txt`;
    expect((await send(client, 'PUT', note, 'mine', 'text/plain')).status).toBe(201);
    expect((await fetch(webId)).status).toBe(200);
    for (const url of [ pod, note ]) {
      expect((await client.request('GET', url)).status).toBe(200);
      expect([ (await fetch(url)).status, (await consumer.client.request('GET', url)).status ]).toEqual([ 401, 403 ]);
    }
    const put = await (await national(undefined, claims[numberClaim])).client.request('PUT', webids);
    expect([ put.status, await put.json() ]).toEqual([ 200, { uri: webId }]);
    expect((await logInToApp(base, provider, claims)).webIds).toEqual([ webId ]);
    expect((await client.request('DELETE', webids)).status).toBe(200);
  });

  it('made here keeps its account and pod, whatever the account API is asked.', async(): Promise<void> => {
    const claims = { [numberClaim]: world.newNumber() };
    const { json: { authorization }} = await new LoggingIn(new UserAgent(base), provider, claims).logIn();
    const account = { authorization: `CSS-Account-Token ${String(authorization)}` };
    const index = await onAccount<{ controls: { account: Record<string, string> }}>(account, 'GET', `${base}.account/`);
    const { pod, webId: linking } = index.controls.account;
    const { webIdLinks } = await onAccount<{ webIdLinks: Record<string, string> }>(account, 'GET', linking);
    const { pods } = await onAccount<{ pods: Record<string, string> }>(account, 'GET', pod);
    const [[ webId, link ]] = Object.entries(webIdLinks);
    const [[ podUrl, owners ]] = Object.entries(pods);

    await onAccount(account, 'POST', linking, { webId: `${podUrl}other#me` });
    await onAccount(account, 'POST', owners, { webId: `${podUrl}other#me`, visible: true });
    await expect(onAccount(account, 'POST', owners, { webId, remove: true })).rejects.toThrow('409');
    await expect(onAccount(account, 'DELETE', link)).rejects.toThrow('409');
    expect((await logInToApp(base, provider, claims)).webIds).toContain(webId);
    const { client } = await national(undefined, claims[numberClaim]);
    expect((await client.request('DELETE', webids)).status).toBe(200);
  });

  describe('created here', (): void => {
    let emma: TestCitizen;
    let card: string;
    let before: string;

    beforeAll(async(): Promise<void> => {
      emma = await world.citizen(0);
      card = `${emma.podUrl}profile/card`;
      before = await read();
    });

    /** Returns its public triples, one a line. */
    async function read(): Promise<string> {
      const response = await fetch(card, { headers: { accept: 'application/n-triples' }});
      return (await response.text()).split('\n').sort().join('\n');
    }

    /** Fills in a body: some words stand for what is in the profile, or for what an attacker wants there. */
    function fill(body: string): string {
      return body
        .replaceAll('$without', (): string => before.replace(`${own()}\n`, ''))
        .replaceAll('$before', (): string => before)
        .replaceAll('$added', added)
        .replaceAll('$own', own)
        .replaceAll('$me', (): string => emma.webId)
        .replaceAll('$base', (): string => base)
        .replaceAll('$pod', (): string => emma.podUrl);
    }

    function own(): string {
      return `<${emma.webId}> <${solid}oidcIssuer> <${base}> .`;
    }

    function added(): string {
      return `<${emma.webId}> <${solid}oidcIssuer> <${evil}> .`;
    }

    function storage(url: string): string {
      return `<${emma.webId}> <${pim}storage> <${url}> .`;
    }

    describe('keeps its issuers and storage against', (): void => {
      const evilStorage = `<$me> <${pim}storage> <${evil}>`;
      const jsonLd = 'application/ld+json';
      const n3Patch = `@prefix solid: <${solid}>. <> a solid:InsertDeletePatch`;
      const rdfXml = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:s="${solid}">
        <rdf:Description rdf:about="$me"><s:oidcIssuer rdf:resource="${evil}"/></rdf:Description></rdf:RDF>`;
      const expanded = [{
        '@id': '$me',
        [`${solid}oidcIssuer`]: [{ '@id': evil }, { '@id': '$base' }],
        [`${pim}storage`]: { '@id': '$pod' },
      }];
      const ownWord = {
        '@context': { iss: { '@id': `${solid}oidcIssuer`, '@type': '@id' }},
        '@id': '$me',
        iss: evil,
      };

      it.each([
        [ 'a PATCH that adds an issuer', 'PATCH', sparql, 'INSERT DATA { $added }' ],
        [
          'one that adds it by a condition',
          'PATCH',
          sparql,
          `INSERT { ?me <${solid}oidcIssuer> <${evil}> } WHERE { ?me <${pim}storage> ?any }`,
        ],
        [
          'one whose predicate is found in the document',
          'PATCH',
          sparql,
          `INSERT { ?me ?p <${evil}> } WHERE { ?me ?p <$base> }`,
        ],
        [
          'one in several operations',
          'PATCH',
          sparql,
          'INSERT DATA { <urn:a> <urn:b> <urn:c> }; DELETE DATA { $own }; INSERT DATA { $added }',
        ],
        [ 'one that removes an issuer', 'PATCH', sparql, 'DELETE DATA { $own }' ],
        [
          'one that replaces the storage',
          'PATCH',
          sparql,
          `DELETE DATA { <$me> <${pim}storage> <$pod> }; INSERT DATA { ${evilStorage} }`,
        ],
        [ 'one that adds a storage', 'PATCH', sparql, `INSERT DATA { ${evilStorage} }` ],
        [
          'one about another WebID of the document',
          'PATCH',
          sparql,
          `INSERT DATA { <#other> <${solid}oidcIssuer> <${evil}> }`,
        ],
        [ 'an issuer that is text', 'PATCH', sparql, `INSERT DATA { <$me> <${solid}oidcIssuer> "${evil}" }` ],
        [ 'an N3 patch that adds an issuer', 'PATCH', 'text/n3', `${n3Patch}; solid:inserts { $added }.` ],
        [ 'an N3 patch that removes one', 'PATCH', 'text/n3', `${n3Patch}; solid:deletes { $own }.` ],
        [ 'an empty document', 'PUT', turtle, '' ],
        [ 'Turtle that adds an issuer', 'PUT', turtle, '$before $added' ],
        [
          'Turtle that writes it by escapes',
          'PUT',
          turtle,
          `$before <#me> <http://www.w3.org/ns/solid/terms#oidc\\u0049ssuer> <${evil}> .`,
        ],
        [ 'Turtle that lacks one', 'PUT', turtle, '$without' ],
        [ 'Turtle in capitals', 'PUT', 'Text/Turtle; charset=utf-8', '$before $added' ],
        [ 'N-Triples that add an issuer', 'PUT', 'application/n-triples', '$before $added' ],
        [
          'N-Quads with an issuer in a graph',
          'PUT',
          'application/n-quads',
          `$before <$me> <${solid}oidcIssuer> <${evil}> <urn:graph> .`,
        ],
        [ 'TriG with an issuer in a graph', 'PUT', 'application/trig', '$before <urn:graph> { $added }' ],
        [ 'N3 with an issuer in a formula', 'PUT', 'text/n3', '$before <urn:a> <urn:b> { $added }.' ],
        [ 'JSON-LD that adds an issuer', 'PUT', jsonLd, JSON.stringify(expanded) ],
        [ 'JSON-LD with a word for it', 'PUT', jsonLd, JSON.stringify(ownWord) ],
        [ 'RDF/XML', 'PUT', 'application/rdf+xml', rdfXml ],
        [ 'HTML with RDFa', 'PUT', 'text/html', `<p about="$me"><a rel="${solid}oidcIssuer" href="${evil}">x</a></p>` ],
        [ 'plain text', 'PUT', 'text/plain', '$before' ],
        [ 'an unknown media type', 'PUT', 'application/x-unknown', '$before' ],
        [ 'a DELETE', 'DELETE', turtle, '' ],
      ])('%s: 403, and nothing changes.', async(_, method, type, body): Promise<void> => {
        const answer = await ask(emma.client, method, card, [ type, fill(body) ]);
        expect(answer).toMatchObject({ status: 403, text: expect.stringContaining('WebID') });
        await expect(read()).resolves.toBe(before);
      });

      it('a change of its description.', async(): Promise<void> => {
        for (const body of [ added(), storage(evil) ]) {
          const patch: [ string, string ] = [ sparql, `INSERT DATA { ${body} }` ];
          await expect(ask(emma.client, 'PATCH', `${card}.meta`, patch)).resolves.toMatchObject({ status: 403 });
          const put = await ask(emma.client, 'PUT', `${card}.meta`, [ turtle, body ]);
          expect(put).toMatchObject({ status: 403 });
        }
        expect((await ask(emma.client, 'GET', `${card}.meta`)).text).not.toContain(evil);
      });

      it('alternative spellings of its name.', async(): Promise<void> => {
        const names = [ 'profile/c%61rd', './profile/card', 'profile//card', 'profile/card?x', 'profile/card#me' ];
        for (const name of names) {
          const { status } = await ask(emma.client, 'PUT', `${emma.podUrl}${name}`, [ turtle, added() ]);
          expect([ name, status >= 400 && status < 500 ]).toEqual([ name, true ]);
        }
        await expect(read()).resolves.toBe(before);
      });

      it('removal of its containers, and replacement by a container.', async(): Promise<void> => {
        for (const path of [ 'profile/', '' ]) {
          const { status } = await ask(emma.client, 'DELETE', `${emma.podUrl}${path}`);
          expect([ path, status >= 400 && status < 500 ]).toEqual([ path, true ]);
        }
        for (const path of [ 'profile/card/', 'profile/card/me' ]) {
          const { status } = await ask(emma.client, 'PUT', `${emma.podUrl}${path}`);
          expect([ path, status >= 400 && status < 500 ]).toEqual([ path, true ]);
        }
        await expect(read()).resolves.toBe(before);
      });

      it('an index page, and resources beside it.', async(): Promise<void> => {
        const page: [ string, string ] = [ 'text/html', `<p about="${emma.webId}">${evil}</p>` ];
        expect((await ask(emma.client, 'PUT', `${emma.podUrl}profile/index.html`, page)).status).toBe(201);
        await ask(emma.client, 'POST', `${emma.podUrl}profile/`, [ turtle, added() ], { slug: 'card' });
        await expect(read()).resolves.toBe(before);
        const html = await fetch(card, { headers: { accept: 'text/html' }});
        await expect(html.text()).resolves.not.toContain(evil);
      });

      it('a grantee with write access to the pod.', async(): Promise<void> => {
        await issueGrant(world.server, {
          subject: parseWebId(emma.webId),
          recipient: parseWebId(consumer.webId),
          modes: [ 'Read', 'Write', 'Append' ],
          resources: [ emma.podUrl ],
          inherit: true,
        });
        const insertion = `INSERT DATA { ${added()} }`;
        for (const [ method, body ] of [[ 'PUT', added() ], [ 'PATCH', insertion ], [ 'DELETE', '' ]]) {
          const type = method === 'PATCH' ? sparql : turtle;
          await expect(ask(consumer.client, method, card, [ type, body ])).resolves.toMatchObject({ status: 403 });
        }
        await expect(read()).resolves.toBe(before);
      });

      it('an app or person with write access by its access rules.', async(): Promise<void> => {
        const writer = `acp:allow acl:Write; acp:anyOf [ acp:agent <${consumer.webId}> ]`;
        const rules = `${accessRules(isAcp, card, emma.webId, 'acl:Read')}
          ${isAcp ?
            `<#r> acp:accessControl <#w>. <#w> acp:apply [ ${writer} ].` :
            `<#w> a acl:Authorization; acl:agent <${consumer.webId}>; acl:accessTo <${card}>; acl:mode acl:Write.`}`;
        const place = `${card}${isAcp ? '.acr' : '.acl'}`;
        expect((await ask(emma.client, 'PUT', place, [ turtle, rules ])).status).toBeLessThan(300);
        const harmless: [ string, string ] = [ sparql, 'INSERT DATA { <#me> <urn:by> "consumer" }' ];
        await expect(ask(consumer.client, 'PATCH', card, harmless)).resolves.toMatchObject({ status: 205 });
        const removal: [ string, string ] = [ sparql, 'DELETE DATA { <#me> <urn:by> "consumer" }' ];
        await expect(ask(consumer.client, 'PATCH', card, removal)).resolves.toMatchObject({ status: 205 });
        const attack: [ string, string ] = [ sparql, `INSERT DATA { ${added()} }` ];
        await expect(ask(consumer.client, 'PATCH', card, attack)).resolves.toMatchObject({ status: 403 });
        await expect(ask(consumer.client, 'DELETE', card)).resolves.toMatchObject({ status: 403 });
      });
    });

    describe('takes', (): void => {
      const name = '<http://xmlns.com/foaf/0.1/name>';

      it.each([
        [ 'a SPARQL patch', 'PATCH', sparql, `INSERT DATA { <#me> ${name} "Emma" }` ],
        [
          'an N3 patch',
          'PATCH',
          'text/n3',
          `<> a <${solid}InsertDeletePatch>; <${solid}inserts> { <#me> ${name} "Emma" . }.`,
        ],
        [
          'a patch that puts the same statement back',
          'PATCH',
          sparql,
          `DELETE DATA { $own }; INSERT DATA { $own <#me> ${name} "Emma" }`,
        ],
        [ 'Turtle', 'PUT', turtle, `$before <#me> ${name} "Emma" .` ],
        [ 'N-Triples', 'PUT', 'application/n-triples', `$before\n<$me> ${name} "Emma" .` ],
        [ 'TriG', 'PUT', 'application/trig', `$before <#me> ${name} "Emma" .` ],
        [ 'JSON-LD', 'PUT', 'application/ld+json', '$jsonLd' ],
      ])('other statements by %s.', async(_, method, type, body): Promise<void> => {
        const named = { '@id': emma.webId, [name.slice(1, -1)]: 'Emma' };
        const text = body === '$jsonLd' ? asJsonLd(before, named) : fill(body);
        await expect(ask(emma.client, method, card, [ type, text ])).resolves.toMatchObject({ status: 205 });
        await expect(read()).resolves.toContain('"Emma"');
        const response = await fetch(card);
        expect(response.headers.get('content-type')).toMatch(/^text\/turtle/u);
        expect((await ask(emma.client, 'PUT', card, [ turtle, before ])).status).toBe(205);
        await expect(read()).resolves.toBe(before);
      });

      it('no malformed or far too large document.', async(): Promise<void> => {
        await expect(ask(emma.client, 'PUT', card, [ turtle, '<#me> is' ])).resolves.toMatchObject({ status: 400 });
        const large: [ string, string ] = [ turtle, `${before}#${'x'.repeat(1024 * 1024)}` ];
        await expect(ask(emma.client, 'PUT', card, large)).resolves.toMatchObject({ status: 413 });
        await expect(read()).resolves.toBe(before);
      });
    });

    describe('stays public, whatever', (): void => {
      const suffix = isAcp ? '.acr' : '.acl';

      it('its own access rules would say.', async(): Promise<void> => {
        const place = `${card}${suffix}`;
        const hidden = accessRules(isAcp, card, emma.webId, '');
        const shown = accessRules(isAcp, card, emma.webId, 'acl:Read');
        await expect(ask(emma.client, 'PUT', place, [ turtle, hidden ])).resolves.toMatchObject({ status: 403 });
        await expect(ask(emma.client, 'PUT', place, [ turtle, '' ])).resolves.toMatchObject({ status: 403 });
        await expect(ask(emma.client, 'DELETE', place)).resolves.toMatchObject({ status: 403 });
        expect((await ask(emma.client, 'PUT', place, [ turtle, shown ])).status).toBeLessThan(300);
        const triples = new Parser({ baseIRI: place }).parse(shown).filter(({ object }): boolean =>
          [ 'http://xmlns.com/foaf/0.1/Agent', 'http://www.w3.org/ns/solid/acp#PublicAgent' ].includes(object.value));
        expect(triples).toHaveLength(1);
        const [{ object }] = triples;
        const nobody = `DELETE { ?a ?b <${object.value}> } WHERE { ?a ?b <${object.value}> }`;
        const patch: [ string, string ] = [ sparql, nobody ];
        await expect(ask(emma.client, 'PATCH', place, patch)).resolves.toMatchObject({ status: 403 });
        await expect(read()).resolves.toBe(before);
      });

      it('the rules of its containers would say.', async(): Promise<void> => {
        const refused = isAcp ? 403 : 2;
        for (const path of [ '', 'profile/' ]) {
          const place = `${emma.podUrl}${path}${suffix}`;
          const rules = isAcp ?
            `${accessRules(isAcp, `${emma.podUrl}${path}`, emma.webId, '')}
            <#r> acp:memberAccessControl <#d>.
            <#d> acp:apply [ acp:deny acl:Read; acp:anyOf [ acp:agent acp:PublicAgent ] ].` :
              accessRules(isAcp, `${emma.podUrl}${path}`, emma.webId, '');
          const { status } = await ask(emma.client, 'PUT', place, [ turtle, rules ]);
          expect([ path, isAcp ? status : Math.floor(status / 100) ]).toEqual([ path, refused ]);
          await expect(read()).resolves.toBe(before);
        }
      });
    });

    it('is restored by PUT, which changes nothing else and does not report it.', async(): Promise<void> => {
      const url = `${base}v1/webids`;
      await expect(ask(emma.client, 'PUT', url)).resolves.toMatchObject({ status: 200 });
      await expect(read()).resolves.toBe(before);
      if (isOnPostgres) {
        return;
      }
      // Damage that was done before profiles were guarded.
      const damaged = new Writer({ format: 'N-Triples' });
      damaged.addQuads(new Parser().parse(`${before.replace(`${own()}\n`, '')}\n${added()}\n${storage(evil)}`));
      damaged.addQuad(DataFactory.namedNode(emma.webId), DataFactory.namedNode('urn:is'), DataFactory.literal('kept'));
      const text = await new Promise<string>((resolve): void => {
        damaged.end((_error, result: string): void => resolve(result));
      });
      const file = `${emma.podId}/profile/card$.ttl`;
      await world.server.stored.plant(base, file, text);
      await world.server.stored.plant(base, `${emma.podId}/profile/card.${isAcp ? 'acr' : 'acl'}`, '');
      expect((await fetch(card)).status).toBe(401);
      await expect(ask(emma.client, 'PUT', url)).resolves.toMatchObject({ status: 200 });
      const after = await read();
      expect(after).toContain('"kept"');
      expect(after.split('\n').filter((line): boolean => !line.includes('"kept"')).join('\n')).toBe(before);
    });
  });

  describe('that existed before', (): void => {
    it('and has a pod here is linked: data goes there, the whole interface works on it.', async(): Promise<void> => {
      const alice = await holder();
      const citizen = await link(alice.webId, 200);
      expect(citizen.podUrl).toBe(alice.podUrl);
      await expectLinked(await citizen.client.request('PUT', webids), 200, alice.webId);
      await expectLinked(await citizen.client.request('GET', webids), 200, alice.webId);

      const [ shared ] = await world.shareAll(citizen);
      expect(shared.podResource.startsWith(alice.podUrl)).toBe(true);
      await expectReadable(shared);
      await expectPrivate(shared);
      expect((await send(alice.client, 'GET', shared.podResource)).status).toBe(200);
      const listing = `${base}v1/pods/${citizen.podId}/resources`;
      const { podId, resources } = await json<{ podId: string; resources: { uri: string; id: string }[] }>(
        await citizen.client.request('GET', listing),
      );
      expect([ podId, resources.map(({ uri }): string => uri) ]).toEqual([ citizen.podId, [ shared.podResource ]]);
      expect((await consumer.client.request('GET', `${listing}/${resources[0].id}`)).status).toBe(200);
      expect((await consumer.client.request('GET', `${listing}/${resources[0].id}?verified=true`)).status).toBe(200);
      const revoked = await citizen.client.request('DELETE', revocationUrl(base, shared));
      await expect(json(revoked)).resolves.toMatchObject({ status: 'REVOKED' });
      await expectProblem(await world.read(consumer.client, shared), 403, 'grant-revoked');
    });

    it('is unlinked: earlier contents stay, and it can be linked again.', async(): Promise<void> => {
      const alice = await holder();
      const own = `${alice.podUrl}notes/own.txt`;
      await send(alice.client, 'PUT', own, 'mine', 'text/plain');
      const profile = await (await fetch(alice.webId)).text();
      const citizen = await link(alice.webId, 200);
      const [ shared ] = await world.shareAll(citizen);
      const copy = { resource: shared.podResource, accessGrant: shared.accessGrant };
      expect((await consumer.client.request('POST', `${base}v1/data-copies`, { body: copy })).status).toBe(201);

      await expect(json(await citizen.client.request('DELETE', webids))).resolves.toEqual({ uri: alice.webId });
      await expectProblem(await world.read(consumer.client, shared), 403, 'grant-revoked');
      expect((await send(alice.client, 'GET', shared.podResource)).status).toBe(404);
      expect((await send(alice.client, 'GET', new URL('..', new URL('.', shared.podResource)).href)).status).toBe(404);
      const { dataCopies } = await json<{ dataCopies: { resource: string; status: string }[] }>(
        await consumer.client.request('GET', `${base}v1/data-copies?limit=200`),
      );
      expect(dataCopies.find(({ resource }): boolean => resource === shared.podResource))
        .toMatchObject({ status: 'DELETION_DUE', deletionReason: 'GRANT_REVOKED' });
      await expectProblem(await citizen.client.request('GET', webids), 404, 'webid-not-found');
      await expectProblem(await citizen.client.request('DELETE', webids), 404, 'webid-not-found');
      await expect((await send(alice.client, 'GET', own)).text()).resolves.toBe('mine');
      await expect((await fetch(alice.webId)).text()).resolves.toBe(profile);
      expect((await alice.client.request('GET', `${base}v1/data-copies`)).status).toBe(200);

      const again = await link(alice.webId, 200);
      const [ sharedAgain ] = await world.shareAll(again);
      await expectReadable(sharedAgain);
      expect((await again.client.request('DELETE', webids)).status).toBe(200);
    });

    it('elsewhere gets a pod here, which is removed with the link.', async(): Promise<void> => {
      const webId = world.issuer.profile(newName());
      const citizen = await link(webId, 201);
      await expectLinked(await citizen.client.request('PUT', webids), 200, webId);
      const { client: byNumber } = await national(undefined, citizen.nationalNumber);
      await expectLinked(await byNumber.request('GET', webids), 200, webId);
      const [ shared ] = await world.shareAll(citizen);
      await expectReadable(shared);
      await expectPrivate(shared);
      expect((await send(citizen.client, 'GET', shared.podResource)).status).toBe(200);
      expect((await send(citizen.client, 'PUT', `${citizen.podUrl}mine`, 'x')).status).toBeLessThan(400);
      expect((await fetch(`${citizen.podUrl}profile/card`)).status).toBe(401);

      expect((await citizen.client.request('DELETE', webids)).status).toBe(200);
      expect((await send(citizen.client, 'GET', shared.podResource)).status).toBe(404);
      expect((await send(citizen.client, 'PUT', `${citizen.podUrl}mine`, 'x')).status).toBe(404);
      const again = await link(webId, 201);
      expect(again.podUrl).not.toBe(citizen.podUrl);
    });

    it('is linked once, however many calls run at once.', async(): Promise<void> => {
      const webId = world.issuer.profile(newName());
      const number = world.newNumber();
      const callers = await Promise.all(Array.from({ length: 50 }, async(): Promise<TestCitizen> =>
        national(webId, number)));
      const answers = await Promise.all(callers.map(async({ client }): Promise<Response> =>
        client.request('PUT', webids)));
      expect(answers.map(({ status }): number => status).sort((one, other): number => other - one))
        .toEqual([ 201, ...Array.from({ length: 49 }, (): number => 200) ]);
      const places = new Set(answers.map(({ headers }): string | null => headers.get('link')));
      expect(places.size).toBe(1);
    });

    it('and one created at the same time end up as one WebID.', async(): Promise<void> => {
      for (let round = 0; round < 5; round += 1) {
        const webId = world.issuer.profile(newName());
        const number = world.newNumber();
        const [ withIt, without ] = await Promise.all([ national(webId, number), national(undefined, number) ]);
        const [ linked, made ] = await Promise.all([ withIt, without ].map(async({ client }): Promise<Response> =>
          client.request('PUT', webids)));
        const { uri } = await json<{ uri: string }>(made);
        expect(linked.status).toBe(uri === webId ? linked.status : 403);
        await expect(json(await without.client.request('GET', webids))).resolves.toEqual({ uri });
      }
    });

    describe('is not linked', (): void => {
      it('if it is recorded for somebody else, or the number with another WebID.', async(): Promise<void> => {
        const webId = world.issuer.profile(newName());
        const first = await link(webId, 201);
        const made = await world.citizen();
        const other = world.issuer.profile(newName());
        const refused = await Promise.all([
          national(webId),
          national(other, first.nationalNumber),
          national(other, made.nationalNumber),
          national(made.webId),
        ]);
        for (const { client } of refused) {
          await expectProblem(await client.request('PUT', webids), 403, 'identity-mismatch');
        }
        await expectProblem(await (await national(other)).client.request('GET', webids), 404, 'webid-not-found');
      });

      it('for an issuer that is not national, or that the profile does not list.', async(): Promise<void> => {
        const alice = await accountWithPod(base, newName());
        await expectProblem(await (await national(alice.webId)).client.request('PUT', webids), 401, 'token-invalid');
        const elsewhere = world.issuer.profile(newName(), [ 'https://elsewhere.example/' ]);
        await expectProblem(await (await national(elsewhere)).client.request('PUT', webids), 401, 'token-invalid');
        await listIssuer(alice);
        expect((await (await national(alice.webId)).client.request('PUT', webids)).status).toBe(200);
      });
    });

    describe('with other owners or pods', (): void => {
      it('receives no data while its pod has another owner.', async(): Promise<void> => {
        const alice = await accountHolder();
        const { webId: other } = await onAccount<{ webId: string }>(
          alice.account,
          'POST',
          alice.podApi,
          { name: newName() },
        );
        const { pods } = await onAccount<{ pods: Record<string, string> }>(alice.account, 'GET', alice.podApi);
        const owners = pods[alice.podUrl];
        await onAccount(alice.account, 'POST', owners, { webId: other, visible: false });
        const number = world.newNumber();
        const citizen = await national(alice.webId, number);
        await expectProblem(await citizen.client.request('PUT', webids), 403, 'identity-ambiguous');
        await expectProblem(await citizen.client.request('GET', webids), 404, 'webid-not-found');
        await onAccount(alice.account, 'POST', owners, { webId: other, remove: true });
        const linked = await link(alice.webId, 200, number);
        const values = (await world.list(linked)).map(({ id }): string => id);

        await onAccount(alice.account, 'POST', owners, { webId: other, visible: false });
        const removal = { webId: alice.webId, remove: true };
        await expect(onAccount(alice.account, 'POST', owners, removal)).rejects.toThrow('409');
        const refused = await linked.client.request('POST', world.dataUrl('usual'), { body: { dataValues: values }});
        await expectProblem(refused, 403, 'access-forbidden');
        const listing = `${base}v1/pods/${linked.podId}/resources`;
        await expect(json(await linked.client.request('GET', listing))).resolves.toMatchObject({ resources: []});
        await onAccount(alice.account, 'POST', owners, { webId: other, remove: true });
        const [ shared ] = await world.shareAll(linked);
        await expectReadable(shared);
      });

      it('receives data in the pod of its document, if there are several.', async(): Promise<void> => {
        const alice = await accountHolder();
        const settings = { webId: alice.webId };
        const second = { name: newName(), settings };
        const { pod } = await onAccount<{ pod: string }>(alice.account, 'POST', alice.podApi, second);
        const linked = await link(alice.webId, 200);
        expect([ linked.podUrl, linked.podUrl === pod ]).toEqual([ alice.podUrl, false ]);
        const [ shared ] = await world.shareAll(linked);
        expect(shared.podResource.startsWith(alice.podUrl)).toBe(true);
        await expectReadable(shared);
      });

      it('from elsewhere, with pods in an account here: one receives data, two are ambiguous.', async():
      Promise<void> => {
        const name = newName();
        const account = await createAccount(base, { email: `${name}@example.org`, password: `password of ${name}` });
        const { account: { pod: podApi, webId: linkApi }} = await controlsOf(account);
        const webId = world.issuer.profile(name);
        const { authorization } = account;
        const asked = await fetch(linkApi, {
          method: 'POST',
          headers: { accept: 'application/json', 'content-type': 'application/json', authorization },
          body: JSON.stringify({ webId }),
        });
        const [ statement ] = /<[^>]+> <[^>]+oidcIssuerRegistrationToken> "[^"]+"/u.exec(
          ((await asked.json()) as { details: { quad: string }}).details.quad,
        )!;
        world.issuer.serve(`/${name}`, turtle, `${statement}.\n<${webId}> <${solid}oidcIssuer> <${world.issuer.issuer}>,
          <${base}>.`);
        await onAccount(account, 'POST', linkApi, { webId });
        const first = { name: newName(), settings: { webId }};
        const { pod } = await onAccount<{ pod: string }>(account, 'POST', podApi, first);
        const linked = await link(webId, 200);
        expect(linked.podUrl).toBe(pod);
        const [ shared ] = await world.shareAll(linked);
        await expectReadable(shared);
        await expectPrivate(shared);
        expect((await linked.client.request('DELETE', webids)).status).toBe(200);
        expect((await send(linked.client, 'GET', pod)).status).toBe(200);

        await onAccount(account, 'POST', podApi, { name: newName(), settings: { webId }});
        const refused = await (await national(webId)).client.request('PUT', webids);
        await expectProblem(refused, 403, 'identity-ambiguous');
      });
    });

    it('is linked to one of two numbers that claim it at once.', async(): Promise<void> => {
      const alice = await holder();
      const rivals = await Promise.all([ 1, 2, 3, 4 ].map(async(): Promise<TestCitizen> => national(alice.webId)));
      const answers = await Promise.all(rivals.map(async({ client }): Promise<Response> =>
        client.request('PUT', webids)));
      const statuses = answers.map(({ status }): number => status);
      expect([ ...statuses ].sort((one, other): number => one - other)).toEqual([ 200, 403, 403, 403 ]);
      const winner = rivals[statuses.indexOf(200)];
      const gone = await Promise.all([ 1, 2, 3 ].map(async(): Promise<Response> =>
        winner.client.request('DELETE', webids)));
      expect(gone.map(({ status }): number => status).filter((status): boolean => ![ 200, 404 ].includes(status)))
        .toEqual([]);
      expect((await rivals.find((one): boolean => one !== winner)!.client.request('PUT', webids)).status).toBe(200);
    });

    it('stays intact through simultaneous links, shares and removals.', async(): Promise<void> => {
      const alice = await holder();
      const kept = await (await fetch(alice.webId)).text();
      const citizen = await link(alice.webId, 200);
      const calls = Array.from({ length: 12 }, async(_, index): Promise<number> => {
        const [ method, url ] = [[ 'PUT', webids ], [ 'DELETE', webids ], [ 'GET', world.dataUrl('usual') ]][index % 3];
        return (await citizen.client.request(method, url)).status;
      });
      expect((await Promise.all(calls)).filter((status): boolean => ![ 200, 403, 404, 503 ].includes(status)))
        .toEqual([]);
      await link(alice.webId, 200, citizen.nationalNumber);
      expect((await citizen.client.request('DELETE', webids)).status).toBe(200);
      await expect((await fetch(alice.webId)).text()).resolves.toBe(kept);
      const { text } = await ask(alice.client, 'GET', alice.podUrl);
      expect(text).not.toContain('credentials');
    });

    describe('is known to the operator by the name of its pod:', (): void => {
      it('listed, exported, given another number, and unlinked.', async(): Promise<void> => {
        const alice = await holder();
        const own = `${alice.podUrl}notes/own.txt`;
        await send(alice.client, 'PUT', own, 'mine', 'text/plain');
        const citizen = await link(alice.webId, 200);
        const [ shared ] = await world.shareAll(citizen);
        const { podId } = citizen;
        const listed = (await command([ 'citizens', 'list' ])).lines();
        const row = { podId, webId: alice.webId, brought: 'POD', citizen: expect.any(String), state: 'ACTIVE' };
        expect(listed).toContainEqual({ ...row, created: expect.any(String) });

        const items = (await command([ 'citizens', 'export', '--pod', podId ])).lines();
        expect(items[0]).toMatchObject({ kind: 'citizen', podId, podUrl: alice.podUrl, brought: 'POD' });
        const paths = items.filter(({ kind }): boolean => kind === 'file').map(({ path }): string => String(path));
        for (const name of [ 'notes/own.txt', shared.podResource.slice(alice.podUrl.length) ]) {
          expect([ name, paths.some((path): boolean => path.startsWith(name)) ]).toEqual([ name, true ]);
        }
        const kinds = items.map(({ kind }): unknown => kind);
        expect([ 'share', 'grant' ].map((kind): number => kinds.filter((one): boolean => one === kind).length))
          .toEqual([ 1, 1 ]);
        expect(items).toContainEqual(expect.objectContaining({ kind: 'audit', type: 'webid.linked' }));

        const number = world.newNumber();
        await expect(command([ 'citizens', 'relink', '--pod', podId ], number)).resolves
          .toMatchObject({ code: 0, output: `The citizen of the pod ${podId} is linked to the new number.\n` });
        const renewed = await national(alice.webId, number);
        await expectLinked(await renewed.client.request('PUT', webids), 200, alice.webId);
        await expectProblem(await citizen.client.request('PUT', webids), 403, 'identity-mismatch');
        await expectReadable(shared);

        await expect(command([ 'citizens', 'erase', '--pod', podId, '--yes' ])).resolves.toMatchObject({ code: 0 });
        await expectProblem(await world.read(consumer.client, shared), 403, 'grant-revoked');
        expect((await send(alice.client, 'GET', shared.podResource)).status).toBe(404);
        await expect((await send(alice.client, 'GET', own)).text()).resolves.toBe('mine');
        await expect(command([ 'citizens', 'export', '--pod', podId ])).resolves.toMatchObject({ code: 1 });
        await link(alice.webId, 200, number);
      });
    });

    it('is private, whatever the rules of the pod say.', async(): Promise<void> => {
      const alice = await holder();
      const rules = accessRules(isAcp, alice.podUrl, alice.webId, 'acl:Read, acl:Append, acl:Write');
      const document = `${alice.podUrl}${isAcp ? '.acr' : '.acl'}`;
      expect((await send(alice.client, 'PUT', document, rules)).status).toBeLessThan(300);
      await send(alice.client, 'PUT', `${alice.podUrl}open`, 'x', 'text/plain');
      expect((await fetch(`${alice.podUrl}open`)).status).toBe(200);
      const citizen = await link(alice.webId, 200);
      const [ shared ] = await world.shareAll(citizen);
      await expectPrivate(shared);
      await expectReadable(shared);
      expect((await send(alice.client, 'GET', shared.podResource)).status).toBe(200);
      const headers = { 'content-type': turtle };
      const overwritten = await fetch(shared.podResource, { method: 'PUT', headers, body: '' });
      expect(overwritten.status).toBe(401);
    });
  });
});

async function ask(
  client: Client,
  method: string,
  url: string,
  [ type, body ]: [ string, string ] = [ turtle, '' ],
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string }> {
  const hasBody = ![ 'DELETE', 'GET' ].includes(method);
  const response = await client.request(method, url, hasBody ?
      { headers: { ...headers, 'content-type': type }, body } :
      { headers });
  return { status: response.status, text: await response.text() };
}

/** Returns a profile as JSON-LD, with additions. */
function asJsonLd(profile: string, more: object): string {
  const nodes = new Parser().parse(profile).map(({ subject, predicate, object }): object => ({
    '@id': subject.value,
    ...predicate.value.endsWith('#type') ?
        { '@type': object.value } :
        { [predicate.value]: { '@id': object.value }},
  }));
  return JSON.stringify([ ...nodes, more ]);
}

async function send(
  client: Client,
  method: string,
  url: string,
  body?: string,
  type = turtle,
): Promise<Response> {
  return fetch(url, { method, headers: { 'content-type': type, ...await client.authentication(method, url) }, body });
}

/** Expects that a WebID is the citizen's. Returns the URL of the pod. */
async function expectLinked(response: Response, status: number, webId: string): Promise<string> {
  expect([ response.status, await response.json() ]).toEqual([ status, { uri: webId }]);
  const [ , podUrl, rel ] = /^<([^>]+)>; rel="([^"]+)"$/u.exec(response.headers.get('link') ?? '') ?? [];
  expect(rel).toBe(`${pim}storage`);
  return podUrl;
}

async function controlsOf({ index, authorization }: Account): Promise<{ account: Record<string, string> }> {
  type Controls = Awaited<ReturnType<typeof controlsOf>>;
  return (await onAccount<{ controls: Controls }>({ authorization }, 'GET', index)).controls;
}

/** Sends a request to the account interface that must succeed. */
async function onAccount<T>(
  { authorization }: Pick<Account, 'authorization'>,
  method: string,
  url: string,
  body?: object,
): Promise<T> {
  const type = body && { 'content-type': 'application/json' };
  const headers = { accept: 'application/json', authorization, ...type };
  return json(await fetch(url, { method, headers, body: body && JSON.stringify(body) }));
}
