/**
 * @module
 * The shares of a row of lookups, with their intervals, and the price of a key.
 */

import { expect, it } from 'vitest';
import type { NamedFile } from '../../src/operations/file.ts';
import { LOOKUPS } from '../../src/operations/lookups/lookups.ts';
import { rowOf } from '../../src/operations/lookups/output.ts';
import { inputSchema } from '../../src/operations/operation.ts';
import { parseSeed } from '../../src/random.ts';
import { THIS_MACHINE } from '../../src/runtime/sweep/machine.ts';

it('gives the keys that are led and captured their exact intervals', () => {
  const measured = {
    ...{ lookups: 40, successes: 40, led: 20, eclipsed: 10, lengths: [40], lookupLengths: [40] },
    ...{ expected: [40], messages: 80, ticks: [], timeouts: 0, poisoned: 0 },
    ...{ keys: 20, keysLed: 19, keysCaptured: 17, hashesPerKey: 1000, hashesToLead: 20_000 },
  };

  const facts = { nodes: 100, m: 0, d: 1, index: 0, confidence: 0.95, isTimed: false };
  const row = rowOf(measured, { ...facts, base: measured });

  // Published values for 19 and 17 of 20 (Clopper and Pearson 1934).
  const expected = [
    [row.keysLed.interval, [0.7513, 0.9987]],
    [row.keysCapturedInterval, [0.6211, 0.9679]],
  ] as const;
  for (const [interval, [low, high]] of expected) {
    expect(interval[0]).toBeCloseTo(low, 4);
    expect(interval[1]).toBeCloseTo(high, 4);
  }
});

/** Asks about a network of 200 nodes. */
async function asked({
  against,
  ...given
}: {
  readonly against?: NamedFile;
  [_: string]: unknown;
}) {
  const members = { share: [0], paths: [1], lookups: 20, ...given };
  const input = { ...inputSchema(LOOKUPS, false).parse(members), against };
  // The schema is that of these members.
  const output = await LOOKUPS.run(input as Parameters<typeof LOOKUPS.run>[0], {
    ...{ threads: 1, signal: new AbortController().signal, isRemote: false, machine: THIS_MACHINE },
    ...{ onPartial: () => undefined, onNote: () => undefined, onProgress: () => undefined },
    seedFor: () => parseSeed('1'),
  });
  return output ?? expect.unreachable();
}

it('states no price of a key for given node IDs, of which one leads half of all keys', async () => {
  const zeros = Array.from({ length: 199 }, (_, index) => index.toString(16).padStart(16, '0'));
  const lines = ['8'.padEnd(16, '0'), ...zeros].map((prefix) => `${prefix.padEnd(64, '0')}\n`);
  const given = await asked({ against: { name: 'ids.txt', text: lines.join('') } });
  const drawn = await asked({ nodes: [200], c1: 4, c2: 6 });

  expect(given.leaders).toEqual([]);
  expect(JSON.stringify(LOOKUPS.report(given))).toContain('only if IDs are uniform');
  // 200 IDs of 2^4 attempts each lead a key with 50 %, and the one that leads has 2^4 tests and 2^6 solutions.
  expect(drawn.leaders[0]).toMatchObject({ ids: 200, attempts: 3200, hashes: 3200 + 16 + 64 });
});
