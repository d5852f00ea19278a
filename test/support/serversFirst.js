'use strict';

const { default: Sequencer } = require('@jest/test-sequencer');

/** Runs long suites first: one at the end would leave the other workers without work. */
module.exports = class ServersFirst extends Sequencer {
  /**
   * @param {import('@jest/test-result').Test[]} tests
   *
   * @returns {Promise<import('@jest/test-result').Test[]>}
   */
  async sort(tests) {
    const sorted = await super.sort(tests);
    return [ ...sorted.filter(isLong), ...sorted.filter(test => !isLong(test)) ];
  }
};

/**
 * True for suites that start servers, and for those that kill one at every step: their files are small, so Jest would start
 * them last.
 *
 * @param {import('@jest/test-result').Test} test
 */
function isLong({ path }) {
  return /[\\/](?:integration[\\/]|faults[\\/](?:postgres|sqlite)\.test)/u.test(path);
}
