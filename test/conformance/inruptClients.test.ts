/* eslint-disable @typescript-eslint/no-deprecated -- the deprecated form is what most clients use */
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  getAccessGrant,
  getAccessModes,
  getAccessRequestFromRedirectUrl,
  getCustomFields,
  getExpirationDate,
  getId,
  getInbox,
  getInherit,
  getIssuanceDate,
  getIssuer,
  getPurposes,
  getRequestor,
  getResourceOwner,
  getResources,
  getTypes,
} from '@inrupt/solid-client-access-grants';
import type { AccessGrant } from '../../src/grants/AccessGrant';
import type { GrantExtras } from '../../src/grants/grantDocument';
import { parseWebId } from '../../src/platform/webId';
import { grantMembers, TestIssuer } from '../unit/credentials/support';

describe.each([ true, false ])('Inrupt\'s client, with returnLegacyJsonld %s,', (returnLegacyJsonld): void => {
  let server: Server;
  let issuer: TestIssuer;
  let base: string;
  let document: string;

  beforeAll(async(): Promise<void> => {
    server = createServer((_request, response): void => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(document) });
      response.end(document);
    });
    await new Promise<void>((resolve): void => {
      server.listen(0, '127.0.0.1', resolve);
    });
    base = `http://localhost:${(server.address() as AddressInfo).port}/`;
    issuer = new TestIssuer(base);
  });

  afterAll(async(): Promise<void> => {
    await new Promise((resolve): void => {
      server.close(resolve);
    });
  });

  async function sign(changes: Partial<AccessGrant>, extras?: GrantExtras): Promise<string> {
    const members = { ...grantMembers(base), ...changes };
    document = await issuer.grants.sign(members, extras);
    return members.uri;
  }

  it('reads a grant.', async(): Promise<void> => {
    const request = `${base}.access/vc/7b1c7d3e-5f0a-4c55-8a3c-1d1f6f0b9a03`;
    const uri = await sign({ modes: [ 'Read', 'Write' ], request }, {
      inbox: `${base}bank/inbox/`,
      customFields: { 'https://bank.example/ns#reference': 'A-1', 'https://bank.example/ns#urgent': true },
    });
    const grant = await getAccessGrant(uri, { fetch, returnLegacyJsonld: returnLegacyJsonld as true });
    const members = grantMembers(base);
    expect(getId(grant)).toBe(members.uri);
    expect(getIssuer(grant)).toBe(`${base}.access/`);
    expect(getTypes(grant)).toEqual(expect.arrayContaining([ expect.stringContaining('SolidAccessGrant') ]));
    expect(getResourceOwner(grant)).toBe(members.subject);
    expect(getRequestor(grant)).toBe(members.recipient);
    expect(getResources(grant)).toEqual(members.resources);
    expect(getPurposes(grant)).toEqual(members.purposes);
    expect(getAccessModes(grant)).toMatchObject({ read: true, write: true, append: false });
    expect(getIssuanceDate(grant)).toEqual(members.issuedAt);
    expect(getExpirationDate(grant)).toEqual(members.expiresAt);
    expect(getInherit(grant)).toBe(false);
    expect(getInbox(grant)).toBe(`${base}bank/inbox/`);
    expect(getCustomFields(grant)).toEqual({
      'https://bank.example/ns#reference': 'A-1',
      'https://bank.example/ns#urgent': true,
    });
    expect(JSON.stringify(grant)).toBe(document);
  });

  it('reads a denial without purpose and end.', async(): Promise<void> => {
    const uri = await sign({ kind: 'denial', purposes: [], expiresAt: undefined });
    const denial = await getAccessGrant(uri, { fetch, returnLegacyJsonld: returnLegacyJsonld as true });
    expect(getTypes(denial)).toEqual(expect.arrayContaining([ expect.stringContaining('SolidAccessDenial') ]));
    expect(getPurposes(denial)).toEqual([]);
    expect(getExpirationDate(denial)).toBeUndefined();
  });

  it('reads a request.', async(): Promise<void> => {
    const members = grantMembers(base);
    const subject = parseWebId(members.recipient);
    const uri = await sign({ kind: 'request', subject, recipient: members.subject });
    const { accessRequest } = await getAccessRequestFromRedirectUrl(
      `https://app.example/?requestVcUrl=${encodeURIComponent(uri)}&redirectUrl=${encodeURIComponent('https://app.example/')}`,
      { fetch, returnLegacyJsonld: returnLegacyJsonld as true },
    );
    expect(getTypes(accessRequest)).toEqual(expect.arrayContaining([ expect.stringContaining('SolidAccessRequest') ]));
    expect(getRequestor(accessRequest)).toBe(members.recipient);
    expect(getResourceOwner(accessRequest)).toBe(members.subject);
    expect(getResources(accessRequest)).toEqual(members.resources);
  });
});
