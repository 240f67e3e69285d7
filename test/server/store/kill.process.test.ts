/**
 * @module
 * `usurp serve --data` is killed at random moments while clients write to it. Afterwards everything that was
 * acknowledged is there once, and the file is complete.
 */

import { copyFileSync, existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';

import { SWEEPS_KEPT_MAX } from '../../../server/jobs/sweeps/sweep.ts';
import { createRandom, parseSeed } from '../../../src/random.ts';
import { ended, scratchFolder, spawnUsurp } from '../../cli/shell.ts';
import type { Promises } from './kill-client.ts';
import { electionOf, promisesOf, send, useUntilGone } from './kill-client.ts';

const KILLS = Number(process.env.STORE_KILLS ?? 2);
const CLIENTS = 3;
const NOTHING: Promises = {
  ...{ elections: new Map(), deleting: new Set(), deleted: new Set() },
  ...{ jobs: [], keyed: new Map() },
};
/** Measured from the first acknowledgement, which takes longer on a busy machine. */
const LIFE_MS_MAX = 600;

/** Starts the server, and measures the time until it is ready. */
async function start(data: string) {
  const started = performance.now();
  const child = spawnUsurp(['serve', '--port', '0', '--data', data, '--quiet']);
  const end = ended(child);
  const url = await Promise.race([
    new Promise<string>((resolve) => child.stdout.once('data', (text) => resolve(String(text)))),
    end.then(({ code, stderr }) => Promise.reject(new Error(`ended with ${code}: ${stderr}`))),
  ]);
  return { child, end, url: url.trim(), readyMs: performance.now() - started };
}

/** The data of the file, read from a copy with its log, as the next server reads it. */
function storedIn(data: string) {
  const copy = join(scratchFolder(), 'lab.sqlite');
  copyFileSync(data, copy);
  if (existsSync(`${data}-wal`)) copyFileSync(`${data}-wal`, `${copy}-wal`);
  const database = new DatabaseSync(copy);
  const all = (query: string) => database.prepare(query).all();
  const elections = all(
    `SELECT id, plan ->> '$.options.seed' AS seed, (
       SELECT count(*) FROM actions WHERE election = elections.id
     ) AS actions FROM elections`,
  );
  const jobs = new Set(all('SELECT id FROM jobs').map(({ id }) => String(id)));
  const check = all('PRAGMA integrity_check').map((row) => row.integrity_check);
  database.close();
  return { elections, jobs, check };
}

/** Everything that is missing, duplicated, or changed. */
function brokenPromises(promises: Promises, { elections, jobs }: ReturnType<typeof storedIn>) {
  const broken: string[] = [];
  const stored = new Map(elections.map((row) => [String(row.id), Number(row.actions)]));
  for (const [id, { actions }] of promises.elections) {
    const found = stored.get(id);
    if (promises.deleted.has(id) && found !== undefined) broken.push(`${id} is back`);
    if (promises.deleted.has(id)) continue;
    // The server may have deleted it, or stored one more action, without an acknowledgement.
    if (found === undefined && promises.deleting.has(id)) continue;
    if (found === undefined) broken.push(`${id} is lost`);
    else if (found !== actions && found !== actions + 1) broken.push(`${id} lost actions`);
  }
  for (const id of promises.jobs.slice(-KEPT_JOBS_SURE)) {
    if (!jobs.has(id)) broken.push(`${id} is lost`);
  }
  const seeds = elections.map(({ seed }) => seed);
  if (new Set(seeds).size < seeds.length) broken.push('an election was made twice');
  return broken;
}

/** Whether the server has acknowledged an election and an action of it. */
function isAcknowledged(notes: string): boolean {
  if (!existsSync(notes)) return false;
  return [...promisesOf(notes).elections.values()].some(({ actions }) => actions > 0);
}

/** Far below the 200 finished jobs that are kept. */
const KEPT_JOBS_SURE = 150;

describe('serve --data', () => {
  it(`keeps what it acknowledged over ${KILLS} kills`, {
    timeout: 120_000 + 20_000 * KILLS,
  }, async () => {
    const folder = scratchFolder();
    const data = join(folder, 'lab.sqlite');
    const random = createRandom(parseSeed('8'));
    const readyMs: number[] = [];
    const startedMs = performance.now();
    let last = NOTHING;
    let acknowledged = 0;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const server = await start(data);
      readyMs.push(server.readyMs);
      await sendAgain(server.url, last);
      const notes = join(folder, `notes-${kill}`);
      const clients = Array.from({ length: CLIENTS }, (_, name) =>
        useUntilGone(server.url, notes, String(name)),
      );
      await vi.waitUntil(() => isAcknowledged(notes), { timeout: 60_000 });
      await delay(random.below(LIFE_MS_MAX));
      server.child.kill('SIGKILL');
      await Promise.all([server.end, ...clients]);

      const stored = storedIn(data);
      last = promisesOf(notes);
      acknowledged += last.elections.size + last.deleted.size + last.jobs.length;
      for (const { actions } of last.elections.values()) acknowledged += actions;
      expect(stored.check).toEqual(['ok']);
      expect(brokenPromises(last, stored), `kill ${kill + 1}`).toEqual([]);
      if (stored.elections.length <= ELECTIONS_SURE) continue;
      await deleteAll(data);
      last = NOTHING;
    }
    const sorted = readyMs.toSorted((one, other) => one - other);

    expect(acknowledged).toBeGreaterThan(KILLS);
    if (KILLS > 5)
      console.log(
        summary((performance.now() - startedMs) / 1e3, acknowledged, sorted, statSync(data).size),
      );
  });
});

