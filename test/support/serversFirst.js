'use strict';

const { default: Sequencer } = require('@jest/test-sequencer');

/** Runs the suites that start servers first: a long one at the end would leave the other workers without work. */
module.exports = class ServersFirst extends Sequencer {
  /**
   * @param {import('@jest/test-result').Test[]} tests
   *
   * @returns {Promise<import('@jest/test-result').Test[]>}
   */
  async sort(tests) {
    const sorted = await super.sort(tests);
    return [ ...sorted.filter(startsServer), ...sorted.filter(test => !startsServer(test)) ];
  }
};

/**
 * @param {import('@jest/test-result').Test} test
 */
function startsServer({ path }) {
  return /[\\/]integration[\\/]/u.test(path);
}
