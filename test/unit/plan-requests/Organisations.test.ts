import { randomUUID } from 'node:crypto';
import type { Organisation } from '../../../src/plan-requests/Organisations';
import { Organisations } from '../../../src/plan-requests/Organisations';
import type { Caller } from '../../../src/tokens/Caller';
import { parseWebId } from '../../../src/platform/webId';

const own = 'https://pods.example/';
const login = 'https://login.example/';
const app = 'https://water.example/client';
const credentials = `planning_${randomUUID()}`;
const registered = 'zX3mP0qkq2ZcR1bqz4bWj';
const webId = parseWebId('https://water.example/profile/card#me');
const water: Organisation = {
  id: randomUUID(),
  name: 'Water company',
  clients: [ webId, app, credentials, registered ],
  roles: [ 'UnaOperator' ],
};

describe('Organisations', (): void => {
  const organisations = new Organisations([ water ], 'organisation_id', own);

  function admit(caller: Partial<Caller>): Organisation {
    const expiresAt = new Date('2027-01-01T00:00:00Z');
    return organisations.admit(
      { kind: 'solid-oidc', issuer: own, issuerListed: true, expiresAt, ...caller },
      { organisationid: water.id },
      [],
    );
  }

  it.each<[string, Partial<Caller>]>([
    [ 'with their WebIDs', { webId, app: 'https://elsewhere.example/app' }],
    [ 'with client credentials of this server', { app: credentials }],
    [ 'with a client id of a listed issuer', { issuer: login, app }],
  ])('accept callers %s.', (_how, caller): void => {
    expect(admit(caller)).toBe(water);
  });

  it.each<[string, Partial<Caller>]>([
    [ 'log in to their app here', { app }],
    [ 'log in to an app that is registered here', { app: registered }],
    [ 'log in to their app at another spelling of this server', { app, issuer: own.slice(0, -1) }],
    [ 'come from an issuer that is not listed', { app, issuer: login, issuerListed: false }],
  ])('refuse people who %s.', (_how, caller): void => {
    const stranger = parseWebId(`${own}stranger/profile/card#me`);
    expect((): unknown => admit({ webId: stranger, ...caller })).toThrow('does not act for this organisation');
  });
});
