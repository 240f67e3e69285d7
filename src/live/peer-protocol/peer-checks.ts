/**
 * @module
 * Tests a Bully node of any program against the peer protocol. The node is the middle one of three. The tester plays the
 * other two and compares what the node answers and sends with what a usurp node would. It waits for conditions, so that
 * a slow machine makes a test longer and not wrong.
 */

import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

import type { Level } from '../../election/authentication/authenticated.ts';
import { answerTicks } from '../../election/timing.ts';
import { LabError } from '../../errors.ts';
import type { Secret } from '../../identity/keys/scheme.ts';
import { schemeOf } from '../../identity/keys/scheme.ts';
import { signatureRulesOf } from '../../identity/policy.ts';
import type { FiledKey } from '../../runtime/files/key-file.ts';
import { signingKeys } from '../../runtime/openssl/signing-keys.ts';
import type { Finding } from '../../simulation/conform/finding.ts';
import { failed, held } from '../../simulation/conform/finding.ts';
import { parseLiveRecord } from '../node-record.ts';
import type { NodeStatus } from '../node-status.ts';
import { statusSchema } from '../node-status.ts';
import type { Network, Peer } from '../peers.ts';
import { isTls, peerOf } from '../peers.ts';
import { holdsWithin } from '../waiting.ts';
import {
  ANSWER_BYTES_MAX,
  ANSWER_MS_MAX,
  answerTo,
  isUnconnected,
  PlayedPeer,
  requested,
} from './played-peer.ts';
import { refusalFindings } from './refusal-checks.ts';

export interface PeerTestPlan {
  readonly url: string;
  readonly network: Network;
  /** The keys of the two nodes that the tester plays. */
  readonly keys: readonly FiledKey[];
  /** The key of a node that is not a member. */
  readonly stranger: Secret;
  readonly level: Level;
  readonly latencyMs: number;
  /** How long each expectation may take. */
  readonly patienceMs: number;
  readonly signal: AbortSignal;
}

interface PeerTrial extends PeerTestPlan {
  readonly node: Peer;
  readonly lower: PlayedPeer;
  readonly higher: PlayedPeer;
}

const PROTOCOL = 'bully-oneshot';
const REPEATS_MAX = 10;

/** What the test has found. */
export interface PeerTestResult {
  /** The tested node in the peers file. */
  readonly node: Peer;
  readonly findings: readonly Finding[];
  /** Why no connection to the node could be made, so that nothing was tested; null if one could. */
  readonly down: string | null;
}

/** Tests the node. Throws LabError `arguments` if the files do not fit, or an address is in use. */
export async function testPeer(plan: PeerTestPlan): Promise<PeerTestResult> {
  const trial = trialOf(plan);
  const { node, lower, higher } = trial;
  const everyMs = beatMs(trial);
  try {
    for (const peer of [lower, higher]) await listen(peer);
    lower.beat(everyMs);
    higher.beat(everyMs);
    const ready = await isReady(trial);
    if (typeof ready === 'string') return { node, findings: [], down: ready };
    return { node, findings: await findingsOf(trial, ready), down: null };
  } finally {
    await Promise.all([lower.close(), higher.close()]);
  }
}

function beatMs({ latencyMs }: PeerTestPlan): number {
  return answerTicks({ latencyTicksMax: latencyMs });
}

/** The findings after the first one. A node that has ended is asked nothing more. */
async function findingsOf(trial: PeerTrial, ready: Finding): Promise<readonly Finding[]> {
  if (!ready.holds) return [ready];
  const findings = [ready, ...(await refusalFindings(trial))];
  const checks = [
    ...[beats, followsHigher, answersLower, waitsForHigher, bulliesBack],
    ...[leadsAlone, givesWay, provesAll, showsRecords],
  ];
  for (const check of checks) {
    if (await hasEnded(trial)) return [...findings, ended(trial)];
    findings.push(await check(trial));
  }
  return findings;
}

async function hasEnded(trial: PeerTrial): Promise<boolean> {
  const status = await statusOf(trial);
  return typeof status === 'string' && isUnconnected(status);
}

function ended({ node, lower }: PeerTrial): Finding {
  const sent = `${lower.posted} requests as node ${lower.position}`;
  const expected = `node ${node.position} to run at ${node.url}`;
  return failed('keeps running', `sent ${sent}; expected ${expected}; received no connection`);
}

