/**
 * @module
 * Keys in stock with the kernel against noble: the keys that a range gives a stock, the tests of those keys under a
 * new epoch, and their order of release against a plain sort.
 */

import { describe, expect, it } from 'vitest';

import { bytesToHex, compareBytes } from '../../../src/bytes.ts';
import { nodeIdBytesOf } from '../../../src/identity/ids/node-id.ts';
import { NAMED_POLICIES } from '../../../src/identity/named-policies.ts';
import type { Policy } from '../../../src/identity/policy.ts';
import { policyUnsupportedReasons, STRICT_POLICY } from '../../../src/identity/policy.ts';
import type { Goal } from '../../../src/mining/goal.ts';
import { meetsGoal } from '../../../src/mining/goal.ts';
import { hitAt, packHits, releaseOrder } from '../../../src/mining/stock.ts';
import { stockpileStrategy, stockScanner } from '../../../src/mining/stockpile.ts';
import type { Hit, SearchSpec, Stock } from '../../../src/mining/strategy.ts';
import { NO_KERNELS } from '../../../src/mining/strategy.ts';
import { createRandom, parseSeed } from '../../../src/random.ts';
import { kernelSource } from '../../../src/runtime/threads/kernels.ts';
import { specOf, taskWith } from '../tasks.ts';

const kernels = kernelSource();
const POLICIES: Readonly<Record<string, Policy>> = {
  strict: STRICT_POLICY,
  'salted in epoch 7': { ...STRICT_POLICY, salted: true, epoch: 7, context: 'elsewhere' },
  sha1: NAMED_POLICIES.sha1.policy,
  'sha1, salted': { ...NAMED_POLICIES.sha1.policy, salted: true },
  'truncated-id': NAMED_POLICIES['truncated-id'].policy,
  '24 bits, salted': { ...STRICT_POLICY, idBits: 24, salted: true },
  torsion: NAMED_POLICIES.torsion.policy,
  storj: NAMED_POLICIES.storj.policy,
  yggdrasil: NAMED_POLICIES.yggdrasil.policy,
};
const CASES = (['ed25519', 'secp256k1'] as const).flatMap((scheme) =>
  Object.entries(POLICIES)
    .filter(([, policy]) => policyUnsupportedReasons(policy, scheme).length === 0)
    .map(([name, policy]) => ({ name, scheme, policy })),
);
const RANGES = [
  { from: 0, count: 4200 },
  { from: 4099, count: 1 },
  { from: 16_000, count: 2000 },
];

describe.each(CASES)('a stock of $scheme under $name', ({ scheme, policy }) => {
  const bytes = nodeIdBytesOf(policy);
  const id = (...head: number[]) => Uint8Array.from({ length: bytes }, (_, at) => head[at] ?? 0);
  const goals: readonly Goal[] = [
    { type: 'any' },
    { type: 'above', nodeId: id(0xf0, 1) },
    { type: 'between', low: id(0xff, 0x10), high: id(0x08, 0x80) },
    { type: 'near', nodeId: id(0x12, 0x34), closerThan: id(0x0c) },
  ];

  const spec = { ...specOf(taskWith({ scheme })), policy: { ...policy, c1: 0, c2: 0 } };

  it.each(RANGES)('contains the keys that noble makes, $count from $from', (range) => {
    const { keys } = stockScanner(spec, NO_KERNELS)(range);
    const made = Array.from({ length: range.count }, (_, index) => hitAt(keys, index));
    for (const goal of goals) {
      const listed = stockScanner({ ...spec, goal }, kernels)(range);
      const expected = made.filter(({ nodeId }) => meetsGoal(goal, nodeId));

      expect(textOf(listed.keys), goal.type).toEqual(textOf(packHits(expected)));
    }
  });

  it.each([1, 3, 9, 20])('has the winners that noble finds, with %d bits', (c1) => {
    const stock = drawnStock(bytes, 3001);
    const task: SearchSpec = { ...spec, policy: { ...policy, c1 }, stock };
    const kernel = stockpileStrategy.searcher(task, kernels);
    const noble = stockpileStrategy.searcher(task, NO_KERNELS);
    for (const [from, count, wanted] of [
      [0, 3001, 1],
      [0, 3001, 5000],
      [1023, 7, 3],
      [2999, 2, 1],
    ] as const) {
      const { hits, tested } = noble.scan({ from, count, wanted });

      expect(kernel.scan({ from, count, wanted })).toMatchObject({ hits, tested });
    }
  });
});

describe('the kernel', () => {
  it('searches keys between tests of a stock as if there were none', () => {
    const options = { scheme: 'ed25519', siblings: true, startScalar: 77n, c1: 6 } as const;
    const loaded = kernelSource().keys('ed25519');
    const open = loaded.open(options);
    const expected = kernelSource().keys('ed25519').open(options).scan(0, 20_000);

    const first = open.scan(0, 8196);
    loaded.test({ nodeIds: new Uint8Array(32 * 9), idBytes: 32, c1: 2, rules: POLICIES.sha1 });
    open.list(0, 100, () => {});

    expect([...first, ...open.scan(8196, 11_804)]).toEqual(expected);
  });
});

describe('the order of release', () => {
  it.each([
    ['whole IDs', 32, 3000],
    ['IDs of 20 bytes', 20, 3000],
    ['IDs of 3 bytes', 3, 3000],
    ['IDs of 2 bytes, most of them repeated', 2, 200_000],
  ])('is that of a plain sort for %s', (_name, bytes, length) => {
    const keys = drawnStock(bytes, length);
    const mask = drawnStock(bytes, 1).nodeIds;
    const worth = ({ nodeId }: Hit) => nodeId.map((byte, at) => byte ^ (mask[at] ?? 0));
    const sorted = Array.from({ length }, (_, index) => hitAt(keys, index)).sort(
      (left, right) => compareBytes(worth(right), worth(left)) || left.attempt - right.attempt,
    );
    const first = sorted.filter(
      (hit, at) => at === 0 || compareBytes(hit.nodeId, sorted[at - 1]?.nodeId ?? hit.nodeId) !== 0,
    );

    expect(textOf(releaseOrder(keys, length, mask), false)).toEqual(textOf(packHits(first), false));
  });
});

/** Keys with drawn IDs, in an order of their own. */
function drawnStock(idBytes: number, length: number): Stock {
  const random = createRandom(parseSeed('3'), 'stock', idBytes);
  return packHits(
    Array.from({ length }, (_, index) => ({
      attempt: (index * 7919) % length,
      nodeId: Uint8Array.from({ length: idBytes }, () => random.below(256)),
    })),
  );
}

function textOf(stock: Stock, sorts = true): readonly string[] {
  const lines = Array.from({ length: stock.length }, (_, index) => {
    const { attempt, nodeId } = hitAt(stock, index);
    return `${attempt} ${bytesToHex(nodeId)}`;
  });
  return sorts ? lines.sort() : lines;
}
