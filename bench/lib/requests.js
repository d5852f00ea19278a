'use strict';

const { createPrivateKey } = require('node:crypto');
const { ShareRequests } = require('./shareRows');
const { accessToken } = require('./tokens');

/**
 * Makes the requests of each row. Consumers take turns. Nine of ten of their reads go to the same tenth of the
 * citizens.
 */
class Requests {
  constructor(world) {
    this.world = world;
    this.tokens = new Map();
    this.issuerKeys = new Map();
    this.serial = 0;
    this.sharing = new ShareRequests(this);
  }

  /** Reads with a grant, by 1,000 consumers. */
  granted(server, count, { scheme = 'DPoP', fresh = false, large = false } = {}) {
    return Array.from({ length: count }, () => {
      this.serial += 1;
      const consumer = this.world.consumers[large ? 0 : this.serial % this.world.consumers.length];
      const grant = large ? consumer.grants[2] : consumer.grants[Math.random() < 0.9 ? 0 : 1];
      const citizen = this.world.citizens[grant.citizen];
      const resource = server.base + (large ? citizen.large : citizen.resource);
      return {
        method: 'GET',
        url: `${server.base}v1/resources?resource=${encodeURIComponent(resource)}`,
        ...this.credentials(server, consumer, scheme, fresh),
        headers: { 'X-Access-Grant': `${server.base}.access/vc/${grant.id}` },
      };
    });
  }

  /** Plain Solid reads: by the one agent that WAC allows, or by consumers with a grant. */
  plain(server, count, { granted = false } = {}) {
    return Array.from({ length: count }, () => {
      this.serial += 1;
      const consumer = this.world.consumers[granted ? this.serial % this.world.consumers.length : 0];
      const { resource } = this.world.citizens[granted ? consumer.grants[0].citizen : 0];
      return { method: 'GET', url: server.base + resource, ...this.credentials(server, consumer, 'DPoP') };
    });
  }

  /** Public reads of 1 MB. */
  publicLarge(server, count) {
    return Array.from({ length: count }, () => ({ method: 'GET', url: server.base + this.world.citizens[0].large }));
  }

  /** Writes of new resources, at most 100 in a container. */
  writes(server, count) {
    this.written = Array.from({ length: count }, () => {
      this.serial += 1;
      return `${server.base}written/${Math.floor(this.serial / 100)}/r${this.serial}`;
    });
    return this.written.map(url => this.write(server, url));
  }

  /** Writes of the most recently written resources. */
  rewrites(server) {
    return this.written.map(url => this.write(server, url));
  }

  /** Deletions of the most recently written resources. */
  deletions(server) {
    return this.written.map(url =>
      ({ method: 'DELETE', url, ...this.credentials(server, this.world.consumers[0], 'DPoP') }));
  }

  /** Revocations by citizens, each of a different grant. */
  revocations(server, count) {
    return this.world.revocable.splice(0, count).map(({ citizen, id }) => ({
      method: 'POST',
      url: `${server.base}.access/status`,
      token: this.credentials(server, { name: `${this.world.citizens[citizen].id}/profile/card` }, 'Bearer').token,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        credentialId: `${server.base}.access/vc/${id}`,
        credentialStatus: [{ type: 'RevocationList2020Status', status: '1' }],
      }),
    }));
  }

  write(server, url) {
    return {
      method: 'PUT',
      url,
      ...this.credentials(server, this.world.consumers[0], 'DPoP'),
      headers: { 'Content-Type': 'application/ld+json' },
      body: this.world.bytes.toString(),
    };
  }

  credentials(server, consumer, scheme, fresh) {
    const key = scheme === 'DPoP' ? consumer.key : undefined;
    const name = `${server.base} ${scheme} ${consumer.name}`;
    const known = this.tokens.get(name);
    // At most 20 minutes old, so that none expires during a run.
    const token = !fresh && known?.until > Date.now() ? known.token : this.sign(server, consumer, key);
    if (token !== known?.token) {
      this.tokens.set(name, { token, until: Date.now() + 1_200_000 });
    }
    return { token, ...key && { key }};
  }

  sign(server, { name }, key) {
    const issuer = server.issuer ?? server.base;
    if (!this.issuerKeys.has(issuer)) {
      this.issuerKeys.set(issuer, createPrivateKey({ key: server.issuerKey, format: 'jwk' }));
    }
    const issuerKey = this.issuerKeys.get(issuer);
    return accessToken({ issuerKey, kid: server.issuerKey.kid, issuer, webId: `${issuer}${name}#me`, key });
  }
}

module.exports = { Requests };
