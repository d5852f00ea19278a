'use strict';

// Opens records, suspends contracts, each in a separate transaction, reports each, and waits.
const { randomUUID } = require('node:crypto');
const { openRecords } = require('../../../dist/storage/openRecords');

const [ file, keys, count ] = process.argv.slice(2);

function clock() {
  return new Date();
}

async function main() {
  const { records } = await openRecords({ records: file, keys, clock, newId: randomUUID, logger: globalThis.console });
  for (let index = 0; index < Number(count); index += 1) {
    await records.transaction(async({ audit, suspensions }) => {
      await suspensions.suspend(`contract-${index}`, clock());
      await audit.append({ type: 'suspension.begun', at: clock() });
    });
    process.stdout.write('done\n');
  }
  setInterval(() => {}, 60_000);
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exitCode = 1;
});
