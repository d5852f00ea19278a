import { BodyInvalid } from '../../../src/problems';
import { readStatement } from '../../../src/grants/GrantStatement';

const base = 'http://localhost:3000/';
const bank = 'https://bank.example/#me';
const field = 'https://fields.example/ns#';

function posted(consent: object = {}, members: object = {}): object {
  return {
    '@context': [ 'https://www.w3.org/2018/credentials/v1', 'https://schema.inrupt.com/credentials/v2.jsonld' ],
    type: [ 'VerifiableCredential', 'SolidAccessGrant' ],
    credentialSubject: {
      providedConsent: {
        mode: [ 'http://www.w3.org/ns/auth/acl#Write', 'Read', 'acl:Read' ],
        hasStatus: 'gc:ConsentStatusExplicitlyGiven',
        forPersonalData: [ `${base}a/caf%C3%A9:1`, 'https://other.example/x?y' ],
        isProvidedTo: bank,
        ...consent,
      },
    },
    ...members,
  };
}

describe('A statement of a grant', (): void => {
  it('has the members of access credentials, in canonical form.', (): void => {
    expect(readStatement(posted(), base)).toEqual({
      kind: 'grant',
      recipient: bank,
      modes: [ 'Read', 'Write' ],
      resources: [ `${base}a/caf%C3%A9%3A1`, 'https://other.example/x?y' ],
      statedResources: [ `${base}a/caf%C3%A9:1`, 'https://other.example/x?y' ],
      templates: [],
      purposes: [],
      inherit: true,
      request: undefined,
      isRequestVerified: false,
      customFields: {},
      inbox: undefined,
      issuedAt: undefined,
      expiresAt: undefined,
    });
  });

  it.each([
    [ 'Request', 'hasConsent', 'isConsentForDataSubject', 'Requested' ],
    [ 'Grant', 'providedConsent', 'isProvidedTo', 'ExplicitlyGiven' ],
    [ 'Denial', 'providedConsent', 'isProvidedTo', 'Denied' ],
  ])('must name a resource: a %s.', (name, consent, recipient, status): void => {
    function read(forPersonalData: unknown): unknown {
      const content = { mode: 'Read', hasStatus: `ConsentStatus${status}`, [recipient]: bank, forPersonalData };
      return readStatement(posted({}, {
        type: [ 'VerifiableCredential', `SolidAccess${name}` ],
        credentialSubject: { [consent]: content },
      }), base);
    }
    expect(read(`${base}a`)).toMatchObject({ resources: [ `${base}a` ]});
    for (const none of [ undefined, null, []]) {
      expect((): unknown => read(none)).toThrow(BodyInvalid);
    }
  });

  it('names a resource once, in the first of its spellings.', (): void => {
    const forPersonalData = [ `${base}%61`, `${base}b`, `${base}a`, 'https://other.example/%61', `${base}b` ];
    expect(readStatement(posted({ forPersonalData }), base)).toMatchObject({
      resources: [ `${base}a`, `${base}b`, 'https://other.example/%61' ],
      statedResources: [ `${base}%61`, `${base}b`, 'https://other.example/%61' ],
    });
  });

  it('accepts dates with and without time zone, and null for none.', (): void => {
    const dates = { issuanceDate: '2026-11-21T08:00:00', expirationDate: '2026-11-21T08:00:00+02:00' };
    expect(readStatement(posted({}, dates), base)).toMatchObject({
      issuedAt: new Date('2026-11-21T08:00:00Z'),
      expiresAt: new Date('2026-11-21T06:00:00Z'),
    });
    expect(readStatement(posted({}, { expirationDate: null }), base).expiresAt).toBeUndefined();
    for (const none of [ '2027-02-29T08:00:00Z', '2027-02-30T08:00:00', '2027-13-01T08:00:00Z', '2027-01-01' ]) {
      expect((): unknown => readStatement(posted({}, { expirationDate: none }), base)).toThrow(BodyInvalid);
    }
    expect(readStatement(posted({}, { expirationDate: '2028-02-29T08:00:00Z' }), base).expiresAt)
      .toEqual(new Date('2028-02-29T08:00:00Z'));
  });

  it.each([ 'issuanceDate', 'expirationDate' ])('has an %s from year 0 to 9999 in UTC.', (member): void => {
    for (const moment of [ '9999-12-31T23:59:59.999Z', '0000-01-01T00:00:00Z' ]) {
      expect((): unknown => readStatement(posted({}, { [member]: moment }), base)).not.toThrow();
    }
    for (const moment of [ '9999-12-31T23:59:59-05:00', '9999-12-31T24:00:00Z', '0000-01-01T00:00:00+01:00' ]) {
      expect((): unknown => readStatement(posted({}, { [member]: moment }), base)).toThrow(/year 0 to 9999 in UTC/u);
    }
  });

  it('is a template when it is a request for URI templates.', (): void => {
    const hasConsent = { mode: 'Read', hasStatus: 'ConsentStatusRequested', template: 'https://{DOMAIN}{PATH}' };
    const request = posted({}, {
      type: [ 'VerifiableCredential', 'SolidAccessRequest' ],
      credentialSubject: { hasConsent },
    });
    expect(readStatement(request, base)).toMatchObject({
      kind: 'request',
      recipient: '',
      resources: [],
      templates: [ 'https://{DOMAIN}{PATH}' ],
    });
  });

  it.each([ 'https://{DOMAIN', 'https://}x{', 'https://{}', 'a b', 'https://{a{b}}', '', 17, 'x'.repeat(2049) ])(
    'refuses the template %j.',
    (template): void => {
      const hasConsent = { mode: 'Read', hasStatus: 'ConsentStatusRequested', template: [ template ]};
      const members = { type: [ 'VerifiableCredential', 'SolidAccessRequest' ], credentialSubject: { hasConsent }};
      expect((): unknown => readStatement(posted({}, members), base)).toThrow(BodyInvalid);
    },
  );

  it('keeps up to twenty custom fields of up to a kibibyte unchanged.', (): void => {
    const customFields = {
      [`${field}string`]: 'x'.repeat(1024 - `${field}string`.length),
      [`${field}empty`]: '',
      [`${field}true`]: true,
      [`${field}integer`]: -42,
      [`${field}double`]: 0.1,
    };
    expect(readStatement(posted(customFields), base).customFields).toEqual(customFields);
  });

  it.each<[string, unknown]>([
    [ `${field}large`, 'x'.repeat(1024) ],
    [ `${field}bytes`, 'é'.repeat(600) ],
    [ `${field}surrogate`, 'x\uD800' ],
    [ `${field}list`, [ 'x' ]],
    [ `${field}object`, { '@id': 'x' }],
    [ `${field}unsafe`, Number.MAX_SAFE_INTEGER + 1 ],
    [ `${field}infinite`, Number.POSITIVE_INFINITY ],
    [ 'label', 'x' ],
    [ '@id', 'x' ],
    [ 'gc:isProvidedTo', 'x' ],
    [ 'cred:issuer', 'x' ],
    [ 'urn:uuid:71ab2f68-a68b-4452-b968-dd23e0570227', false ],
    [ 'https://', 'x' ],
    [ 'https:fields', 'x' ],
    [ 'https://fields.example/a b', 'x' ],
    [ 'https://user@fields.example/', 'x' ],
    [ 'http://www.w3.org/ns/auth/acl#agent', 'x' ],
    [ 'https://www.w3.org/ns/auth/acl#agent', 'x' ],
    [ 'http://www.w3.org/ns/ldp#inbox', 'x' ],
    [ 'http://www.w3.org/ns/solid/vc#request', 'x' ],
    [ 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type', 'x' ],
    [ 'https://www.w3.org/2018/credentials#issuer', 'x' ],
    [ 'https://w3id.org/security#proofValue', 'x' ],
    [ 'https://w3id.org/GConsent#forPurpose', 'x' ],
    [ 'https://w3id.org/%47consent#forPurpose', 'x' ],
    [ 'https://W3ID.ORG/GConsent#forPurpose', 'x' ],
  ])('refuses the custom field %s of %j.', (name, value): void => {
    expect((): unknown => readStatement(posted({ [name]: value }), base)).toThrow(BodyInvalid);
  });

  it('can link twice to a request only by the same URI.', (): void => {
    const request = `${base}.access/vc/1`;
    expect(readStatement(posted({ request, verifiedRequest: request }), base))
      .toMatchObject({ request, isRequestVerified: true });
    expect(readStatement(posted({ request }), base)).toMatchObject({ request, isRequestVerified: false });
    const two = posted({ request, verifiedRequest: `${request}1` });
    expect((): unknown => readStatement(two, base)).toThrow(BodyInvalid);
  });

  it('can name a server\'s context by its host, as older clients do, and no other context.', (): void => {
    const [ v1 ] = (posted() as { '@context': string[] })['@context'];
    expect(readStatement(posted({}, { '@context': [ v1, 'https://localhost/credentials/v1' ]}), base).kind).toBe('grant');
    for (const context of [ 'https://other.example/credentials/v1', { mode: 'x' }, null, 'toString' ]) {
      expect((): unknown => readStatement(posted({}, { '@context': [ v1, context ]}), base)).toThrow(BodyInvalid);
    }
  });
});
