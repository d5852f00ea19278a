import { withDefaults } from '../../../../src/wiring/process/cli';

describe('The command line', (): void => {
  it('gets this package\'s preset and pod folder when neither is given.', (): void => {
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
  ])('keeps what %s says.', (flag, name): void => {
    const argv = withDefaults([ 'node', 'css-data-sharing', flag, 'value' ], {});
    expect(argv.slice(4)).not.toContain(`--${name}`);
  });

  it('keeps what the environment says.', (): void => {
    const argv = withDefaults([ 'node', 'css-data-sharing' ], { CSS_ROOT_FILE_PATH: '/srv/pods' });
    expect(argv).not.toContain('--rootFilePath');
  });
});
