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
 * True for suites that start servers, and for the long ones that kill or freeze them or send hostile requests: their files
 * are small, so Jest would start them last.
 *
 * @param {import('@jest/test-result').Test} test
 */
function isLong({ path }) {
  return /[\\/](?:integration|hostile)[\\/]|faults[\\/](?:postgres|sqlite|frozen)\.test/u.test(path);
}
