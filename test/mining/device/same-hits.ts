/**
 * @module
 * Compares the hits of a walk on a device with those of the WASM kernel, and its samples, which are whole batches, with noble.
 */

import { expect } from 'vitest';
import { idRuleOf } from '../../../src/identity/ids/node-id.ts';
import type { SchemeName } from '../../../src/identity/keys/scheme.ts';
import type { Policy } from '../../../src/identity/policy.ts';
import type { Device } from '../../../src/mining/device/device.ts';
import { loadWalk } from '../../../src/mining/device/walk-program.ts';
import { WHOLE_WINDOW } from '../../../src/mining/goal.ts';
import { attemptsPerBatch, GROUP_ORDER } from '../../../src/mining/kernel/numbering.ts';
import { loadKernel } from '../../../src/mining/kernel/wasm-kernel.ts';
import { createRandom, parseSeed } from '../../../src/random.ts';
import { pseudorandom } from '../kernel/walks.ts';
import { KERNEL_BYTES } from '../kernel/wasm.ts';

const CURSORS = 500;
const BATCHES = 7;
/** Bits of work of a hit, so that there is one in 64 attempts. */
const BITS = 6;
const WINDOW = { low: 0xe0000000, high: 0x1fffffff };

interface Case {
  readonly scheme: SchemeName;
  readonly siblings: boolean;
  readonly policy: Policy;
}

export async function expectSameHits(
  device: Device,
  { policy, scheme, siblings }: Case,
): Promise<void> {
  const kind = { scheme, siblings };
  const torsion = siblings && scheme === 'ed25519' && !policy.checks.torsion;
  const startScalar = pseudorandom(`start ${scheme}`, 256) % GROUP_ORDER[scheme];
  const walk = { ...kind, torsion, startScalar };
  const size = attemptsPerBatch(walk);
  const from = Number(pseudorandom('from', 36)) * 2;
  const count = BATCHES * size;
  const random = createRandom(parseSeed('1'), 'samples');
  const onDevice = await loadWalk(device, walk, { policy, random, missesPerSample: 1 });
  const onKernel = loadKernel(KERNEL_BYTES, scheme);
  const c1 = idRuleOf(policy).puzzle(policy).freeBits + BITS;
  const options = { ...walk, rules: policy };

  const { attempts } = await onDevice.scan({ c1, window: WHOLE_WINDOW }, { from, count });
  const inWindow = await onDevice.scan({ c1: c1 - BITS, window: WINDOW }, { from, count: size });

  const expected = onKernel
    .open({ ...options, c1 })
    .scan(from, count)
    .map(Number);
  const first = (hits: readonly number[], cursor: number) => hits.find((hit) => hit >= cursor);
  const last = expected.at(-1) ?? from;
  for (let cursor = 0; cursor < CURSORS; cursor += 1) {
    const at = from + random.below(last - from);
    expect(first(attempts, at), `attempt ${at}`).toBe(first(expected, at));
  }
  expect(attempts).toEqual(expected);
  const inside = onKernel.open({ ...options, c1: c1 - BITS, window: WINDOW }).scan(from, size);
  expect(inWindow.attempts).toEqual(inside.map(Number));
}
