import { main, withoutDetours } from '../../../src/cli/cli';
import { withDefaults } from '../../../src/cli/serverArguments';
import { findCommand } from '../../../src/cli/commands/commands';
import { helpOf } from '../../../src/cli/commands/help';
import { findUnknownFlag, flagLines } from '../../../src/cli/flags';

describe('The command line', (): void => {
  it('uses this package\'s preset and pod folder when neither is given.', (): void => {
    const argv = withDefaults([ 'node', 'css-data-sharing', '-p', '3000' ], {});
    expect(argv.slice(0, 4)).toEqual([ 'node', 'css-data-sharing', '-p', '3000' ]);
    expect(argv.find((arg): boolean => arg.endsWith('config/file.json'))).toBeDefined();
    expect(argv[argv.indexOf('--rootFilePath') + 1]).toBe('./pods');
  });

  it.each([
    [ '-c', 'config' ],
    [ '--config=own.json', 'config' ],
    [ '-f', 'rootFilePath' ],
    [ '--rootFilePath', 'rootFilePath' ],
    [ '-m', 'mainModulePath' ],
  ])('keeps the setting of %s.', (flag, name): void => {
    const argv = withDefaults([ 'node', 'css-data-sharing', flag, 'value' ], {});
    expect(argv.slice(4)).not.toContain(`--${name}`);
  });

  it('keeps settings of the environment.', (): void => {
    const argv = withDefaults([ 'node', 'css-data-sharing' ], { CSS_ROOT_FILE_PATH: '/srv/pods' });
    expect(argv).not.toContain('--rootFilePath');
  });

  it('lists the flags of all presets, the server\'s own and those of this package.', (): void => {
    const flags = flagLines().join('\n');
    expect(flags).toMatch(/^ {2}-p, --port <number> +\w/mu);
    expect(flags).toMatch(/^ {6}--nationalIssuers <string> +\w/mu);
    expect(flags).toMatch(/^ {6}--redis <string> +\w/mu);
    expect(flags).toMatch(/^ {6}--allowLoopback +\w/mu);
  });

  it('lists in the help of check record the few flags of the server that matter to it.', (): void => {
    const help = helpOf(findCommand([ 'check', 'record' ])!);
    const flags = [ ...help.matchAll(/^ {2}--(\w+)/gmu) ].map(([ , name ]): string => name);
    const own = [ 'baseUrl', 'config', 'dataTypes', 'mainModulePath', 'nationalNumbers', 'port', 'type' ];
    expect(flags.sort()).toEqual([ ...own, 'keys', 'records', 'rootFilePath' ].sort());
  });

  it.each([ 'check', 'citizens relink' ])('describes the defaults of this package in the help of %s.', (name): void => {
    const help = helpOf(findCommand(name.split(' '))!);
    expect(help).toMatch(/^ {2}--config <array> .+ Default: config\/file\.json of this package\.$/mu);
  });

  it.each([
    [[ '--contractz', 'x' ], 'There is no flag --contractz; did you mean --contracts? --help lists all.' ],
    [[ '-p', '3000', '--contract=x' ], 'There is no flag --contract; did you mean --contracts? --help lists all.' ],
    [[ '--zzzzzzzz' ], 'There is no flag --zzzzzzzz. --help lists all.' ],
    [[ '--no-legacyTokenz' ], expect.stringContaining('There is no flag --no-legacyTokenz') ],
    [[ '--root-file-path', 'pods', '--no-allowLoopback', '--port=3000', '--version' ], undefined ],
  ])('refuses a wrong flag before the server is loaded: %j.', (words, message): void => {
    expect(findUnknownFlag(words)).toEqual(message);
  });

  it('shows help on flags and commands without loading the server.', (): void => {
    const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    try {
      main([ 'node', 'css-data-sharing', '--help' ]);
      expect(write.mock.calls.join('')).toMatch(/audit verify[\s\S]+--nationalIssuers/u);
    } finally {
      write.mockRestore();
    }
  });

  it.each([
    [ '--timeZone must be an IANA name', '--timeZone must be an IANA name' ],
    [
      'Could not create the server\nError: EACCES: permission denied, mkdir \'/pods\'\n    at mkdir (node:fs)\n',
      'Could not create the server: EACCES: permission denied, mkdir \'/pods\'',
    ],
    [
      'Could not resolve\nError: Error in computing value for variable urn:a:b: --redis is needed\n    at x (a.js)\n',
      'Could not resolve: --redis is needed',
    ],
  ])('explains in one line why the server does not start: %j.', (message, line): void => {
    expect(withoutDetours(message)).toBe(line);
  });
});
