import { resolve } from 'node:path';
import { DateTime, Duration } from 'luxon';
import { findDuration } from './duration';
import { RefusedSetting } from './RefusedSetting';

// Each function reads the text of a setting, and throws a RefusedSetting that names the flag.

/** Reads the items of a comma-separated list; `undefined` when there are none. */
export function readList(text: string): string[] | undefined {
  const items = text.split(',').map((item): string => item.trim()).filter((item): boolean => item !== '');
  return items.length > 0 ? items : undefined;
}

/**
 * Checks the base URL, which the server compares with the URLs of resources as text.
 *
 * @returns The URL with a trailing slash.
 *
 * @throws RefusedSetting that names the flag.
 */
export function readBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/u.test(url.protocol) || url.username !== '' || url.password !== '' ||
    url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw new RefusedSetting(
      `--baseUrl must be an origin without a path: clients look discovery up at the root; not ${text}`,
    );
  }
  const origin = `${url.origin}/`;
  if (![ origin, url.origin ].includes(text)) {
    throw new RefusedSetting(`--baseUrl must be written as ${origin}, as in the URLs of its resources; not ${text}`);
  }
  return origin;
}

/** Reads the http(s) URLs of a comma-separated list; `undefined` when there are none. */
export function readUrls(flag: string, text: string): string[] | undefined {
  const urls = readList(text);
  requireUrls(flag, urls ?? []);
  return urls;
}

/** @throws RefusedSetting when one of them is not an http(s) URL. */
export function requireUrls(flag: string, urls: string[]): void {
  for (const url of urls) {
    if (!URL.canParse(url) || !/^https?:$/u.test(new URL(url).protocol)) {
      throw new RefusedSetting(`--${flag} must be a comma-separated list of http(s) URLs: ${url}`);
    }
  }
}

/** Reads a text without surrounding spaces, which must not be empty. */
export function readText(flag: string, text: string): string {
  if (text.trim() === '') {
    throw new RefusedSetting(`--${flag} must not be empty`);
  }
  return text.trim();
}

/** Reads a date as the beginning of that day in UTC. */
export function readDate(flag: string, text: string): Date | undefined {
  if (text === '') {
    return;
  }
  const date = DateTime.fromISO(text, { zone: 'utc' });
  if (!date.isValid || !/^\d{4}-\d{2}-\d{2}$/u.test(text)) {
    throw new RefusedSetting(`--${flag} must be an ISO 8601 date, such as 2027-01-01: ${text}`);
  }
  return date.toJSDate();
}

/** Reads a whole number of seconds; environment variables are text. */
export function readSeconds(flag: string, value: unknown): number {
  if (!/^\d{1,3}$/u.test(String(value))) {
    throw new RefusedSetting(`--${flag} must be a whole number of seconds up to 999`);
  }
  return Number(value);
}

/** Returns the absolute path of a file or folder. */
export function readPath(flag: string, path: string): string {
  return resolve(readText(flag, path));
}

/** The time that far from now is still a date. */
const longestDuration = Duration.fromObject({ years: 1000 });

/** Reads an ISO 8601 duration; `undefined` when it is empty. */
export function readDuration(flag: string, text: string): Duration | undefined {
  return text === '' ? undefined : parseDuration(flag, text);
}

/** An ISO 8601 duration, which must not be empty, in milliseconds. */
export function readMilliseconds(flag: string, text: string): number {
  return parseDuration(flag, readText(flag, text)).toMillis();
}

function parseDuration(flag: string, text: string): Duration {
  const duration = findDuration(text);
  if (!duration || duration.toMillis() <= 0) {
    throw new RefusedSetting(`--${flag} must be an ISO 8601 duration above zero, such as P180D: ${text}`);
  }
  if (duration.toMillis() > longestDuration.toMillis()) {
    throw new RefusedSetting(`--${flag} must be a duration of a thousand years at most: ${text}`);
  }
  return duration;
}
