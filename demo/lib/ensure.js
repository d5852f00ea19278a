'use strict';

/**
 * Ends the demo unless a condition holds.
 *
 * @param {boolean} holds
 * @param {string} expectation
 */
function ensure(holds, expectation) {
  if (!holds) {
    throw new Error(`Expected that ${expectation}`);
  }
}

module.exports = { ensure };
