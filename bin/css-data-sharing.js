#!/usr/bin/env node
const { main } = require('../dist/wiring/process/cli');

main(process.argv);
