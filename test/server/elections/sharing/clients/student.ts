/**
 * @module
 * A student's node in TypeScript, with the typed client of the API: arguments and output as student.js has them.
 */

import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import process from 'node:process';
import { text } from 'node:stream/consumers';

import { createApiClient } from '../../../../../server/api-client.ts';

const [, , server = '', name = '', part = '', other = ''] = process.argv;
const code = (await text(process.stdin)).trim();
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();

function claim() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const key = Buffer.from(String(publicKey.export({ format: 'jwk' }).x), 'base64url');
  const nodeId = sha256(key);
  const network = [Buffer.from('usurp/challenge/v1\0'), Buffer.alloc(8), Buffer.from('usurp')];
  const challenge = sha256(Buffer.concat(network));
  const possession = Buffer.concat([Buffer.from('usurp/claim/v1\0'), challenge, nodeId]);
  return {
    scheme: 'ed25519' as const,
    publicKey: key.toString('hex'),
    nodeId: nodeId.toString('hex'),
    solution: null,
    signature: sign(null, possession, privateKey).toString('hex'),
  };
}

const anonymous = createApiClient(server);
const signedIn = await anonymous.v1.sessions.$post({
  query: {},
  json: { type: 'joinCode', code, name },
});
if (signedIn.status !== 201) throw new Error(await signedIn.text());
const { token, election } = await signedIn.json();
const id = String(election).split('/').at(-1) ?? '';
const bearer = { Authorization: `Bearer ${token}` };
const api = createApiClient(server, bearer).v1.elections[':id'];
const joining = { claim: claim(), waitMs: part === 'honest' ? 2000 : 0 };
const joined = await api.nodes.$post({ query: {}, param: { id }, json: joining });
if (joined.status !== 201) throw new Error(await joined.text());
const node = await joined.json();
const param = { id, node: node.nodeId };
const header = { 'node-token': node.token };
console.log(`secrets ${token} ${node.token} ${node.nodeId}`);

async function inbox(query: { readonly after?: string; readonly waitMs?: string }) {
  const answer = await api.nodes[':node'].inbox.$get({ param, query, header });
  if (answer.status !== 200) throw new Error(await answer.text());
  return answer.json();
}

async function play(): Promise<void> {
  for (let after = 0; ; ) {
    const { events, status } = await inbox({ after: String(after), waitMs: '1000' });
    const last = events.at(-1);
    if (last === undefined && status === 'idle') return;
    if (last === undefined) continue;
    after = last.number;
    const effects = events.flatMap(({ event }) => {
      const leader = Number(Object(event.message).leader);
      return leader > 0 ? [{ type: 'elect' as const, leader, epoch: 0 }] : [];
    });
    const json = { through: after, effects: effects.slice(-1) };
    const { ok } = await api.nodes[':node'].outbox.$post({ query: {}, param, header, json });
    if (!ok) throw new Error('the outbox was refused');
  }
}

async function report(what: string, answer: Promise<{ status: number; text(): Promise<string> }>) {
  const { status } = await answer;
  const body = await (await answer).text();
  console.log(`${what} ${status} ${body.replaceAll('\n', '\\n')}`);
}

async function attack(): Promise<void> {
  while ((await inbox({ waitMs: '500' })).status === 'created');
  const listed = await api.nodes.$get({ param: { id }, query: { pageSize: '100' } });
  if (listed.status !== 200) throw new Error(await listed.text());
  const { items } = await listed.json();
  const victim = items.find((each) => each.player === 'outside' && each.nodeId !== node.nodeId);
  const rank = items.find((each) => each.nodeId === node.nodeId)?.rank ?? 0;
  const theirs = { id, node: victim?.nodeId ?? '' };
  const absent = { id, node: 'ab'.repeat(32) };
  const message = { type: 'COORDINATOR', leader: rank };
  const from = victim?.rank ?? 0;
  const forged = { type: 'inject' as const, from, to: 'all' as const, message };
  const lie = { effects: [{ type: 'elect' as const, leader: rank, epoch: 0 }] };
  const { inbox: read, outbox: write } = api.nodes[':node'];
  const own = { ...bearer, 'Node-Token': node.token };
  const get = (path: string) => fetch(server + path, { headers: own });
  const again = { type: 'joinCode' as const, code, name };
  await report('inbox', read.$get({ param: theirs, query: {}, header }));
  await report('absent-inbox', read.$get({ param: absent, query: {}, header }));
  await report('outbox', write.$post({ query: {}, param: theirs, header, json: lie }));
  await report('absent-outbox', write.$post({ query: {}, param: absent, header, json: lie }));
  await report('forge', api.actions.$post({ query: {}, param: { id }, header, json: forged }));
  for (const what of ['trace', 'messages', 'participants', 'access']) {
    await report(what, get(`${election}/${what}`));
  }
  await report('fork', api.fork.$post({ query: {}, param: { id }, json: {} }));
  await report('events', get(`${election}/events`));
  await report('replay', api.nodes.$post({ query: {}, param: { id }, json: joining }));
  await report('replay-code', anonymous.v1.sessions.$post({ query: {}, json: again }));
  await report('private', get(other));
  await report('missing', get('/v1/elections/e_aaaaaaaaaaaaaaaa'));
  await report('lie', write.$post({ query: {}, param, header, json: lie }));
  for (let count = 0; count < 100; count += 1) await get(String(election));
}

await (part === 'honest' ? play() : attack());
