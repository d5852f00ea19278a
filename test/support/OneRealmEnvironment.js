'use strict';

const asyncHooks = require('node:async_hooks');
const { requireOfJest } = require('./requireOfJest');

const { LegacyFakeTimers, ModernFakeTimers } = requireOfJest('@jest/fake-timers');
const { TestEnvironment } = requireOfJest('jest-environment-node');
const { ModuleMocker } = requireOfJest('jest-mock');

/** The globals of Node.js, before any suite. */
const globals = Object.entries(Object.getOwnPropertyDescriptors(globalThis));

/**
 * Contexts that a suite made, including those of Jest.
 *
 * @type {asyncHooks.AsyncLocalStorage<unknown>[]}
 */
const contexts = [];

/**
 * A context that ends with the suite that made it.
 *
 * @template T
 * @extends {asyncHooks.AsyncLocalStorage<T>}
 */
class SuiteContext extends asyncHooks.AsyncLocalStorage {
  constructor() {
    super();
    contexts.push(this);
  }
}

asyncHooks.AsyncLocalStorage = SuiteContext;

/**
 * Runs suites in the realm of the process, so that they can share packages: see `SharedPackages.js`. Each suite still
 * has its own modules. After it, also if it failed, its spies end, and the environment variables and the globals of
 * Node.js are restored.
 */
module.exports = class OneRealmEnvironment extends TestEnvironment {
  /**
   * @param {import('@jest/environment').JestEnvironmentConfig} config
   * @param {import('@jest/environment').EnvironmentContext} context
   */
  constructor(config, context) {
    super(config, context);
    const realm = { config: config.projectConfig, global: globalThis };
    const moduleMocker = new ModuleMocker(globalThis);
    this.variables = { ...process.env };
    this.global = globalThis;
    this.moduleMocker = moduleMocker;
    this.fakeTimersModern = new ModernFakeTimers(realm);
    // The legacy fake timers: no suite uses them, but Jest requires them.
    this.fakeTimers = new LegacyFakeTimers({ ...realm, moduleMocker, timerConfig: {}});
    Error.stackTraceLimit = 100;
  }

  async teardown() {
    this.moduleMocker.restoreAllMocks();
    await super.teardown();
    for (const [ name, descriptor ] of globals) {
      if (!isSame(descriptor, Object.getOwnPropertyDescriptor(globalThis, name))) {
        Object.defineProperty(globalThis, name, descriptor);
      }
    }
    // Up to Node.js 22, each context ever entered slows down every promise of the process.
    for (const context of contexts.splice(0)) {
      context.disable();
    }
    for (const name of Object.keys(process.env)) {
      if (!(name in this.variables)) {
        delete process.env[name];
      }
    }
    Object.assign(process.env, this.variables);
  }
};

/**
 * @param {PropertyDescriptor} left
 * @param {PropertyDescriptor} [right]
 */
function isSame(left, right) {
  return left.value === right?.value && left.get === right?.get;
}
