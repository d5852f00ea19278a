import { DataFactory, Parser, Writer } from 'n3';
import { accessRules } from '../support/accessRules';
import { issueGrant } from '../support/issueGrant';
import type { CitizenWithPod } from '../support/sharing';
import { citizenWithPod } from '../support/sharing';
import { isOnPostgres } from '../support/storage';
import type { AccountHolder, Client, World } from '../support/world';
import { accountWithPod, startWorld } from '../support/world';

const solid = 'http://www.w3.org/ns/solid/terms#';
const pim = 'http://www.w3.org/ns/pim/space#';
const evil = 'https://evil.example/';
const sparql = 'application/sparql-update';
const turtle = 'text/turtle';

/** DESIGN.md, section 4: the profile that we made stays true. */
describe.each([
  [ 'file.json', false ],
  [ 'file-acp.json', true ],
])('With %s, the profile of a citizen', (config, isAcp): void => {
  let world: World;
  let base: string;
  let emma: CitizenWithPod;
  let consumer: AccountHolder;
  let card: string;
  let before: string;

  beforeAll(async(): Promise<void> => {
    world = await startWorld({ config });
    ({ base } = world);
    emma = await citizenWithPod(world, 'emma');
    consumer = await accountWithPod(base, 'consumer', 'Bearer');
    card = `${emma.podUrl}profile/card`;
    before = await read();
  });

  afterAll(async(): Promise<void> => world.stop());

  /** What everybody reads in it, a line for each triple. */
  async function read(): Promise<string> {
    const response = await fetch(card, { headers: { accept: 'application/n-triples' }});
    return (await response.text()).split('\n').sort().join('\n');
  }

  /** A body in which some words stand for what is in the profile, or for what an attacker would have there. */
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
      [ 'a type of its own', 'PUT', 'application/x-unknown', '$before' ],
      [ 'a DELETE', 'DELETE', turtle, '' ],
    ])('%s: 403, and nothing changes.', async(_, method, type, body): Promise<void> => {
      const answer = await send(emma.client, method, card, [ type, fill(body) ]);
      expect(answer).toMatchObject({ status: 403, text: expect.stringContaining('WebID') });
      await expect(read()).resolves.toBe(before);
    });

    it('what its description says.', async(): Promise<void> => {
      for (const body of [ added(), storage(evil) ]) {
        const patch: [ string, string ] = [ sparql, `INSERT DATA { ${body} }` ];
        await expect(send(emma.client, 'PATCH', `${card}.meta`, patch)).resolves.toMatchObject({ status: 403 });
      }
      expect((await send(emma.client, 'GET', `${card}.meta`)).text).not.toContain(evil);
    });

    it('other spellings of its name.', async(): Promise<void> => {
      for (const name of [ 'profile/c%61rd', './profile/card', 'profile//card', 'profile/card?x', 'profile/card#me' ]) {
        const { status } = await send(emma.client, 'PUT', `${emma.podUrl}${name}`, [ turtle, added() ]);
        expect([ name, status >= 400 && status < 500 ]).toEqual([ name, true ]);
      }
      await expect(read()).resolves.toBe(before);
    });

    it('the removal of what it is in, and what would stand in its place.', async(): Promise<void> => {
      for (const path of [ 'profile/', '' ]) {
        const { status } = await send(emma.client, 'DELETE', `${emma.podUrl}${path}`);
        expect([ path, status >= 400 && status < 500 ]).toEqual([ path, true ]);
      }
      for (const path of [ 'profile/card/', 'profile/card/me' ]) {
        const { status } = await send(emma.client, 'PUT', `${emma.podUrl}${path}`);
        expect([ path, status >= 400 && status < 500 ]).toEqual([ path, true ]);
      }
      await expect(read()).resolves.toBe(before);
    });

    it('an index page, and resources beside it.', async(): Promise<void> => {
      const page: [ string, string ] = [ 'text/html', `<p about="${emma.webId}">${evil}</p>` ];
      expect((await send(emma.client, 'PUT', `${emma.podUrl}profile/index.html`, page)).status).toBe(201);
      await send(emma.client, 'POST', `${emma.podUrl}profile/`, [ turtle, added() ], { slug: 'card' });
      await expect(read()).resolves.toBe(before);
      const html = await fetch(card, { headers: { accept: 'text/html' }});
      await expect(html.text()).resolves.not.toContain(evil);
    });

    it('a grantee who may write the pod.', async(): Promise<void> => {
      await issueGrant(world.server, {
        subject: emma.webId,
        recipient: consumer.webId,
        modes: [ 'Read', 'Write', 'Append' ],
        resources: [ emma.podUrl ],
        inherit: true,
      });
      const insertion = `INSERT DATA { ${added()} }`;
      for (const [ method, body ] of [[ 'PUT', added() ], [ 'PATCH', insertion ], [ 'DELETE', '' ]]) {
        const type = method === 'PATCH' ? sparql : turtle;
        await expect(send(consumer.client, method, card, [ type, body ])).resolves.toMatchObject({ status: 403 });
      }
      await expect(read()).resolves.toBe(before);
    });

    it('an app or person whom its access rules let write.', async(): Promise<void> => {
      const writer = `acp:allow acl:Write; acp:anyOf [ acp:agent <${consumer.webId}> ]`;
      const rules = `${accessRules(isAcp, card, emma.webId, 'acl:Read')}
        ${isAcp ?
          `<#r> acp:accessControl <#w>. <#w> acp:apply [ ${writer} ].` :
          `<#w> a acl:Authorization; acl:agent <${consumer.webId}>; acl:accessTo <${card}>; acl:mode acl:Write.`}`;
      const place = `${card}${isAcp ? '.acr' : '.acl'}`;
      expect((await send(emma.client, 'PUT', place, [ turtle, rules ])).status).toBeLessThan(300);
      const harmless: [ string, string ] = [ sparql, 'INSERT DATA { <#me> <urn:by> "consumer" }' ];
      await expect(send(consumer.client, 'PATCH', card, harmless)).resolves.toMatchObject({ status: 205 });
      const removal: [ string, string ] = [ sparql, 'DELETE DATA { <#me> <urn:by> "consumer" }' ];
      await expect(send(consumer.client, 'PATCH', card, removal)).resolves.toMatchObject({ status: 205 });
      const attack: [ string, string ] = [ sparql, `INSERT DATA { ${added()} }` ];
      await expect(send(consumer.client, 'PATCH', card, attack)).resolves.toMatchObject({ status: 403 });
      await expect(send(consumer.client, 'DELETE', card)).resolves.toMatchObject({ status: 403 });
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
      await expect(send(emma.client, method, card, [ type, text ])).resolves.toMatchObject({ status: 205 });
      await expect(read()).resolves.toContain('"Emma"');
      const response = await fetch(card);
      expect(response.headers.get('content-type')).toMatch(/^text\/turtle/u);
      expect((await send(emma.client, 'PUT', card, [ turtle, before ])).status).toBe(205);
      await expect(read()).resolves.toBe(before);
    });

    it('no document that is malformed, or far too large.', async(): Promise<void> => {
      await expect(send(emma.client, 'PUT', card, [ turtle, '<#me> is' ])).resolves.toMatchObject({ status: 400 });
      const large: [ string, string ] = [ turtle, `${before}#${'x'.repeat(1024 * 1024)}` ];
      await expect(send(emma.client, 'PUT', card, large)).resolves.toMatchObject({ status: 413 });
      await expect(read()).resolves.toBe(before);
    });
  });

  describe('stays public, whatever', (): void => {
    const suffix = isAcp ? '.acr' : '.acl';

    it('its own access rules would say.', async(): Promise<void> => {
      const place = `${card}${suffix}`;
      const hidden = accessRules(isAcp, card, emma.webId, '');
      const shown = accessRules(isAcp, card, emma.webId, 'acl:Read');
      await expect(send(emma.client, 'PUT', place, [ turtle, hidden ])).resolves.toMatchObject({ status: 403 });
      await expect(send(emma.client, 'PUT', place, [ turtle, '' ])).resolves.toMatchObject({ status: 403 });
      await expect(send(emma.client, 'DELETE', place)).resolves.toMatchObject({ status: 403 });
      expect((await send(emma.client, 'PUT', place, [ turtle, shown ])).status).toBeLessThan(300);
      const triples = new Parser({ baseIRI: place }).parse(shown).filter(({ object }): boolean =>
        [ 'http://xmlns.com/foaf/0.1/Agent', 'http://www.w3.org/ns/solid/acp#PublicAgent' ].includes(object.value));
      expect(triples).toHaveLength(1);
      const [{ object }] = triples;
      const nobody = `DELETE { ?a ?b <${object.value}> } WHERE { ?a ?b <${object.value}> }`;
      const patch: [ string, string ] = [ sparql, nobody ];
      await expect(send(emma.client, 'PATCH', place, patch)).resolves.toMatchObject({ status: 403 });
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
        const { status } = await send(emma.client, 'PUT', place, [ turtle, rules ]);
        expect([ path, isAcp ? status : Math.floor(status / 100) ]).toEqual([ path, refused ]);
        await expect(read()).resolves.toBe(before);
      }
    });
  });

  it('is put right by PUT, which says nothing of it and leaves all else.', async(): Promise<void> => {
    const url = `${base}v1/webids`;
    await expect(send(emma.client, 'PUT', url)).resolves.toMatchObject({ status: 200 });
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
    await expect(send(emma.client, 'PUT', url)).resolves.toMatchObject({ status: 200 });
    const after = await read();
    expect(after).toContain('"kept"');
    expect(after.split('\n').filter((line): boolean => !line.includes('"kept"')).join('\n')).toBe(before);
  });
});

async function send(
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

/** A profile as JSON-LD, with something more. */
function asJsonLd(profile: string, more: object): string {
  const nodes = new Parser().parse(profile).map(({ subject, predicate, object }): object => ({
    '@id': subject.value,
    ...predicate.value.endsWith('#type') ?
        { '@type': object.value } :
        { [predicate.value]: { '@id': object.value }},
  }));
  return JSON.stringify([ ...nodes, more ]);
}
