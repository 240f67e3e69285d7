/**
 * @module
 * Stockpiles: how fast one is filled and how fast its keys are tested, over noble with the same keys, and over the search
 * for new keys; and the memory of a key in stock, from the peak of a process that fills a stock of each size. As a
 * program (`node bench/stockpile.ts 65536`) it is that process.
 */

import { execFileSync } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Policy } from '../src/identity/policy.ts';
import { STRICT_POLICY } from '../src/identity/policy.ts';
import { PUZZLE_BITS_MAX } from '../src/identity/puzzles/puzzle.ts';
import { stockOrder } from '../src/mining/phases.ts';
import type { MiningTask } from '../src/mining/search.ts';
import { packHits, StockKeys } from '../src/mining/stock.ts';
import { stockpileStrategy, stockSearch, withStock } from '../src/mining/stockpile.ts';
import { scanner } from '../src/mining/strategies.ts';
import type { KernelSource } from '../src/mining/strategy.ts';
import { NO_KERNELS } from '../src/mining/strategy.ts';
import { parseSeed } from '../src/random.ts';
import { kernelSource } from '../src/runtime/threads/kernels.ts';

import type { Report, Subject } from './measure.ts';
import { measure, yardstickOf } from './measure.ts';
import { keySubject, scanning } from './mining.ts';
import { opensslSha256 } from './yardstick.ts';

const FILE = fileURLToPath(import.meta.url);
/** The difficulty of a stock that keeps each key. */
const ALL_KEPT_C1 = 17;
/** The difficulty of a stock that keeps 20 · 2^6 keys. */
const FEW_KEPT_C1 = 6;
const SIZE = 2 ** 20;
/** Noble fills a stock at a fiftieth of the rate. */
const NOBLE_SIZE = 2 ** 15;
/** Sizes of two stocks. Memory that a process takes without a stock cancels in their difference. */
const MEMORY_SIZES = [2 ** 18, 2 ** 21] as const;
const ROUNDS = 3;
const SLICE_MS = 500;
/** Keys that one order makes, as a thread of the pool does. */
const RANGE = 200_000;
const TESTED_KEYS = 2 ** 15;

type Rated = Omit<Subject, 'yardstick'>;

if (process.argv[1] === FILE) printMemory(Number(process.argv[2]));

export function measureStockpiles(): Report {
  const search = yardstickOf(keySubject('siblings', 'ed25519', null));
  const noble = yardstickOf(fillingSubject(NOBLE_SIZE, ALL_KEPT_C1, NO_KERNELS));
  const subjects = [
    ...[ALL_KEPT_C1, FEW_KEPT_C1].flatMap((c1) => {
      const subject = fillingSubject(SIZE, c1, kernelSource());
      return [
        { ...subject, yardstick: noble },
        { ...subject, yardstick: search },
      ];
    }),
    ...[false, true].flatMap((salted) => {
      const policy = { ...STRICT_POLICY, c1: PUZZLE_BITS_MAX, salted };
      const subject = testSubject(policy, kernelSource());
      const yardsticks = [yardstickOf(testSubject(policy, NO_KERNELS)), search, opensslSha256()];
      return yardsticks.map((yardstick) => ({ ...subject, yardstick }));
    }),
  ];
  const [small, large] = MEMORY_SIZES.map(memoryOf);
  const [from, to] = MEMORY_SIZES;
  const each = ((large?.peak ?? 0) - (small?.peak ?? 0)) / (to - from);
  const kept = (large?.kept ?? 0) / to;
  const note = `memory: a key in stock takes ${kept} bytes, and ${Math.round(each)} bytes while the stock is made and sorted (${to} keys over ${from})`;
  return {
    rows: measure({ subjects, rounds: ROUNDS, sliceMs: SLICE_MS, notes: [] }),
    notes: [note],
  };
}

function fillingSubject(size: number, c1: number, kernels: KernelSource): Rated {
  const kept = Math.min(size, 20 * 2 ** c1);
  const name = `filling a stockpile of ${size}, ${kept === size ? 'all' : kept} keys kept${suffix(kernels)}`;
  const call = () => fill(size, c1, kernels);
  return { name, unit: 'keys', unitsPerCall: size, clock: 'cpu', call };
}

function suffix(kernels: KernelSource): string {
  return kernels === NO_KERNELS ? ', noble' : '';
}

/** Makes a stockpile and sorts it. */
function fill(stockpile: number, c1: number, kernels: KernelSource): MiningTask {
  const task = { ...taskOf({ ...STRICT_POLICY, c1 }), stockpile };
  const { phase, wanted } = stockOrder(stockpile);
  const scan = scanner(stockSearch(task, stockpile), kernels);
  const made = new StockKeys();
  for (let from = 0; from < stockpile; from += RANGE) {
    made.add(scan(phase, { from, count: Math.min(RANGE, stockpile - from), wanted }));
  }
  return withStock(task, made.all());
}

function taskOf(policy: Policy): MiningTask {
  return {
    scheme: 'ed25519',
    strategy: 'stockpile',
    dynamicStrategy: 'dynamic',
    policy,
    goal: { type: 'any' },
    seed: parseSeed('1'),
    budget: {},
  };
}

/** The test of keys in stock. The cost does not depend on the key. */
function testSubject(policy: Policy, kernels: KernelSource): Rated {
  const key = { attempt: 0, nodeId: new Uint8Array(32).fill(0xa5) };
  const stock = packHits(new Array(TESTED_KEYS).fill(key));
  const searcher = stockpileStrategy.searcher({ ...taskOf(policy), stock }, kernels);
  const scan = (_from: number, count: number) => {
    for (let left = count; left > 0; left -= TESTED_KEYS) {
      searcher.scan({ from: 0, count: Math.min(left, TESTED_KEYS), wanted: 1 });
    }
  };
  const name = `testing keys in stock${policy.salted ? ', salted' : ''}${suffix(kernels)}`;
  return { name, unit: 'keys', clock: 'cpu', ...scanning(scan, TESTED_KEYS) };
}

interface Memory {
  readonly peak: number;
  readonly kept: number;
}

/** Bytes of a process with a stock, from a process of its own. */
function memoryOf(size: number): Memory {
  const printed = execFileSync(process.execPath, [FILE, String(size)], { encoding: 'utf8' });
  // The process is this file.
  return JSON.parse(printed) as Memory;
}

function printMemory(size: number): void {
  const { stock } = fill(size, ALL_KEPT_C1, kernelSource());
  const kept = (stock?.attempts.byteLength ?? 0) + (stock?.nodeIds.byteLength ?? 0);
  const memory: Memory = { peak: 1024 * process.resourceUsage().maxRSS, kept };
  console.log(JSON.stringify(memory));
}
