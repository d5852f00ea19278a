'use strict';

const { fork } = require('node:child_process');
const { join } = require('node:path');
const { pin } = require('./processes');

/** A handle of the load generator's process. */
class LoadClient {
  constructor(core) {
    this.child = fork(join(__dirname, 'client.js'), { serialization: 'advanced' });
    pin(this.child.pid, core);
    this.waiting = undefined;
    this.child.on('message', message => this.waiting?.resolve(message));
    this.child.on('exit', () => this.waiting?.reject(new Error('The load generator ended')));
  }

  /**
   * Signs and sends requests.
   *
   * @param job
   * @param begin - Called after signing, just before the first request is sent.
   */
  async run(job, begin) {
    await this.ask({ type: 'job', ...job });
    begin();
    const answer = await this.ask({ type: 'go' });
    if (answer.type === 'failed') {
      throw new Error(answer.message);
    }
    return answer.result;
  }

  stop() {
    this.waiting = undefined;
    this.child.kill();
  }

  ask(message) {
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      this.child.send(message);
    });
  }
}

module.exports = { LoadClient };
