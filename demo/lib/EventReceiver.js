'use strict';

const { once } = require('node:events');
const { createServer } = require('node:http');
const { text } = require('node:stream/consumers');
const { Webhook } = require('standardwebhooks');

/**
 * A pushed event.
 *
 * @typedef {{ id: string, type: string, time: string, data: Record<string, any> }} PushedEvent
 */

/** A data user's endpoint for pushed events. */
class EventReceiver {
  constructor() {
    /** @type {Map<string, PushedEvent>} By id, because an event may arrive twice. */
    this.events = new Map();
    /** @type {Webhook | undefined} */
    this.webhook = undefined;
    this.server = createServer(async(request, response) => {
      response.statusCode = await this.receive(request, response).catch(() => 400);
      response.end();
    });
  }

  /**
   * Starts to listen.
   *
   * @param {number} port
   *
   * @returns {Promise<string>} URL of the endpoint.
   */
  async listen(port) {
    this.server.listen(port, 'localhost');
    await once(this.server, 'listening');
    return `http://localhost:${port}/events`;
  }

  /**
   * Accepts events of a subscription from now on.
   *
   * @param {string} secret - Of the subscription.
   */
  trust(secret) {
    this.webhook = new Webhook(secret);
  }

  /**
   * Waits for an event of a type, which may have been pushed already.
   *
   * @param {string} type
   * @param {AbortSignal} signal - Ends the wait.
   *
   * @returns {Promise<PushedEvent>}
   */
  async next(type, signal) {
    for (;;) {
      const found = [ ...this.events.values() ].find(event => event.type === type);
      if (found) {
        return found;
      }
      await once(this.server, 'pushed', { signal });
    }
  }

  stop() {
    this.server.closeAllConnections();
    this.server.close();
  }

  /**
   * @param {import('node:http').IncomingMessage} request
   * @param {import('node:http').ServerResponse} response
   *
   * @returns {Promise<number>} Status of the response.
   */
  async receive(request, response) {
    const body = await text(request);
    const event = JSON.parse(body);
    if (event.type === 'SubscriptionChallenge') {
      response.write(JSON.stringify({ challenge: event.data.challenge }));
      return 200;
    }
    if (!this.webhook) {
      return 503;
    }
    this.webhook.verify(body, /** @type {Record<string, string>} */ (request.headers));
    this.events.set(event.id, event);
    this.server.emit('pushed');
    return 204;
  }
}

module.exports = { EventReceiver };
