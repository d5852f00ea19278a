'use strict';

const { Requests } = require('./requests');

/** Requests of each kind, in a hundred. */
const weights = { read: 90, share: 5, revoke: 2, ldp: 3 };
/** Number of reads, out of ten, of resources that were shared in this run. */
const sharedOfTen = 1;
const order = Object.entries(weights).flatMap(([ kind, weight ]) => Array.from({ length: weight }, () => kind));

/**
 * Makes the requests of a mixed load and remembers what was acknowledged: shares, revocations and written resources.
 * Each has a kind, the request itself, a function that checks the response, and one that applies a good response.
 */
class Mix {
  /**
   * @param world - From `makeWorld`.
   * @param server - Base URL and key of the identity provider.
   */
  constructor(world, server) {
    this.world = world;
    this.server = server;
    this.requests = new Requests(world);
    this.valueIds = [];
    this.shared = 0;
    this.plain = 0;
    this.drawn = [];
    /** Shares that were acknowledged and not revoked, revoked ones, and those to refuse next. */
    this.open = [];
    this.revoked = [];
    this.refused = [];
    this.written = [];
  }

  /** Requests the values to share later, so that the nodes know tokens and profiles. */
  async prepare() {
    const { sharers } = this.world.sharing;
    for (let owner = 0; owner < sharers; owner += 1) {
      this.valueIds.push(await this.requests.sharing.idOf(this.server, owner));
    }
  }

  /** Returns the next request: in every hundred, exactly the specified number of each kind, in random order. */
  draw() {
    if (this.drawn.length === 0) {
      this.drawn = shuffled(order);
    }
    const kind = this.drawn.pop();
    if (kind === 'read') {
      return this.read();
    }
    if (kind === 'share') {
      return this.share();
    }
    return kind === 'ldp' ? this.changePod() : this.revoke();
  }

  read() {
    const revoked = this.refused.pop();
    if (revoked) {
      return this.readRevoked(revoked);
    }
    if (this.open.length > 0 && Math.random() * 10 < sharedOfTen) {
      return this.readShared(this.open[Math.floor(Math.random() * this.open.length)]);
    }
    const [ made ] = this.requests.granted(this.server, 1);
    return {
      kind: 'read',
      request: made,
      problemOf: ({ status, body }) => problemUnless(status === 200, status, body) ??
        (body.equals(this.world.bytes) ? undefined : 'wrong body'),
    };
  }

  /** Makes a read of a resource that was shared in this run. */
  readShared(share) {
    share.readers += 1;
    return {
      kind: 'read shared',
      request: this.readOf(share),
      problemOf: ({ status, body }) => problemUnless(status === 200, status, body) ??
        (body.includes(share.ownerId) ? undefined : 'wrong body'),
      ended() {
        share.readers -= 1;
      },
    };
  }

  readRevoked(share) {
    return {
      kind: 'read revoked',
      request: this.readOf(share),
      problemOf: ({ status, body }) => status === 403 && body.includes('grant-revoked') ?
        undefined :
        problemUnless(status === 200, status, body) ?? 'read what was revoked',
    };
  }

  readOf({ consumer, grant, resource }) {
    const { base } = this.server;
    return {
      method: 'GET',
      url: `${base}v1/resources?resource=${encodeURIComponent(resource)}`,
      ...this.requests.credentials(this.server, consumer, 'DPoP'),
      headers: { 'X-Access-Grant': grant },
    };
  }

  /** Lists each citizen once under each contract, one citizen after the other. */
  share() {
    const { dataUsers, sharers } = this.world.sharing;
    const owner = this.shared % sharers;
    const contract = Math.floor(this.shared / sharers);
    this.shared += 1;
    return {
      kind: 'share',
      request: this.requests.sharing.share(this.server, owner, contract, this.valueIds[owner]),
      problemOf: ({ status, body }) => problemUnless(status === 200, status, body),
      done: ({ body }) => {
        const [{ podResource: resource, accessGrant: grant }] = JSON.parse(body.toString());
        const consumer = this.world.consumers[contract % dataUsers];
        this.open.push({ owner, ownerId: this.world.citizens[owner].id, consumer, resource, grant, readers: 0 });
      },
    };
  }

  /** Revokes a share that nobody is reading. */
  revoke() {
    const free = takeRandom(this.open, ({ readers }) => readers === 0);
    if (!free) {
      return this.share();
    }
    return {
      kind: 'revoke',
      request: {
        method: 'POST',
        url: `${this.server.base}.access/status`,
        token: this.requests.sharing.tokenOf(this.server, free.owner),
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({
          credentialId: free.grant,
          credentialStatus: [{ type: 'RevocationList2020Status', status: '1' }],
        }),
      },
      problemOf: ({ status, body }) => problemUnless(status === 200, status, body),
      done: () => {
        this.revoked.push(free);
        this.refused.push(free);
      },
    };
  }

  /** Makes, in turn, a read of a pod resource, and a creation, an update and a deletion of one. */
  changePod() {
    this.plain += 1;
    const turn = this.plain % 4;
    if (turn === 0) {
      const [ made ] = this.requests.plain(this.server, 1, { granted: true });
      return { kind: 'ldp get', request: made, problemOf: ({ status, body }) => problemUnless(status === 200, status, body) };
    }
    const url = turn === 1 ? undefined : takeRandom(this.written);
    if (!url) {
      const [ made ] = this.requests.writes(this.server, 1);
      return this.change('ldp put', made, [ 201, 205 ], () => this.written.push(made.url));
    }
    if (turn === 2) {
      return this.change('ldp put over', this.requests.write(this.server, url), [ 205 ], () => this.written.push(url));
    }
    const request = { method: 'DELETE', url, ...this.requests.credentials(this.server, this.world.consumers[0], 'DPoP') };
    return this.change('ldp delete', request, [ 205, 404 ], () => {});
  }

  /** Checks a status. The second one is for a request that was sent again after its response was lost. */
  change(kind, request, [ first, again ], done) {
    return {
      kind,
      request,
      problemOf: ({ status, body, sends }) => problemUnless(status === first || (sends > 1 && status === again), status, body),
      done,
    };
  }

  /** Makes reads of everything that was acknowledged: active and revoked shares. */
  * checks() {
    for (const share of this.open) {
      yield this.readShared(share);
    }
    for (const share of this.revoked) {
      yield this.readRevoked(share);
    }
  }
}

function problemUnless(isGood, status, body) {
  return isGood ? undefined : `${status} ${/"type": *"([^"]*)"/u.exec(body)?.[1] ?? body.toString('utf8', 0, 200)}`;
}

function shuffled(values) {
  const left = [ ...values ];
  return values.map(() => takeRandom(left));
}

/** Removes a random suitable item from a list; `undefined` when none is found in a few tries. */
function takeRandom(values, isGood = () => true) {
  for (let tries = 0; tries < 20 && values.length > 0; tries += 1) {
    const index = Math.floor(Math.random() * values.length);
    const value = values[index];
    if (isGood(value)) {
      values[index] = values.at(-1);
      values.pop();
      return value;
    }
  }
}

module.exports = { Mix };
