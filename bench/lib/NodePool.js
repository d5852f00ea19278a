'use strict';

const { Agent, request: send } = require('node:http');
const { setTimeout: delay } = require('node:timers/promises');

const healthMs = 500;
const healthTimeoutMs = 2000;
const answerTimeoutMs = 60_000;
/** Maximum number of times that one request is sent. */
const mostSends = 20;
const pauseMs = 500;
const refused = new Set([ 'ECONNREFUSED' ]);
const cut = new Set([ 'ECONNRESET', 'EPIPE' ]);

/**
 * Sends requests to nodes in turn, like a load balancer with health checks. A request whose connection is refused or
 * cut goes to another node: every operation of this service may be repeated.
 */
class NodePool {
  /**
   * @param host - Of the base URL: name and port.
   * @param ports - Of the nodes.
   */
  constructor(host, ports) {
    this.host = host;
    this.nodes = ports.map(port => ({
      port,
      isUp: true,
      // Below the time after which a node closes an idle connection.
      agent: new Agent({ keepAlive: true, timeout: 30_000, maxSockets: 256 }),
    }));
    this.next = 0;
    this.cuts = {};
    this.isStopped = false;
  }

  /** Checks the health of the nodes until the pool is stopped. */
  watch() {
    for (const node of this.nodes) {
      this.watchNode(node).catch((error) => {
        throw error;
      });
    }
  }

  async watchNode(node) {
    while (!this.isStopped) {
      try {
        const headers = { host: this.host };
        const { status } = await this.sendTo(node, { method: 'GET', path: '/.health/ready', headers, agent: false }, healthTimeoutMs);
        node.isUp = status === 200;
      } catch {
        node.isUp = false;
      }
      await delay(healthMs);
    }
  }

  /**
   * Sends a request until a node answers.
   *
   * @param make - Makes the request, again for each attempt: a proof can be used only once.
   *
   * @returns Status and body, and the number of attempts.
   *
   * @throws When no node responds.
   */
  async ask(make) {
    for (let sends = 1; sends <= mostSends; sends += 1) {
      const node = this.choose();
      try {
        return { ...await this.sendTo(node, { ...make(), agent: node.agent }, answerTimeoutMs), sends };
      } catch (error) {
        if (!refused.has(error.code) && !cut.has(error.code)) {
          throw error;
        }
        this.count(node, refused.has(error.code) ? 'refused' : 'cut');
        node.isUp &&= !refused.has(error.code);
        if (!this.nodes.some(({ isUp }) => isUp)) {
          await delay(pauseMs);
        }
      }
    }
    throw Object.assign(new Error('No node answers'), { code: 'NOBODY' });
  }

  /** Returns the next node that is up, or any node when none is known to be. */
  choose() {
    for (let tries = 0; tries < this.nodes.length; tries += 1) {
      this.next = (this.next + 1) % this.nodes.length;
      if (this.nodes[this.next].isUp) {
        break;
      }
    }
    return this.nodes[this.next];
  }

  count(node, what) {
    const name = `node ${this.nodes.indexOf(node)} ${what}`;
    this.cuts[name] = (this.cuts[name] ?? 0) + 1;
  }

  sendTo({ port }, { body, ...request }, timeoutMs) {
    return new Promise((resolve, reject) => {
      const outgoing = send({ host: '127.0.0.1', port, ...request });
      const timer = setTimeout(() => outgoing.destroy(Object.assign(new Error('No answer in time'), { code: 'TIMEOUT' })), timeoutMs);
      function fail(error) {
        clearTimeout(timer);
        reject(error);
      }
      outgoing.on('error', fail);
      outgoing.on('response', (answer) => {
        const chunks = [];
        answer.on('data', chunk => chunks.push(chunk));
        answer.on('error', fail);
        answer.on('end', () => {
          clearTimeout(timer);
          resolve({ status: answer.statusCode, body: Buffer.concat(chunks) });
        });
      });
      outgoing.end(body);
    });
  }

  stop() {
    this.isStopped = true;
    for (const { agent } of this.nodes) {
      agent.destroy();
    }
  }
}

module.exports = { NodePool };
