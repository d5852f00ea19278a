import { Parser } from 'n3';
import {
  AccessMode,
  AcpReader,
  BasicRepresentation,
  ComposedAuxiliaryStrategy,
  guardedStreamFrom,
  IdentifierSetMultiMap,
  INTERNAL_QUADS,
  NotFoundHttpError,
  SingleRootIdentifierStrategy,
  SuffixAuxiliaryIdentifierStrategy,
} from '@solid/community-server';
import type { Credentials, PermissionSet, ResourceIdentifier, ResourceStore } from '@solid/community-server';
import { BoundedAcpReader } from '../../../../src/server/access/BoundedAcpReader';
import { sharedRules } from '../../../support/accessRules';
import { fc } from '../../../support/properties';

const base = 'http://localhost:3000/';
const document = `${base}c/d`;
const acp = 'http://www.w3.org/ns/solid/acp#';
const acl = 'http://www.w3.org/ns/auth/acl#';
const alice = 'https://alice.example/#me';

/** Access control resources in Turtle, by path. */
type Rules = Record<string, string>;

async function decide(Reader: typeof AcpReader, rules: Rules, credentials: Credentials): Promise<PermissionSet[]> {
  const store = {
    async getRepresentation(identifier: ResourceIdentifier): Promise<BasicRepresentation> {
      const text = rules[identifier.path];
      if (text === undefined) {
        throw new NotFoundHttpError();
      }
      const quads = new Parser({ baseIRI: identifier.path }).parse(text);
      return new BasicRepresentation(guardedStreamFrom(quads), identifier, INTERNAL_QUADS, false);
    },
  } as unknown as ResourceStore;
  const reader = new Reader(
    new ComposedAuxiliaryStrategy(new SuffixAuxiliaryIdentifierStrategy('.acr')),
    store,
    new SingleRootIdentifierStrategy(base),
  );
  const requestedModes = new IdentifierSetMultiMap<AccessMode>([
    [{ path: document }, AccessMode.read ],
    [{ path: `${base}c/` }, AccessMode.read ],
  ]);
  return [ ...(await reader.handle({ credentials, requestedModes })).values() ];
}

/** Checks whether a policy lets somebody read the document. */
async function reads(policy: string, credentials: Credentials): Promise<boolean> {
  const text = `@prefix acp: <${acp}>. @prefix acl: <${acl}>.
    [] acp:resource <${document}>; acp:accessControl [ acp:apply ${policy} ].`;
  return (await decide(BoundedAcpReader, { [`${document}.acr`]: text }, credentials))[0].read === true;
}

