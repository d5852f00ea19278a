import { createDocumentLoader } from '../../../src/credentials/documentLoader';
import { addProof } from '../../../src/credentials/proofs';
import type { SummaryField } from '../../../src/data-types/DataType';
import { languages } from '../../../src/data-types/languages';
import type { Citizen } from '../../../src/identity/CitizenStore';
import type { PersonalDataValue } from '../../../src/personal-data/PersonalDataValue';
import { base, certificate, context, dataType, SharingBench } from '../../support/sharingBench';
import { newKey } from '../credentials/support';

const credentialsV2 = 'https://www.w3.org/ns/credentials/v2';
const core = `${base}v1/ns/core#`;
const cred = 'https://www.w3.org/2018/credentials#';
const other = `${base}another/profile/card#me`;
const load = createDocumentLoader();
const key = newKey('source');
const issuer = `did:key:${key.publicKeyMultibase}`;

type Json = Record<string, any>;

/** Differences of a credential from a valid one. */
interface Change {
  root?: Json;
  subject?: Json;
  context?: Json;
}

/** Stands for the citizen's WebID. */
const me = 'urn:x:me';
const academicYear = '2019-2020';
const debts = { 'urn:x:debts': '100' };

function english(value: PersonalDataValue): string {
  const texts = (value.error ?? []).filter(({ language }): boolean => language === 'en');
  return texts.map((text): string => text.value).join(' ');
}

function itemsOf(field: SummaryField | undefined): unknown {
  return field?.format === 'string' ? field.items : field;
}

async function sign(document: Json): Promise<Json> {
  return addProof(document, {
    form: 'eddsa-rdfc-2022',
    verificationMethod: `${issuer}#${key.publicKeyMultibase}`,
    created: new Date('2026-03-01T11:00:00Z'),
  }, key, load);
}

