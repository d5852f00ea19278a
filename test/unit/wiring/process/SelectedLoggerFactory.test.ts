import { WinstonLoggerFactory } from '@solid/community-server';
import type { Logger, LogMetadata } from '@solid/community-server';
import { correlated } from '../../../../src/server/connections/correlation';
import { SelectedLoggerFactory } from '../../../../src/wiring/process/SelectedLoggerFactory';

const correlationId = '71fcbc6d-1092-4be8-bb64-7da49453e447';
const token = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl';

describe('The log', (): void => {
  let lines: string[];

  beforeEach((): void => {
    lines = [];
    // Output of the text form.
    jest.spyOn(WinstonLoggerFactory.prototype, 'createLogger').mockImplementation((label): Logger => ({
      log: (level: string, message: string, meta?: object): unknown =>
        lines.push(`[${label}] ${level} ${message} ${JSON.stringify(meta)}`),
    } as unknown as Logger));
    jest.spyOn(process.stdout, 'write').mockImplementation((chunk): boolean => {
      lines.push(String(chunk));
      return true;
    });
  });

  afterEach((): void => {
    jest.restoreAllMocks();
  });

  it('has one object a line, with the id of the request in all its steps.', async(): Promise<void> => {
    const logger = new SelectedLoggerFactory({ level: 'info', logFormat: 'json' }).createLogger('Part');
    logger.info('before');
    await correlated(correlationId, async(): Promise<void> => {
      await Promise.resolve();
      logger.error('within\r\n{"level":"info"}\u2028"');
      logger.debug('not at this level');
    });
    logger.warn('after');
    expect(lines).toHaveLength(3);
    expect(lines.every((line): boolean => /^[^\r\n]+\n$/u.test(line))).toBe(true);
    const common = { time: expect.any(String), logger: 'Part', process: 'primary' };
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
      { ...common, level: 'info', message: 'before' },
      { ...common, level: 'error', message: 'within\r\n{"level":"info"}\u2028"', correlationId },
      { ...common, level: 'warn', message: 'after' },
    ]);
  });

  it.each([
    'Request error: aborted',
    'Response error: premature close',
    'No error listener was attached but error was thrown: Premature close',
    'Aborting streaming response because of server error; headers already sent.',
    'No conversion path could be made from text/turtle to image/png:1.',
  ])('has %j only at level debug, because a client caused it.', (message): void => {
    new SelectedLoggerFactory({ level: 'info', logFormat: 'text' }).createLogger('Part').error(message);
    expect(lines).toEqual([]);
    new SelectedLoggerFactory({ level: 'debug', logFormat: 'text' }).createLogger('Part').error(message);
    expect(lines).toEqual([ expect.stringContaining(`debug ${message}`) ]);
  });

  it('has other errors of responses.', (): void => {
    new SelectedLoggerFactory({ level: 'error', logFormat: 'text' }).createLogger('Part').error('Response error: EIO');
    expect(lines).toEqual([ expect.stringContaining('error Response error: EIO') ]);
  });

  it('cannot be forged or used for terminal commands by a caller.', (): void => {
    const forged = 'a\u001B[2Jb\u009B1mc\u202Ed\r\n2026-01-01T00:00:00.000Z [Part] info: forged\u2028e\rf\u0000';
    for (const logFormat of [ 'json', 'text' ]) {
      new SelectedLoggerFactory({ level: 'info', logFormat }).createLogger('Part').info(forged);
    }
    expect(JSON.parse(lines[0])).toMatchObject({ message: forged });
    expect(lines[0].trimEnd()).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028]/u);
    expect(lines[1].split('\n').slice(1).every((line): boolean => line.startsWith('    '))).toBe(true);
    expect(lines[1].replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028]/u);
    expect(lines[1]).toContain('a\\u001b[2Jb\\u009b1mc\\u202ed');
  });

  it('has the fields of a message beside it, in machine-readable form only.', (): void => {
    const fields = { correlationId, status: 401, problem: undefined, reason: 'for 85073003328' };
    for (const logFormat of [ 'json', 'text' ]) {
      const logger = new SelectedLoggerFactory({ level: 'info', logFormat }).createLogger('Part');
      logger.log('info', 'refused for 85073003328', { pid: 1, isPrimary: true, fields } as LogMetadata);
    }
    expect(JSON.parse(lines[0])).toEqual({
      time: expect.any(String),
      level: 'info',
      logger: 'Part',
      process: 'primary',
      message: 'refused for [number]',
      correlationId,
      status: 401,
      reason: 'for [number]',
    });
    expect(lines[1]).toContain('[Part] info refused for [number]');
    expect(lines.join('')).not.toContain('85073003328');
  });

  it('has at most 16 KiB of a message, and no part of a token there.', (): void => {
    const words = 'a word '.repeat(2300);
    for (const logFormat of [ 'json', 'text' ]) {
      const logger = new SelectedLoggerFactory({ level: 'info', logFormat }).createLogger('Part');
      logger.info(`begin ${'x'.repeat(5_000_000)}`);
      logger.info(`${words}${' '.repeat(16_370 - words.length)}${token} ${'end '.repeat(1_000_000)}`);
      logger.info('a'.repeat(16_384));
      // Half as long without the tokens; the number stands where the longest message read ends.
      logger.info(`${`${token} `.repeat(595)}${' '.repeat(37)}85073003328 end`);
    }
    expect(lines).toHaveLength(8);
    expect(lines.every(({ length }): boolean => length < 17_000)).toBe(true);
    expect(lines.join('')).not.toContain('850730');
    expect(lines[0]).toContain('"begin … (cut)"');
    expect(lines[1]).toMatch(/a word .*… \(cut\)/u);
    expect(lines.join('')).not.toContain(token.slice(0, 10));
    expect(lines[2]).toContain('a'.repeat(16_384));
  });

  it('has neither national numbers nor tokens, in any form.', (): void => {
    for (const logFormat of [ 'json', 'text' ]) {
      const logger = new SelectedLoggerFactory({ level: 'info', logFormat }).createLogger('Part');
      logger.info(`GET /85073003328/ 85.07.30-033.28 ${token}`);
    }
    expect(lines).toHaveLength(2);
    expect(lines.every((line): boolean => line.includes('GET /[number]/ [number] [token]'))).toBe(true);
    expect(lines[1]).toMatch(/^\[Part\] info .*"isPrimary":true/u);
    expect(lines.join('')).not.toMatch(/85073003328|033\.28|eyJ/u);
  });

  it('omits the reason of a failed start, which is on standard error.', (): void => {
    for (const logFormat of [ 'json', 'text' ]) {
      const logger = new SelectedLoggerFactory({ level: 'info', logFormat }).createLogger('AppRunner');
      logger.error('Could not start the server: --keys: /keys/encryption.key is missing');
      logger.warn('This may be slow.');
    }
    expect(lines).toEqual([ expect.stringContaining('This may be slow.'), expect.stringContaining('slow') ]);
  });

  it('accepts no other form.', (): void => {
    expect((): unknown => new SelectedLoggerFactory({ level: 'info', logFormat: 'xml' })).toThrow('--logFormat');
  });
});
