/**
 * @module
 * Every goal under every form of policy: the strategy `siblings` reports what noble finds when it tests the same
 * candidates one by one, also for IDs that are shorter than a window and for slow puzzles, which noble searches.
 */

import { describe, expect, it } from 'vitest';
import { bytesToHex } from '../../src/bytes.ts';
import { nodeIdBytesOf, nodeIdOf } from '../../src/identity/ids/node-id.ts';
import { NAMED_POLICIES } from '../../src/identity/named-policies.ts';
import type { Policy } from '../../src/identity/policy.ts';
import type { Goal } from '../../src/mining/goal.ts';
import { batchKeys } from '../../src/mining/kernel/twin.ts';
import { startScalarOf } from '../../src/mining/kernel-strategies.ts';
import { realBits } from '../../src/mining/policy-cost.ts';
import { sift } from '../../src/mining/sieve.ts';
import { STRATEGIES } from '../../src/mining/strategies.ts';
import type { Hit, SearchSpec } from '../../src/mining/strategy.ts';
import { kernelSource } from '../../src/runtime/threads/kernels.ts';
import { policyWith, specOf, taskWith } from './tasks.ts';

const kernels = kernelSource();
const BITS = 2;
/** More than a batch without torsion. */
const COUNT = 5000;
const WANTED = 15;

const POLICIES: readonly (readonly [name: string, policy: Policy])[] = [
  ...(['salted', 'sha1', 'storj', 'truncated-id', 'yggdrasil', 'torsion'] as const).map(
    (name) => [name, NAMED_POLICIES[name].policy] as const,
  ),
  ['IDs of 16 bits', policyWith({ idBits: 16 })],
  ['salted IDs of 24 bits', policyWith({ idBits: 24, salted: true })],
  ['an iterated hash', policyWith({ puzzle: { function: 'iterated', iterations: 3 } })],
];

describe.each(POLICIES)('%s', (_name, { c1: _c1, ...rules }) => {
  const free = 64 - realBits({ ...rules, c1: 64 }).c1;
  const policy = { ...rules, c1: free + BITS };
  const spec = specOf(taskWith({ strategy: 'siblings', seed: '31', policy }));
  const hits = candidatesOf(spec);
  const order = { from: 3, count: COUNT, wanted: WANTED };

  it.each(goalsOf(policy))('%s', (_goal, goal) => {
    const sought = { ...spec, goal };

    const found = STRATEGIES.siblings.searcher(sought, kernels).scan(order);

    const expected = sift(sought, order, hits.slice(order.from, order.from + order.count));
    expect(found.hits.map(textOf)).toEqual(expected.hits.map(textOf));
    expect(found.tested).toBe(expected.tested);
    expect(found.hits.length).toBeGreaterThan(0);
  });
});

function textOf({ attempt, nodeId }: Hit): string {
  return `${attempt} ${bytesToHex(nodeId)}`;
}

function goalsOf(policy: Policy): readonly (readonly [name: string, goal: Goal])[] {
  const bytes = nodeIdBytesOf(policy);
  const idOf = (...head: readonly number[]) =>
    Uint8Array.from({ length: bytes }, (_, i) => head[i] ?? 0x7f);
  return [
    ['any', { type: 'any' }],
    ['above', { type: 'above', nodeId: idOf(policy.idRule === 'yggdrasil' ? 0x30 : 0xe0) }],
    ['between', { type: 'between', low: idOf(0x10), high: idOf(0x20) }],
    ['between over the top', { type: 'between', low: idOf(0xf8), high: idOf(0x04) }],
    ['near', { type: 'near', nodeId: idOf(0x22), closerThan: idOf(0x08) }],
    ['the closest', { type: 'near', nodeId: idOf(0x22), closerThan: null }],
  ];
}

/** The first candidates with their node IDs, by noble. */
function candidatesOf({ scheme, policy, seed }: SearchSpec): readonly Hit[] {
  const isKey = policy.idRule === 'yggdrasil';
  const walk = {
    scheme,
    siblings: !isKey,
    torsion: !policy.checks.torsion,
    startScalar: startScalarOf({ scheme, seed }),
  };
  const keys: Uint8Array[] = [];
  for (let batch = 0n; keys.length < 2 * COUNT; batch += 1n) {
    for (const key of batchKeys(walk, batch)) if (key !== null) keys.push(key);
  }
  return keys.map((key, attempt) => ({ attempt, nodeId: nodeIdOf(key, policy) }));
}
