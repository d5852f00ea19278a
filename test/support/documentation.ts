import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A command of a page, and the response that the page shows for it. */
export interface Example {
  /** Page and line, for messages. */
  place: string;
  command: string;
  /** Status line, headers, empty line, body. */
  answer?: string;
}

/** A parsed response. */
interface ShownAnswer {
  status: number;
  headers: Map<string, string>;
  body: string;
}

const fence = /^```(bash|http)\n([\s\S]*?)^```$/gmu;

/** The `bash` blocks of a page, each with the `http` block that follows it. Blocks of other languages are not run. */
export function readExamples(file: string, page: string): Example[] {
  const text = readFileSync(file, 'utf8');
  const examples: Example[] = [];
  for (const { 1: language, 2: content, index } of text.matchAll(fence)) {
    if (language === 'bash') {
      examples.push({ place: `${page}:${text.slice(0, index).split('\n').length}`, command: content });
    } else {
      examples.at(-1)!.answer = content;
    }
  }
  return examples;
}

/** Parses a response that begins with a status line. */
function parseAnswer(text: string): ShownAnswer {
  const [ head, ...rest ] = text.replaceAll('\r', '').split('\n\n');
  const [ statusLine, ...lines ] = head.trim().split('\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [ line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim() ];
  });
  return { status: Number(statusLine.split(' ')[1]), headers: new Map(headers), body: rest.join('\n\n').trim() };
}

/** Result of a command. */
export interface Run {
  /** Its output: a response, with or without its head. */
  output: string;
  /** Status of every request it made. */
  statuses: number[];
}

const mark = '=== end of example ===';

/**
 * Runs examples in one shell.
 *
 * @param examples - The examples.
 * @param folder - Existing folder to run in.
 * @param values - Texts of the examples, and their replacements.
 * @param variables - Variables of the shell.
 *
 * @returns A run for each example and one for the end, and the error output of the commands.
 */
export function runExamples(
  examples: readonly Example[],
  folder: string,
  values: Record<string, string>,
  variables: Record<string, string> = {},
): { runs: Run[]; complaints: string } {
  // Makes every curl print the status, whatever its options.
  writeFileSync(join(folder, '.curlrc'), 'write-out = "%{stderr}%{http_code}\\n"\n');
  let input = examples.map(({ command }): string => `${command}\necho '${mark}'; echo '${mark}' >&2\n`).join('');
  for (const [ shown, real ] of Object.entries(values)) {
    input = input.replaceAll(shown, real);
  }
  const env = { ...process.env, ...variables, CURL_HOME: folder, HOME: folder };
  const { stdout, stderr } = spawnSync('bash', [ '-u' ], { input, env, encoding: 'utf8', cwd: folder });
  const outputs = stdout.split(`${mark}\n`);
  return {
    complaints: stderr.replaceAll(/^(?:\d{3}|=== end of example ===)?\n/gmu, ''),
    runs: stderr.split(`${mark}\n`).map((part, at): Run =>
      ({ output: outputs[at], statuses: (part.match(/^\d{3}$/gmu) ?? []).map(Number) })),
  };
}

const exactHeaders = new Set([ 'cache-control', 'content-type', 'vary', 'www-authenticate' ]);

/**
 * Lists the differences from the page: the status, missing headers, members of the body. Where the page shows no
 * response, every request must succeed.
 */
export function differences({ answer }: Example, { output, statuses }: Run): string[] {
  if (answer === undefined) {
    return statuses.filter((status): boolean => status < 200 || status > 299).map((status): string => `${status}`);
  }
  const shown = parseAnswer(answer);
  const real = output.startsWith('HTTP/') ? parseAnswer(output) : { headers: shown.headers, body: output };
  return [
    ...statuses.at(-1) === shown.status ? [] : [ `status ${statuses.at(-1)}` ],
    ...[ ...shown.headers ]
      .filter(([ name, value ]): boolean => !isSameHeader(name, value, real.headers.get(name)))
      .map(([ name ]): string => `header ${name}`),
    ...shown.body === '' ? [] : lacks(JSON.parse(shown.body), JSON.parse(real.body)),
  ];
}

function isSameHeader(name: string, shown: string, real: string | undefined): boolean {
  return exactHeaders.has(name) ? shown === real : real !== undefined;
}

/**
 * Lists the parts of the shown response that a real one lacks: members, types of values, and values that are words.
 * Each entry of a shown list must be like some entry of the real one.
 */
function lacks(shown: unknown, answered: unknown, place = ''): string[] {
  if (Array.isArray(shown)) {
    const others: unknown[] = Array.isArray(answered) ? answered : [];
    return shown.flatMap((item: unknown, at): string[] => lacksItem(item, others) ? [ `${place}/${at}` ] : []);
  }
  if (isObject(shown)) {
    return isObject(answered) ?
        Object.entries(shown).flatMap(([ name, value ]): string[] => lacks(value, answered[name], `${place}/${name}`)) :
        [ place ];
  }
  return isAlike(shown, answered) ? [] : [ place ];
}

function lacksItem(shown: unknown, others: unknown[]): boolean {
  return !others.some((other): boolean => lacks(shown, other).length === 0);
}

/** Ids, times and URLs differ in every run; words do not. */
function isAlike(shown: unknown, answered: unknown): boolean {
  if (typeof shown === 'number' || (typeof shown === 'string' && !/^[A-Za-z_ ]+$/u.test(shown))) {
    return typeof shown === typeof answered;
  }
  return shown === answered;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
