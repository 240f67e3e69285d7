/**
 * @module
 * A student's node in JavaScript, with nothing but Node: `student.js URL NAME honest|attack OTHER`, and the join
 * code on stdin. OTHER is the path of an election of someone else. It prints its secrets first, then the answers
 * to its attacks.
 */

import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import process from 'node:process';
import { text } from 'node:stream/consumers';

const [, , server, name, part, other] = process.argv;
const code = (await text(process.stdin)).trim();
const sha256 = (bytes) => createHash('sha256').update(bytes).digest();

async function ask(method, path, body, headers = {}) {
  const answer = await fetch(server + path, {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.text() };
}

async function must(...request) {
  const { status, body } = await ask(...request);
  if (status >= 300) throw new Error(`${request[0]} ${request[1]}: ${status} ${body}`);
  return JSON.parse(body);
}

function claim() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const key = Buffer.from(publicKey.export({ format: 'jwk' }).x, 'base64url');
  const nodeId = sha256(key);
  const network = [Buffer.from('usurp/challenge/v1\0'), Buffer.alloc(8), Buffer.from('usurp')];
  const challenge = sha256(Buffer.concat(network));
  const possession = Buffer.concat([Buffer.from('usurp/claim/v1\0'), challenge, nodeId]);
  const signature = sign(null, possession, privateKey).toString('hex');
  const [id, publicHex] = [nodeId.toString('hex'), key.toString('hex')];
  return { scheme: 'ed25519', publicKey: publicHex, nodeId: id, solution: null, signature };
}

const { token, election } = await must('POST', '/v1/sessions', { type: 'joinCode', code, name });
const bearer = { Authorization: `Bearer ${token}` };
const joining = { claim: claim(), waitMs: part === 'honest' ? 2000 : 0 };
const node = await must('POST', `${election}/nodes`, joining, bearer);
const own = { ...bearer, 'Node-Token': node.token };
console.log(`secrets ${token} ${node.token} ${node.nodeId}`);

/** Answers each leader by following it. The highest node announces itself. */
async function play() {
  for (let after = 0; ; ) {
    const path = `${node.links.inbox}?after=${after}&waitMs=1000`;
    const { events, status } = await must('GET', path, undefined, own);
    if (events.length === 0 && status === 'idle') return;
    if (events.length === 0) continue;
    after = events.at(-1).number;
    const leaders = events.map(({ event }) => event.message?.leader).filter(Boolean);
    const effects = leaders.map((leader) => ({ type: 'elect', leader, epoch: 0 }));
    await must('POST', node.links.outbox, { through: after, effects: effects.slice(-1) }, own);
  }
}

async function attack() {
  for (let status = 'created'; status === 'created'; ) {
    ({ status } = await must('GET', `${node.links.inbox}?waitMs=500`, undefined, own));
  }
  const { items } = await must('GET', `${election}/nodes?pageSize=100`, undefined, own);
  const victim = items.find((each) => each.player === 'outside' && each.nodeId !== node.nodeId);
  const { rank } = items.find((each) => each.nodeId === node.nodeId);
  const theirs = `${election}/nodes/${victim.nodeId}`;
  const absent = `${election}/nodes/${'ab'.repeat(32)}`;
  const message = { type: 'COORDINATOR', leader: rank };
  const forged = { type: 'inject', from: victim.rank, to: 'all', message };
  const lie = { effects: [{ type: 'elect', leader: rank, epoch: 0 }] };
  const report = async (what, ...request) => {
    const { status, body } = await ask(...request);
    console.log(`${what} ${status} ${body.replaceAll('\n', '\\n')}`);
  };
  await report('inbox', 'GET', `${theirs}/inbox`, undefined, own);
  await report('absent-inbox', 'GET', `${absent}/inbox`, undefined, own);
  await report('outbox', 'POST', `${theirs}/outbox`, lie, own);
  await report('absent-outbox', 'POST', `${absent}/outbox`, lie, own);
  await report('forge', 'POST', `${election}/actions`, forged, own);
  for (const what of ['trace', 'messages', 'participants', 'access']) {
    await report(what, 'GET', `${election}/${what}`, undefined, own);
  }
  await report('fork', 'POST', `${election}/fork`, {}, own);
  await report('events', 'GET', `${election}/events`, undefined, own);
  await report('replay', 'POST', `${election}/nodes`, joining, own);
  await report('replay-code', 'POST', '/v1/sessions', { type: 'joinCode', code, name }, own);
  await report('private', 'GET', other, undefined, own);
  await report('missing', 'GET', '/v1/elections/e_aaaaaaaaaaaaaaaa', undefined, own);
  await report('lie', 'POST', node.links.outbox, lie, own);
  for (let count = 0; count < 100; count += 1) await ask('GET', election, undefined, own);
}

await (part === 'honest' ? play() : attack());
