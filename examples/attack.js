#!/usr/bin/env node
/**
 * A complete attack on a leader election. It needs a running `usurp serve`:
 *
 *     node examples/attack.js http://127.0.0.1:8787
 *
 * The attack mines an identity above all honest ones, joins with it and announces itself in signed messages,
 * and the honest nodes follow it. Then it attacks an election whose identities cost more, and fails. It needs
 * nothing but Node 18 or newer.
 */

import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';

const CHEAP_BITS = 4;
const EXPENSIVE_BITS = 16;

class Refused extends Error {
  constructor(problem) {
    super(problem.detail);
    this.code = problem.code;
  }
}

async function call(method, path, body, headers = {}, triesLeft = 4) {
  const init = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(server + path, {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    ...init,
  });
  const answer = await response.json();
  if (response.status === 429 && triesLeft > 0) {
    // The server says when the caller may send again.
    await setTimeout(1_000 * Number(response.headers.get('Retry-After') ?? 1));
    return call(method, path, body, headers, triesLeft - 1);
  }
  if (!response.ok) throw new Refused(answer);
  return answer;
}

// Identities

const sha256 = (bytes) => createHash('sha256').update(bytes).digest();

function zeroBits(digest) {
  const first = digest.findIndex((byte) => byte !== 0);
  return first < 0 ? 8 * digest.length : 8 * first + Math.clz32(digest[first]) - 24;
}

/** An identity with a node ID above `above` that satisfies the static puzzle, and the number of keys tried. */
function mine(above, bits) {
  for (let keys = 1; ; keys += 1) {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const key = Buffer.from(publicKey.export({ format: 'jwk' }).x, 'base64url');
    const nodeId = sha256(key);
    if (nodeId.toString('hex') > above && zeroBits(sha256(nodeId)) >= bits) {
      return { privateKey, key, nodeId, keys };
    }
  }
}

/** A claim. It signs the challenge of the network and the node ID; without a dynamic puzzle there is no X. */
function claimOf({ privateKey, key, nodeId }) {
  const epoch = Buffer.alloc(8);
  const challenge = sha256(
    Buffer.concat([Buffer.from('usurp/challenge/v1\0'), epoch, Buffer.from('usurp')]),
  );
  const possession = Buffer.concat([Buffer.from('usurp/claim/v1\0'), challenge, nodeId]);
  return {
    scheme: 'ed25519',
    publicKey: key.toString('hex'),
    nodeId: nodeId.toString('hex'),
    solution: null,
    signature: sign(null, possession, privateKey).toString('hex'),
  };
}

// Signed messages. At level L3 a signature is for one recipient, one election and one message number.

function signatureOf({ privateKey }, text) {
  const bytes = Buffer.from(`usurp/message/v1\0${JSON.stringify(text)}`);
  return sign(null, bytes, privateKey).toString('hex');
}

/** The COORDINATOR message of Bully, with the signatures that level L3 requires. */
function announcement(identity, { name, protocol }, me, to) {
  const number = 1;
  const body = { leader: me, type: 'COORDINATOR' };
  const text = JSON.stringify(['usurp/election/v1', protocol, me, to, name, number, body]);
  const candidacy = JSON.stringify(['usurp/candidacy/v1', protocol, me, name]);
  const candidacies = { [me]: signatureOf(identity, candidacy) };
  return { ...body, seal: { by: me, number, signature: signatureOf(identity, text), candidacies } };
}

// The attack

const create = (c1) =>
  call('POST', '/v1/elections', {
    protocol: 'bully-oneshot',
    nodes: 5,
    level: 'L3',
    policy: { c1 },
    seed: '7',
  });

const act = (election, action) => call('POST', election.links.actions, action);

async function nodesOf(election) {
  const { items } = await call('GET', `${election.links.self}/nodes`);
  return items;
}

async function announce(identity, election, me) {
  for (const { rank } of await nodesOf(election)) {
    if (rank === me) continue;
    const message = announcement(identity, election, me, rank);
    await act(election, { type: 'inject', from: me, to: rank, message });
  }
}

async function attack() {
  const election = await create(CHEAP_BITS);
  const ids = (await nodesOf(election)).map(({ nodeId }) => nodeId).sort();
  const top = ids.at(-1);
  const identity = mine(top, CHEAP_BITS);
  const nodeId = identity.nodeId.toString('hex');
  console.log(`mined ${nodeId.slice(0, 16)}… above ${top.slice(0, 16)}…: ${identity.keys} keys`);
  const claim = claimOf(identity);
  const member = await call('POST', `${election.links.self}/nodes`, { claim, waitMs: 0 });
  console.log(`joined with rank ${member.rank} of ${ids.length + 1}`);
  await act(election, { type: 'start' });
  const token = { 'Node-Token': member.token };
  // Until the start, the rank changes when another node joins.
  const { rank: me } = await call('GET', member.links.inbox, undefined, token);
  await announce(identity, election, me);
  const effects = [{ type: 'elect', leader: me, epoch: 0 }];
  await call('POST', member.links.outbox, { effects }, token);
  const { leader } = await act(election, { type: 'advance', until: 'idle' });
  if (leader?.nodeId !== nodeId)
    throw new Error(`failed but should win: ${JSON.stringify(leader)}`);
  console.log('won: the honest nodes follow the mined identity');
  return { identity, claim };
}

async function attackDefended({ identity, claim }) {
  const election = await create(EXPENSIVE_BITS);
  try {
    await call('POST', `${election.links.self}/nodes`, { claim });
    throw new Error('the cheap identity was admitted');
  } catch (refusal) {
    if (!(refusal instanceof Refused)) throw refusal;
    console.log(`refused (${refusal.code}): ${refusal.message}`);
  }
  // It is no member, but it can still send false messages in the name of a node whose key it does not have.
  const ranks = (await nodesOf(election)).map(({ rank }) => rank);
  const top = Math.max(...ranks);
  await act(election, { type: 'start' });
  await announce(identity, election, top - 1);
  const { leader } = await act(election, { type: 'advance', until: 'idle' });
  if (leader?.rank !== top) throw new Error(`won but should fail: ${JSON.stringify(leader)}`);
  console.log('failed: the honest nodes elected the highest of their own');
}

const server = process.argv[2]?.replace(/\/$/, '');
if (server === undefined) {
  console.error('usage: attack.js URL');
  process.exit(2);
}
await attackDefended(await attack());
