'use strict';

const { createRequire } = require('node:module');
const { join, sep } = require('node:path');
const vm = require('node:vm');
const { requireOfJest } = require('./requireOfJest');

const { default: Runtime } = requireOfJest('jest-runtime');
const load = createRequire(__filename);
const packages = join(__dirname, '../../node_modules') + sep;

/**
 * Compiled modules of this worker's suites and of Jest, by name, because compiling takes longer than running.
 *
 * @type {Map<string, { source: string, run: Function }>}
 */
const compiled = new Map();

/**
 * Loads packages by Node.js, once for all suites of a worker: Jest would read, compile and run Community Solid Server
 * and the like for each suite. Needs `OneRealmEnvironment.js`, because `instanceof` fails for objects of another realm.
 */
module.exports = class SharedPackages extends Runtime {
  /**
   * @param {unknown[]} args - As Jest gives them.
   */
  constructor(...args) {
    super(...args);
    const { executor } = this.cjsLoader;
    if (typeof executor.compile !== 'function') {
      throw new TypeError('Jest compiles modules in another way now');
    }
    executor.compile = compile;

    /**
     * Compiles like Jest, but in this realm, and each module once: the variables of a run hold the state of a suite.
     *
     * @param {string} source
     * @param {string} filename
     */
    function compile(source, filename) {
      const known = compiled.get(filename);
      if (known?.source === source) {
        return known.run;
      }
      const run = vm.compileFunction(source, executor.injectedModuleParameters, {
        filename,
        importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      });
      if (!filename.endsWith('.test.ts')) {
        compiled.set(filename, { source, run });
      }
      return run;
    }
  }

  /**
   * @param {string} from
   * @param {string} [name]
   * @param {{ isInternalModule: boolean }} [options] - Of modules that belong to Jest.
   * @param {boolean} [isActual]
   *
   * @returns {unknown}
   */
  requireModule(from, name, options, isActual) {
    if (name !== undefined && !options?.isInternalModule && !this._resolution.isCoreModule(name)) {
      const path = this._resolution.resolveCjs(from, name);
      if (path.startsWith(packages)) {
        return load(path);
      }
    }
    return super.requireModule(from, name, options, isActual);
  }
};
