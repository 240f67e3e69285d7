/**
 * @module
 * Every goal with every strategy: a scan of a range reports what testing its candidates one by one
 * reports, in plain integers and with the hash of node:crypto. `KERNEL_ATTEMPTS_LOG2` at 22, as the
 * slow suite sets it, widens the ranges.
 */

import { describe, expect, it } from 'vitest';
import { bytesToHex, hexToBytes } from '../../src/bytes.ts';
import { SCHEME_NAMES } from '../../src/identity/keys/scheme.ts';
import type { Goal } from '../../src/mining/goal.ts';
import { isClosestGoal } from '../../src/mining/goal.ts';
import type { Walk } from '../../src/mining/kernel/numbering.ts';
import { attemptsPerBatch } from '../../src/mining/kernel/numbering.ts';
import { batchKeys } from '../../src/mining/kernel/twin.ts';
import { startScalarOf } from '../../src/mining/kernel-strategies.ts';
import { STRATEGIES } from '../../src/mining/strategies.ts';
import type { ScanOrder, SearchSpec } from '../../src/mining/strategy.ts';
import { kernelSource } from '../../src/runtime/threads/kernels.ts';
import { sha256, zeroBits } from './openssl-keys.ts';
import { specOf, taskWith } from './tasks.ts';

const kernels = kernelSource();
const RING = 1n << 256n;
const IS_SLOW = Number(process.env.KERNEL_ATTEMPTS_LOG2 ?? 18) >= 22;
const PLAIN_COUNT = IS_SLOW ? 4000 : 120;
/** Beyond the first batch, so that a range has a border within. */
const BEYOND_BATCH = IS_SLOW ? 40_000 : 300;
/** Enough winners of a goal that many meet; noble makes each of them again. */
const WANTED = 20;

const CASES = (['fresh', 'walk', 'batch', 'siblings'] as const).flatMap((strategy) =>
  SCHEME_NAMES.map((scheme) => ({ strategy, scheme })),
);

describe.each(CASES)('$strategy with $scheme', ({ strategy, scheme }) => {
  const plain = specOf(taskWith({ strategy, scheme, seed: '21' }));
  const ids = idsOf(plain);
  const goals = goalsOver(ids);

  it.each(goals.flatMap(([name, goal]) => [0, 4].map((c1) => ({ name, goal, c1 }))))(
    '$name, $c1 bits',
    ({ goal, c1 }) => {
      const spec = { ...plain, goal, policy: { ...plain.policy, c1 } };
      const searcher = STRATEGIES[strategy].searcher(spec, kernels);
      const order = { from: 7, count: ids.length - 8, wanted: WANTED };

      const { hits, tested } = searcher.scan(order);

      const expected = bruteForce(spec, ids, order);
      expect(hits.map(({ attempt }) => attempt)).toEqual(expected.attempts);
      expect(tested).toBe(expected.tested);
      for (const { attempt, nodeId } of hits) {
        expect(bytesToHex(nodeId)).toBe(hexOf(ids[attempt] ?? -1n));
      }
    },
  );

  it('finds the closest where none is as close as it expects', () => {
    const target = RING / 3n;
    const quarter = target >> 254n;
    const count = 20;
    // Of 20 some should share two bits with the target: here is a range where none does.
    const last = ids.findLastIndex((_id, at) => {
      const range = ids.slice(at, at + count);
      return range.length === count && range.every((other) => other >> 254n !== quarter);
    });
    const from = Math.max(last, 0);
    const spec = { ...plain, goal: nearOf(target, null) };
    const order = { from, count, wanted: 1 };

    const { hits } = STRATEGIES[strategy].searcher(spec, kernels).scan(order);

    expect(hits.map(({ attempt }) => attempt)).toEqual(bruteForce(spec, ids, order).attempts);
    if (ids.length > 2000) expect(last).toBeGreaterThan(-1);
  });

  it('reports nothing that is no closer than what is known', () => {
    const target = RING / 3n;
    const goal = nearOf(target, null);
    const spec = { ...plain, goal };
    const order = { from: 0, count: ids.length, wanted: 1 };
    const [closest = -1] = bruteForce(spec, ids, order).attempts;
    const distance = (ids[closest] ?? 0n) ^ target;
    const searcher = STRATEGIES[strategy].searcher(spec, kernels);

    const [same, farther] = [distance, distance + 1n].map((bound) =>
      searcher.scan({ ...order, closerThan: bytesOf(bound) }),
    );

    expect(same).toMatchObject({ hits: [], tested: ids.length });
    expect(farther?.hits.map(({ attempt }) => attempt)).toEqual([closest]);
  });
});

