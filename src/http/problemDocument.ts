import { redact } from '../identity/redact';
import { Problem } from '../problems';

/** RFC 9457 problem document, with the time of the problem. */
export interface ProblemDocument {
  type: string;
  title: string;
  status: number;
  detail: string | null;
  instance: string;
  timestamp: string;
}

/**
 * Returns the problem document of an error. Anything but a {@link Problem} is a bare 500: its message is for the log
 * only.
 *
 * @param error - The thrown error.
 * @param problemTypes - Prefix of problem type URIs.
 * @param instance - UUID of this occurrence.
 * @param now - Time of the problem.
 *
 * @see [RFC 9457, section 3.1](https://www.rfc-editor.org/rfc/rfc9457#section-3.1)
 */
export function problemDocument(error: unknown, problemTypes: string, instance: string, now: Date): ProblemDocument {
  const { type, title, status, detail, members } = error instanceof Problem ?
    error :
      { type: '', title: 'Internal Server Error', status: 500, detail: undefined, members: {}};
  return {
    ...members,
    type: type === '' ? 'about:blank' : `${problemTypes}${type}`,
    title,
    status,
    detail: detail ?? null,
    instance: `urn:uuid:${instance}`,
    timestamp: now.toISOString(),
  };
}

/**
 * Describes an error for the log: stacks of the whole chain of causes. Text that resembles a token or a national number
 * is redacted.
 */
export function describeForLog(error: unknown): string {
  const parts: string[] = [];
  for (let at = error; at !== undefined && parts.length < 5; at = at instanceof Error ? at.cause : undefined) {
    parts.push(at instanceof Error ? at.stack ?? `${at.name}: ${at.message}` : typeof at);
  }
  return redact(parts.join('\nCaused by: '));
}
