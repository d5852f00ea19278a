'use strict';

const { once } = require('node:events');
const { readFileSync } = require('node:fs');
const { connect, createServer } = require('node:net');
const { cpuMs, memoryMb, startProcess } = require('./processes');

/**
 * Several processes of one service. Its base URL leads to any of them that listens: nodes fetch profiles there. Load is
 * sent to their own ports.
 */
class Nodes {
  /** @param commands - What to start: arguments, port, log file and folder of each. */
  constructor(commands) {
    this.commands = commands;
    this.started = Array.from({ length: commands.length });
    this.next = 0;
    this.sockets = new Set();
    this.server = createServer((socket) => {
      socket.on('error', () => socket.destroy());
      this.forward(socket);
    });
  }

  get ports() {
    return this.commands.map(({ port }) => port);
  }

  async listen(port) {
    this.server.listen(port, 'localhost');
    await once(this.server, 'listening');
  }

  /** Starts a node and waits until it is ready. */
  async start(index) {
    const { port, ...command } = this.commands[index];
    this.started[index] = await startProcess({ ...command, readyUrl: `http://localhost:${port}/.health/ready` });
  }

  /** Ends a node at once, as the loss of its machine does. */
  async kill(index) {
    const { child, exited } = this.started[index];
    this.started[index] = undefined;
    child.kill('SIGKILL');
    await exited;
  }

  /** Ends a node by SIGTERM; rejects when it fails at that. */
  async end(index) {
    await this.started[index].stop();
    this.started[index] = undefined;
  }

  /** CPU time until now and memory of each; nothing of those that do not run. */
  read() {
    return this.started.map(started => started && tryTo(() =>
      ({ pid: started.child.pid, cpu: cpuMs(started.child.pid), ...memoryMb(started.child.pid) })));
  }

  /** Output of the nodes. */
  logs() {
    return this.commands.map(({ logFile }) => readFileSync(logFile, 'utf8'));
  }

  async stop() {
    for (const socket of this.sockets) {
      socket.destroy();
    }
    this.server.close();
    const outcomes = await Promise.allSettled(this.started.map(started => started?.stop()));
    for (const { reason } of outcomes.filter(({ status }) => status === 'rejected')) {
      console.error(`A node did not stop as it should: ${reason.message}`);
    }
  }

  /** Joins a connection with one of a node, the next one if that does not listen. */
  forward(socket, tries = 0) {
    if (tries === this.commands.length) {
      socket.destroy();
      return;
    }
    this.next += 1;
    const to = connect(this.ports[this.next % this.commands.length], 'localhost');
    to.once('error', () => this.forward(socket, tries + 1));
    to.once('connect', () => {
      to.removeAllListeners('error');
      for (const [ one, other ] of [[ socket, to ], [ to, socket ]]) {
        this.sockets.add(one);
        one.on('error', () => other.destroy());
        one.on('close', () => {
          this.sockets.delete(one);
          other.destroy();
        });
        one.pipe(other);
      }
    });
  }
}

/** Nothing of a process that has ended this moment. */
function tryTo(read) {
  try {
    return read();
  } catch {}
}

module.exports = { Nodes };