/** Goals of each kind, some of them around the IDs that there are, with a share of the ring each. */
function goalsOver(ids: readonly bigint[]): readonly (readonly [string, Goal])[] {
  const one = ids[100] ?? 0n;
  const eighth = RING / 8n;
  return [
    ['any', { type: 'any' }],
    ['a count', { type: 'count', identities: 3 }],
    ['above the upper eighth', { type: 'above', nodeId: bytesOf(RING - eighth) }],
    ['above an ID that there is', { type: 'above', nodeId: bytesOf(one) }],
    ['between', betweenOf(eighth, 2n * eighth)],
    ['between over the top', betweenOf(RING - eighth / 2n, eighth / 2n)],
    ['between the neighbours of one ID', betweenOf(one - 1n, one + 1n)],
    ['between adjacent bounds', betweenOf(one, one + 1n)],
    ['anywhere but one ID', betweenOf(one, one)],
    ['near', nearOf(RING / 3n, eighth)],
    ['near one ID, itself alone', nearOf(one, 1n)],
    ['nearer than at all', nearOf(one, 0n)],
    ['the closest', nearOf(RING / 3n, null)],
    ['the closest to one ID', nearOf(one, null)],
  ];
}

/** The node IDs of the first attempts: by the twin in whole batches, or one candidate at a time. */
function idsOf(spec: SearchSpec): readonly bigint[] {
  const { strategy, scheme } = spec;
  if (strategy !== 'batch' && strategy !== 'siblings') {
    const searcher = STRATEGIES[strategy].searcher(spec, kernels);
    return Array.from({ length: PLAIN_COUNT }, (_, attempt) =>
      integerOf(sha256(searcher.candidate(attempt).publicKey)),
    );
  }
  const siblings = strategy === 'siblings';
  const walk: Walk = { scheme, siblings, startScalar: startScalarOf(spec) };
  const length = attemptsPerBatch(walk) + BEYOND_BATCH;
  const ids: bigint[] = [];
  for (let batch = 0n; ids.length < length; batch += 1n) {
    for (const key of batchKeys(walk, batch)) {
      if (ids.length === length) break;
      if (key !== null) ids.push(integerOf(sha256(key)));
    }
  }
  return ids;
}

function bruteForce(
  { goal, policy }: SearchSpec,
  ids: readonly bigint[],
  { from, count, wanted }: ScanOrder,
): { readonly attempts: readonly number[]; readonly tested: number } {
  const winners: number[] = [];
  for (const [attempt, id] of ids.entries()) {
    if (attempt < from || attempt >= from + count || !isMet(goal, id)) continue;
    if (policy.c1 > 0 && zeroBits(sha256(bytesOf(id))) < policy.c1) continue;
    winners.push(attempt);
  }
  if (isClosestGoal(goal)) {
    const distanceOf = (attempt: number) => (ids[attempt] ?? 0n) ^ integerOf(goal.nodeId);
    const [first = -1, ...others] = winners;
    const closest = others.reduce((a, b) => (distanceOf(b) < distanceOf(a) ? b : a), first);
    return { attempts: [closest], tested: count };
  }
  const attempts = winners.slice(0, wanted);
  const last = attempts.length < wanted ? undefined : attempts.at(-1);
  return { attempts, tested: last === undefined ? count : last - from + 1 };
}

function isMet(goal: Goal, id: bigint): boolean {
  switch (goal.type) {
    case 'any':
    case 'count':
    case 'pair':
      return true;
    case 'above':
      return id > integerOf(goal.nodeId);
    case 'between': {
      const [low, high] = [integerOf(goal.low), integerOf(goal.high)];
      const climb = (id - low + RING) % RING;
      return climb > 0n && (low === high || climb < (high - low + RING) % RING);
    }
    case 'near':
      return goal.closerThan === null || (id ^ integerOf(goal.nodeId)) < integerOf(goal.closerThan);
    default:
      return goal satisfies never;
  }
}

function betweenOf(low: bigint, high: bigint): Goal {
  return { type: 'between', low: bytesOf(low), high: bytesOf(high) };
}

function nearOf(nodeId: bigint, closerThan: bigint | null): Goal {
  const distance = closerThan === null ? null : bytesOf(closerThan);
  return { type: 'near', nodeId: bytesOf(nodeId), closerThan: distance };
}

function integerOf(bytes: Uint8Array): bigint {
  return BigInt(`0x${bytesToHex(bytes)}`);
}

function hexOf(value: bigint): string {
  return value.toString(16).padStart(64, '0');
}

function bytesOf(value: bigint): Uint8Array {
  return hexToBytes(hexOf(value));
}
