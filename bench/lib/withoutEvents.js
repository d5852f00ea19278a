'use strict';

// Loaded into a server before its own modules: one that raises no events, and looks for none to push.

const { EventPusher } = require('../../dist/events/EventPusher');
const { SqlEventStore, TransactionOutbox } = require('../../dist/storage/events/SqlEventStore');

async function nothing() {}

EventPusher.prototype.run = nothing;
SqlEventStore.prototype.raiseIn = nothing;
TransactionOutbox.prototype.flush = nothing;
