'use strict';

const { spawn } = require('node:child_process');
const { once } = require('node:events');
const { closeSync, openSync, readFileSync } = require('node:fs');
const { setTimeout: delay } = require('node:timers/promises');

const pollMilliseconds = 100;
/** Longer than the server's own limit, so that it can say what it waited for. */
const stopMilliseconds = 40_000;

/**
 * A started process that responds to HTTP requests.
 *
 * @typedef {object} Started
 * @property {import('node:child_process').ChildProcess} child
 * @property {string} logFile - Its output, from both streams.
 * @property {() => string} log - Its output so far.
 * @property {() => Promise<void>} stop - Ends it by SIGTERM and waits; rejects when it exits with a failure, or had to
 * be killed. Harmless when repeated.
 * @property {Promise<number | string | null>} exited - Exit code, or the signal that ended it.
 */

/**
 * Starts a program as a child process and waits until it responds.
 *
 * @param {object} options
 * @param {string} [options.program] - Node.js unless named.
 * @param {string[]} options.args - Its arguments: for Node.js, a script and its arguments.
 * @param {string} options.readyUrl - Returns 200 once the program is ready.
 * @param {string} options.logFile - Appended to.
 * @param {string} [options.cwd]
 * @param {NodeJS.ProcessEnv} [options.env] - Variables in addition to those of this process.
 * @param {number} [options.readyMilliseconds] - Time limit of the start.
 * @param {AbortSignal} [options.signal] - Ends the start, and with it the program.
 *
 * @returns {Promise<Started>}
 *
 * @throws With the end of the log, when the program exits or time runs out.
 */
async function startProcess({
  program = process.execPath,
  args,
  readyUrl,
  logFile,
  cwd,
  env,
  readyMilliseconds = 120_000,
  signal,
}) {
  const output = openSync(logFile, 'a', 0o600);
  const child = spawn(program, args, {
    cwd,
    env: childEnvironment(env),
    stdio: [ 'ignore', output, output ],
  });
  closeSync(output);
  const started = describeProcess(child, logFile);
  try {
    await untilReady(started, readyUrl, readyMilliseconds, signal);
  } catch (error) {
    child.kill('SIGKILL');
    await started.exited;
    throw error;
  }
  return started;
}

/**
 * Returns this process's variables without those of Jest workers, in which Community Solid Server loads some modules
 * differently.
 *
 * @param {NodeJS.ProcessEnv} [extra]
 *
 * @returns {NodeJS.ProcessEnv}
 */
function childEnvironment(extra) {
  const environment = { ...process.env, ...extra };
  delete environment.JEST_WORKER_ID;
  if (environment.NODE_ENV === 'test') {
    delete environment.NODE_ENV;
  }
  return environment;
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {string} logFile
 *
 * @returns {Started}
 */
function describeProcess(child, logFile) {
  function killWithParent() {
    child.kill('SIGKILL');
  }
  process.once('exit', killWithParent);
  const exited = once(child, 'exit').then(([ code, signal ]) => {
    process.removeListener('exit', killWithParent);
    return code ?? signal;
  });
  return {
    child,
    logFile,
    log: () => readFileSync(logFile, 'utf8'),
    exited,
    stop: async() => stopProcess(child, exited, logFile),
  };
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {Started['exited']} exited
 * @param {string} logFile
 */
async function stopProcess(child, exited, logFile) {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), stopMilliseconds);
  const outcome = await exited;
  clearTimeout(timer);
  if (outcome !== 0) {
    throw new Error(`The process ended with ${outcome}:\n${endOf(readFileSync(logFile, 'utf8'))}`);
  }
}

/**
 * @param {Started} started
 * @param {string} url
 * @param {number} milliseconds
 * @param {AbortSignal} [signal]
 */
async function untilReady(started, url, milliseconds, signal) {
  const deadline = Date.now() + milliseconds;
  /** @type {number | string | null | undefined} */
  let outcome;
  started.exited.then((value) => {
    outcome = value;
  }).catch(() => {});
  while (true) {
    // A response after the process has ended is from another program on its port.
    const ready = await answers(url);
    signal?.throwIfAborted();
    if (outcome !== undefined) {
      throw new Error(`The process ended with ${outcome} before it was ready:\n${endOf(started.log())}`);
    }
    if (ready) {
      return;
    }
    if (Date.now() > deadline) {
      throw new Error(`${url} did not answer within ${milliseconds} ms:\n${endOf(started.log())}`);
    }
    await delay(pollMilliseconds);
  }
}

/**
 * @param {string} url
 */
async function answers(url) {
  try {
    const response = await fetch(url);
    // Reads the whole body: after cancelling it, fetch opens another connection, for whose request the server waits when it
    // stops.
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
}

/**
 * @param {string} log
 */
function endOf(log) {
  return log.split('\n').slice(-30).join('\n');
}

module.exports = { childEnvironment, startProcess };
