'use strict';

// Preloaded: counts the steps by which this process changes anything outside of itself, and ends it before one of them,
// like a crash. A step is a call that changes a file or folder, a statement that changes the database, or a response.

const fs = require('node:fs');
const { ServerResponse } = require('node:http');
const { join } = require('node:path');
const Database = require('better-sqlite3');
const { Client } = require('pg');

const fileCalls = [
  'appendFile',
  'copyFile',
  'ftruncate',
  'link',
  'mkdir',
  'rename',
  'rm',
  'rmdir',
  'symlink',
  'truncate',
  'unlink',
  'write',
  'writeFile',
  'writev',
];
const removals = new Set([ 'rm', 'rmdir', 'unlink' ]);

// The original functions, which the wrappers call.
const { copyFileSync, existsSync, lstatSync, mkdirSync, openSync, readdirSync, writeSync } = fs;

const state = {
  isArmed: false,
  at: 0,
  isTorn: false,
  isFrozen: false,
  keep: undefined,
  onStep: undefined,
  steps: [],
};
/** Paths of open files. */
const paths = new Map();
/** Connections to PostgreSQL that have begun a transaction. */
const inTransaction = new WeakSet();

/**
 * Starts counting, and ends the process before a step.
 *
 * `at` is 1 for the first step and 0 for none; `isTorn` ends it halfway through that step if it writes to a file;
 * `keep` is a folder for copies of what is replaced or removed; `isFrozen` suspends it there instead.
 * `onStep` is called before each step, with all steps so far.
 */
function arm({ at, isTorn = false, isFrozen = false, keep, onStep }) {
  Object.assign(state, { isArmed: true, at, isTorn, isFrozen, keep, onStep, steps: []});
}

/** Stops counting, and returns the steps. */
function disarm() {
  state.isArmed = false;
  return state.steps;
}

