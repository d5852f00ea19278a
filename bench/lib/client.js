'use strict';

// The load generator, a separate process. It receives a batch of requests, signs their proofs, reports that it is ready,
// and on `go` sends them over its connections, each request as soon as the previous one on its connection is answered.

const { connect } = require('node:net');
const { hashOf, prepareKey, proof } = require('./tokens');

const keys = new Map();
const hashes = new Map();

process.on('message', (message) => {
  if (message.type === 'job') {
    const requests = message.requests.map(toBytes);
    process.once('message', () => {
      load(message, requests).then(
        result => process.send({ type: 'done', result }),
        error => process.send({ type: 'failed', message: error.message }),
      );
    });
    process.send({ type: 'ready' });
  }
});

function toBytes({ method, url, token, key, headers = {}, body }) {
  const { host, pathname, search } = new URL(url);
  const lines = [ `${method} ${pathname}${search} HTTP/1.1`, `Host: ${host}` ];
  if (token) {
    lines.push(`Authorization: ${key ? 'DPoP' : 'Bearer'} ${token}`);
  }
  if (key) {
    lines.push(`DPoP: ${proof(remembered(keys, key.x, () => prepareKey(key)), method, url.split('?')[0], athOf(token))}`);
  }
  lines.push(...Object.entries(headers).map(([ name, value ]) => `${name}: ${value}`));
  if (body !== undefined) {
    lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`);
}

function athOf(token) {
  return remembered(hashes, token, () => hashOf(token));
}

function remembered(map, name, make) {
  if (!map.has(name)) {
    map.set(name, make());
  }
  return map.get(name);
}

async function load({ port, ports = [ port ], connections, status }, requests) {
  const silence = setTimeout(() => process.exit(1), 300_000);
  const latencies = new Float64Array(requests.length);
  let next = 0;
  let bytes = 0;
  const sockets = await Promise.all(Array.from({ length: connections }, (_, index) => open(ports[index % ports.length])));
  const cpu = process.cpuUsage();
  const started = performance.now();
  await Promise.all(sockets.map(socket => new Promise((resolve, reject) => {
    let sent;
    let index;
    const reader = new AnswerReader();
    function send() {
      if (next === requests.length) {
        socket.end();
        resolve();
        return;
      }
      index = next;
      next += 1;
      sent = performance.now();
      socket.write(requests[index]);
    }
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('The server closed a connection')));
    socket.on('data', (chunk) => {
      bytes += chunk.length;
      if (!reader.read(chunk)) {
        return;
      }
      latencies[index] = performance.now() - sent;
      if (reader.status !== status) {
        reject(new Error(`Answered ${reader.status}: ${reader.head}${reader.text()}`));
        return;
      }
      reader.reset();
      send();
    });
    send();
  })));
  clearTimeout(silence);
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  latencies.sort();
  return {
    requests: requests.length,
    seconds,
    bytes,
    perSecond: requests.length / seconds,
    p50: latencies[Math.floor(latencies.length * 0.5)],
    p99: latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * 0.99))],
    clientCpuShare: (user + system) / 1e6 / seconds,
  };
}

function open(port) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.setNoDelay(true);
    socket.once('error', reject);
  });
}

/** Finds the end of one response: by Content-Length, or by its last chunk. */
class AnswerReader {
  constructor() {
    this.reset();
  }

  reset() {
    this.head = undefined;
    this.buffered = undefined;
    this.remaining = undefined;
    this.kept = undefined;
  }

  /** Beginning of the body, for error messages. */
  text() {
    return this.kept?.toString('utf8', 0, 2000) ?? '';
  }

  /** True when the response is complete. */
  read(chunk) {
    if (this.head === undefined) {
      const data = this.buffered ? Buffer.concat([ this.buffered, chunk ]) : chunk;
      const end = data.indexOf('\r\n\r\n');
      if (end === -1) {
        this.buffered = data;
        return false;
      }
      this.begin(data.toString('latin1', 0, end));
      return this.readBody(data.subarray(end + 4));
    }
    return this.readBody(chunk);
  }

  begin(head) {
    this.head = head;
    this.status = Number(head.slice(9, 12));
    this.buffered = undefined;
    const length = /\ncontent-length: *(\d+)/iu.exec(head);
    const empty = this.status === 204 || this.status === 304;
    this.remaining = empty ? 0 : (length && Number(length[1])) ?? undefined;
  }

  readBody(data) {
    this.kept ??= data;
    if (this.remaining !== undefined) {
      this.remaining -= data.length;
      return this.remaining <= 0;
    }
    // Chunked: no body here contains text like a last chunk.
    const tail = this.buffered ? Buffer.concat([ this.buffered, data ]) : data;
    this.buffered = tail.subarray(-7);
    return tail.length >= 5 && tail.toString('latin1', tail.length - 5) === '0\r\n\r\n';
  }
}
