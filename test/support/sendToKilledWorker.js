/** Sends a message to a worker that has ended, before the primary process knows that. */
const cluster = /** @type {import('node:cluster').Cluster} */ (/** @type {unknown} */ (require('node:cluster')));
const { readFileSync } = require('node:fs');
const { outliveWorkers } = require('../../dist/server/workers/outliveWorkers');

if (cluster.isPrimary) {
  outliveWorkers(cluster);
  const worker = cluster.fork();
  worker.on('message', () => {
    const { pid } = worker.process;
    worker.process.kill('SIGKILL');
    let state;
    while (state !== 'Z') {
      [ , state ] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].match(/^(\w)/u);
    }
    worker.send('to nobody');
  });
  worker.on('exit', () => process.stdout.write('outlived\n'));
} else {
  process.on('message', () => {});
  process.send?.('here');
}
