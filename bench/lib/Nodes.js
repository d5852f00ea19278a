'use strict';

const { once } = require('node:events');
const { readFileSync } = require('node:fs');
const { connect, createServer } = require('node:net');
const { cpuMs, memoryMb, startProcess } = require('./processes');

/**
 * Several processes of one service. Its base URL leads to any that is listening: nodes fetch profiles there. Load goes
 * to their own ports.
 */
class Nodes {
  /** @param commands - Arguments, port, log file and folder of each node. */
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

  /** Kills a node at once, like the loss of its machine. */
  async kill(index) {
    const { child, exited } = this.started[index];
    this.started[index] = undefined;
    child.kill('SIGKILL');
    await exited;
  }

  /** Stops a node with SIGTERM; rejects when it fails to stop. */
  async end(index) {
    await this.started[index].stop();
    this.started[index] = undefined;
  }

  /** Returns the CPU time so far and the memory of each running node. */
  read() {
    return this.started.map(started => started && tryTo(() =>
      ({ pid: started.child.pid, cpu: cpuMs(started.child.pid), ...memoryMb(started.child.pid) })));
  }

  /** Returns the output of the nodes. */
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
      console.error(`A node did not stop cleanly: ${reason.message}`);
    }
  }

  /** Forwards a connection to a node, or to the next node when that one is not listening. */
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

/** Reads something of a process; returns nothing when the process has just ended. */
function tryTo(read) {
  try {
    return read();
  } catch {}
}

module.exports = { Nodes };
