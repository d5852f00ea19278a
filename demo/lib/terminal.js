'use strict';

/**
 * @param {string} text
 */
function print(text) {
  process.stdout.write(`${text}\n`);
}

/**
 * A signal that Ctrl+C or SIGTERM gives, instead of ending the process at once.
 *
 * @returns {AbortSignal}
 */
function interruptionSignal() {
  const interruption = new AbortController();
  for (const signal of [ 'SIGINT', 'SIGTERM' ]) {
    process.on(signal, () => interruption.abort(new Error('Interrupted')));
  }
  return interruption.signal;
}

/**
 * Runs a program; when it fails it says why, and the process will end with a failure.
 *
 * @param {() => Promise<void>} program
 */
function run(program) {
  program().catch((error) => {
    for (const { message } of [ error, ...Array.isArray(error.cause) ? error.cause : [] ]) {
      process.stderr.write(`${message}\n`);
    }
    process.exitCode = 1;
  });
}

module.exports = { interruptionSignal, print, run };