function trialOf(plan: PeerTestPlan): PeerTrial {
  const { network, keys, level } = plan;
  const { peers, election, policy } = network;
  const node = testedIn(plan);
  const keyOf = new Map(
    keys.map(({ scheme, secret }) => {
      const publicKey = schemeOf(scheme).publicKeyOf(secret);
      return [peerOf(network, publicKey)?.rank, { scheme, secret, publicKey }] as const;
    }),
  );
  const keysOf = signingKeys((rank) => {
    const claim = peers.find((peer) => peer.rank === rank)?.claim;
    return keyOf.get(rank) ?? (claim === undefined ? null : { ...claim, secret: null });
  }, signatureRulesOf(policy));
  const members = peers.map(({ rank }) => rank);
  const played = (position: number) => {
    const peer = peers[position - 1];
    if (peer === undefined || !keyOf.has(peer.rank)) {
      const detail = `the test plays node ${position} at ${peer?.url}; give its key file with --identity, too`;
      throw new LabError('arguments', detail);
    }
    return new PlayedPeer(peer, node, { level, protocol: PROTOCOL, election, keysOf }, members);
  };
  return { ...plan, node, lower: played(1), higher: played(3) };
}

/** The node of the peers file that is tested. */
function testedIn({ url, network: { peers } }: PeerTestPlan): Peer {
  const middle = peers[1];
  if (peers.length !== 3 || middle === undefined) {
    const detail = `the peers file lists ${peers.length} nodes, and the test needs three; make one with usurp cluster peers`;
    throw new LabError('arguments', detail);
  }
  const tls = peers.find((peer) => isTls(peer.url));
  if (tls !== undefined) {
    const detail = `the test speaks no TLS; list the address of node ${tls.position} with http instead of ${tls.url}`;
    throw new LabError('arguments', detail);
  }
  const node = peers.find((peer) => endpoint(peer.url) === endpoint(url));
  if (node === middle) return middle;
  const found = node === undefined ? 'no node of the peers file' : `node ${node.position}`;
  const detail = `${found} is at ${url}; the tested node must be the middle one by its node ID, which is node 2 at ${middle.url}`;
  throw new LabError('arguments', detail);
}

/** An address without what may be written in several ways. */
function endpoint(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}

const LISTEN_FAULTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there; end it',
  EADDRNOTAVAIL: 'this machine has no such address; list one that it has in the peers file',
  EACCES: 'this needs privileges; list a port above 1023 in the peers file',
};

async function listen(peer: PlayedPeer): Promise<void> {
  try {
    await peer.listen();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const detail = `cannot play node ${peer.position} at ${peer.url}: ${LISTEN_FAULTS[code] ?? code}`;
    throw new LabError('arguments', detail);
  }
}

/** Whether something holds before the patience ends. */
async function within(
  { patienceMs, signal }: PeerTrial,
  holds: () => boolean | Promise<boolean>,
): Promise<boolean> {
  return holdsWithin(holds, { waitMs: patienceMs, signal });
}

async function statusOf({ node, patienceMs, signal }: PeerTrial): Promise<NodeStatus | string> {
  const waitMs = Math.min(patienceMs, ANSWER_MS_MAX);
  const answer = await requested(`${node.url}/status`, { waitMs, signal });
  if (typeof answer === 'string') return answer;
  const given = statusSchema.safeParse(answer.body);
  if (given.success) return given.data;
  const [issue] = given.error.issues;
  return `a status whose ${issue?.path.join('.') || 'body'} is wrong: ${issue?.message}`;
}

async function leaderOf(trial: PeerTrial): Promise<string | null> {
  const status = await statusOf(trial);
  return typeof status === 'string' ? status : status.leader;
}

/** Why no connection to the node can be made, or whether it shows its status. */
async function isReady(trial: PeerTrial): Promise<Finding | string> {
  const check = 'shows its status';
  const { node, level, network } = trial;
  const expected = {
    rank: String(node.rank),
    position: 2,
    protocol: PROTOCOL,
    election: network.election,
    members: 3,
    level,
    ready: true,
  };
  let got = '';
  let isConnected = false;
  const isRight = await within(trial, async () => {
    const status = await statusOf(trial);
    const wrong =
      typeof status === 'string'
        ? []
        : Object.entries(expected).filter(([name, value]) => Object(status)[name] !== value);
    got = typeof status === 'string' ? status : JSON.stringify(status);
    isConnected ||= typeof status !== 'string' || !isUnconnected(status);
    return typeof status !== 'string' && wrong.length === 0;
  });
  if (isRight) return held(check, 'GET /status');
  if (!isConnected) return got;
  const wanted = JSON.stringify(expected);
  return failed(check, `sent GET /status; expected ${wanted} among its members; received ${got}`);
}