function step(entry, tear) {
  if (!state.isArmed) {
    return;
  }
  state.steps.push(entry);
  if (state.onStep && !entry.isFlush) {
    state.isArmed = false;
    state.onStep(state.steps);
    state.isArmed = true;
  }
  if (countable(state.steps) === state.at && !entry.isFlush) {
    if (state.isFrozen) {
      process.kill(process.pid, 'SIGSTOP');
      return;
    }
    if (state.isTorn) {
      tear?.();
    }
    process.kill(process.pid, 'SIGKILL');
    // The signal may take a moment to arrive; this process must do nothing until then.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  }
}

/** True for a statement that ends a transaction. */
function isEnd(statement) {
  return /^(?:commit|rollback)\b/u.test(statement);
}

/** Counts steps. Flushes do not count, because a killed process loses no writes. */
function countable(steps) {
  return steps.filter(({ isFlush }) => !isFlush).length;
}

function pathOf(target) {
  return typeof target === 'number' ? paths.get(target) ?? '' : String(target);
}

/** Copies what a call is about to replace or remove. */
function keep(path) {
  if (state.keep === undefined || !existsSync(path)) {
    return;
  }
  const kept = join(state.keep, String(state.steps.length));
  // Copying does not count as a step.
  state.isArmed = false;
  copyTree(path, kept);
  state.isArmed = true;
  return kept;
}

/**
 * Copies a file or folder in its current state. Files that another thread removes meanwhile are left out, as they could
 * be after a crash; `fs.cp` would fail on them.
 */
function copyTree(from, to) {
  const stats = lstatSync(from, { throwIfNoEntry: false });
  if (!stats) {
    return;
  }
  try {
    if (stats.isDirectory()) {
      const names = readdirSync(from);
      mkdirSync(to);
      for (const name of names) {
        copyTree(join(from, name), join(to, name));
      }
    } else {
      copyFileSync(from, to);
    }
  } catch (error) {
    if (error.code !== 'ENOENT') {
      throw error;
    }
  }
}

function noteCall(call, [ target, second ], tear) {
  const path = pathOf(target);
  if (!state.isArmed || !changesSomething(call, path)) {
    return;
  }
  const to = call === 'rename' ? String(second) : undefined;
  step({ call, path, to, kept: removals.has(call) ? keep(path) : to && keep(to) }, tear);
}

/** False for removing what is missing, creating what exists, and locks, which no start keeps. */
function changesSomething(call, path) {
  return !(removals.has(call) && !existsSync(path)) && !(call === 'mkdir' && existsSync(path)) &&
    !path.includes('/.internal/locks');
}

function noteOpening([ path, flags ]) {
  if (state.isArmed && /[+aw]/u.test(String(flags))) {
    const isNew = !existsSync(path);
    step({ call: 'open', path: String(path), isNew });
  }
}

function noteFlush(target) {
  step({ call: 'fsync', path: pathOf(target), isFlush: true });
}

/** Returns a function that writes half of what a call of `fs.write` would. */
function tearOfWrite([ file, data ]) {
  return () => {
    const bytes = Buffer.from(data);
    writeSync(file, bytes.subarray(0, Math.floor(bytes.length / 2)));
  };
}

/** The same for `fs.writeFile`. */
function tearOfWriteFile([ path, data ]) {
  return () => tearOfWrite([ typeof path === 'number' ? path : openSync(path, 'w'), data ])();
}

/** The same for `fs.writev`. */
function tearOfWritev([ file, buffers ]) {
  return tearOfWrite([ file, Buffer.concat(buffers) ]);
}

const tears = { write: tearOfWrite, writeFile: tearOfWriteFile, writev: tearOfWritev };

/** Wraps a method of an object to run a function before each call. */
function before(object, name, note) {
  const original = object[name];
  if (original) {
    object[name] = Object.assign(function(...args) {
      note(args, this);
      return original.apply(this, args);
    }, original);
  }
}

for (const name of fileCalls) {
  const functions = [[ fs, name ], [ fs.promises, name ], [ fs, `${name}Sync` ]]
    .filter(([ , full ]) => full !== 'writeSync' && full !== 'writevSync');
  for (const [ object, full ] of functions) {
    before(object, full, args => noteCall(name, args, tears[name]?.(args)));
  }
}

for (const name of [ 'fsync', 'fdatasync', 'fsyncSync', 'fdatasyncSync' ]) {
  before(fs, name, ([ file ]) => noteFlush(file));
}

watchOpening();
before(ServerResponse.prototype, 'end', (args, response) => step({ call: 'answer', path: String(response.statusCode) }));
watchSqlite(Database.prototype);
before(Client.prototype, 'query', ([ query ], client) => {
  const text = typeof query === 'string' ? query : query.text;
  const isUncommitted = inTransaction.has(client) && !isEnd(text);
  if (!/^(?:begin|select)\b/u.test(text)) {
    step({ call: 'sql', path: text.slice(0, 60), isUncommitted });
  }
  if (text.startsWith('begin')) {
    inTransaction.add(client);
  } else if (!isUncommitted) {
    inTransaction.delete(client);
  }
});

function watchOpening() {
  const { open, promises } = fs;
  fs.open = (...args) => {
    noteOpening(args);
    const done = args.pop();
    open.call(fs, ...args, (error, file) => {
      if (!error) {
        paths.set(file, String(args[0]));
      }
      done(error, file);
    });
  };
  before(fs, 'openSync', noteOpening);
  const openHandle = promises.open;
  promises.open = async(...args) => {
    noteOpening(args);
    const handle = await openHandle.apply(promises, args);
    paths.set(handle.fd, String(args[0]));
    before(handle, 'sync', () => noteFlush(handle.fd));
    return handle;
  };
}

function watchSqlite(database) {
  const { prepare } = database;
  let isWatched = false;
  database.prepare = function(...args) {
    const statement = prepare.apply(this, args);
    if (!isWatched) {
      isWatched = true;
      watchStatements(Object.getPrototypeOf(statement));
    }
    return statement;
  };
}

function watchStatements(statements) {
  for (const name of [ 'run', 'all', 'get' ]) {
    before(statements, name, (args, { database, readonly, source }) => {
      // Read-only transactions commit too.
      if (!readonly || (source === 'commit' && !database.readonly)) {
        step({ call: 'sql', path: source.slice(0, 60), isUncommitted: database.inTransaction && !isEnd(source) });
      }
    });
  }
}

if (process.env.KILL_AT) {
  arm({ at: Number(process.env.KILL_AT) });
}

module.exports = { arm, copyTree, disarm };
