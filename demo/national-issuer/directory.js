'use strict';

/**
 * A citizen that the issuer can vouch for.
 *
 * @typedef {object} Citizen
 * @property {string} id - Name of the citizen within this issuer.
 * @property {string} name - For the login page.
 * @property {string} nationalNumber - 11 digits.
 */

/**
 * An app that is registered in advance; others register themselves.
 *
 * @typedef {object} KnownClient
 * @property {string} clientId - UUID.
 * @property {string} clientSecret
 * @property {string} name
 * @property {string} [citizen] - Id of the citizen as whom the app logs in by client credentials.
 */

const { readFileSync } = require('node:fs');

/**
 * The citizens and known apps of the issuer.
 */
class Directory {
  /**
   * @param {Citizen[]} citizens
   * @param {KnownClient[]} clients
   */
  constructor(citizens, clients) {
    /** @type {Citizen[]} */
    this.citizens = citizens;
    /** @type {KnownClient[]} */
    this.clients = clients;
    for (const { clientId, citizen } of clients) {
      if (citizen !== undefined && !this.findCitizen(citizen)) {
        throw new Error(`Client ${clientId} acts for the unknown citizen ${citizen}`);
      }
    }
  }

  /**
   * @param {string} id
   */
  findCitizen(id) {
    return this.citizens.find(citizen => citizen.id === id);
  }

  /**
   * Returns the `sub` of a citizen's tokens. It is a URL, because Solid libraries use it as the WebID if a token has no
   * `webid`, and refuse anything else. There is no document at that URL.
   *
   * @param {string} issuer
   * @param {Citizen} citizen
   *
   * @see [Solid-OIDC, section 8.1](https://solidproject.org/TR/oidc#tokens-id)
   */
  subjectOf(issuer, { id }) {
    return new URL(`citizens/${encodeURIComponent(id)}`, issuer).href;
  }

  /**
   * Finds the citizen of a `sub`.
   *
   * @param {string} issuer
   * @param {string} subject
   */
  findSubject(issuer, subject) {
    return this.citizens.find(citizen => this.subjectOf(issuer, citizen) === subject);
  }

  /**
   * The citizen as whom a known app logs in by client credentials, if it acts for one.
   *
   * @param {string} clientId
   */
  findCitizenOfClient(clientId) {
    const client = this.clients.find(known => known.clientId === clientId);
    return client?.citizen === undefined ? undefined : this.findCitizen(client.citizen);
  }
}

/**
 * Reads a directory from its two files.
 *
 * @param {string} citizensFile - JSON array of {@link Citizen}.
 * @param {string} clientsFile - JSON array of {@link KnownClient}.
 */
function readDirectory(citizensFile, clientsFile) {
  return new Directory(
    JSON.parse(readFileSync(citizensFile, 'utf8')),
    JSON.parse(readFileSync(clientsFile, 'utf8')),
  );
}

module.exports = { Directory, readDirectory };