describe('A bounded reader of ACP', (): void => {
  const nodes = [ 'a', 'b', 'c' ].map((name): string => `<#${name}>`);
  const statement = fc.oneof(
    fc.tuple(fc.constantFrom(...nodes), fc.constant('resource'), fc.constantFrom(
      `<${document}>`,
      `<${base}c/>`,
      `<${base}>`,
      `"${document}"`,
    )),
    fc.tuple(
      fc.constantFrom(...nodes),
      fc.constantFrom('accessControl', 'memberAccessControl', 'apply', 'allOf', 'anyOf', 'noneOf'),
      fc.constantFrom(...nodes),
    ),
    fc.tuple(
      fc.constantFrom(...nodes),
      fc.constantFrom('allow', 'deny'),
      fc.constantFrom('Read', 'Append', 'Write', 'Control').map((mode): string => `<${acl}${mode}>`),
    ),
    fc.tuple(
      fc.constantFrom(...nodes),
      fc.constantFrom('agent', 'client'),
      fc.constantFrom(`<${alice}>`, `<${acp}PublicAgent>`, `<${acp}AuthenticatedAgent>`),
    ),
  ).map(([ subject, predicate, object ]): string => `${subject} <${acp}${predicate}> ${object} .`);
  const allowing = [
    `<#a> <${acp}resource> <${base}c/> .`,
    `<#a> <${acp}accessControl> <#b> .`,
    `<#a> <${acp}memberAccessControl> <#b> .`,
    `<#b> <${acp}apply> <#c> .`,
    `<#c> <${acp}allow> <${acl}Read>, <${acl}Write> .`,
    `<#c> <${acp}anyOf> <#a> .`,
    `<#a> <${acp}agent> <${alice}> .`,
  ];
  const text = fc.tuple(fc.subarray(allowing, { minLength: 5 }), fc.array(statement, { maxLength: 12 }))
    .map((parts): string => parts.flat().join('\n'));
  const rules = fc.record({ [`${document}.acr`]: text, [`${base}c/.acr`]: text });

  it('decides as the reader of the server does.', async(): Promise<void> => {
    let allowed = 0;
    await fc.assert(fc.asyncProperty(rules, fc.boolean(), async(texts, isKnown): Promise<void> => {
      const credentials = isKnown ? { agent: { webId: alice }} : {};
      const decided = await decide(BoundedAcpReader, texts, credentials);
      expect(decided).toEqual(await decide(AcpReader, texts, credentials));
      allowed += decided.filter((set): boolean => set.read === true).length;
    }), { numRuns: 500 });
    expect(allowed).toBeGreaterThan(50);
  });

  describe('knows the public issuer', (): void => {
    const everybody = { agent: { webId: alice }, issuer: { url: 'https://idp.example/' }};

    it.each([
      [ 'alone', '[ acp:issuer acp:PublicIssuer ]', [ true, true ]],
      [ 'among others', '[ acp:issuer <https://other.example/>, acp:PublicIssuer ]', [ true, true ]],
      [ 'with an agent', `[ acp:issuer acp:PublicIssuer; acp:agent <${alice}> ]`, [ false, true ]],
      [ 'with a client', '[ acp:issuer acp:PublicIssuer; acp:client <https://app.example/> ]', [ false, false ]],
    ])('%s.', async(_, matcher, expected): Promise<void> => {
      for (const [ index, credentials ] of [{}, everybody ].entries()) {
        await expect(reads(`[ acp:allow acl:Read; acp:anyOf ${matcher} ]`, credentials)).resolves
          .toBe(expected[index]);
        // What it matches is denied, too, and excluded.
        const all = '[ acp:allow acl:Read; acp:anyOf [ acp:agent acp:PublicAgent ] ]';
        await expect(reads(`${all}, [ acp:deny acl:Read; acp:anyOf ${matcher} ]`, credentials)).resolves
          .toBe(!expected[index]);
        await expect(reads(`${all.slice(0, -1)}; acp:noneOf ${matcher} ]`, credentials)).resolves
          .toBe(!expected[index]);
      }
    });
  });

  it('knows the inverse of acp:resource.', async(): Promise<void> => {
    const policy = `[ <${acp}apply> [ <${acp}allow> <${acl}Read>; <${acp}anyOf> [ <${acp}agent> <${alice}> ] ] ]`;
    const rules: Rules = {
      [`${document}.acr`]: `<${document}> <${acp}accessControlResource> <#a>. <#a> <${acp}accessControl> ${policy}.`,
      [`${base}c/.acr`]: `<${base}c/> <${acp}accessControlResource> [ <${acp}memberAccessControl> ${policy} ].`,
    };
    const credentials = { agent: { webId: alice }};
    await expect(decide(BoundedAcpReader, rules, credentials)).resolves.toEqual([{ read: true }, {}]);
    delete rules[`${document}.acr`];
    await expect(decide(BoundedAcpReader, rules, credentials)).resolves.toEqual([{ read: true }, {}]);
  });

  it('takes no longer where parts share their parts.', async(): Promise<void> => {
    const text = sharedRules(document, 50);
    expect(text.length).toBeLessThan(64 * 1024);
    const [ permissions ] = await decide(BoundedAcpReader, { [`${document}.acr`]: text }, { agent: { webId: alice }});
    expect(permissions).toEqual({ read: true });
  }, 20_000);
});
