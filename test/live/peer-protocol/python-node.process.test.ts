/**
 * @module
 * The node in Python among two usurp nodes: it leads as the highest, follows a higher one, and leads again after the kill -9
 * of that one. The model takes every step of all three.
 */

import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:http';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseClaim } from '../../../src/identity/claim.ts';
import { checkLogs } from '../../../src/live/check/log-check.ts';
import { readRecords } from '../../../src/live/check/read-log.ts';
import { presentationOf } from '../../../src/live/membership.ts';
import { parseLiveRecord } from '../../../src/live/node-record.ts';
import type { NodeStatus } from '../../../src/live/node-status.ts';
import { statusSchema } from '../../../src/live/node-status.ts';
import { parsePeers } from '../../../src/live/peers.ts';
import { ROOT, spawnUsurp } from '../../cli/shell.ts';
import { signerOf } from '../hostile-peer.ts';
import { testKey, testNetwork, until } from '../network.ts';
import { LACKS_PYTHON, PYTHON_NODE, PYTHON_NOTE, spawnPython } from './played-python.ts';

const LATENCY_MS = 150;
const made = await testNetwork(3);
const network = parsePeers(made.peers);
const children = new Map<number, ChildProcessWithoutNullStreams>();
const keyOf = (position: number) =>
  join(made.folder, `key-${network.ring.indexOf(position) + 1}.json`);
const urlOf = (position: number) => network.peers[position - 1]?.url ?? '';

function start(position: number, language: 'python' | 'usurp'): void {
  const files = ['--identity', keyOf(position), '--peers', join(made.folder, 'peers.json')];
  const child =
    language === 'python'
      ? spawnPython([
          ...[...files, '--latency', String(LATENCY_MS)],
          ...['--data', `${keyOf(position)}.log`],
        ])
      : spawnUsurp([
          ...['node', ...files, '--protocol', 'bully-oneshot'],
          ...['--latency', `${LATENCY_MS}ms`],
        ]);
  children.set(position, child);
}

/** Replaces the seed of a key file by its scalar: the form that `usurp mine` writes. */
function withScalar(path: string): void {
  const file = JSON.parse(readFileSync(path, 'utf8'));
  const scalar = createHash('sha512').update(file.secret.hex, 'hex').digest().subarray(0, 32);
  scalar.writeUInt8(scalar.readUInt8(0) & 248, 0);
  scalar.writeUInt8((scalar.readUInt8(31) & 127) | 64, 31);
  const secret = { form: 'scalar', hex: scalar.toString('hex') };
  writeFileSync(path, JSON.stringify({ ...file, secret }), { mode: 0o600 });
}

