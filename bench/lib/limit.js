'use strict';

// The bare limit: node:http that checks a DPoP token and proof as the service does, caches checked tokens, and reads
// the file. It knows all keys and files in advance, and has no routing, grants, ownership or audit.

const { createHash, createPublicKey, verify } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { readFile } = require('node:fs/promises');
const { createServer } = require('node:http');

const world = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const port = Number(process.argv[3]);
const origin = `http://localhost:${port}`;
const issuerKey = createPublicKey({ key: world.issuerKey, format: 'jwk' });
const files = new Map(world.files);
const grants = new Map(world.grants);
const tokens = new Map();
const keys = new Map();
const seen = new Map();

function hash(text) {
  return createHash('sha256').update(text).digest('base64url');
}

function parse(part) {
  return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
}

function isSigned(jws, key) {
  const end = jws.lastIndexOf('.');
  const signature = Buffer.from(jws.slice(end + 1), 'base64url');
  return verify('sha256', Buffer.from(jws.slice(0, end), 'ascii'), { key, dsaEncoding: 'ieee-p1363' }, signature);
}

function checkToken(token) {
  const known = tokens.get(token);
  if (known) {
    return known.exp > Date.now() / 1000 ? known : undefined;
  }
  if (isSigned(token, issuerKey)) {
    const { webid, cnf, exp } = parse(token.split('.')[1]);
    const checked = { webid, jkt: cnf?.jkt, exp, ath: hash(token) };
    tokens.set(token, checked);
    return checked;
  }
}

function checkProof(proof, token, method, path) {
  const [ head, body ] = proof.split('.');
  const { typ, alg, jwk } = parse(head);
  const { crv, kty, x, y } = jwk;
  const jkt = hash(JSON.stringify({ crv, kty, x, y }));
  let key = keys.get(jkt);
  if (!key) {
    key = createPublicKey({ key: jwk, format: 'jwk' });
    keys.set(jkt, key);
  }
  const { htm, htu, iat, ath, jti } = parse(body);
  const now = Date.now() / 1000;
  if (typ !== 'dpop+jwt' || alg !== 'ES256' || jkt !== token.jkt || htm !== method || htu !== origin + path ||
    ath !== token.ath || iat < now - 60 || iat > now + 5 || !isSigned(proof, key)) {
    return false;
  }
  const id = `${jkt} ${jti}`;
  if (seen.has(id)) {
    return false;
  }
  seen.set(id, iat);
  return true;
}

async function answer(request, response) {
  const path = request.url.split('?')[0];
  const [ scheme, text ] = request.headers.authorization.split(' ');
  const token = checkToken(text);
  const isGood = token && (scheme === 'Bearer' ? !token.jkt : checkProof(request.headers.dpop, token, request.method, path));
  const resource = decodeURIComponent(/[?&]resource=([^&]*)/u.exec(request.url)[1]);
  const grant = grants.get(request.headers['x-access-grant']);
  if (!isGood || grant?.recipient !== token.webid || grant.resource !== resource) {
    response.writeHead(401).end();
    return;
  }
  const bytes = await readFile(files.get(resource));
  response.writeHead(200, { 'Content-Type': 'application/ld+json', 'Content-Length': String(bytes.length) });
  response.end(bytes);
}

setInterval(() => {
  const before = (Date.now() / 1000) - 66;
  for (const [ id, iat ] of seen) {
    if (iat >= before) {
      break;
    }
    seen.delete(id);
  }
}, 1000).unref();

createServer((request, response) => {
  if (request.url === '/ready') {
    response.end('ready');
    return;
  }
  answer(request, response).catch((error) => {
    console.error(error);
    response.writeHead(500).end();
  });
}).listen(port, '127.0.0.1');
