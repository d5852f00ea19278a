'use strict';

const { mkdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { ConstructionStrategyCommonJsString } =
  require('componentsjs/lib/construction/strategy/ConstructionStrategyCommonJsString');
const { componentsJs } = require('../../dist/server/start/componentsJs');

const root = join(__dirname, '../..');

/** Escapes quotes in texts, because the library would write them into the program unescaped. */
class Strategy extends ConstructionStrategyCommonJsString {
  createPrimitive({ value }) {
    return JSON.stringify(value);
  }
}

/**
 * Compiles a preset to a program that creates the same objects, so that a server starts in a second. Most of an ordinary
 * start is reading the configuration.
 *
 * @param preset - Name of the file in `config`.
 * @param folder - Folder for `app.js` and for `variables.json`, the defaults of all settings.
 */
async function compileServer(preset, folder) {
  mkdirSync(folder, { recursive: true });
  const config = join(root, 'config', preset);
  const strategy = new Strategy({ asFunction: true, req: require });
  const compiling = await openManager(config, strategy);
  const app = await compiling.instantiate('urn:solid-server:default:App');
  writeFileSync(join(folder, 'app.js'), strategy.serializeDocument(app));

  const manager = await openManager(config);
  const resolver = await manager.instantiate('urn:solid-server-app-setup:default:CliResolver', {});
  const shorthand = await resolver.cliExtractor.handleSafe([ 'node', 'server' ]);
  const variables = await resolver.shorthandResolver.handleSafe(shorthand);
  writeFileSync(join(folder, 'variables.json'), JSON.stringify(variables));
}

async function openManager(config, constructionStrategy) {
  const manager = await componentsJs.ComponentsManager.build({
    mainModulePath: root,
    typeChecking: false,
    dumpErrorState: false,
    logLevel: 'error',
    ...constructionStrategy && { constructionStrategy },
  });
  await manager.configRegistry.register(config);
  return manager;
}

module.exports = { compileServer };