async function end(position: number, signal: 'SIGKILL' | 'SIGINT'): Promise<void> {
  const child = children.get(position);
  children.delete(position);
  if (child?.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await ended;
}

async function statusOf(position: number): Promise<NodeStatus | null> {
  const answer = await fetch(`${urlOf(position)}/status`).catch(() => null);
  return answer === null ? null : statusSchema.parse(await answer.json());
}

async function follow(leader: number): Promise<boolean> {
  const statuses = await Promise.all([...children.keys()].map(statusOf));
  return statuses.every((status) => status?.leaderPosition === leader);
}

/** The records that a node has when it follows its leader. */
async function recordsOf(position: number): Promise<string[]> {
  const outgoing = get(`${urlOf(position)}/events`, { agent: false });
  const [answer]: IncomingMessage[] = await once(outgoing, 'response');
  let text = '';
  for await (const chunk of answer ?? []) {
    text += chunk;
    // The last step is the one with which it leads again.
    if ((text.match(/"type": "elect"/g) ?? []).length >= 3 && text.endsWith('\n\n')) break;
  }
  outgoing.destroy();
  return text.split('\n').flatMap((line) => (line.startsWith('data: ') ? line.slice(6) : []));
}

afterAll(async () => {
  await Promise.all([...children.keys()].map((position) => end(position, 'SIGKILL')));
  rmSync(made.folder, { recursive: true });
});

describe.skipIf(LACKS_PYTHON)('the node in Python', () => {
  it(`leads as the highest, follows a higher node, and leads after its kill -9${PYTHON_NOTE}`, async () => {
    withScalar(keyOf(2));
    start(1, 'usurp');
    start(2, 'python');
    await until('both follow 2', () => follow(2));
    start(3, 'usurp');
    await until('all follow 3', () => follow(3));
    await end(3, 'SIGKILL');
    await until('the others follow 2', () => follow(2));

    const refused = [await statusOf(1), await statusOf(2)].map((status) => status?.refused);

    const none = { flood: 0, sender: 0, malformed: 0, replay: 0, signature: 0, candidacy: 0 };
    expect(refused).toEqual([none, none]);
  });

  it(`refuses a peers file with TLS, which it does not speak${PYTHON_NOTE}`, () => {
    const secure = join(made.folder, 'https.json');
    writeFileSync(secure, made.peers.replaceAll('http:', 'https:'));

    const { status, stderr } = spawnSync('python3', [
      ...['-B', PYTHON_NODE, '--identity', keyOf(1), '--peers', secure],
    ]);

    expect(String(stderr)).toBe(
      'refused: this node speaks no TLS; give a peers file with http addresses\n',
    );
    expect(status).toBe(1);
  });

  it(`accepts the signatures that a strict verifier accepts, and no others${PYTHON_NOTE}`, () => {
    const { cases } = JSON.parse(
      readFileSync(join(ROOT, 'test/vectors/derived/ed25519_small_order_r.json'), 'utf8'),
    );
    const program = [
      'import json, sys',
      "sys.path.insert(0, 'examples')",
      'from node import PublicKey',
      'for case in json.load(sys.stdin):',
      "    key = PublicKey(bytes.fromhex(case['public_key']))",
      "    text, signature = case['message_utf8'], bytes.fromhex(case['signature'])",
      "    print(key.verifies(text.encode(), signature), key.verifies(b'-', signature))",
    ].join('\n');

    const options = { cwd: ROOT, input: JSON.stringify(cases), encoding: 'utf8' } as const;
    const printed = execFileSync('python3', ['-B', '-c', program], options);

    expect(cases.length).toBeGreaterThan(20);
    expect(printed).toBe('True False\n'.repeat(cases.length));
  });

  it(`refuses a newcomer at an address of its own machine, of another member, or where none answers${PYTHON_NOTE}`, async () => {
    const key = testKey(9);
    const sign = signerOf(key, network);
    const present = async (url: string) => {
      const claim = parseClaim(key.claim);
      const body = JSON.stringify(presentationOf({ url, claim }, network.election, sign));
      const answer = await fetch(`${urlOf(2)}/peers`, { method: 'POST', body });
      const { refusal, fault } = Object(await answer.json());
      return [answer.status, refusal, fault];
    };

    const answers = [
      await present('http://127.0.0.9:7001'),
      await present('http://localhost:7001'),
      await present(urlOf(1).replace('127.0.0.1', '[::ffff:127.0.0.1]')),
      await present('http://127.0.0.1:1'),
    ];

    expect(answers).toEqual([
      [403, 'address', 'host'],
      [403, 'address', 'host'],
      [403, 'address', 'taken'],
      [403, 'address', 'silent'],
    ]);
  });

  it(`makes no step that the model does not take, and writes the records that it shows into its log${PYTHON_NOTE}`, async () => {
    await end(1, 'SIGINT');
    const shown = (await recordsOf(2)).map(parseLiveRecord);
    await end(2, 'SIGINT');
    const logs = [1, 2, 3].map((position) => `${keyOf(position)}.log`);

    const { replayed, missing } = checkLogs(network, logs);

    const written = readRecords(`${keyOf(2)}.log`, (line) => line).records.map(parseLiveRecord);
    expect(written.slice(0, shown.length)).toEqual(shown);
    expect([replayed.defect, replayed.unchecked, missing]).toEqual([null, null, []]);
    expect(replayed.records.length).toBeGreaterThan(shown.length);
  });
});