/** The types of the messages that a peer received since, without heartbeats. */
function typesSince({ received }: PlayedPeer, mark: number): readonly string[] {
  return received.slice(mark).flatMap(({ type }) => (type === 'FD_HEARTBEAT' ? [] : type));
}

function receivedText(types: readonly string[]): string {
  return types.length === 0 ? 'nothing' : types.join(', ');
}

async function beats(trial: PeerTrial): Promise<Finding> {
  const check = 'sends heartbeats';
  const { lower, higher, patienceMs } = trial;
  const silent = () =>
    [lower, higher].filter(
      ({ received }) => received.filter(({ type }) => type === 'FD_HEARTBEAT').length < 2,
    );
  if (await within(trial, () => silent().length === 0)) return held(check, 'to both others');
  const nodes = silent().map(({ position }) => position);
  return failed(
    check,
    `sent heartbeats; expected two FD_HEARTBEAT to node ${nodes.join(' and ')}; received fewer in ${patienceMs} ms`,
  );
}

async function followsHigher(trial: PeerTrial): Promise<Finding> {
  const check = 'follows a higher node that announces itself';
  const { higher } = trial;
  await higher.announce();
  return leads(trial, check, higher, 'COORDINATOR of node 3');
}

/** Whether the node follows this peer in the end. */
async function leads(
  trial: PeerTrial,
  check: string,
  { rank, position }: Pick<Peer, 'rank' | 'position'>,
  sent: string,
): Promise<Finding> {
  if (await within(trial, async () => (await leaderOf(trial)) === rank)) {
    return held(check, `it follows node ${position}`);
  }
  const got = await leaderOf(trial);
  return failed(check, `sent ${sent}; expected the leader ${rank} in its status; received ${got}`);
}

async function answersLower(trial: PeerTrial): Promise<Finding> {
  const check = 'answers ELECTION of a lower node, and asks the higher one';
  const { lower, higher } = trial;
  const marks = [lower.received.length, higher.received.length] as const;
  await lower.send({ type: 'ELECTION' });
  const sent = 'ELECTION from node 1';
  const isAnswered = await within(trial, () => typesSince(lower, marks[0]).includes('OK'));
  if (!isAnswered) {
    const got = receivedText(typesSince(lower, marks[0]));
    return failed(check, `sent ${sent}; expected OK to node 1; received ${got}`);
  }
  if (await within(trial, () => typesSince(higher, marks[1]).includes('ELECTION'))) {
    return held(check, 'OK to node 1, ELECTION to node 3');
  }
  const got = receivedText(typesSince(higher, marks[1]));
  return failed(check, `sent ${sent}; expected ELECTION to node 3; received ${got}`);
}

/** A trial in which the tester's own OK was late does not count, because the node may lead then. */
async function waitsForHigher(trial: PeerTrial): Promise<Finding> {
  const check = 'does not announce itself after the OK of a higher node';
  const { lower, higher, latencyMs } = trial;
  const answerMs = answerTicks({ latencyTicksMax: latencyMs });
  for (let trials = 0; trials < REPEATS_MAX; trials += 1) {
    higher.mood = 'leads';
    const settled = await followsHigher(trial);
    if (!settled.holds) return { ...settled, check };
    const marks = [lower.received.length, higher.received.length] as const;
    higher.mood = 'answers';
    const begun = Date.now();
    await lower.send({ type: 'ELECTION' });
    await within(trial, () => higher.answered > begun);
    const isInTime = higher.answered > begun && higher.answered - begun < answerMs;
    // What does not happen cannot be waited for: a node that does not wait announces itself after T.
    await delay(answerMs + latencyMs);
    higher.mood = 'leads';
    const types = typesSince(lower, marks[0]);
    if (!types.includes('COORDINATOR')) {
      if (isInTime) return held(check, 'after ELECTION and OK');
      continue;
    }
    if (!isInTime) continue;
    const sent = 'ELECTION from node 1 and OK from node 3';
    return failed(check, `sent ${sent}; expected no COORDINATOR; received ${types.join(', ')}`);
  }
  return failed(check, 'not tested: this machine is too slow for --latency');
}

