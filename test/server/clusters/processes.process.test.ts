/**
 * @module
 * A cluster of real processes over HTTP, and that none is left when the server stops or is killed.
 */

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { afterEach, expect, it } from 'vitest';
import { ROOT, scratchFolder } from '../../cli/shell.ts';

type Json = Readonly<Record<string, unknown>>;

const servers: ChildProcess[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.kill('SIGKILL');
});

/** A server with clusters whose files are in a folder of its own. */
async function serve() {
  const folder = scratchFolder();
  const args = [`${ROOT}/bin/usurp.js`, 'serve', '--port', '0', '--clusters'];
  const env = { ...process.env, TMPDIR: folder };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  servers.push(child);
  const [url] = await once(createInterface({ input: child.stdout }), 'line');
  const send = async (method: string, path: string, body?: object) => {
    const headers = { 'Content-Type': 'application/json' };
    const json = body === undefined ? {} : { headers, body: JSON.stringify(body) };
    const response = await fetch(`${url}${path}`, { method, ...json });
    const text = await response.text();
    return { status: response.status, json: JSON.parse(text) as Json }; // Answers here are objects.
  };
  return { child, folder, url: String(url), send };
}

type Served = Awaited<ReturnType<typeof serve>>;

/** Starts a cluster. Returns its path. */
async function clusterIn({ send }: Served, nodes: number, flags?: object): Promise<string> {
  const { json } = await send('POST', '/v1/clusters', {
    ...{ protocol: 'bully-oneshot', nodes, latency: '100ms', flags },
  });
  return `/v1/clusters/${json.id}`;
}

/** The state of a cluster when all its nodes follow one leader that is none of these. */
async function agreed({ send }: Served, path: string, not: unknown = null): Promise<Json> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const { json } = await send('GET', path);
    const leader = (json.agreement as Json | null)?.leader ?? null; // By the schema.
    if (leader !== null && leader !== not) return json;
    if (Date.now() > deadline) throw new Error(`no agreement: ${JSON.stringify(json)}`);
    await new Promise((done) => setTimeout(done, 100));
  }
}

/** The processes whose command line contains a text. */
function processesWith(text: string): number {
  return globSync('/proc/[0-9]*/cmdline').filter((path) => {
    try {
      return readFileSync(path, 'utf8').includes(text);
    } catch {
      return false;
    }
  }).length;
}

function foldersIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.startsWith('usurp-cluster-'));
}

const hasProc = existsSync('/proc/self/cmdline');

it('elects another leader after a kill, admits two nodes, and leaves no process and no file', async () => {
  const served = await serve();
  const { send, url, folder } = served;
  const path = await clusterIn(served, 3);
  const before = await agreed(served, path);

  const killed = await send('POST', `${path}/actions`, { type: 'kill', node: 'leader' });
  const after = await agreed(served, path, 3);
  const joined = await send('POST', `${path}/actions`, { type: 'join' });
  // This one learns of the other newcomer before it starts.
  await send('POST', `${path}/actions`, { type: 'join' });
  // An action that waits for another one is accepted before it is looked at.
  await expect
    .poll(async () => (await send('GET', path)).json)
    .toMatchObject({
      actions: [{ status: 'done' }, { status: 'done' }, { status: 'done' }],
    });
  const again = await send('POST', `${path}/actions`, { type: 'kill', node: 3 });
  const events = await (await fetch(`${url}${path}/events?follow=false`)).text();
  const ended = await send('DELETE', path);

  expect(before).toMatchObject({
    ...{ status: 'running', agreement: { leader: 3, nodes: [1, 2, 3] } },
    nodes: [1, 2, 3].map((node) => ({ node, status: 'up', leader: 3 })),
  });
  expect(killed).toMatchObject({ status: 200, json: { actions: [{ type: 'kill', node: 3 }] } });
  expect(after).toMatchObject({ agreement: { leader: 2, nodes: [1, 2] } });
  expect([200, 202]).toContain(joined.status);
  expect(again).toMatchObject({ status: 409, json: { detail: 'node 3 is down; start it first' } });
  const lines = events.split('\n').filter((line) => line !== '');
  const names = lines.map((line): string => JSON.parse(line).event);
  expect(names.slice(0, 3)).not.toContain('message.injected');
  expect(names).toEqual(expect.arrayContaining(['node.started', 'node.crashed', 'node.joined']));
  expect(ended.json).toMatchObject({
    ...{ status: 'over', check: { outcome: 'accepted', defect: null } },
  });
  expect(foldersIn(folder)).toEqual([]);
  expect(hasProc ? processesWith(folder) : 0).toBe(0);
});

it.skipIf(!hasProc)(
  'ends with its server, also if that is killed while a node is paused (skipped without /proc)',
  async () => {
    const [stopped, killed] = await Promise.all([serve(), serve()]);
    const flags = { aliveTop: 'announceOnce' };
    const paths = [await clusterIn(stopped, 1, flags), await clusterIn(killed, 1)];
    expect(await agreed(stopped, paths[0] ?? '')).toMatchObject({ flags });
    await agreed(killed, paths[1] ?? '');
    await killed.send('POST', `${paths[1]}/actions`, { type: 'pause', node: 1 });
    const before = processesWith(killed.folder);

    stopped.child.kill('SIGTERM');
    killed.child.kill('SIGKILL');
    await once(stopped.child, 'close');

    const deadline = Date.now() + 60_000;
    const isLeft = () => processesWith(killed.folder) > 0 || foldersIn(killed.folder).length > 0;
    while (isLeft() && Date.now() < deadline) await new Promise((done) => setTimeout(done, 50));
    // The node and the watchdog.
    expect(before).toBe(2);
    expect([processesWith(stopped.folder), processesWith(killed.folder)]).toEqual([0, 0]);
    expect([foldersIn(stopped.folder), foldersIn(killed.folder)]).toEqual([[], []]);
  },
);
