'use strict';

const { STATUS_CODES } = require('node:http');

/**
 * A request of the demo.
 *
 * @typedef {object} Request
 * @property {import('./Client').Client} client - The caller.
 * @property {string} method
 * @property {string} url
 * @property {Record<string, string>} [headers]
 * @property {unknown} [body] - Of bytes, only the number is printed.
 * @property {number} status - The expected status; any other ends the demo.
 * @property {(answer: any) => unknown} [show] - Selects the part of a JSON response to print; all by default.
 */

/**
 * Makes the requests of a demo, and prints each with its response, without tokens and national numbers.
 */
class Narrator {
  /**
   * @param {(text: string) => void} print - Prints a line.
   * @param {string[]} secrets - Texts that are never printed.
   * @param {AbortSignal} interruption - Ends the demo at its next step.
   */
  constructor(print, secrets, interruption) {
    this.print = print;
    this.interruption = interruption;
    this.secrets = secrets;
    this.steps = 0;
    this.requests = 0;
  }

  /**
   * Begins a step.
   *
   * @param {string} title
   */
  step(title) {
    this.interruption.throwIfAborted();
    this.steps += 1;
    this.print(`\n${this.steps}. ${title}`);
  }

  /**
   * Prints a remark between requests.
   *
   * @param {string} text
   */
  say(text) {
    this.print(indent(this.elide(text)));
  }

  /**
   * Makes a request, and prints it with its response.
   *
   * @param {Request} request
   *
   * @returns {Promise<any>} The response as JSON, or as text when it is not JSON; a Buffer for a zip.
   *
   * @throws When the status is not the expected one.
   */
  async ask({ client, method, url, headers = {}, body, status, show = answer => answer }) {
    this.say(`${method} ${url}`);
    for (const [ name, value ] of Object.entries(headers)) {
      this.say(`${name}: ${value}`);
    }
    if (body !== undefined) {
      this.say(format(shorten(body)));
    }
    const response = await client.request(method, url, { headers, body });
    const bytes = Buffer.from(await response.arrayBuffer());
    const isZip = response.headers.get('content-type') === 'application/zip';
    const answer = isZip ? bytes : parse(bytes.toString());
    this.requests += 1;
    this.say(`→ ${response.status} ${STATUS_CODES[response.status]}`);
    if (response.status !== status) {
      this.say(bytes.toString());
      throw new Error(`Expected ${status}, got ${response.status}`);
    }
    this.say(indent(format(shorten(show(answer)))));
    return answer;
  }

  /**
   * @param {string} text
   */
  elide(text) {
    let shown = text;
    for (const secret of this.secrets) {
      shown = shown.replaceAll(secret, '(a national number)');
    }
    return shown.replaceAll(/eyJ[\w-]+\.[\w-]+\.[\w-]*/gu, 'eyJ…');
  }
}

/**
 * Shortens long texts, such as whole credentials, at any depth.
 *
 * @param {unknown} value
 *
 * @returns {unknown}
 */
function shorten(value) {
  if (typeof value === 'string') {
    return value.length > 200 ? `${value.slice(0, 60)}…` : value;
  }
  if (value instanceof Uint8Array) {
    return `(${value.length} bytes)`;
  }
  if (Array.isArray(value)) {
    return value.map(shorten);
  }
  return value && typeof value === 'object' ?
      Object.fromEntries(Object.entries(value).map(([ name, member ]) => [ name, shorten(member) ])) :
    value;
}

/**
 * @param {unknown} value
 */
function format(value) {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/**
 * @param {string} text
 */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * @param {string} text
 */
function indent(text) {
  return text.replaceAll(/^(?=.)/gmu, '   ');
}

module.exports = { Narrator };
