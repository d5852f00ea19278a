#!/usr/bin/env node
const { main } = require('../dist/wiring/cli');

main(process.argv);