describe('A credential that its source signed', (): void => {
  let bench: SharingBench;
  let citizen: Citizen;
  let webId: string;

  beforeAll(async(): Promise<void> => {
    bench = await SharingBench.start();
    citizen = await bench.citizen();
    webId = citizen.webId;
    bench.source.trustedIssuers.push(issuer);
  });

  afterAll(async(): Promise<void> => bench.stop());

  /** Returns a valid credential, with the citizen's WebID as its subject. */
  function credential(): Json {
    const { '@context': own, ...subject } = certificate();
    return {
      '@context': [ credentialsV2, own ],
      id: 'urn:uuid:6f7b0a52-52a5-4f61-a5d9-1e8d3c5b1a11',
      type: [ 'VerifiableCredential', dataType ],
      issuer,
      validFrom: '2026-02-01T00:00:00Z',
      credentialSubject: { id: webId, ...subject },
    };
  }

  /** Returns a credential with changes; a member changed to `undefined` is omitted. */
  function changed({ root, subject, context: added }: Change): Json {
    const document = credential();
    const whole = {
      ...document,
      '@context': [ ...document['@context'], ...added ? [ added ] : [] ],
      credentialSubject: { ...document.credentialSubject, ...subject },
      ...root,
    };
    return JSON.parse(JSON.stringify(whole).replaceAll(`"${me}"`, JSON.stringify(webId)));
  }

  async function listed(document: Json): Promise<PersonalDataValue> {
    bench.source.records = [{ id: 'a', version: '1', credential: document }];
    const [ value ] = await bench.personalData().list(citizen, bench.contract.id, context);
    return value;
  }

  async function listSigned(document: Json): Promise<PersonalDataValue> {
    return listed(await sign(document));
  }

  async function share({ id }: PersonalDataValue): Promise<unknown> {
    return bench.sharing().share(citizen, bench.contract.id, [ id ], context);
  }

  it('is accepted about the citizen, with or without the WebID.', async(): Promise<void> => {
    const value = await listSigned(credential());
    expect(value).not.toHaveProperty('error');
    expect(value.summary!.title).toContainEqual({ value: 'Bachelor of Education', language: 'en' });
    await expect(share(value)).resolves.toHaveLength(1);
    const { id: _id, ...subject } = credential().credentialSubject;
    await expect(listSigned({ ...credential(), credentialSubject: subject })).resolves.not.toHaveProperty('error');
    await expect(listSigned({ ...credential(), credentialSubject: [ subject ]})).resolves.not.toHaveProperty('error');
  });

  it.each<[string, Change]>([
    [ 'says who it is', { root: { name: 'Certificate', issuer: { id: issuer, name: 'University' }}}],
    [ 'brings evidence of its own kind', { root: { evidence: { type: 'urn:x:Check', 'urn:x:by': 'desk' }}}],
    [ 'names the citizen in its terms', { root: { termsOfUse: { type: 'urn:x:Terms', 'urn:x:assignee': { id: me }}}}],
    [ 'has a subject with a context of its own', {
      subject: {
        '@context': { course: { '@id': `${core}programme`, '@container': '@language' }},
        programme: undefined,
        course: { en: 'Bachelor of Education' },
      },
    }],
    [ 'has other words for id and type', {
      context: { who: '@id', kind: '@type' },
      subject: { id: undefined, '@type': undefined, who: me, kind: 'StudentCertificate' },
    }],
  ])('is accepted if it %s.', async(_what, change): Promise<void> => {
    const value = await listSigned(changed(change));
    expect(value).not.toHaveProperty('error');
    expect(itemsOf(value.summary!.details.programme))
      .toEqual([ expect.arrayContaining([{ value: 'Bachelor of Education', language: 'en' }]) ]);
  });

  describe('is shown as signed', (): void => {
    const swapped = { academicYear: `${core}diplomaNumber`, diplomaNumber: `${core}academicYear` };
    const swap = { Swap: { '@id': 'urn:x:Swap', '@context': { '@propagate': true, ...swapped }}};
    const ofSubject = { StudentCertificate: { '@id': `${core}StudentCertificate`, '@context': swapped }};

    it.each<[string, Change]>([
      [ 'a context of the type of the credential', { context: swap, root: { type: [ 'VerifiableCredential', 'Swap' ]}}],
      [ 'a context of the type of the subject', { context: ofSubject }],
      [ 'a context of another type of the subject', {
        context: swap,
        subject: { '@type': [ 'Swap', 'StudentCertificate' ]},
      }],
      [ 'a context in the subject', { subject: { '@context': swapped }}],
      [ 'the last of its contexts', { context: swapped }],
    ])('if %s swaps two terms.', async(_what, change): Promise<void> => {
      const year = { academicYear: undefined, diplomaNumber: '2024-2025' };
      const value = await listSigned(changed({ ...change, subject: { ...change.subject, ...year }}));
      expect(value).not.toHaveProperty('error');
      expect(itemsOf(value.summary!.details.academicYear)).toEqual([[{ value: '2024-2025', language: null }]]);
      const hidden = await listSigned(changed(change));
      expect(hidden).toHaveProperty('error');
      expect(hidden.summary?.details.academicYear).toMatchObject({ format: 'error' });
    });
  });

  describe('is an error and never shared', (): void => {
    const student = { '@type': 'Person', givenName: 'Noor', familyName: 'Amrani' };
    const seal = { '@id': 'https://w3id.org/security#proof', '@container': '@graph' };
    const aboutOther = { id: other, ...debts };

    const notOnlyTheirs: [string, Change][] = [
      [ 'is about somebody else', { subject: { id: other }}],
      [ 'is about a name in the document', { subject: { id: '_:b0' }, root: { evidence: { id: '_:b0', ...debts }}}],
      [ 'has two subjects', { root: { credentialSubject: [{ id: me }, { id: other }]}}],
      [ 'has the same subject twice', { root: { credentialSubject: [{ id: me, academicYear }, { id: me, ...debts }]}}],
      [ 'has two subjects without name', { root: { credentialSubject: [{ academicYear }, {}]}}],
      [ 'has another by another word', { context: { also: `${cred}credentialSubject` }, root: { also: aboutOther }}],
      [ 'has another by an IRI', { root: { [`${cred}credentialSubject`]: { id: other }}}],
      [ 'says more in its evidence', { root: { evidence: { id: me, ...debts }}}],
      [ 'says more deep in its terms', { root: { termsOfUse: { 'urn:x:of': [{ 'urn:x:as': { id: me, ...debts }}]}}}],
      [ 'says a type in its evidence', { root: { evidence: { id: me, type: 'urn:x:Debtor' }}}],
      [ 'says more in its subject', { subject: { student: { id: me, ...student }}}],
      [ 'says more beside it', { root: { '@included': [{ id: me, ...debts }]}}],
      [ 'says more in other words', { context: { more: '@included' }, root: { more: { '@id': me, ...debts }}}],
      [ 'says more by a relative IRI', { context: { '@base': me }, root: { evidence: { id: '#me', ...debts }}}],
      [ 'says more in a graph', { root: { evidence: { '@graph': [{ id: me, ...debts }]}}}],
      [ 'says more in reverse', { root: { evidence: { id: me, '@reverse': { 'urn:x:of': aboutOther }}}}],
      [ 'is itself the citizen', { root: { id: me }}],
    ];
    const notItsForm: [string, Change][] = [
      [ 'speaks of others beside it', { root: { '@included': [ aboutOther ]}}],
      [ 'names others beside it', { root: { '@included': [{ id: other }]}}],
      [ 'speaks of others inside of it', { subject: { '@included': [ aboutOther ]}}],
      [ 'speaks of others in reverse', { subject: { '@reverse': { 'urn:x:parent': aboutOther }}}],
      [ 'has a term in reverse', { context: { child: { '@reverse': 'urn:x:parent' }}, subject: { child: aboutOther }}],
      [ 'speaks in a graph of its own', { root: { evidence: { id: 'urn:x:g', '@graph': [ aboutOther ]}}}],
      [ 'speaks in the graph of a term', {
        context: { claims: { '@id': 'urn:x:claims', '@container': '@graph' }},
        subject: { claims: { academicYear }},
      }],
      [ 'has another proof by another name', { context: { seal }, root: { seal: { type: 'urn:x:Seal', ...debts }}}],
      [ 'has claims of its own', { root: { academicYear }}],
      [ 'has claims of its own, in other words', { root: { 'urn:x:holder': { id: other }}}],
      [ 'is part of what it claims', { subject: { student: { id: 'urn:uuid:6f7b0a52-52a5-4f61-a5d9-1e8d3c5b1a11' }}}],
      [ 'has text that no statement keeps', {
        context: { academicYear: { '@container': '@index' }},
        subject: { academicYear: { hidden: academicYear }},
      }],
    ];
    const notDescribed: [string, Change][] = [
      [ 'makes claims in its evidence', { root: { evidence: { id: 'urn:x:1', [`${core}academicYear`]: academicYear }}}],
      [ 'hides a second record in its terms', { root: { termsOfUse: { id: other, type: `${core}StudentCertificate` }}}],
      [ 'has a term that the data type does not describe', { subject: { debts: '100' }}],
      [ 'has such a term by nesting', { subject: { '@nest': { debts: '100' }}}],
      [ 'has JSON in it', { context: { raw: { '@id': 'urn:x:raw', '@type': '@json' }}, subject: { raw: debts }}],
    ];
    const wrongYear: [string, Change][] = [
      [ 'has a list for a value', { subject: { academicYear: { '@list': [ academicYear ]}}}],
      [ 'has two values for one', { context: { jaar: `${core}academicYear` }, subject: { jaar: academicYear }}],
    ];

    it.each([
      ...notOnlyTheirs.map(([ what, change ]): [string, Change, RegExp] => [ what, change, /not about you/u ]),
      ...notItsForm.map(([ what, change ]): [string, Change, RegExp] => [ what, change, /expected form/u ]),
      ...notDescribed.map(([ what, change ]): [string, Change, RegExp] => [ what, change, /does not belong/u ]),
      ...wrongYear.map(([ what, change ]): [string, Change, RegExp] => [ what, change, /academic year/iu ]),
    ])('if it %s.', async(_what, change, problem): Promise<void> => {
      const document = changed(change);
      // A document that this service refuses to sign gets the signature of another.
      const signed = await sign(document)
        .catch(async(): Promise<Json> => ({ ...await sign(credential()), ...document }));
      const value = await listed(signed);
      expect(english(value)).toMatch(problem);
      expect(new Set(value.error!.map(({ language }): string | null => language))).toEqual(new Set(languages));
      await expect(share(value)).rejects.toMatchObject({ type: 'value-invalid' });
    });

    it.each<[string, (document: Json) => Json]>([
      [ 'a term that means nothing', (): Json => changed({ context: { nothing: null }, subject: { nothing: '1' }}) ],
      [ 'a property without name', (): Json => changed({ context: { nothing: '_:p' }, subject: { nothing: '1' }}) ],
      [ 'a keyword that there is not', (): Json => changed({ subject: { '@comment': 'debts: 100' }}) ],
      [ 'a context of null', (): Json => changed({ subject: { '@context': null }}) ],
      [ 'a second proof', ({ proof }): Json => ({ proof: [ proof, { ...proof }]}) ],
      [ 'a member in its proof', ({ proof }): Json => ({ proof: { ...proof, evidence: { id: other }}}) ],
      [ 'a context behind those that the proof repeats', ({ proof, '@context': own }): Json => ({
        '@context': [ ...own, { academicYear: 'urn:x:else' }],
        proof: { ...proof, '@context': own },
      }) ],
    ])('if somebody added %s.', async(_what, add): Promise<void> => {
      const signed = await sign(credential());
      const value = await listed({ ...signed, ...add(signed) });
      expect(value).toHaveProperty('error');
      await expect(share(value)).rejects.toMatchObject({ type: 'value-invalid' });
    });
  });

  it('is refused if the citizen\'s number is the name of its proof.', async(): Promise<void> => {
    const signed = await sign(credential());
    const value = await listed({ ...signed, proof: { ...signed.proof, id: webId }});
    expect(english(value)).toMatch(/not about you/u);
  });

  it('is read again if its content changed but its version did not.', async(): Promise<void> => {
    const personalData = bench.personalData();
    const [ first, second ] = [ await sign(credential()), await sign(changed({ subject: { academicYear }})) ];
    for (const document of [ first, second ]) {
      bench.source.records = [{ id: 'a', version: '1', credential: document }];
      const [ value ] = await personalData.list(citizen, bench.contract.id, context);
      expect(itemsOf(value.summary!.details.academicYear))
        .toEqual([[{ value: document.credentialSubject.academicYear, language: null }]]);
    }
  });
});