const SWEEP_KILLS = Number(process.env.SWEEP_KILLS ?? 1);
/** Measured from the end of the first sweep of a server. */
const SWEEP_LIFE_MS_MAX = 1000;
/** Half of the sweeps that are kept. */
const KEPT_SWEEPS_SURE = 5;

interface SeenSweep {
  readonly path: string;
  /** The answers with its tables; empty before it was done. */
  readonly tables: Map<string, string>;
}

/** Executes sweeps and reads their tables until the server is gone. */
async function sweepUntilGone(url: string, seen: SeenSweep[]): Promise<void> {
  const read = async (path: string) => (await fetch(url + path)).text();
  try {
    for (let seed = 1; ; seed += 1) {
      const { links } = JSON.parse(await send(`${url}/v1/sweeps`, { ...SWEEP, seed: `${seed}` }));
      const sweep: SeenSweep = { path: links.self, tables: new Map() };
      seen.push(sweep);
      while (JSON.parse(await read(links.self)).status !== 'done') await delay(10);
      for (const path of [links.rows, links.cells]) sweep.tables.set(path, await read(path));
    }
  } catch (error) {
    if (!(error instanceof TypeError) && !(error instanceof SyntaxError)) throw error;
  }
}

const SWEEP = { threatModel: 'top-id', runs: 2, set: { work: 'sampled' } };

describe('the tables of sweeps', () => {
  it(`remain over ${SWEEP_KILLS} kills`, { timeout: 120_000 + 20_000 * SWEEP_KILLS }, async () => {
    const data = join(scratchFolder(), 'lab.sqlite');
    const random = createRandom(parseSeed('18'));
    const seen: SeenSweep[] = [];
    let [compared, missing] = [0, 0];
    for (let kill = 0; kill <= SWEEP_KILLS; kill += 1) {
      const { child, end, url } = await start(data);
      for (const [index, { path, tables }] of seen.entries()) {
        const { status } = await fetch(url + path);
        if (index >= seen.length - KEPT_SWEEPS_SURE) expect(status, path).toBe(200);
        if (status === 404) missing += 1;
        if (status !== 200) continue;
        for (const [table, text] of tables) {
          expect(await (await fetch(url + table)).text(), table).toBe(text);
          compared += 1;
        }
      }
      const sweeping = sweepUntilGone(url, seen);
      const before = seen.length;
      while ((seen[before]?.tables.size ?? 0) < 2) await delay(10);
      await delay(random.below(SWEEP_LIFE_MS_MAX));
      child.kill('SIGKILL');
      await Promise.all([end, sweeping]);
    }
    const folders = readdirSync(`${data}.sweeps`);

    expect(compared).toBeGreaterThan(0);
    // Those that are kept, and one that a kill left.
    expect(folders.length).toBeLessThanOrEqual(SWEEPS_KEPT_MAX + 1);
    if (SWEEP_KILLS > 5) {
      console.log(
        `${SWEEP_KILLS} kills, ${seen.length} sweeps, ${compared} tables compared, 0 changed; ` +
          `${missing} answers about forgotten sweeps, ${folders.length} folders left`,
      );
    }
  });
});

/** More would take longer to restore and to compare. */
const ELECTIONS_SURE = 150;

/** Repeats the earlier requests, answered or not: they have the same answers and no second effect. */
async function sendAgain(url: string, { keyed, deleted }: Promises): Promise<void> {
  for (const [key, { seed, text }] of keyed) {
    const isGone = text !== null && deleted.has(JSON.parse(text).id);
    const answer = await send(`${url}/v1/elections`, electionOf(seed), key);
    if (text !== null) expect(answer, isGone ? 'of one that was deleted' : key).toBe(text);
  }
}

async function deleteAll(data: string): Promise<void> {
  const { child, end, url } = await start(data);
  for (;;) {
    const response = await fetch(`${url}/v1/elections`);
    const { items } = JSON.parse(await response.text());
    if (items.length === 0) break;
    for (const { id } of items) await fetch(`${url}/v1/elections/${id}`, { method: 'DELETE' });
  }
  child.kill('SIGTERM');
  expect((await end).code).toBe(0);
}

function summary(
  seconds: number,
  acknowledged: number,
  readyMs: readonly number[],
  bytes: number,
): string {
  const [least = 0, median = 0, most = 0] = [0, readyMs.length >> 1, -1].map((at) =>
    readyMs.at(at),
  );
  return (
    `${KILLS} kills in ${Math.round(seconds)} s, ${acknowledged} acknowledged writes, 0 missing; ` +
    `ready after ${Math.round(least)} ms to ${Math.round(most)}, median ${Math.round(median)}; ${bytes} bytes`
  );
}
