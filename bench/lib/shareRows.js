'use strict';

// Measures sharing one value at a time, by citizens who have shared little and by one who has shared 10,000. Each share
// is a new resource with a new grant, under its own contract. Compared with the stock server's PUT of a new resource.

const { randomUUID } = require('node:crypto');
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');
const BetterSqlite3 = require('better-sqlite3');

const data = join(__dirname, '../../demo/data');

/** Writes the data that sharing needs before the service starts: contracts, and a record for each citizen who shares. */
function writeShareables(world, folder) {
  const { contracts, dataUsers, sharers } = world.sharing;
  const sources = join(folder, 'sources');
  const records = join(sources, 'diploma/2024-05-22');
  mkdirSync(records, { recursive: true });
  const record = JSON.parse(readFileSync(join(data, 'sources/diploma/2024-05-22/emma-bachelor.json'), 'utf8'));
  for (const [ index, { number }] of world.citizens.slice(0, sharers).entries()) {
    writeFileSync(join(records, `${index}.json`), JSON.stringify({ ...record, citizen: number, id: `diploma-${index}` }));
  }
  const folderOfContracts = join(folder, 'contracts');
  mkdirSync(folderOfContracts, { recursive: true });
  const contract = JSON.parse(readFileSync(join(data, 'contracts/diploma-employment.jsonld'), 'utf8'));
  for (let index = 0; index < contracts; index += 1) {
    const forDataUser = dataUsers > 0 ? `/${world.consumers[index % dataUsers].name}#me` : contract.forDataUser;
    writeFileSync(join(folderOfContracts, `c${index}.jsonld`), JSON.stringify({ ...contract, forDataUser }));
  }
  return { sources, contracts: folderOfContracts };
}

/** Gives the first citizen this many shares, with resources and grants, in a service that is not running. */
function writeShares(world, { base, records, root, count }) {
  const [ owner ] = world.citizens;
  const webId = `${base}${owner.id}/profile/card#me`;
  const db = new BetterSqlite3(records);
  db.pragma('synchronous = OFF');
  const share = insertion(db, 'shares');
  const grant = insertion(db, 'access_grants');
  const covered = insertion(db, 'grant_resources');
  const recipient = `${base}consumer/profile/card#me`;
  const folders = new Set();
  db.transaction(() => {
    for (let index = 0; index < count; index += 1) {
      const [ id, grantId ] = [ randomUUID(), randomUUID() ];
      const path = `${owner.id}/credentials/${id.slice(0, 2)}/${id}`;
      const at = Date.now() - 86_400_000 - index;
      const file = join(root, `${path}$.jsonld`);
      if (!folders.has(dirname(file))) {
        folders.add(dirname(file));
        mkdirSync(dirname(file), { recursive: true });
      }
      writeFileSync(file, world.bytes);
      share({
        id,
        citizen_id: owner.id,
        contract_id: `past${index}`,
        data_type: `${base}v1/data-types/diploma/2024-05-22`,
        record_id: 'diploma-0',
        version: '0',
        resource: base + path,
        content_type: 'application/ld+json',
        size: world.bytes.length,
        digest: 'past',
        grant_id: grantId,
        created_at: at,
        modified_at: at,
      });
      grant({
        id: grantId,
        uri: `${base}.access/vc/${grantId}`,
        kind: 'grant',
        subject: webId,
        recipient,
        modes: '["Read"]',
        resources: JSON.stringify([ base + path ]),
        purposes: '[]',
        inherit: 0,
        status_list_id: 'past',
        status_index: index,
        issued_at: at,
        document: '{}',
        state: 'open',
        created_at: at,
      });
      covered({ grant_id: grantId, resource: base + path, recipient, subject: webId, issued_at: at });
    }
  })();
  db.close();
}

function insertion(db, table) {
  let statement;
  return (row) => {
    const names = Object.keys(row);
    statement ??= db.prepare(`insert into ${table} (${names}) values (${names.map(name => `@${name}`)})`);
    statement.run(row);
  };
}

/** Makes the share requests: each citizen once under each contract. */
class ShareRequests {
  constructor(requests) {
    this.requests = requests;
    this.ids = new Map();
    this.next = new Map();
  }

  /**
   * @param server - The service.
   * @param count - Number of requests.
   * @param owners - Indexes of the citizens who take turns.
   */
  async shares(server, count, owners) {
    const made = [];
    for (let index = 0; index < count; index += 1) {
      const owner = owners[index % owners.length];
      const turn = this.next.get(owner) ?? 0;
      this.next.set(owner, turn + 1);
      made.push(this.share(server, owner, turn, await this.idOf(server, owner)));
    }
    return made;
  }

  /** Makes one share of a value under the contract with that index. */
  share(server, owner, contract, id) {
    if (contract >= this.requests.world.sharing.contracts) {
      throw new Error('There are no contracts left: fewer rounds');
    }
    return {
      method: 'POST',
      url: `${server.base}v1/contracts/c${contract}/data`,
      token: this.tokenOf(server, owner),
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ dataValues: [ id ]}),
    };
  }

  tokenOf(server, owner) {
    const { id } = this.requests.world.citizens[owner];
    return this.requests.credentials(server, { name: `${id}/profile/card` }, 'Bearer').token;
  }

  async idOf(server, owner) {
    const place = `${server.base}${owner}`;
    if (!this.ids.has(place)) {
      const answer = await fetch(`${server.base}v1/contracts/c0/data`, {
        headers: { Authorization: `Bearer ${this.tokenOf(server, owner)}` },
      });
      const { dataValues: [ value ] = []} = await answer.json();
      if (!value || value.error) {
        throw new Error(`No value to share: ${answer.status} ${JSON.stringify(value?.error)}`);
      }
      this.ids.set(place, value.id);
    }
    return this.ids.get(place);
  }
}

const share = {
  name: 'share',
  server: 'service',
  count: 120,
  callers: 5,
  of: 'stock-put',
  requests: async(make, server, count) => make.sharing.shares(server, count, [ 1, 2, 3, 4, 5 ]),
};

const shareRows = [
  share,
  { ...share, name: 'share-without-events', server: 'silent', of: undefined },
  {
    name: 'share-after-10000',
    server: 'service',
    count: 120,
    callers: 1,
    of: 'share',
    requests: async(make, server, count) => make.sharing.shares(server, count, [ 0 ]),
  },
];

module.exports = { shareRows, ShareRequests, writeShareables, writeShares };
