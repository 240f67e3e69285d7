/**
 * @module
 * Stockpiles: how fast one is filled, over the search for the same keys without keeping them; how fast its keys are
 * tested, over the native SHA-256 of this machine; and the memory of a key in stock, from the peak of a process that
 * fills a stock of each size. As a program (`node bench/stockpile.ts 65536`) it is that process.
 */

import { execFileSync } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { STRICT_POLICY } from '../src/identity/policy.ts';
import { PUZZLE_BITS_MAX } from '../src/identity/puzzles/puzzle.ts';
import type { MiningTask } from '../src/mining/search.ts';
import { mine } from '../src/mining/search.ts';
import { StockHits } from '../src/mining/stock.ts';
import { stockpileStrategy, withStock } from '../src/mining/stockpile.ts';
import { parseSeed } from '../src/random.ts';
import { threadClocks } from '../src/runtime/threads/clocks.ts';
import { kernelSource } from '../src/runtime/threads/kernels.ts';

import type { Report, Subject, Yardstick } from './measure.ts';
import { measure, yardstickOf } from './measure.ts';
import { keySubject, scanning } from './mining.ts';
import { opensslSha256 } from './yardstick.ts';

const FILE = fileURLToPath(import.meta.url);
/** The difficulty of a stock that keeps each key. */
const ALL_KEPT_C1 = 17;
/** The difficulty of a stock that keeps 20 · 2^6 keys. */
const FEW_KEPT_C1 = 6;
const SIZE = 2 ** 20;
/** Sizes of two stocks. Memory that a process takes without a stock cancels in their difference. */
const MEMORY_SIZES = [2 ** 18, 2 ** 21] as const;
const ROUNDS = 3;
const SLICE_MS = 500;

if (process.argv[1] === FILE) printMemory(Number(process.argv[2]));

export function measureStockpiles(): Report {
  const search = yardstickOf(keySubject('siblings', 'ed25519', null));
  const subjects = [
    fillingSubject('all keys kept', ALL_KEPT_C1, search),
    fillingSubject(`${20 * 2 ** FEW_KEPT_C1} keys kept`, FEW_KEPT_C1, search),
    testSubject(opensslSha256()),
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

function fillingSubject(what: string, c1: number, yardstick: Yardstick): Subject {
  const name = `filling a stockpile of ${SIZE}, ${what}`;
  const call = () => fill(SIZE, c1);
  return { name, unit: 'keys', unitsPerCall: SIZE, clock: 'cpu', call, yardstick };
}

/** Makes a stockpile and tests one of its keys. */
function fill(stockpile: number, c1: number): void {
  mine({ ...taskOf(c1), stockpile, budget: { attempts: 1 } }, threadClocks, kernelSource());
}

function taskOf(c1: number): MiningTask {
  return {
    scheme: 'ed25519',
    strategy: 'stockpile',
    dynamicStrategy: 'dynamic',
    policy: { ...STRICT_POLICY, c1 },
    goal: { type: 'any' },
    seed: parseSeed('1'),
    budget: {},
  };
}

/** The test of keys in stock. The cost does not depend on the key. */
function testSubject(yardstick: Yardstick | null): Subject {
  const made = new StockHits();
  made.add([{ attempt: 0, nodeId: new Uint8Array(32).fill(0xa5) }]);
  const { stock } = withStock({ ...taskOf(PUZZLE_BITS_MAX), stockpile: 1 }, made.all());
  const task = { ...taskOf(PUZZLE_BITS_MAX), stock };
  const searcher = stockpileStrategy.searcher(task, kernelSource());
  const scan = (_from: number, count: number) => {
    for (let index = 0; index < count; index += 1) searcher.scan({ from: 0, count: 1, wanted: 1 });
  };
  const name = 'testing keys in stock';
  return { name, unit: 'keys', clock: 'cpu', ...scanning(scan), yardstick };
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
  fill(size, ALL_KEPT_C1);
  const made = new StockHits();
  made.add([{ attempt: 0, nodeId: new Uint8Array(32) }]);
  const { attempts, nodeIds } = made.all();
  const kept = size * (attempts.byteLength + nodeIds.byteLength);
  const memory: Memory = { peak: 1024 * process.resourceUsage().maxRSS, kept };
  console.log(JSON.stringify(memory));
}
