#!/usr/bin/env node
/**
 * A starter client for exercises: transport, signing and verifying, and nothing else. A script exports `solve(client)`, which
 * returns the answer to the submission. To run one against `usurp serve`:
 *
 *     node exercises/client.js http://127.0.0.1:8787 exercises/mine-claim/solution.js
 *
 * The token is read from the variable USURP_TOKEN; a server without tokens needs none. It needs Node 20 or newer.
 */

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
} from 'node:crypto';
import { resolve } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

/** A refusal of the server: `problem` has its code and its detail. */
export class Refused extends Error {
  constructor(problem) {
    super(`${problem.code}: ${problem.detail}`);
    this.problem = problem;
  }
}

/** Refusals with a longer wait are thrown, and a request is repeated so often. */
const [WAIT_SECONDS_MAX, REPEATS_MAX] = [60, 5];

/** Calls a server as one student. It waits if the server asks it to. */
export function connect(server, token) {
  const call = async (method, path, body, headers = {}, repeats = REPEATS_MAX) => {
    const response = await fetch(server + path, {
      method,
      headers: {
        'Content-Type': 'application/json',
        ...(token && { Authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = response.status === 204 ? null : await response.json();
    const seconds = Number(response.headers.get('Retry-After'));
    if (response.status === 429 && seconds <= WAIT_SECONDS_MAX && repeats > 0) {
      await sleep(1_000 * seconds);
      return call(method, path, body, headers, repeats - 1);
    }
    if (!response.ok) throw new Refused(answer);
    return answer;
  };
  return {
    get: (path) => call('GET', path),
    remove: (path) => call('DELETE', path),
    post: (path, body, headers) => call('POST', path, body, headers),
    /** Calls in the name of a node that you play. The answer to your join has its token. */
    node: (nodeToken) => ({
      get: (path) => call('GET', path, undefined, { 'Node-Token': nodeToken }),
      post: (path, body) => call('POST', path, body, { 'Node-Token': nodeToken }),
    }),
    /** Your instance of an exercise. It is the same at each call. */
    instance: (name) => call('POST', `/v1/exercises/${name}/instances`),
    submit: (name, submission) => call('POST', `/v1/exercises/${name}/submissions`, submission),
  };
}

export const sha256 = (...parts) => createHash('sha256').update(Buffer.concat(parts)).digest();

/** Number of zero bits at the beginning. */
export function zeroBits(digest) {
  const first = digest.findIndex((byte) => byte !== 0);
  return first < 0 ? 8 * digest.length : 8 * first + Math.clz32(digest[first]) - 24;
}

export const fromHex = (hex) => Buffer.from(hex, 'hex');

/** A new Ed25519 key: 32 bytes of public key, and what `signed` needs. */
export function newKey() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return { publicKey: Buffer.from(publicKey.export({ format: 'jwk' }).x, 'base64url'), privateKey };
}

/** The key of a seed of 32 bytes. */
export function keyOfSeed(seed) {
  const der = Buffer.concat([fromHex('302e020100300506032b657004220420'), seed]);
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

/** The signature that proves that the claimant owns the key: of challenge, node ID and solution. */
export function signed(privateKey, { challenge, nodeId, solution = Buffer.alloc(0) }) {
  const text = Buffer.concat([Buffer.from('usurp/claim/v1\0'), challenge, nodeId, solution]);
  return sign(null, text, privateKey);
}

/** Whether a signature over these parts is one of the public key of 32 bytes. */
export function isSigned(publicKey, signature, { challenge, nodeId, solution = Buffer.alloc(0) }) {
  const text = Buffer.concat([Buffer.from('usurp/claim/v1\0'), challenge, nodeId, solution]);
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') };
  return verify(null, text, createPublicKey({ key: jwk, format: 'jwk' }), signature);
}

/** Runs a script against a server, and prints the answer to its submission. */
async function run(server, script) {
  const { solve } = await import(pathToFileURL(resolve(script)).href);
  const { USURP_TOKEN } = process.env;
  console.log(JSON.stringify(await solve(connect(server, USURP_TOKEN)), null, 2));
}

const [, started, server, script] = process.argv;
if (started !== undefined && import.meta.url === pathToFileURL(started).href) {
  if (script === undefined) {
    console.error('usage: client.js URL SCRIPT');
    process.exitCode = 2;
  } else {
    // A script may import this file, which therefore must not wait for the script (no await here).
    run(server, script).catch((error) => {
      console.error(error instanceof Refused ? error.message : error);
      process.exitCode = 1;
    });
  }
}
