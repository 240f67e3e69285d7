/**
 * @module
 * The strategy `stockpile`: make keys before the epoch opens, keep those with the highest rank keys, and test them
 * from the top as soon as the puzzle is known. A salt in the puzzle alone does not stop it, because ranks are
 * known before: about 2^c1 tests are enough. A beacon in the rank stops it, because then it is unknown which keys
 * to keep.
 */

import { bytesToHex, compareBytes, hexToBytes } from '../bytes.ts';
import { LabError } from '../errors.ts';
import { idRuleOf, nodeIdBytesOf } from '../identity/ids/node-id.ts';
import { rankRuleOf } from '../identity/ids/rank-key.ts';
import type { Policy } from '../identity/policy.ts';
import type { Goal } from './goal.ts';
import { goalProbability, headWindow, identitiesWanted, meetsGoal } from './goal.ts';
import { LISTED_ID_BYTES } from './kernel/memory.ts';
import type { Kernel } from './kernel/wasm-kernel.ts';
import {
  candidateAt,
  openKernel,
  shownBits,
  siblingsStrategy,
  twinCandidates,
  walkOf,
} from './kernel-strategies.ts';
import { isStockKernelPolicy, realBits, staticHashes } from './policy-cost.ts';
import { countedBits, scanNodeIds, sift } from './sieve.ts';
import { hitAt, idCopier, joined, packHits, releaseOrder } from './stock.ts';
import type {
  Hit,
  KernelSource,
  ScanOrder,
  ScanResult,
  SearchSpec,
  Stock,
  Strategy,
} from './strategy.ts';
import { NO_KERNELS } from './strategy.ts';

/** This number of expected successes: all tests fail with probability e^−20. */
const TESTS_PER_SUCCESS = 20;
/** Keys that fit in memory: while they are sorted, each takes about 155 bytes, which is 1.3 GB for all. */
export const STOCK_MAX = 2 ** 23;
/** The first sieve passes more keys than are kept, by this factor, so that there are rarely too few. */
const MARGIN = 1.25;
/** Tests of keys in stock that take a few milliseconds. */
const STEP = 2 ** 14;
const RANGE_FIRST = 2 ** 10;
/** Precision of a share, in bits. */
const SHARE_BITS = 48;

interface Stockable extends SearchSpec {
  readonly stockpile?: number | undefined;
}

/** Attempt i tests the i-th key in stock. Only the static puzzle is left to do. */
export const stockpileStrategy: Strategy<'stockpile'> = {
  name: 'stockpile',
  summary: 'keys made before the epoch opens, tested from the highest ID down',
  cost: (policy) => ({ hashes: staticHashes(policy), groupOperations: 0 }),
  step: () => STEP,
  searcher(spec, kernels) {
    const maker = siblingsStrategy.searcher(spec, NO_KERNELS);
    const stock = spec.stock ?? packHits([]);
    return {
      candidate(attempt) {
        const kept = hitAt(stock, attempt);
        const made = maker.candidate(kept.attempt);
        assertSameId(made, kept.nodeId);
        return made;
      },
      scan: (order) =>
        kernels === NO_KERNELS || !isStockKernelPolicy(spec.policy)
          ? scanNodeIds(spec, order, (attempt) => hitAt(stock, attempt).nodeId)
          : sift(spec, order, kernelHits({ spec, stock, kernels }, order)),
    };
  },
};

/** Keys in stock with enough bits to be reported. Short ranges are first, because the first winner may be near. */
function* kernelHits(
  { spec, stock, kernels }: { spec: SearchSpec; stock: Stock; kernels: KernelSource },
  { from, count }: ScanOrder,
): Generator<Hit> {
  const { policy: rules, goal, scheme } = spec;
  const { idBytes } = stock;
  const test = { rules, c1: shownBits(rules), window: headWindow(goal), idBytes };
  const end = Math.min(from + count, stock.length);
  for (let next = from, size = RANGE_FIRST; next < end; next += size, size *= 2) {
    const nodeIds = stock.nodeIds.subarray(idBytes * next, idBytes * Math.min(next + size, end));
    for (const index of kernels.keys(scheme).test({ ...test, nodeIds })) {
      const { nodeId } = hitAt(stock, next + index);
      if (countedBits(rules, nodeId) < test.c1)
        throw new TypeError(`the kernel's key ${next + index} in stock is no hit`);
      yield { attempt: next + index, nodeId };
    }
  }
}

