'use strict';

const { readFileSync } = require('node:fs');
const { parentPort } = require('node:worker_threads');

const { DIE_AT_STEP: file } = process.env;

// Preloaded: in the thread that validates a package, kills the server at the start of the step named in the file of
// DIE_AT_STEP, or at `Validated`, when the thread is done and nothing is written yet.
if (parentPort && file !== undefined) {
  const post = parentPort.postMessage.bind(parentPort);
  parentPort.postMessage = (message) => {
    const { isDone, report } = message;
    const step = readFileSync(file, 'utf8');
    if (step !== '' && (isDone ? step === 'Validated' : report.steps[step] === 'Running')) {
      process.kill(process.pid, 'SIGKILL');
    }
    post(message);
  };
}
