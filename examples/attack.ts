/**
 * A complete attack on a leader election. It needs a running `usurp serve`:
 *
 *     npx node examples/attack.ts http://127.0.0.1:8787
 *
 * The attack mines an identity above all honest ones, joins with it and announces itself in signed messages,
 * and the honest nodes follow it. Then it attacks an election whose identities cost more, and fails. The client
 * is Hono's `hc` with the types of the server's own routes: a path or a member that does not exist is an error
 * of the compiler.
 */

import type { KeyObject } from 'node:crypto';
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';

import { createApiClient } from '../server/api-client.ts';

type Client = ReturnType<typeof createApiClient>;

interface Identity {
  readonly privateKey: KeyObject;
  readonly key: Buffer;
  readonly nodeId: Buffer;
}

/** The election that is attacked. */
interface Arena {
  readonly id: string;
  /** Part of every signed text. */
  readonly name: string;
}

const CHEAP_BITS = 4;
const EXPENSIVE_BITS = 16;
const PROTOCOL = 'bully-oneshot';

// Identities

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}

function zeroBits(digest: Buffer): number {
  const bits = BigInt(`0x${digest.toString('hex')}`).toString(2);
  return bits === '0' ? 8 * digest.length : 8 * digest.length - bits.length;
}

/** An identity with a node ID above `above` that satisfies the static puzzle. */
function mine(above: string, bits: number): Identity {
  for (;;) {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const key = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
    const nodeId = sha256(key);
    if (nodeId.toString('hex') > above && zeroBits(sha256(nodeId)) >= bits) {
      return { privateKey, key, nodeId };
    }
  }
}

/** A claim. It signs the challenge of the network and the node ID; without a dynamic puzzle there is no X. */
function claimOf({ privateKey, key, nodeId }: Identity) {
  const epoch = Buffer.alloc(8);
  const domain = Buffer.from('usurp/challenge/v1\0');
  const challenge = sha256(Buffer.concat([domain, epoch, Buffer.from('usurp')]));
  const possession = Buffer.concat([Buffer.from('usurp/claim/v1\0'), challenge, nodeId]);
  return {
    scheme: 'ed25519' as const,
    publicKey: key.toString('hex'),
    nodeId: nodeId.toString('hex'),
    solution: null,
    signature: sign(null, possession, privateKey).toString('hex'),
  };
}

// Signed messages. At level L3 a signature is for one recipient, one election and one message number.

function signatureOf({ privateKey }: Identity, text: string): string {
  const bytes = Buffer.from(`usurp/message/v1\0${JSON.stringify(text)}`);
  return sign(null, bytes, privateKey).toString('hex');
}

/** The COORDINATOR message of Bully, with the signatures that level L3 requires. */
function announcement(identity: Identity, election: string, me: number, to: number) {
  const number = 1;
  const body = { leader: me, type: 'COORDINATOR' };
  const text = JSON.stringify(['usurp/election/v1', PROTOCOL, me, to, election, number, body]);
  const candidacy = JSON.stringify(['usurp/candidacy/v1', PROTOCOL, me, election]);
  const candidacies = { [me]: signatureOf(identity, candidacy) };
  return { ...body, seal: { by: me, number, signature: signatureOf(identity, text), candidacies } };
}

// The attack

async function create(api: Client, c1: number): Promise<Arena> {
  const answer = await api.v1.elections.$post({
    query: {},
    json: { protocol: PROTOCOL, nodes: 5, level: 'L3', policy: { c1 }, seed: '7' },
  });
  if (!answer.ok) throw await refusalOf(answer);
  return answer.json();
}

async function nodesOf(api: Client, { id }: Arena) {
  const answer = await api.v1.elections[':id'].nodes.$get({ param: { id }, query: {} });
  if (!answer.ok) throw await refusalOf(answer);
  const { items } = await answer.json();
  return items;
}

type Action = Parameters<Client['v1']['elections'][':id']['actions']['$post']>[0]['json'];

