'use strict';

/**
 * A demo of the main use case, `npm run demo`: starts the example national issuer and the real server with fresh data,
 * makes all requests between a citizen, a data user and the service, and stops both.
 *
 * With `--login` the citizen logs in at the service, with the national identity: one log-in instead of two. With
 * `--plan-requests` it is a demo of plan requests, the second interface.
 */

const { mkdtemp, rm } = require('node:fs/promises');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { parseArgs } = require('node:util');
const { createClientCredentials, logInToAccount } = require('./lib/accounts');
const { Client } = require('./lib/Client');
const { ensure } = require('./lib/ensure');
const { EventReceiver } = require('./lib/EventReceiver');
const { freePort } = require('./lib/freePort');
const { Narrator } = require('./lib/Narrator');
const { tellPlanStory } = require('./lib/planStory');
const { consumer: consumerLogin, startDemo } = require('./lib/startDemo');
const { interruptionSignal, print, run } = require('./lib/terminal');
const { logInByClientCredentials, logInByCode } = require('./lib/tokens');
const { readDirectory } = require('./national-issuer/directory');

const directory = readDirectory(join(__dirname, 'citizens.json'), join(__dirname, 'clients.json'));
const contractId = 'diploma-employment';

/** Maximum time to wait for an event. */
const eventMs = 30_000;
/** Maximum time to push a revocation; on a busy machine, the maximum as a multiple of the time of a request. */
const pushedMs = 1000;
const pushedRequests = 40;

/**
 * @typedef {import('./lib/startDemo').Demo} Demo
 * @typedef {{ podResource: string, accessGrant: string }} Shared
 */

/**
 * Emma logs in and gets her WebID and pod.
 *
 * @param {Narrator} narrator
 * @param {Demo} demo
 *
 * @returns {Promise<Client>} Emma, her token naming her WebID.
 */
async function getWebId(narrator, { base, issuer }) {
  const url = `${base}v1/webids`;

  narrator.step('Emma Claes, a citizen, logs in at the national identity issuer');
  const { client: emma } = await logInByCode(await Client.withDpop(), issuer, 'emma');
  narrator.say(`Code flow with PKCE at ${issuer}auth, a token bound to her app's key (DPoP).`);
  narrator.say(`The token names ${tokenClaims(emma).join(', ')}: she has no WebID yet.`);

  narrator.step('She gets a WebID and a pod, once');
  const { uri } = await narrator.ask({ client: emma, method: 'PUT', url, status: 201 });
  const again = await narrator.ask({ client: emma, method: 'PUT', url, status: 200 });
  ensure(again.uri === uri, 'the second PUT answers the same WebID');
  const found = await narrator.ask({ client: emma, method: 'GET', url, status: 200 });
  ensure(found.uri === uri, 'GET answers the same WebID');
  await narrator.ask({
    client: Client.withBearer(),
    method: 'GET',
    url: uri,
    headers: { accept: 'text/turtle' },
    status: 200,
    show: profile => profile.split('\n').filter((/** @type {string} */ line) => /oidcIssuer|storage/u.test(line)),
  });

  narrator.step('She logs in again: now the token names her WebID');
  const { client } = await logInByCode(await Client.withDpop(), issuer, 'emma');
  narrator.say(`The token names ${tokenClaims(client).join(', ')}.`);
  ensure(tokenClaims(client).includes('webid'), 'the token names the WebID');
  return client;
}

/**
 * Emma opens a Solid app, and gets her WebID and pod on the way to it.
 *
 * @param {Narrator} narrator
 * @param {Demo} demo
 *
 * @returns {Promise<Client>} Emma, her token naming her WebID.
 */
async function getWebIdOnTheWay(narrator, { base, issuer }) {
  const url = `${base}v1/webids`;

  narrator.step('Emma Claes, a citizen who has never been here, opens a Solid app, and chooses this service there');
  const { client: emma, asked } = await logInByCode(await Client.withDpop(), base, 'emma');
  narrator.say(`${base}.oidc/auth leads to ${issuer}auth, which knows nothing of Solid, and back.`);
  narrator.say(`The service asked her ${asked.join(', ')}.`);
  ensure(asked.length === 3, 'the service asked her three things');

  narrator.step('The app has a token of the service, which names her WebID and no number');
  narrator.say(`The token names ${tokenClaims(emma).join(', ')}.`);
  ensure(tokenClaims(emma).includes('webid'), 'the token names the WebID');
  ensure(!tokenClaims(emma).includes('citizen_national_id'), 'the token names no number');
  const { uri } = await narrator.ask({ client: emma, method: 'GET', url, status: 200 });

  narrator.step('Another app another day: nothing is made again');
  const { client, asked: askedAgain } = await logInByCode(await Client.withDpop(), base, 'emma');
  narrator.say(`The service asked her ${askedAgain.join(', ')}.`);
  ensure(askedAgain.length === 2, 'the service asked her two things');
  const again = await narrator.ask({ client, method: 'PUT', url, status: 200 });
  ensure(again.uri === uri, 'PUT answers the same WebID');
  return client;
}