/**
 * How many keys are worth keeping for a goal under a policy, of those that are made. Throws LabError `arguments` if
 * they do not fit in memory, because a smaller stock would understate what the keys are worth.
 */
export function stockSize(
  keys: number,
  { policy, goal }: Pick<SearchSpec, 'policy' | 'goal'>,
): number {
  const size = keysOfUse(keys, { policy, goal });
  if (size <= STOCK_MAX) return size;
  throw new LabError(
    'arguments',
    `${size} of these keys are worth keeping, and at most ${STOCK_MAX} fit in memory (1.3 GB): ask for a stockpile of ${STOCK_MAX} keys, or for a smaller c1`,
  );
}

/** The same number, also if they do not fit in memory. */
export function keysOfUse(
  keys: number,
  { policy, goal }: Pick<SearchSpec, 'policy' | 'goal'>,
): number {
  const tests = 2 ** realBits(policy).c1;
  return Math.min(keys, (TESTS_PER_SUCCESS + 2 * (identitiesWanted(goal) - 1)) * tests);
}

/** Whether the keys of a task are still to be made. */
export function needsStock<T extends Stockable>(
  task: T,
): task is T & { readonly stockpile: number } {
  if (task.strategy !== 'stockpile' || task.stock !== undefined) return false;
  if (task.stockpile === undefined) {
    throw new TypeError('"stockpile" expected a number of keys, got none');
  }
  return true;
}

/** The task with the best of these keys in stock, in the order of release. */
export function withStock<T extends Stockable>(task: T, keys: Stock): T {
  const size = stockSize(task.stockpile ?? 0, task);
  return { ...task, stock: releaseOrder(keys, size, worthMask(task)) };
}

/**
 * The search for the keys from which a stock is chosen: those of the most valuable share of the goal. All its
 * winners are kept. It solves no puzzle.
 */
export function stockSearch(spec: SearchSpec, keys: number): SearchSpec {
  const share = (MARGIN * stockSize(keys, spec)) / keys;
  const goal = bestShare(spec.goal, share, spec.policy);
  const policy = { ...spec.policy, c1: 0, c2: 0 };
  return { ...spec, policy, goal, strategy: 'siblings', stock: undefined };
}

/** The value of a key in stock is its ID XOR these bytes: closeness for the goal `near`, else rank. Null is no change. */
function worthMask({ goal, policy }: SearchSpec): Uint8Array | null {
  if (goal.type === 'near') return goal.nodeId.map((byte) => ~byte);
  return isSmallestFirst(policy) ? new Uint8Array(nodeIdBytesOf(policy)).fill(0xff) : null;
}

function isSmallestFirst(policy: Policy): boolean {
  return rankRuleOf(policy).type === 'smallest';
}

/**
 * A goal narrowed to the most valuable share of all node IDs, 0..1: the highest ranks, the closest IDs, or the
 * upper end of an interval.
 */
