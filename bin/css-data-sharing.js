#!/usr/bin/env node
const { main } = require('../dist/cli/cli');

main(process.argv);