/**
 * Emma reads the contract, sees her data, and shares a diploma.
 *
 * @param {Narrator} narrator
 * @param {Demo} demo
 * @param {Client} emma
 *
 * @returns {Promise<Shared>}
 */
async function shareDiploma(narrator, { base }, emma) {
  const contract = `${base}v1/contracts/${contractId}`;

  narrator.step('Before she shares anything, she reads the contract');
  await narrator.ask({ client: Client.withBearer(), method: 'GET', url: contract, status: 200 });

  narrator.step('She sees which of her data it covers, in words');
  const { dataValues } = await narrator.ask({
    client: emma,
    method: 'GET',
    url: `${contract}/data`,
    status: 200,
    show: answer => answer.dataValues.map(inEnglish),
  });

  narrator.step('She shares one diploma');
  const [ shared ] = await narrator.ask({
    client: emma,
    method: 'POST',
    url: `${contract}/data`,
    body: { dataValues: [ dataValues[0].id ]},
    status: 200,
  });
  return shared;
}

/**
 * The data user logs in at the server's own identity provider.
 *
 * @param {Narrator} narrator
 * @param {Demo} demo
 *
 * @returns {Promise<Client>}
 */
async function logInConsumer(narrator, { base, consumerWebId }) {
  narrator.step('The employer, the data user of the contract, logs in at the server\'s own identity provider');
  const account = await logInToAccount(base, consumerLogin);
  const credentials = await createClientCredentials(account, consumerWebId);
  const consumer = await logInByClientCredentials(await Client.withDpop(), base, credentials);
  narrator.say(`Client credentials made at ${base}.account/, exchanged at ${base}.oidc/token for a DPoP-bound token.`);
  narrator.say(`The token names ${tokenClaims(consumer).join(', ')}.`);
  return consumer;
}

/**
 * The data user reads the diploma, checks whose it is, and reports that it keeps a copy.
 *
 * @param {Narrator} narrator
 * @param {Demo} demo
 * @param {Client} consumer
 * @param {Shared} shared
 */
async function readDiploma(narrator, { base }, consumer, { podResource, accessGrant }) {
  const reading = readingRequest(base, consumer, { podResource, accessGrant });

  narrator.step('The employer reads the diploma with the access grant');
  await narrator.ask({ ...reading, status: 200, show: aboutCredential });

  narrator.step('… and once more, verified at its origin');
  await narrator.ask({ ...reading, url: `${reading.url}&verified=true`, status: 200, show: aboutCredential });

  narrator.step('The grant also opens the resource itself, to any Solid client of the employer');
  await narrator.ask({ client: consumer, method: 'GET', url: podResource, status: 200, show: aboutCredential });

  narrator.step('Is this really the citizen the employer knows by national number?');
  const grant = await narrator.ask({
    client: consumer,
    method: 'GET',
    url: accessGrant,
    status: 200,
    show: ({ type, credentialSubject }) => ({ type, credentialSubject }),
  });
  await checkBusinessKey(narrator, base, consumer, grant, 'emma', true);
  await checkBusinessKey(narrator, base, consumer, grant, 'lucas', false);

  narrator.step('The employer keeps a copy, and says so');
  await narrator.ask({
    client: consumer,
    method: 'POST',
    url: `${base}v1/data-copies`,
    body: { resource: podResource, accessGrant, system: 'personnel files' },
    status: 201,
  });
}

/**
 * @param {Narrator} narrator
 * @param {string} base
 * @param {Client} consumer
 * @param {unknown} grant - The access grant.
 * @param {string} citizen - Whose national number is asked for.
 * @param {boolean} expected
 */