/** Performs an action and returns the leader that all live nodes then follow. */
async function act(api: Client, { id }: Arena, json: Action) {
  const answer = await api.v1.elections[':id'].actions.$post({
    param: { id },
    query: {},
    json,
    header: {},
  });
  if (!answer.ok) throw await refusalOf(answer);
  const { leader } = await answer.json();
  return leader;
}

async function announce(api: Client, arena: Arena, sender: { identity: Identity; me: number }) {
  const { identity, me } = sender;
  for (const { rank } of await nodesOf(api, arena)) {
    if (rank === me) continue;
    const message = announcement(identity, arena.name, me, rank);
    await act(api, arena, { type: 'inject', from: me, to: rank, message });
  }
}

async function attack(api: Client): Promise<Identity> {
  const arena = await create(api, CHEAP_BITS);
  const ids = (await nodesOf(api, arena)).map(({ nodeId }) => nodeId).sort();
  const identity = mine(ids.at(-1) ?? '', CHEAP_BITS);
  const nodeId = identity.nodeId.toString('hex');
  console.log(`mined ${nodeId.slice(0, 16)}… above all of ${ids.length}`);
  const joined = await api.v1.elections[':id'].nodes.$post({
    param: { id: arena.id },
    query: {},
    json: { claim: claimOf(identity), waitMs: 0 },
  });
  if (!joined.ok) throw await refusalOf(joined);
  const { rank, token } = await joined.json();
  console.log(`joined with rank ${rank} of ${ids.length + 1}`);
  await act(api, arena, { type: 'start' });
  // Until the start, the rank changes when another node joins.
  const inbox = await api.v1.elections[':id'].nodes[':node'].inbox.$get({
    param: { id: arena.id, node: nodeId },
    query: {},
    header: { 'node-token': token },
  });
  if (!inbox.ok) throw await refusalOf(inbox);
  const { rank: me } = await inbox.json();
  await announce(api, arena, { identity, me });
  const said = await api.v1.elections[':id'].nodes[':node'].outbox.$post({
    param: { id: arena.id, node: nodeId },
    query: {},
    header: { 'node-token': token },
    json: { effects: [{ type: 'elect', leader: me, epoch: 0 }] },
  });
  if (!said.ok) throw await refusalOf(said);
  const leader = await act(api, arena, { type: 'advance', until: 'idle' });
  if (leader?.nodeId !== nodeId) throw new Error('failed but should win');
  console.log('won: the honest nodes follow the mined identity');
  return identity;
}

async function attackDefended(api: Client, identity: Identity): Promise<void> {
  const arena = await create(api, EXPENSIVE_BITS);
  const joined = await api.v1.elections[':id'].nodes.$post({
    param: { id: arena.id },
    query: {},
    json: { claim: claimOf(identity) },
  });
  if (joined.ok) throw new Error('the cheap identity was admitted');
  console.log(`refused: ${(await joined.json()).detail}`);
  // It is no member, but it can still send false messages in the name of a node whose key it does not have.
  const ranks = (await nodesOf(api, arena)).map(({ rank }) => rank);
  const top = Math.max(...ranks);
  await act(api, arena, { type: 'start' });
  await announce(api, arena, { identity, me: top - 1 });
  const leader = await act(api, arena, { type: 'advance', until: 'idle' });
  if (leader?.rank !== top) throw new Error('won but should fail');
  console.log('failed: the honest nodes elected the highest of their own');
}

/** A refusal is a problem document (RFC 9457). */
async function refusalOf(answer: { json(): Promise<{ readonly detail: string }> }) {
  return new Error((await answer.json()).detail);
}

/** Sends a request. After a 429 it waits as long as the server says, and sends it again. */
async function patientFetch(...request: Parameters<typeof fetch>): Promise<Response> {
  for (let triesLeft = 4; ; triesLeft -= 1) {
    const answer = await fetch(...request);
    if (answer.status !== 429 || triesLeft === 0) return answer;
    await setTimeout(1_000 * Number(answer.headers.get('Retry-After') ?? 1));
  }
}

const [url] = process.argv.slice(2);
if (url === undefined) throw new Error('usage: attack.ts URL');
const api = createApiClient(url, {}, patientFetch);
await attackDefended(api, await attack(api));
