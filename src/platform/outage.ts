/** Seconds after which a client should repeat a request that failed because of an outage. */
export const outageSeconds = 5;

/** Error codes of temporary failures of the system, SQLite and PostgreSQL, which are not the fault of the request. */
const codes = [
  // No space, file handles or memory left; a disk that fails, or that this process may not use
  /^(?:ENOSPC|EDQUOT|EROFS|EMFILE|ENFILE|ENOMEM|EIO|EACCES|EPERM|ESTALE)$/u,
  // SQLite takes a block that cannot be read for a damaged one
  /^SQLITE_(?:FULL|IOERR|BUSY|READONLY|CANTOPEN|CORRUPT|NOTADB)\w*$/u,
  // The server of the database cannot be reached
  /^(?:ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/u,
  // PostgreSQL: connection, resources, operator's intervention, a standby that cannot be written, too long a wait or
  // transaction
  /^(?:08\w{3}|53\w{3}|57P0\d|57014|58\w{3}|25006|25P0[34]|55P03)$/u,
  // PostgreSQL does not let this process in any more, or has lost the database
  /^(?:28000|28P01|3D000)$/u,
  // A key in use cannot be read here
  /^ERR_KEY_UNAVAILABLE$/u,
];

/** Messages of the same failures without a code. */
const messages = [
  /^Connection terminated/u,
  /^Client has encountered a connection error/u,
  /^timeout exceeded when trying to connect/u,
  /^The records were busy/u,
  /^Connection is closed/u,
  /max retries per request/iu,
  // Redis is a replica, out of memory, cannot save, or is starting; scripts of Redis 6 repeat that at their end
  /(?:^|: -)(?:READONLY|OOM|MISCONF|LOADING|MASTERDOWN|NOREPLICAS|BUSY|NOAUTH|WRONGPASS) /u,
  /^Command timed out/u,
  /^A lock (?:is held elsewhere for too long|was lost)/u,
  /^(?:Too many requests wait for|Waited too long for|Others waited too long for|Lock expired after) /u,
];

/** Members that errors may have; an error of several attempts has `errors`. */
interface Failure {
  code?: unknown;
  /** Present in errors of the underlying server. */
  statusCode?: unknown;
  message?: unknown;
  errors?: unknown;
  cause?: unknown;
}

/**
 * Checks whether an error comes from an unavailable database, disk or the like, so that the same request can succeed
 * later.
 *
 * @param error - The error. Its causes are checked, too.
 */
export function isOutage(error: unknown): boolean {
  for (let at = error, depth = 0; isFailure(at) && depth < 5; at = at.cause, depth += 1) {
    const { code, errors, message, statusCode } = at;
    if (statusCode === 503 || codes.some((pattern): boolean => pattern.test(String(code))) ||
      messages.some((pattern): boolean => pattern.test(String(message))) ||
      (Array.isArray(errors) && errors.some(isOutage))) {
      return true;
    }
  }
  return false;
}

function isFailure(error: unknown): error is Failure {
  return typeof error === 'object' && error !== null;
}
