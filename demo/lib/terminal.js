'use strict';

/**
 * @param {string} text
 */
function print(text) {
  process.stdout.write(`${text}\n`);
}

/**
 * Returns a signal that aborts on Ctrl+C or SIGTERM, which then do not end the process at once.
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
 * Runs a program. If it fails, prints the reason and makes the process exit with a failure.
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
