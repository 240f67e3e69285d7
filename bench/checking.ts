/**
 * @module
 * The checker beside SPIN 6.5 in the same run: new worlds per second of Bully and of Peterson's ring, and the time of a
 * reduced search. Without a reduction both visit all worlds, but the checker does not carry out every action (sleep sets).
 * SPIN's model of the ring is the `leader.pml` that Debian's package installs (Dolev, Klawe and Rodeh).
 * It contains all orders of the ring. SPIN's model of Bully is test/models/bully-oneshot.pml. Without SPIN and gcc the
 * figures of one measurement are printed.
 */

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { check } from '../src/checking/check.ts';
import { searchOptionsOf } from '../src/checking/check-request.ts';
import type { Check } from '../src/experiment/checks/request.ts';
import { requestOf } from '../src/experiment/checks/request.ts';
import { ringsOf } from '../src/experiment/checks/rings.ts';
import { createCrew } from '../src/runtime/threads/search-crew.ts';
import { measureHistory } from './histories/histories.ts';
import type { Report, Row } from './measure.ts';
import { rowOf } from './measure.ts';

const ROUNDS = 5;
/** Rounds of searches that take several seconds. */
const LARGE_ROUNDS = 3;
/** The exit code of a search that reached a limit. */
const EXIT_CAPPED = 2;
const LIMITS = { statesMax: 2 ** 31, bytesMax: 2 ** 32 };
const RING_MODEL = '/usr/share/doc/spin/examples/Examples/LTL/leader.pml';
const BULLY_MODEL = fileURLToPath(new URL('../test/models/bully-oneshot.pml', import.meta.url));
const ANCHORS = [
  'anchor, SPIN 6.5.2, ring of 5 nodes, all 120 orders, no reduction: 1.98 M states, 2.9 s',
  'anchor, SPIN 6.5.2, ring of 6 nodes, all 720 orders, reduced: 107 k states, 0.07 s',
];

const SAFETY = ['one-leader', 'someone-leads'] as const;
const BULLY: Check = {
  ...{ protocol: 'bully-oneshot', ring: [1, 2, 3, 4], timing: 'synchronous' },
  ...{ bounds: { crash: 1 }, properties: [...SAFETY], reduction: 'off' },
};
const FULL_RING: Check = {
  ...{ protocol: 'peterson', ring: [1, 2, 3, 4, 5], starts: 'any' },
  ...{ properties: [...SAFETY], reduction: 'off' },
};
/** SPIN's model chooses the order of the ring, so that its search contains all of them, turned ones separately. */
const FULL_RINGS: readonly Check[] = ringsOf(5).map((ring) => ({ ...FULL_RING, ring }));
const REDUCED_RING: Check = { ...FULL_RING, ring: [1, 2, 3, 4, 5, 6], reduction: 'on' };
/** Large enough for two threads: the second one loads in the first 0.5 seconds. */
const LARGE_RING: Check = { ...FULL_RING, ring: [1, 2, 3, 4, 5, 6, 7, 8, 9] };
const LARGE_STATES_MAX = 8e6;
/** The same search for a process of its own. */
const LARGE_COMMAND = [
  ...['src/cli/usurp.ts', 'check', 'peterson', '--ring', '1,2,3,4,5,6,7,8,9', '--starts', 'any'],
  ...['--properties', SAFETY.join(), '--reduction', 'off', '--threads', '1', '--quiet'],
  ...['--max-states', String(LARGE_STATES_MAX)],
];

interface Searched {
  readonly worlds: number;
  readonly seconds: number;
  readonly bytes: number;
}

export async function measureChecking(): Promise<Report> {
  const spin = spinPrograms();
  const notes: string[] = [];
  const rows: Row[] = [];
  try {
    const bully = await rounds(
      'bully-oneshot, 4 nodes, synchronous, one crash',
      [BULLY],
      spin?.bully,
    );
    const full = await rounds('peterson, 5 nodes, all 24 rings', FULL_RINGS, spin?.full);
    rows.push(bully.row, full.row);
    const { last } = bully;
    notes.push(
      'to reach: 300 k worlds/s of bully-oneshot, 0.5 of SPIN for peterson, 1.7 with 2 threads',
    );
    const { worlds, seconds } = full.last;
    notes.push(`peterson, all 24 rings: ${worlds} worlds in ${seconds.toFixed(2)} s`);
    notes.push(`${(last.bytes / last.worlds).toFixed(1)} bytes per world (to reach: 64)`);
    notes.push(await reducedNote(spin?.reduced));
    rows.push(...(await threadsRows()));
    const history = measureHistory();
    rows.push(history.row);
    notes.push(...history.notes);
  } finally {
    if (spin !== null) rmSync(spin.folder, { recursive: true });
  }
  return { rows, notes: [...notes, ...(spin === null ? ANCHORS : [])] };
}

async function rounds(
  name: string,
  asked: readonly Check[],
  program: (() => Searched) | undefined,
) {
  let last = await searchAll(asked);
  const taken: { own: number[]; standard: number[] }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const standard = program === undefined ? [] : [rateOf(program())];
    last = await searchAll(asked);
    taken.push({ own: [rateOf(last)], standard });
  }
  const yardstick = program === undefined ? null : { name: 'SPIN, no reduction', unit: 'states' };
  return { row: rowOf({ name, unit: 'worlds', yardstick }, taken), last };
}

/** Several checks, one after the other. */
async function searchAll(asked: readonly Check[]): Promise<Searched> {
  let [worlds, seconds, bytes] = [0, 0, 0];
  for (const each of asked) {
    const found = await search(each, 1);
    worlds += found.worlds;
    seconds += found.seconds;
    bytes += found.bytes;
  }
  return { worlds, seconds, bytes };
}

