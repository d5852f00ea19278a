'use strict';

/**
 * Ends the story unless something is so.
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