async function checkBusinessKey(narrator, base, consumer, grant, citizen, expected) {
  const value = directory.findCitizen(citizen)?.nationalNumber;
  const { valid } = await narrator.ask({
    client: consumer,
    method: 'POST',
    url: `${base}v1/verifications/business-key`,
    body: { businessKey: { type: 'NATIONAL_NUMBER_BE', value }, accessGrantVc: JSON.stringify(grant) },
    status: 200,
  });
  ensure(valid === expected, `valid is ${expected}`);
}

/**
 * The data user has events pushed to an endpoint of its own.
 *
 * @param {Narrator} narrator
 * @param {Demo} demo
 * @param {Client} consumer
 * @param {EventReceiver} receiver
 */
async function subscribe(narrator, { base }, consumer, receiver) {
  narrator.step('The employer wants to know when it must delete copies, without asking again and again');
  const endpoint = await receiver.listen(await freePort());
  const { secret } = await narrator.ask({
    client: consumer,
    method: 'POST',
    url: `${base}v1/subscriptions`,
    body: { endpoint, events: [ 'AccessRevoked', 'DataCopyDue' ]},
    status: 201,
    // Anyone with the secret can push events to the endpoint.
    show: ({ secret: hidden, ...subscription }) => subscription,
  });
  receiver.trust(secret);
  narrator.say('Its endpoint answered a challenge first.');
}

/**
 * Emma sees who has access, and revokes it.
 *
 * @param {Narrator} narrator
 * @param {Demo} demo
 * @param {Client} emma
 * @param {Shared} shared
 *
 * @returns {Promise<number>} Duration of her request, in milliseconds.
 */
async function revoke(narrator, { base }, emma, { podResource, accessGrant }) {
  const [ , podId ] = new URL(podResource).pathname.split('/');
  const resources = `${base}v1/pods/${podId}/resources`;

  narrator.step('Emma looks at what she shared, and with whom');
  const list = await narrator.ask({ client: emma, method: 'GET', url: resources, status: 200 });

  narrator.step('She changes her mind');
  const { id } = list.resources.find((/** @type {{ uri: string }} */ { uri }) => uri === podResource);
  const grantId = accessGrant.split('/').at(-1);
  const start = performance.now();
  const { status } = await narrator.ask({
    client: emma,
    method: 'DELETE',
    url: `${resources}/${id}/access-grants/${grantId}`,
    status: 200,
  });
  const requestMs = performance.now() - start;
  ensure(status === 'REVOKED', 'the grant is revoked');
  return requestMs;
}

/**
 * The data user no longer has access, and deletes its copy.
 *
 * @param {Narrator} narrator
 * @param {Demo} demo
 * @param {Client} consumer
 * @param {Shared} shared
 * @param {EventReceiver} receiver
 * @param {number} requestMs - Duration of the request that revoked the grant.
 */
async function deleteCopy(narrator, { base }, consumer, shared, receiver, requestMs) {
  narrator.step('The server pushes it to the employer, signed');
  const revoked = await receiver.next('AccessRevoked', AbortSignal.timeout(eventMs));
  narrator.say(`${revoked.type} of ${revoked.data.accessGrant}`);
  const tookMs = Date.now() - Date.parse(revoked.time);
  narrator.say(`${tookMs} ms after it happened; the signature was verified.`);
  ensure(revoked.data.accessGrant === shared.accessGrant, 'the event names the grant');

  narrator.step('The very next read is refused, either way');
  const start = performance.now();
  const { type } = await narrator.ask({ ...readingRequest(base, consumer, shared), status: 403 });
  const slowestMs = Math.max(requestMs, performance.now() - start);
  ensure(tookMs <= Math.max(pushedMs, pushedRequests * slowestMs), 'the revocation is pushed within a second');
  ensure(type.endsWith('/grant-revoked'), 'the problem says that the grant was revoked');
  await narrator.ask({
    client: consumer,
    method: 'GET',
    url: shared.podResource,
    headers: { accept: 'application/json' },
    status: 403,
    show: ({ name, statusCode }) => ({ name, statusCode }),
  });

  narrator.step('A second event says that its copy is due for deletion');
  const due = await receiver.next('DataCopyDue', AbortSignal.timeout(eventMs));
  narrator.say(`${due.type} of ${due.data.resource}`);
  ensure(due.data.resource === shared.podResource, 'the event names the copy');

  narrator.step('It deletes the copy, and says so');
  const { status } = await narrator.ask({
    client: consumer,
    method: 'DELETE',
    url: `${base}v1/data-copies`,
    body: { resource: due.data.resource, reason: 'GRANT_REVOKED' },
    status: 200,
  });
  ensure(status === 'DELETED', 'the copy is recorded as deleted');
}