async function bulliesBack(trial: PeerTrial): Promise<Finding> {
  const check = 'does not follow a lower node, and begins an election';
  const { lower, higher } = trial;
  const settled = await followsHigher(trial);
  if (!settled.holds) return { ...settled, check };
  const mark = higher.received.length;
  await lower.announce();
  const sent = 'COORDINATOR of node 1';
  const followed = await leaderOf(trial);
  if (followed === lower.rank) {
    return failed(check, `sent ${sent}; expected another leader; received leader ${followed}`);
  }
  if (await within(trial, () => typesSince(higher, mark).includes('ELECTION'))) {
    return held(check, 'ELECTION to node 3');
  }
  const got = receivedText(typesSince(higher, mark));
  return failed(check, `sent ${sent}; expected ELECTION to node 3; received ${got}`);
}

async function leadsAlone(trial: PeerTrial): Promise<Finding> {
  const check = 'leads when the higher node is silent';
  const { lower, higher, node } = trial;
  const settled = await followsHigher(trial);
  if (!settled.holds) return { ...settled, check };
  const mark = lower.received.length;
  higher.mood = 'silent';
  higher.rest();
  if (!(await within(trial, () => typesSince(lower, mark).includes('COORDINATOR')))) {
    const got = receivedText(typesSince(lower, mark));
    return failed(check, `sent no more of node 3; expected COORDINATOR to node 1; received ${got}`);
  }
  return leads(trial, check, node, 'no more of node 3');
}

async function givesWay(trial: PeerTrial): Promise<Finding> {
  const { higher } = trial;
  higher.mood = 'leads';
  higher.beat(beatMs(trial));
  await higher.announce();
  const sent = 'heartbeats and COORDINATOR of node 3';
  return leads(trial, 'gives way to a higher node that returns', higher, sent);
}

async function provesAll({ lower, higher }: PeerTrial): Promise<Finding> {
  const check = 'sends only messages that are proved';
  const [fault] = [...lower.faults, ...higher.faults];
  const count = lower.received.length + higher.received.length;
  if (fault === undefined) return held(check, `${count} messages`);
  return failed(check, `sent nothing wrong; expected messages that are proved; received ${fault}`);
}

function showsRecords({ node, patienceMs }: PeerTrial): Promise<Finding> {
  return recordFinding(node.url, Math.min(patienceMs, ANSWER_MS_MAX));
}

const CHECK = 'shows its records, or has none';

/** A server-sent event. */
interface ShownEvent {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** The finding about `GET /events` of a node that has started. */
export async function recordFinding(url: string, waitMs: number): Promise<Finding> {
  const answer = await firstBytes(`${url}/events`, waitMs);
  if (answer.status === 404) return held(CHECK, 'it has none');
  const fault = answer.status === 200 ? faultOf(answer.text) : `status ${answer.status}`;
  if (fault === null) return held(CHECK, 'GET /events');
  const expected =
    'events with the name record, ids from 0 on and the records as data, that of its start first';
  return failed(CHECK, `sent GET /events; expected ${expected}; received ${fault}`);
}

/** What is wrong with the events of a text that may end within one; null if nothing is. */
function faultOf(text: string): string | null {
  const events = text.split('\n\n').slice(0, -1).map(eventOf);
  if (events.length === 0) return 'no event';
  for (const [index, { id, event, data }] of events.entries()) {
    if (event !== 'record' || id !== String(index)) return `event ${event} with the id ${id}`;
    try {
      const { event: happened } = parseLiveRecord(data);
      if (index === 0 && happened.type !== 'start') return `${happened.type} as the first record`;
    } catch (error) {
      if (!(error instanceof LabError)) throw error;
      return `a record of another form: ${error.message}`;
    }
  }
  return null;
}

function eventOf(text: string): ShownEvent {
  const fields = new Map(
    text.split('\n').map((line) => {
      const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
      return [name, value] as const;
    }),
  );
  const field = (name: string) => fields.get(name) ?? '';
  return { id: field('id'), event: field('event'), data: field('data') };
}

/** The first bytes of an endless answer, until an event is there or the time is over. Status 0 is no answer. */
async function firstBytes(
  url: string,
  waitMs: number,
): Promise<{ readonly status: number; readonly text: string }> {
  const outgoing = request(url, { agent: false, signal: AbortSignal.timeout(waitMs) });
  let text = '';
  let status = 0;
  try {
    outgoing.end();
    const answer = await answerTo(outgoing);
    status = answer.statusCode ?? 0;
    for await (const chunk of status === 200 ? answer : []) {
      text += String(chunk);
      if (text.includes('\n\n') || text.length > ANSWER_BYTES_MAX) break;
    }
  } catch {
    // What has come until then is judged.
  } finally {
    outgoing.on('error', () => undefined).destroy();
  }
  return { status, text };
}
