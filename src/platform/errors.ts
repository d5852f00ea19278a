import { isRecord } from './isRecord';

/** Returns the code of an error of the system, a database or a library, such as `ENOENT`; empty without one. */
export function codeOf(error: unknown): string {
  return isRecord(error) && typeof error.code === 'string' ? error.code : '';
}

/** Returns the name of an error, such as `TypeError`, which reveals nothing of its message. */
export function nameOf(error: unknown): string {
  return isRecord(error) && typeof error.name === 'string' ? error.name : typeof error;
}

/** Returns the cause of anything thrown. */
export function causeOf(error: unknown): unknown {
  return isRecord(error) ? error.cause : undefined;
}

/** Returns the message of anything thrown. */
export function messageOf(error: unknown): string {
  return isRecord(error) && typeof error.message === 'string' ? error.message : String(error);
}

/** Maximum causes of an error that are described. */
const maxCauses = 5;

/** Returns the messages of an error and its causes in one line, with the codes that they lack. */
export function describeCauses(error: unknown): string {
  const parts: string[] = [];
  for (let at = error; isRecord(at) && parts.length < maxCauses; at = at.cause) {
    const [ code, message ] = [ codeOf(at), messageOf(at) ];
    parts.push(message.includes(code) ? message : `${code} ${message}`.trim());
  }
  return parts.join('. Cause: ').replaceAll('.. Cause: ', '. Cause: ');
}