/**
 * Describes the request to read a resource with an access grant.
 *
 * @param {string} base
 * @param {Client} client
 * @param {Shared} shared
 */
function readingRequest(base, client, { podResource, accessGrant }) {
  return {
    client,
    method: 'GET',
    url: `${base}v1/resources?resource=${encodeURIComponent(podResource)}`,
    headers: { 'X-Access-Grant': accessGrant },
  };
}

/**
 * Lists the names of the claims in a client's token.
 *
 * @param {Client} client
 */
function tokenClaims({ token = '' }) {
  return Object.keys(JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString()));
}

/**
 * Selects the members of a diploma's credential that are shown.
 *
 * @param {any} credential
 */
function aboutCredential({ type, issuer, validFrom, credentialSubject, proof }) {
  const { id, degreeTitle, awardDate } = credentialSubject;
  const { cryptosuite, verificationMethod } = proof;
  return { type, issuer, validFrom, credentialSubject: { id, degreeTitle, awardDate }, proof: { cryptosuite, verificationMethod }};
}

/**
 * Returns a data value with its summary in English.
 *
 * @param {any} dataValue
 */
function inEnglish({ id, summary: { title, subtitle, details }}) {
  return { id, title: english(title), subtitle: english(subtitle), details: fieldsInEnglish(details) };
}

/**
 * @param {Record<string, any>} fields
 *
 * @returns {Record<string, unknown>}
 */
function fieldsInEnglish(fields) {
  return Object.fromEntries(Object.entries(fields).map(([ name, { label, format, items, value }]) => [
    // Several values of one property are numbered.
    `${english(label)}${/^\d+$/u.test(name) ? ` ${name}` : ''} (${format})`,
    format === 'group' ? fieldsInEnglish(items) : value ?? items.map(english).join(', '),
  ]));
}

/**
 * @param {{ value: string, language: string | null }[]} translations
 */
function english(translations) {
  return (translations.find(({ language }) => language === 'en') ?? translations.at(0))?.value;
}

/**
 * @param {Narrator} narrator
 * @param {Demo} demo
 * @param {boolean} login
 */
async function tellStory(narrator, demo, login) {
  const emma = await (login ? getWebIdOnTheWay : getWebId)(narrator, demo);
  const shared = await shareDiploma(narrator, demo, emma);
  const consumer = await logInConsumer(narrator, demo);
  await readDiploma(narrator, demo, consumer, shared);
  const receiver = new EventReceiver();
  try {
    await subscribe(narrator, demo, consumer, receiver);
    const requestMs = await revoke(narrator, demo, emma, shared);
    await deleteCopy(narrator, demo, consumer, shared, receiver, requestMs);
  } finally {
    receiver.stop();
  }
}

/**
 * Starts the example national issuer and the server, tells the story, stops both.
 *
 * @param {Narrator} narrator
 * @param {object} options
 * @param {string} options.folder - For all that is written.
 * @param {AbortSignal} options.signal - Ends the start.
 * @param {boolean} options.login - True when the citizen logs in at the service.
 */
async function tellMainStory(narrator, { folder, signal, login }) {
  print('Starting the example national issuer and the server …');
  const demo = await startDemo({ folder, port: await freePort(), nationalPort: await freePort(), signal });
  try {
    await tellStory(narrator, demo, login);
  } finally {
    await demo.stop();
  }
}

async function main() {
  const { values: { login, 'plan-requests': tellsPlans }} = parseArgs({ options: {
    login: { type: 'boolean', default: false },
    'plan-requests': { type: 'boolean' },
  }});
  const folder = await mkdtemp(join(tmpdir(), 'css-data-sharing-demo-'));
  const signal = interruptionSignal();
  const narrator = new Narrator(print, directory.citizens.map(({ nationalNumber }) => nationalNumber), signal);
  try {
    if (tellsPlans) {
      print('Starting the server with plan requests …');
      await tellPlanStory(narrator, { folder, port: await freePort(), signal });
    } else {
      await tellMainStory(narrator, { folder, signal, login });
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  print(`\nDone: ${narrator.steps} steps, ${narrator.requests} requests, each answered as it should be.`);
}

run(main);
