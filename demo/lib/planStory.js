'use strict';

const { randomUUID } = require('node:crypto');
const { mkdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { setTimeout: wait } = require('node:timers/promises');
const { buffer } = require('node:stream/consumers');
const { fromBufferPromise } = require('yauzl');
const { ZipFile } = require('yazl');
const { createClientCredentials, logInToAccount } = require('./accounts');
const { Client } = require('./Client');
const { ensure } = require('./ensure');
const { startDataSharing } = require('./servers');
const { logInByClientCredentials } = require('./tokens');

/**
 * A demo of plan requests: a builder asks which operators have cables or pipes in a street of Ghent, files a plan
 * request, and downloads their responses.
 *
 * @typedef {import('./Narrator').Narrator} Narrator
 * @typedef {{ name: string, roles: string[] }} Role
 * @typedef {{ id: string, client: Client }} Party - An organisation, and the client that acts for it.
 * @typedef {{ name: string, party: Party, zoneId: string }} Operator
 */

/** @type {Record<string, Role>} */
const roles = {
  builder: { name: 'Digging company', roles: [ 'MapRequestInitiator' ]},
  municipality: { name: 'City of Ghent', roles: [ 'PdaManager' ]},
  water: { name: 'Water company', roles: [ 'UnaManager', 'UnaOperator' ]},
  electricity: { name: 'Electricity company', roles: [ 'UnaManager', 'UnaOperator' ]},
  telecom: { name: 'Telecom company', roles: [ 'UnaManager', 'UnaOperator' ]},
};

/** Part of the Veldstraat in Ghent, and the city around it, in metres of EPSG:31370. */
const street = rectangle(104_652, 193_700, 104_664, 193_760);
const city = rectangle(101_700, 190_200, 108_700, 197_900);

const zipType = { 'content-type': 'application/zip' };
const password = 'one of the demo';

/**
 * Starts the server with plan requests and an organisation for each party.
 *
 * @param {string} folder
 * @param {number} port
 * @param {AbortSignal} signal
 */
async function startPlanDemo(folder, port, signal) {
  mkdirSync(folder, { recursive: true });
  const names = Object.keys(roles);
  const ids = new Map(names.map(name => [ name, randomUUID() ]));
  const organisations = join(folder, 'organisations.json');
  writeFileSync(organisations, JSON.stringify(names.map(name => ({
    id: ids.get(name),
    clients: [ `http://localhost:${port}/${name}/profile/card#me` ],
    ...roles[name],
  }))));
  const server = await startDataSharing({
    folder,
    port,
    addition: 'plan-requests.json',
    seed: names.map(name => ({ email: `${name}@example.org`, password, pods: [{ name }]})),
    flags: { planRequests: 'plans', organisations, planPackages: join(folder, 'packages') },
    signal,
  });
  return { ...server, ids };
}

/**
 * Logs in a client that acts for an organisation.
 *
 * @param {string} base
 * @param {string} name
 * @param {string} id
 *
 * @returns {Promise<Party>}
 */
async function logIn(base, name, id) {
  const account = await logInToAccount(base, { email: `${name}@example.org`, password });
  const credentials = await createClientCredentials(account, `${base}${name}/profile/card#me`);
  return { id, client: await logInByClientCredentials(await Client.withDpop(), base, credentials) };
}

/** The story. */
class PlanStory {
  /**
   * @param {Narrator} narrator
   * @param {string} url - Of the service, without a slash at the end.
   */
  constructor(narrator, url) {
    this.narrator = narrator;
    this.url = url;
  }

  /**
   * @param {Party} party
   * @param {string} method
   * @param {string} path
   * @param {number} status
   * @param {{ body?: unknown, headers?: Record<string, string>, show?: (answer: any) => unknown }} [more]
   */
  async ask({ client, id }, method, path, status, more = {}) {
    const headers = { organisationId: id, ...more.headers };
    return this.narrator.ask({ ...more, client, method, url: this.url + path, status, headers });
  }

  /**
   * @param {string} name
   * @param {Party} party
   *
   * @returns {Promise<Operator>} With its zone: all of the city.
   */
  async register(name, party) {
    const unaId = randomUUID();
    const una = { UnaId: unaId, Name: roles[name].name, OrganisationId: party.id, IsKlim: false };
    await this.ask(party, 'POST', `/una/${unaId}`, 201, { body: una });
    const body = { UnaId: unaId, Name: 'Ghent', Settings: { Language: 'nl' }, Geometries: [ city ]};
    const { UnaZoneId: zoneId } = await this.ask(party, 'POST', '/unazone/registry', 201, { body });
    return { name, party, zoneId };
  }

  /**
   * Uploads a package and waits for its report.
   *
   * @param {string} requestId
   * @param {Operator} operator
   * @param {Buffer} body
   * @param {string} expected - State of the package.
   */
  async answer(requestId, { party, zoneId }, body, expected) {
    const place = `maprequest/${requestId}/unazone/${zoneId}`;
    await this.ask(party, 'POST', `/imkl/${place}`, 202, { body, headers: zipType, show: aboutReport });
    const headers = { organisationId: party.id };
    for (;;) {
      const response = await party.client.request('GET', `${this.url}/imkl/report/${place}`, { headers });
      if ((await response.json()).State !== 'Validating') {
        break;
      }
      await wait(200, undefined, { signal: this.narrator.interruption });
    }
    const { State } = await this.ask(party, 'GET', `/imkl/report/${place}`, 200, { show: aboutReport });
    ensure(State === expected, `the package is ${expected}`);
  }

  /**
   * @param {Record<string, Party>} parties
   */
  async tell({ builder, municipality, water, electricity, telecom }) {
    const { narrator } = this;

    narrator.step('Three operators of cables and pipes register themselves and their zones');
    const operators = [
      await this.register('water', water),
      await this.register('electricity', electricity),
      await this.register('telecom', telecom),
    ];
    const [ pipes, cables, wires ] = operators;

    narrator.step('So does the city, which wants to see who digs in its streets');
    const pda = { Name: 'Ghent', OrganisationId: municipality.id, Zone: city };
    const { PdaZoneId: pdaId } = await this.ask(municipality, 'POST', '/pda', 201, { body: pda });
    await this.ask(municipality, 'GET', `/pda/${pdaId}/unazones`, 200);

    narrator.step('A builder asks who is in the Veldstraat: nobody is notified');
    const overlay = await this.ask(builder, 'POST', '/maprequest/overlay', 201, { body: street });
    ensure(overlay.Unas.length === 3, 'three operators are there');

    narrator.step('The builder is going to dig, and files a plan request');
    const { MapRequestId: id } = await this.ask(builder, 'POST', '/maprequest', 201, { body: newRequest() });

    narrator.step('The city sees it, and who is asked, but no answers');
    const seen = await this.ask(municipality, 'GET', '/pda/maprequests/search', 200, { show: briefly });
    ensure(seen.MapRequests[0].MapRequestId === id, 'the city sees the request');

    narrator.step('Each operator sees it; two confirm, one has nothing there');
    await this.ask(water, 'GET', '/maprequest/una', 200, { show: briefly });
    for (const [{ party, zoneId }, reply, state ] of /** @type {const} */ ([
      [ pipes, 'confirmation', 'Confirmed' ],
      [ cables, 'confirmation', 'Confirmed' ],
      [ wires, 'notinvolved', 'NotInvolved' ],
    ])) {
      const body = { MapRequestId: id, UnaZoneId: zoneId };
      const { State } = await this.ask(party, 'POST', `/maprequest/${reply}`, 200, { body });
      ensure(State === state, `the zone is ${state}`);
    }

    narrator.step('The water company uploads its plans, with two mistakes');
    await this.answer(id, pipes, await makePackage('Pipe', { isMended: false }), 'Rejected');

    narrator.step('It mends them');
    await this.answer(id, pipes, await makePackage('Pipe', { isMended: true }), 'Accepted');
    await this.see(builder, id, 'IncompleteAnswerAvailable');

    narrator.step('The electricity company uploads its plans, too: the answer is complete');
    await this.answer(id, cables, await makePackage('Cable', { isMended: true }), 'Accepted');
    await this.see(builder, id, 'PlansAvailable');

    narrator.step('The builder downloads all as one zip');
    const zip = await this.ask(builder, 'GET', `/imkl/maprequest/${id}`, 200);
    const names = await namesIn(zip);
    names.map(name => narrator.say(`  ${name}`));
    ensure(names.length === 3, 'an index and two packages are in it');

    narrator.step('What was answered stays as it is');
    const body = { MapRequestId: id, UnaZoneId: pipes.zoneId };
    const { State } = await this.ask(water, 'POST', '/maprequest/notinvolved', 200, { body });
    ensure(State === 'Invalid', 'an answer after an answer is invalid');
  }

  /**
   * @param {Party} builder
   * @param {string} id
   * @param {string} status
   */
  async see(builder, id, status) {
    const { Status } = await this.ask(builder, 'GET', `/maprequest/${id}/mri`, 200, { show: aboutRequest });
    ensure(Status === status, `the request is ${status}`);
  }
}

/**
 * A package of network data: along the street, with a plan.
 *
 * @param {'Cable' | 'Pipe'} element
 * @param {{ isMended: boolean }} how - When false, the package has a link that nothing refers to, and lacks its plan.
 *
 * @returns {Promise<Buffer>}
 */
async function makePackage(element, { isMended }) {
  const document = `<?xml version="1.0" encoding="UTF-8"?>
<Network xmlns="urn:css-data-sharing:network-model:2.3">
  <UtilityLink id="main" srsName="EPSG:31370">
    <posList>104658 193600 104658.5 193700 104659 193800</posList>
  </UtilityLink>
  <UtilityLink id="branch" srsName="EPSG:31370">
    <posList>104658.5 193730 104652 193730</posList>
  </UtilityLink>
  <${element} id="network" depth="0.8">
    <link href="#main"/>${isMended ? '\n    <link href="#branch"/>' : ''}
    <attachment href="#plan"/>
  </${element}>
  <Attachment id="plan" file="plans/Veldstraat.pdf" mediaType="application/pdf"/>
</Network>
`;
  const made = new ZipFile();
  made.addBuffer(Buffer.from(document), 'network.xml');
  if (isMended) {
    made.addBuffer(Buffer.from('%PDF-1.7 a plan of the Veldstraat'), 'plans/Veldstraat.pdf');
  }
  made.end();
  return buffer(made.outputStream);
}

/**
 * @param {number} days
 */
function dayAfter(days) {
  return new Date(Date.now() + (days * 86_400_000)).toISOString().slice(0, 10);
}

function newRequest() {
  return {
    Reference: 'Sewer of the Veldstraat',
    Location: 'Veldstraat 30, 9000 Gent',
    StartDate: dayAfter(30),
    EndDate: dayAfter(60),
    NatureOfWorks: 'excavation',
    Depth: 2.5,
    ContactInfo: { Name: 'Site office', Email: 'site@builder.example', Phone: '+32 9 123 45 67' },
    MapRequestZone: street,
  };
}

/**
 * @param {number} left
 * @param {number} bottom
 * @param {number} right
 * @param {number} top
 */
function rectangle(left, bottom, right, top) {
  const ring = [[ left, bottom ], [ right, bottom ], [ right, top ], [ left, top ], [ left, bottom ]];
  return { Srs: 'EPSG:31370', Geometry: { type: 'Polygon', coordinates: [ ring ]}};
}

/**
 * @param {any} request
 */
function aboutRequest({ Reference, Status, Unas, UnaZones, CompleteBefore }) {
  return { Reference, Status, Unas, UnaZones, CompleteBefore };
}

/**
 * @param {any} page
 */
function briefly({ MapRequests }) {
  return MapRequests.map(aboutRequest);
}

/**
 * @param {any} report
 */
function aboutReport({ State, Steps, Findings }) {
  return {
    State,
    Steps: Steps.map((/** @type {any} */ step) => `${step.Name}: ${step.State}`).join(', '),
    Findings,
  };
}

/**
 * @param {Buffer} zip
 *
 * @returns {Promise<string[]>}
 */
async function namesIn(zip) {
  const names = [];
  for await (const { fileName } of (await fromBufferPromise(zip, { lazyEntries: true })).eachEntry()) {
    names.push(fileName);
  }
  return names;
}

/**
 * Starts the server, runs the demo, stops the server.
 *
 * @param {Narrator} narrator
 * @param {object} options
 * @param {string} options.folder - For all that is written.
 * @param {number} options.port
 * @param {AbortSignal} options.signal - Ends the start.
 */
async function tellPlanStory(narrator, { folder, port, signal }) {
  const { base, ids, stop } = await startPlanDemo(folder, port, signal);
  try {
    const parties = Object.fromEntries(await Promise.all([ ...ids ].map(async([ name, id ]) =>
      /** @type {const} */ ([ name, await logIn(base, name, id) ]))));
    await new PlanStory(narrator, `${base}ws/plans/v3`).tell(parties);
  } finally {
    await stop();
  }
}

module.exports = { tellPlanStory };
