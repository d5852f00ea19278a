'use strict';

const { readClientDocument } = require('./clientDocuments');

/**
 * @typedef {import('oidc-provider').Adapter} Adapter
 * @typedef {import('oidc-provider').AdapterPayload} AdapterPayload
 * @typedef {{ payload: AdapterPayload, expiresAt: number }} Entry
 */

/**
 * Makes the class with which oidc-provider keeps sessions, codes, tokens and registered apps: in memory, one store per
 * provider, gone when the process ends. Apps that did not register are looked up at their `client_id`.
 *
 * @see [oidc-provider, Adapter](https://github.com/panva/node-oidc-provider/blob/v8.x/docs/README.md#adapter)
 */
function createMemoryAdapter() {
  /** @type {Map<string, Entry>} */
  const entries = new Map();

  /**
   * @implements {Adapter}
   */
  class MemoryAdapter {
    /**
     * @param {string} model
     */
    constructor(model) {
      this.model = model;
    }

    /**
     * @param {string} id
     */
    key(id) {
      return `${this.model}:${id}`;
    }

    /**
     * @param {string} id
     * @param {AdapterPayload} payload
     * @param {number} [expiresInSeconds]
     */
    async upsert(id, payload, expiresInSeconds) {
      const expiresAt = expiresInSeconds ? Date.now() + (expiresInSeconds * 1000) : Number.POSITIVE_INFINITY;
      entries.set(this.key(id), { payload, expiresAt });
    }

    /**
     * @param {string} id
     */
    async find(id) {
      const entry = entries.get(this.key(id));
      if (entry && entry.expiresAt <= Date.now()) {
        entries.delete(this.key(id));
        return;
      }
      return entry || this.model !== 'Client' ? entry?.payload : readClientDocument(id);
    }

    /**
     * @param {(payload: AdapterPayload) => boolean} matches
     */
    async findWhere(matches) {
      for (const [ key, { payload }] of entries) {
        if (key.startsWith(`${this.model}:`) && matches(payload)) {
          return payload;
        }
      }
    }

    /**
     * @param {string} uid
     */
    async findByUid(uid) {
      return this.findWhere(payload => payload.uid === uid);
    }

    /**
     * @param {string} userCode
     */
    async findByUserCode(userCode) {
      return this.findWhere(payload => payload.userCode === userCode);
    }

    /**
     * @param {string} id
     */
    async consume(id) {
      const payload = await this.find(id);
      if (payload) {
        payload.consumed = Math.floor(Date.now() / 1000);
      }
    }

    /**
     * @param {string} id
     */
    async destroy(id) {
      entries.delete(this.key(id));
    }

    /**
     * @param {string} grantId
     */
    async revokeByGrantId(grantId) {
      for (const [ key, { payload }] of entries) {
        if (payload.grantId === grantId) {
          entries.delete(key);
        }
      }
    }
  }

  return MemoryAdapter;
}

module.exports = { createMemoryAdapter };
