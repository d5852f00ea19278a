'use strict';

// Loaded into a server before its own modules: disables raising and pushing events.

const { EventPusher } = require('../../dist/events/EventPusher');
const { SqlEventStore, TransactionOutbox } = require('../../dist/storage/events/SqlEventStore');

async function nothing() {}

EventPusher.prototype.run = nothing;
SqlEventStore.prototype.raiseIn = nothing;
TransactionOutbox.prototype.flush = nothing;
