import { isOutage } from '../../../src/platform/outage';

function coded(code: string): Error {
  return Object.assign(new Error('something'), { code });
}

describe('An outage', (): void => {
  it.each([
    'ENOSPC',
    'EMFILE',
    'ECONNREFUSED',
    'EIO',
    'EACCES',
    'SQLITE_FULL',
    'SQLITE_IOERR_WRITE',
    'SQLITE_BUSY_SNAPSHOT',
    'SQLITE_CORRUPT',
    '57P01',
    '57014',
    '53300',
    '08006',
    '25006',
    '25P03',
    '28P01',
    'ERR_KEY_UNAVAILABLE',
  ])('is %s.', (code): void => {
    expect(isOutage(coded(code))).toBe(true);
    expect(isOutage(new Error('around it', { cause: coded(code) }))).toBe(true);
  });

  it('is a connection or lock that was lost or does not respond.', (): void => {
    expect(isOutage(new Error('Connection terminated unexpectedly'))).toBe(true);
    expect(isOutage(new Error('Command timed out'))).toBe(true);
    expect(isOutage(new Error('A lock was lost: Redis or this process did not answer for too long'))).toBe(true);
    expect(isOutage(new Error('A lock is held elsewhere for too long'))).toBe(true);
    expect(isOutage(new Error('Others waited too long for the resource.'))).toBe(true);
    expect(isOutage(new AggregateError([ coded('ECONNREFUSED') ], 'each address'))).toBe(true);
  });

  it.each([
    'READONLY You can\'t write against a read only replica. script: 1f, on @user_script:1.',
    'ERR Error running script (call to f_1f): @user_script:5: -READONLY You can\'t write against a read only replica.',
    'OOM command not allowed when used memory > \'maxmemory\'.',
    'MISCONF Redis is configured to save RDB snapshots, but it is currently not able to persist on disk.',
    'LOADING Redis is loading the dataset in memory',
  ])('is a reply of Redis: %s.', (message): void => {
    expect(isOutage(new Error(message))).toBe(true);
  });

  it.each([ 'ENOENT', 'EISDIR', 'SQLITE_CONSTRAINT_UNIQUE', '23505', '40001', '42P01' ])('is not %s.', (code): void => {
    expect(isOutage(coded(code))).toBe(false);
  });

  it('is an error of the server with that status.', (): void => {
    expect(isOutage(Object.assign(new Error('Another change came first.'), { statusCode: 503 }))).toBe(true);
    expect(isOutage(Object.assign(new Error('There is one already.'), { statusCode: 409 }))).toBe(false);
  });

  it('is not a bug in the code.', (): void => {
    expect(isOutage(new TypeError('x is not a function'))).toBe(false);
    expect(isOutage('a string')).toBe(false);
  });
});