/**
 * Two threads of a search beside one, and two searches in two processes beside one: what the machine gives. Both cores may
 * be threads of one, and other machines may share their memory, so that the second figure is the limit of the first.
 */
async function threadsRows(): Promise<Row[]> {
  const threads: { own: number[]; standard: number[] }[] = [];
  const processes: typeof threads = [];
  for (let round = 0; round < LARGE_ROUNDS; round += 1) {
    const one = rateOf(await search(LARGE_RING, 1, LARGE_STATES_MAX));
    threads.push({ own: [rateOf(await search(LARGE_RING, 2, LARGE_STATES_MAX))], standard: [one] });
    const alone = await searchesAtOnce(1);
    processes.push({ own: [await searchesAtOnce(2)], standard: [alone] });
  }
  const row = (own: string, standard: string, rounds: typeof threads) => {
    const subject = { name: `peterson, 9 nodes, 2 ${own}`, unit: 'worlds' };
    const yardstick = { name: `the same ${standard}`, unit: 'worlds' };
    return rowOf({ ...subject, yardstick }, rounds);
  };
  return [
    row('threads', 'on 1 thread', threads),
    row('searches in 2 processes', 'in 1 process', processes),
  ];
}

/** New worlds per second of all processes that search at the same time. */
async function searchesAtOnce(count: number): Promise<number> {
  const startedMs = performance.now();
  const ended = Array.from({ length: count }, async () => {
    const child = spawn(process.execPath, LARGE_COMMAND, { stdio: 'ignore' });
    await once(child, 'close');
    if (child.exitCode !== EXIT_CAPPED) throw new Error(`a search ended with ${child.exitCode}`);
  });
  await Promise.all(ended);
  return rateOf({
    worlds: count * LARGE_STATES_MAX,
    seconds: (performance.now() - startedMs) / 1e3,
  });
}

async function reducedNote(program: (() => Searched) | undefined): Promise<string> {
  const own: number[] = [];
  const standard: number[] = [];
  let worlds = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const searched = await search(REDUCED_RING, 1);
    worlds = searched.worlds;
    own.push(searched.seconds);
    if (program !== undefined) standard.push(program().seconds);
  }
  const text = `peterson, 6 nodes, reduced: ${worlds} worlds in ${median(own).toFixed(3)} s`;
  if (standard.length === 0) return `${text} (to reach: 0.7 s)`;
  const ratio = median(own) / median(standard);
  return `${text}, ${ratio.toFixed(1)} times SPIN's ${median(standard).toFixed(3)} s (to reach: 10)`;
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[values.length >> 1] ?? 0;
}

function rateOf({ worlds, seconds }: Pick<Searched, 'worlds' | 'seconds'>): number {
  return worlds / seconds;
}

/** A whole check, in wall time. */
async function search(
  asked: Check,
  threads: number,
  statesMax: number | null = null,
): Promise<Searched> {
  const request = requestOf(asked);
  const startedMs = performance.now();
  const { crew, close } = createCrew(request, threads);
  try {
    const limits = { ...LIMITS, statesMax: statesMax ?? LIMITS.statesMax };
    const steps = check({ ...searchOptionsOf(request, limits), crew });
    let step = steps.next();
    while (step.done !== true) {
      // The threads start meanwhile.
      await new Promise(setImmediate);
      step = steps.next();
    }
    const { type, counts } = step.value;
    if (type !== (statesMax === null ? 'exhausted' : 'capped'))
      throw new Error(`the search was ${type}`);
    const seconds = (performance.now() - startedMs) / 1e3;
    return { worlds: counts.states, seconds, bytes: counts.bytes };
  } finally {
    await close();
  }
}

/** SPIN's searches, compiled. Null if a program or its model is missing. */
function spinPrograms() {
  const isMissing = ['spin', 'gcc'].some((name) => spawnSync(name, ['--version']).error);
  if (isMissing || !existsSync(RING_MODEL)) return null;
  const folder = mkdtempSync(join(tmpdir(), 'usurp-spin-'));
  const bounds = ['-DNODES=4', '-DCRASH=1', '-DTIMED=1', '-DTIMERS=255', '-DQUEUE=8'];
  const none = ['-DNOREDUCE', '-DNODES=4'];
  return {
    folder,
    bully: compiled(folder, 'bully', readFileSync(BULLY_MODEL, 'utf8'), bounds, none),
    full: compiled(folder, 'full', ringModel(5), [], ['-DNOREDUCE']),
    reduced: compiled(folder, 'reduced', ringModel(6), [], []),
  };
}

function ringModel(nodes: number): string {
  return readFileSync(RING_MODEL, 'utf8')
    .replace(/#define N\s+\d+/, `#define N ${nodes}`)
    .replace(/#define L\s+\d+/, `#define L ${2 * nodes}`);
}

function compiled(
  folder: string,
  name: string,
  model: string,
  defines: readonly string[],
  flags: readonly string[],
): () => Searched {
  const options = { cwd: folder, encoding: 'utf8' } as const;
  writeFileSync(join(folder, `${name}.pml`), model);
  execFileSync('spin', [...defines, '-a', `${name}.pml`], options);
  const all = ['-w', '-O2', '-DSAFETY', '-DNOCLAIM', ...flags];
  execFileSync('gcc', [...all, '-o', name, 'pan.c'], options);
  return () => {
    const startedMs = performance.now();
    const text = execFileSync(`./${name}`, ['-m2000000'], options);
    const seconds = (performance.now() - startedMs) / 1e3;
    const worlds = Number(/([\d.e+]+) states, stored/.exec(text)?.[1]);
    if (!(worlds > 0) || !text.includes('errors: 0')) throw new Error(`SPIN failed:\n${text}`);
    return { worlds, seconds, bytes: 0 };
  };
}
