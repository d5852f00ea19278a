'use strict';

const { requireOfJest } = require('./requireOfJest');

const { default: run } = requireOfJest('jest-circus/runner');

/**
 * Runs a suite like Jest, without its messages to the main process at the start and end of each test: they are used only
 * to count tests of unfinished suites, and the time to process them grows with the square of the number of tests.
 *
 * @param {...unknown} args - As Jest gives them: the last one would send the messages.
 */
module.exports = async(...args) => run(...args.slice(0, 5));
