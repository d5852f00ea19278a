'use strict';

const { default: Sequencer } = require('@jest/test-sequencer');

/** Runs long suites first, so that no worker is idle at the end. */
module.exports = class ServersFirst extends Sequencer {
  /**
   * @param {import('@jest/test-result').Test[]} tests
   *
   * @returns {Promise<import('@jest/test-result').Test[]>}
   */
  async sort(tests) {
    return (await super.sort(tests)).sort((one, other) => rankOf(one) - rankOf(other));
  }
};

/** @param {import('@jest/test-result').Test} test */
function rankOf(test) {
  if (hasOwnConfiguration(test)) {
    return 0;
  }
  return isLong(test) ? 1 : 2;
}

/**
 * True for long suites with a server of a configuration that no other suite uses. On a clean checkout, the first start of
 * each configuration takes 9 s of CPU, later ones 2: with these two first, only one of three workers begins with a suite
 * of the usual configuration, which is then cached for the others.
 *
 * @param {import('@jest/test-result').Test} test
 */
function hasOwnConfiguration({ path }) {
  return /integration[\\/](?:extensions|planRequests)\.test/u.test(path);
}

/**
 * True for suites that start servers, and for the long ones that kill or freeze them or send hostile requests: their files
 * are small, so Jest would start them last.
 *
 * @param {import('@jest/test-result').Test} test
 */
function isLong({ path }) {
  return /[\\/](?:conformance|integration|hostile)[\\/]|faults[\\/](?:postgres|sqlite|frozen)\.test/u.test(path);
}
