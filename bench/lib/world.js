'use strict';

// The data of the benchmark, the same for every server: consumers with their own keys and tokens, citizens with a pod
// and a resource each, and two grants for each consumer. It is written directly into the storage of the servers, because
// making a thousand pods by requests takes minutes.

const { randomBytes, randomUUID } = require('node:crypto');
const { mkdirSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');
const { createDocumentLoader } = require('../../dist/credentials/documentLoader');
const { GrantCredentials } = require('../../dist/grants/GrantCredentials');
const { NationalNumber } = require('../../dist/identity/NationalNumber');
const { openRecords } = require('../../dist/storage/openRecords');
const { ownIris } = require('../../dist/vocabulary');
const { newKey } = require('./tokens');

/** Number of citizens whose resources get nine of ten requests. */
const hotShare = 0.1;

/**
 * @param options
 * @param options.consumers
 * @param options.citizens
 * @param options.revocations - Number of grants to revoke.
 * @param options.sharing - Number of citizens who share, of contracts under which each of them can share, and of
 * consumers who take turns as the data users of these contracts.
 *
 * @returns Names and keys, without any server's URL.
 */
function makeWorld({ consumers, citizens, revocations = 0, sharing = { sharers: 6, contracts: 1000, dataUsers: 0 }}) {
  const hot = Math.max(1, Math.floor(citizens * hotShare));
  const bytes = document(2048);
  return {
    sharing,
    bytes,
    megabyte: document(1024 * 1024),
    consumers: Array.from({ length: consumers }, (_, index) => ({
      name: `consumers/${String(index % 100).padStart(2, '0')}/c${index}`,
      key: newKey(),
      grants: [
        { id: randomUUID(), citizen: index % hot },
        { id: randomUUID(), citizen: hot + (index % (citizens - hot)) },
        ...index === 0 ? [{ id: randomUUID(), citizen: 0, large: true }] : [],
      ],
    })),
    revocable: Array.from({ length: revocations }, (_, index) => ({ id: randomUUID(), citizen: index % citizens })),
    citizens: Array.from({ length: citizens }, (_, index) => {
      const id = randomUUID();
      const resourceId = randomUUID();
      return {
        id,
        number: fictitiousNumber(index),
        // Not in the container of shared data, where the sweep removes resources that are not on record.
        resource: `${id}/records/${resourceId.slice(0, 2)}/${resourceId}`,
        large: index === 0 ? `${id}/records/large` : undefined,
      };
    }),
  };
}

/** Makes a fictitious national number with a valid check number. */
function fictitiousNumber(serial) {
  const nine = String(850_000_000 + serial);
  return nine + String(97 - (Number(nine) % 97)).padStart(2, '0');
}

/** Makes JSON-LD of exactly this many bytes. */
function document(length) {
  const start = '{"@context":{"@vocab":"https://example.org/ns#"},"@id":"","name":"';
  const end = '"}';
  const filling = randomBytes(Math.ceil(length / 2)).toString('hex').slice(0, length - start.length - end.length);
  return Buffer.from(start + filling + end);
}

/**
 * Writes profiles and resources below a pod root, as the file backend stores them.
 *
 * @param world - From {@link makeWorld}.
 * @param root - Pod root of a server.
 * @param base - Base URL of that server.
 * @param readers - WebIDs that WAC allows to read the resources of the first citizen. Everybody may read the public one.
 */
function writePods(world, root, base, readers) {
  const written = new Set();
  function write(path, content) {
    const file = join(root, path);
    const folder = dirname(file);
    if (!written.has(folder)) {
      mkdirSync(folder, { recursive: true });
      written.add(folder);
    }
    writeFileSync(file, content);
  }
  for (const { name } of world.consumers) {
    write(`${name}$.ttl`, `<${base}${name}#me> <http://www.w3.org/ns/solid/terms#oidcIssuer> <${base}> .\n`);
  }
  write('consumers/.acl', acl(`${base}consumers/`, `acl:agentClass foaf:Agent`, 'acl:default'));
  for (const { id, large, resource } of world.citizens) {
    write(`${resource}$.jsonld`, world.bytes);
    write(`${id}/.acl`, acl(`${base}${id}/`, `acl:agent <${base}${id}/profile/card#me>`, 'acl:default'));
    if (large) {
      write(`${large}$.jsonld`, world.megabyte);
    }
  }
  const agents = readers.map(webId => `acl:agent <${webId}>`).join('; ');
  const [ first ] = world.citizens;
  if (readers.length > 0) {
    write(`${first.resource}.acl`, acl(`${base}${first.resource}`, agents));
  }
  write(`${first.large}.acl`, acl(`${base}${first.large}`, 'acl:agentClass foaf:Agent'));
  write('written/.acl', acl(`${base}written/`, `acl:agent <${base}${world.consumers[0].name}#me>`, 'acl:default', true));
}

function acl(target, agents, inherited, write = false) {
  return `@prefix acl: <http://www.w3.org/ns/auth/acl#>.
@prefix foaf: <http://xmlns.com/foaf/0.1/>.
<#read> a acl:Authorization; ${agents};
  acl:accessTo <${target}>; ${inherited ? `${inherited} <${target}>;` : ''}
  acl:mode acl:Read${write ? ', acl:Write' : ''}.
`;
}

/**
 * Writes citizens, pod owners and grants to the records of a service that is not running yet.
 *
 * @param world - From {@link makeWorld}.
 * @param options - Where the service is.
 * @param options.records - SQLite file.
 * @param options.keys - Folder of key files.
 * @param options.base - Base URL of the service.
 */
async function writeRecords(world, { records: file, keys, base }) {
  const logger = { error: console.error, warn: console.error, info() {}, debug() {} };
  const opened = await openRecords({ records: file, keys, clock: () => new Date(), newId: randomUUID, logger });
  const iris = ownIris(base);
  const signer = new GrantCredentials({ keys: opened.keys, iris, load: createDocumentLoader() });
  const createdAt = new Date(Date.now() - 60_000);
  const all = [
    ...world.consumers.flatMap(consumer => consumer.grants.map(grant => toGrant({ ...grant, consumer }))),
    ...world.revocable.map(grant => toGrant({ ...grant, consumer: world.consumers.at(-1) })),
  ];

  function toGrant({ id, citizen: index, large, consumer }) {
    const citizen = world.citizens[index];
    return {
      id,
      uri: `${base}.access/vc/${id}`,
      kind: 'grant',
      subject: `${base}${citizen.id}/profile/card#me`,
      recipient: `${base}${consumer.name}#me`,
      modes: [ 'Read' ],
      resources: [ base + (large ? citizen.large : citizen.resource) ],
      purposes: [ 'https://example.org/purposes/bench' ],
      inherit: false,
      status: { listId: randomUUID(), index: 0 },
      issuedAt: createdAt,
      expiresAt: new Date(Date.now() + 86_400_000),
    };
  }

  // One is signed. The others have a document of the same size, which no read parses.
  const signed = await signer.sign(all[0]);
  await opened.records.transaction(async({ citizens, grants, podOwners }) => {
    for (const { id, number } of world.citizens) {
      const webId = `${base}${id}/profile/card#me`;
      const podUrl = `${base}${id}/`;
      await citizens.insertOrGet({ id, webId, podUrl, nationalNumber: NationalNumber.stored(number), createdAt });
      await citizens.setState(id, 'ACTIVE');
      await podOwners.set(podUrl, [ webId ]);
    }
    for (const grant of all) {
      await grants.insert({ ...grant, document: signed.replaceAll(all[0].id, grant.id) });
    }
  });
  await opened.close();
}

/**
 * Writes citizens to the records of a service that is not running.
 *
 * @param citizens - Their ids and national numbers.
 * @param options - Where the service is.
 * @param options.records - SQLite file.
 * @param options.keys - Folder of key files.
 * @param options.base - Base URL of the service.
 */
async function writeCitizens(citizens, { records: file, keys, base }) {
  const logger = { error: console.error, warn: console.error, info() {}, debug() {} };
  const opened = await openRecords({ records: file, keys, clock: () => new Date(), newId: randomUUID, logger });
  await opened.records.transaction(async(stores) => {
    for (const { id, number } of citizens) {
      const webId = `${base}${id}/profile/card#me`;
      const podUrl = `${base}${id}/`;
      const nationalNumber = NationalNumber.stored(number);
      await stores.citizens.insertOrGet({ id, webId, podUrl, nationalNumber, createdAt: new Date() });
      await stores.citizens.setState(id, 'ACTIVE');
      await stores.podOwners.set(podUrl, [ webId ]);
    }
  });
  await opened.close();
}

module.exports = { fictitiousNumber, makeWorld, writeCitizens, writePods, writeRecords };
