#!/usr/bin/env node
const { setFlagsFromString } = require('node:v8');

// See docs/decisions/0034-requests-stay-young.md
setFlagsFromString('--no-allocation-site-pretenuring');

const { main } = require('../dist/wiring/process/cli');

main(process.argv);
