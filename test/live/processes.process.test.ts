/**
 * @module
 * Three nodes as processes: they elect a leader, bear its kill -9 and its return, and the model takes every step of them.
 */

import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import type { NodeStatus } from '../../src/live/node-status.ts';
import { parsePeers } from '../../src/live/peers.ts';
import { parsed, spawnUsurp, usurp } from '../cli/shell.ts';
import { testNetwork, until } from './network.ts';

const made = await testNetwork(3);
const network = parsePeers(made.peers);
const children = new Map<number, ChildProcessWithoutNullStreams>();
const fileOf = (name: string) => join(made.folder, name);
/** The position of the node of each key file. */
const positions = network.ring;
const logs = positions.map((_, index) => fileOf(`key-${index + 1}.json.log`));

function spawnNode(position: number): void {
  const key = fileOf(`key-${positions.indexOf(position) + 1}.json`);
  const args = ['--identity', key, '--peers', fileOf('peers.json'), '--protocol', 'bully-oneshot'];
  children.set(position, spawnUsurp(['node', ...args]));
}

async function endNode(position: number, signal: 'SIGKILL' | 'SIGINT'): Promise<number | null> {
  const child = children.get(position);
  if (child === undefined) throw new Error(`node ${position} is not up`);
  const end = new Promise<number | null>((resolve) => child.once('exit', resolve));
  child.kill(signal);
  children.delete(position);
  return end;
}

async function statusOf(position: number): Promise<NodeStatus | null> {
  const url = network.peers[position - 1]?.url;
  const answer = await fetch(`${url}/status`).catch(() => null);
  // The test fails if a node answers otherwise.
  return answer === null ? null : ((await answer.json()) as NodeStatus);
}

async function follow(leader: number): Promise<boolean> {
  const followed = await Promise.all([...children.keys()].map(statusOf));
  return followed.every((status) => status?.leaderPosition === leader);
}

afterAll(async () => {
  await Promise.all([...children.keys()].map((position) => endNode(position, 'SIGKILL')));
  rmSync(made.folder, { recursive: true });
});

describe('three nodes as processes', () => {
  it('elect the highest, the next one after kill -9, and the highest again when it is back', async () => {
    for (const position of [1, 2, 3]) spawnNode(position);
    await until('all follow 3', () => follow(3));
    await endNode(3, 'SIGKILL');
    await until('the others follow 2', () => follow(2));
    spawnNode(3);
    await until('all follow 3 again', () => follow(3));

    const status = await statusOf(3);

    expect(status).toMatchObject({ life: 2, ready: true, leaderPosition: 3, level: 'L3' });
    const metrics = await fetch(`${network.peers[2]?.url}/metrics`).then((each) => each.text());
    expect(metrics).toContain('usurp_node_leads 1');
  });

  it('refuse a second process with the same log', async () => {
    const key = fileOf(`key-${positions.indexOf(1) + 1}.json`);
    const args = ['--identity', key, '--peers', fileOf('peers.json'), '--listen', '127.0.0.1:0'];

    const printed = await usurp(['node', ...args, '--protocol', 'bully-oneshot']);

    expect(printed.code).toBe(254);
    expect(printed.stderr).toContain('another node uses it');
  });

  it('end at Ctrl-C with 0, and the model takes every step', async () => {
    // The leader ends last: others would suspect it as soon as it is gone.
    const codes: unknown[] = [];
    for (const position of [1, 2, 3]) codes.push(await endNode(position, 'SIGINT'));
    const trace = fileOf('run.jsonl');

    const args = ['--peers', fileOf('peers.json'), '--trace', trace, '--json'];
    const printed = await usurp(['cluster', 'trace', ...logs, ...args]);

    expect(codes).toEqual([0, 0, 0]);
    expect(printed.stderr).toBe(`trace written to ${trace}\n`);
    expect(parsed(printed)).toMatchObject({ accepted: true, leaders: [3, 3, 3], defect: null });
    expect(printed.code).toBe(0);
  });

  it('are refused by the model if a log was changed', async () => {
    const [path = ''] = logs;
    const database = new DatabaseSync(path);
    database.exec(
      `UPDATE records SET record = json_set(record, '$.effects', json('[{"type":"step-down"}]')) WHERE seq = 0`,
    );
    database.close();

    const printed = await usurp(['cluster', 'trace', ...logs, '--peers', fileOf('peers.json')]);

    expect(printed.code).toBe(1);
    expect(printed.stdout).toContain(
      `step 1 of node ${positions[0]}: it has {"type":"step-down"} as effect 1; the model has `,
    );
  });
});