function bestShare(goal: Goal, share: number, policy: Policy): Goal {
  if (share >= goalProbability(goal)) return goal.type === 'count' ? { type: 'any' } : goal;
  const bytes = nodeIdBytesOf(policy);
  const size = 1n << BigInt(8 * bytes);
  const width = (size * BigInt(Math.ceil(share * 2 ** SHARE_BITS))) / (1n << BigInt(SHARE_BITS));
  const idOf = (value: bigint) =>
    hexToBytes((((value % size) + size) % size).toString(16).padStart(2 * bytes, '0'));
  const isSmallest = isSmallestFirst(policy);
  switch (goal.type) {
    case 'any':
    case 'count':
    case 'pair':
    case 'above':
      // If the smallest ID ranks highest, the interval begins at the top of the ring.
      return isSmallest
        ? { type: 'between', low: idOf(-1n), high: idOf(width) }
        : { type: 'above', nodeId: idOf(size - width) };
    case 'between':
      return isSmallest
        ? { ...goal, high: idOf(BigInt(`0x${bytesToHex(goal.low)}`) + width) }
        : { ...goal, low: idOf(BigInt(`0x${bytesToHex(goal.high)}`) - width) };
    case 'near':
      return { ...goal, closerThan: idOf(width) };
    default:
      return goal satisfies never;
  }
}

type Range = Pick<ScanOrder, 'from' | 'count'>;

/**
 * The function that makes the keys of a range, for a search without a puzzle. Makes the keys of a stock, which are
 * all keys of a range of attempts whose IDs meet a goal. The kernel lists the IDs inside the window of the goal as
 * fast as it searches. It is not trusted: noble repeats the first key of each range here, and each key that is used.
 * Without kernels noble makes all keys.
 */
export function stockScanner(
  spec: SearchSpec,
  kernels: KernelSource,
): (range: Range) => ScanResult & { readonly keys: Stock } {
  const { goal, policy } = spec;
  const walk = walkOf(spec, true);
  const result = (keys: Stock, { count }: Range) => ({
    keys,
    tested: count,
    hits: [],
    bestBits: -1,
  });
  if (kernels === NO_KERNELS) {
    return (range) => {
      const hits = [...twinCandidates(policy, walk, range)];
      return result(packHits(hits.filter(({ nodeId }) => meetsGoal(goal, nodeId))), range);
    };
  }
  let kernel: Kernel | null = null;
  return (range) => {
    kernel ??= openKernel({ spec, walk, kernels }, headWindow(goal));
    const keys = listedKeys(kernel, spec, range);
    const [attempt] = keys.attempts;
    if (attempt !== undefined) {
      assertSameId(candidateAt(walk, policy, attempt), keys.nodeIds.subarray(0, keys.idBytes));
    }
    return result(keys, range);
  };
}

/** Throws TypeError if a key that was made again has another ID than in stock, which would be a bug of the kernel. */
function assertSameId({ nodeId }: Pick<Hit, 'nodeId'>, expected: Uint8Array): void {
  if (compareBytes(nodeId, expected) !== 0) throw new TypeError('a key in stock has another ID');
}

/** The keys of a range, as the kernel lists them. */
function listedKeys(
  kernel: Kernel,
  { goal, policy }: Pick<SearchSpec, 'goal' | 'policy'>,
  { from, count }: Range,
): Stock {
  const idBytes = nodeIdBytesOf(policy);
  const isOpen = goal.type === 'any';
  const constantBytes = Math.ceil(idRuleOf(policy).constantBits / 8);
  const chunks: Stock[] = [];
  kernel.list(from, count, (listed, ids) => {
    const attempts = new Float64Array(listed.length);
    const nodeIds = new Uint8Array(idBytes * listed.length);
    let length = 0;
    const copyId = idCopier(ids, nodeIds, idBytes, LISTED_ID_BYTES);
    for (let index = 0; index < listed.length; index += 1) {
      const attempt = listed[index] ?? 0;
      if (attempt < from || attempt >= from + count) continue;
      copyId(index, length);
      // The kernel lists the digest, of which a rule may replace the end by zeros.
      if (constantBytes > 0)
        nodeIds.fill(0, (length + 1) * idBytes - constantBytes, (length + 1) * idBytes);
      attempts[length] = attempt;
      // The window of a goal passes a few other IDs.
      const isKept =
        isOpen || meetsGoal(goal, nodeIds.subarray(length * idBytes, (length + 1) * idBytes));
      if (isKept) length += 1;
    }
    chunks.push({ attempts, nodeIds, length, idBytes });
  });
  return joined(chunks);
}
