import { basename } from 'node:path';
import { redactAlso } from '../identity/redact';
import { systemClock } from '../platform/clock';
import type { Extensions, ExtensionsArgs } from '../wiring/Extensions';
import type { CommandCall } from './commands/Command';
import { defaultSettings } from './serverSettings';
import { ownsConfiguration, packageRoot, withDefaults } from './serverArguments';

const iri = 'urn:css-data-sharing:default:Extensions';

/**
 * Returns the parts that a server's configuration may add to or replace. Those of the presets are known; any other
 * configuration is read, which takes seconds unless the server has started with it before.
 *
 * @param call - Call with the options of the server.
 *
 * @throws Error when the configuration is invalid, or has no data sharing.
 */
export async function readExtensions(call: Pick<CommandCall, 'options'>): Promise<ExtensionsArgs> {
  const extensions = await findExtensions(call);
  redactAlso(extensions.nationalNumbers);
  return extensions;
}

async function findExtensions({ options }: Pick<CommandCall, 'options'>): Promise<ExtensionsArgs> {
  const flags = Object.entries(options).filter(([ , value ]): boolean => value !== undefined)
    .flatMap(([ name, value ]): string[] => [ `--${name}`, ...String(value).split('\n') ]);
  const argv = [ ...process.argv.slice(0, 2), ...flags ];
  if (ownsConfiguration(argv, {}) && !argv.some((word): boolean => basename(word) === 'plan-requests.json')) {
    const { shippedExtensions } = await import('./shippedExtensions.js');
    return shippedExtensions(String(options.nationalNumbers ?? defaultSettings().nationalNumbers));
  }
  const { instantiatePart } = await import('../server/start/instantiatePart.js');
  const { openStartCache } = await import('../server/start/startCache.js');
  const cache = openStartCache(packageRoot, process.env);
  const part = await instantiatePart(withDefaults(argv, process.env), iri, cache, systemClock);
  // The configuration gives it this class.
  const { args } = part as Extensions;
  return args;
}
