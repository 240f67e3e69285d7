/**
 * @module
 * A device that is lost, does not answer, or computes wrong values ends a search with an error and no claim. The device of
 * these tests computes with noble.
 */

import { expect, test } from 'vitest';
import { nodeIdOf } from '../../../src/identity/ids/node-id.ts';
import { STRICT_POLICY } from '../../../src/identity/policy.ts';
import { evaluatePuzzle } from '../../../src/identity/puzzles/puzzle-function.ts';
import type { Device, Dispatch, Dispatched } from '../../../src/mining/device/device.ts';
import { deviceScanner } from '../../../src/mining/device/device-scan.ts';
import {
  HITS_MAX,
  RESULT_WORDS,
  SAMPLES_MAX,
  UNSEARCHED_MAX,
} from '../../../src/mining/device/walk-text.ts';
import { watched } from '../../../src/mining/device/webgpu.ts';
import { headOf } from '../../../src/mining/goal.ts';
import { attemptsPerBatch } from '../../../src/mining/kernel/numbering.ts';
import { batchKeys } from '../../../src/mining/kernel/twin.ts';
import { walkOf } from '../../../src/mining/kernel-strategies.ts';
import { solutionMeter } from '../../../src/mining/solution.ts';
import { scanner } from '../../../src/mining/strategies.ts';
import type { SearchSpec } from '../../../src/mining/strategy.ts';
import { parseSeed } from '../../../src/random.ts';
import { DEVICE_HOST } from '../../../src/runtime/device/webgpu.ts';
import { kernelSource } from '../../../src/runtime/threads/kernels.ts';

const SPEC: SearchSpec = {
  scheme: 'ed25519',
  policy: { ...STRICT_POLICY, c1: 9 },
  goal: { type: 'count', identities: 16 },
  strategy: 'siblings',
  dynamicStrategy: 'dynamic',
  seed: parseSeed('45'),
};
const WALK = walkOf(SPEC, true);
const SIZE = attemptsPerBatch(WALK);
const ORDER = { from: 0, count: 2 * SIZE, wanted: 16 };
const KEYS = { type: 'keys' } as const;

/** A device that searches with noble, from the first batch on, and returns what `spoil` makes of its results. */
function deviceWith(spoil: (results: Uint32Array, run: number) => void): Device {
  let [batch, run] = [0n, 0];
  const search = (parameters: Uint32Array): Dispatched => {
    const [batches = 0, , , sampled = 0, zeros = 0, , samples = 0] = parameters;
    const results = new Uint32Array(RESULT_WORDS);
    const sampledAt = RESULT_WORDS - 2 * SAMPLES_MAX;
    let number = 0;
    for (let each = 0; each < batches; each += 1) {
      for (const key of batchKeys(WALK, batch + BigInt(each))) {
        const nodeId = nodeIdOf(key ?? new Uint8Array(32));
        const probed = headOf(evaluatePuzzle(SPEC.policy, nodeId));
        if (number >= sampled && number < sampled + samples) {
          results.set([headOf(nodeId), probed], sampledAt + 2 * (number - sampled));
        }
        if ((probed & zeros) === 0) {
          results[2 + UNSEARCHED_MAX + (results[0] ?? 0)] = number;
          results[0] = (results[0] ?? 0) + 1;
        }
        number += 1;
      }
    }
    batch += BigInt(batches);
    spoil(results, run);
    run += 1;
    return { results, seconds: 1e-6 };
  };
  return {
    name: 'noble',
    isSoftware: true,
    load: async () => ({ dispatch: async ({ parameters }) => search(parameters) }),
  };
}

const NODE_ID = new Uint8Array(32).fill(45);
const SOLVED: SearchSpec = { ...SPEC, policy: { ...STRICT_POLICY, c2: 3 } };

/** The same for the numbers of solutions, from 0 on. */
function solvingWith(spoil: (results: Uint32Array) => void): Device {
  const bitsOf = solutionMeter(SOLVED.policy, NODE_ID);
  const search = ([low = 0, count = 0, , sampled = 0, , , samples = 0]: Uint32Array) => {
    const results = new Uint32Array(1 + HITS_MAX + 64);
    for (let number = 0; number < count; number += 1) {
      const bits = bitsOf(low + number);
      const index = number - sampled;
      if (index >= 0 && index < samples) results[1 + HITS_MAX + index] = (2 ** 31) >>> bits;
      if (bits < SOLVED.policy.c2) continue;
      results[1 + (results[0] ?? 0)] = number;
      results[0] = (results[0] ?? 0) + 1;
    }
    spoil(results);
    return { results, seconds: 1e-6 };
  };
  const load = async () => ({
    dispatch: async ({ parameters }: Dispatch) => search(parameters),
  });
  return { name: 'noble', isSoftware: true, load };
}

const solve = (device: Device) => {
  const order = { from: 0, count: 2000, wanted: 1 };
  return deviceScanner(SOLVED, device)({ type: 'solutions', nodeId: NODE_ID }, order);
};

test('a device finds the solution that threads find', async () => {
  const { result } = await solve(solvingWith(() => {}));

  const phase = { type: 'solutions', nodeId: NODE_ID } as const;
  expect(result).toEqual(
    scanner(SOLVED, kernelSource())(phase, { from: 0, count: 2000, wanted: 1 }),
  );
});

test.each<readonly [string, (results: Uint32Array) => void]>([
  ['no hits', (results) => results.fill(0, 0, 1)],
  ['a hit that is none', (results) => results.set([1], 1)],
  ['a hit outside the run', (results) => results.set([2000], 1)],
  ['another hash', (results) => results.fill(7, 1 + HITS_MAX)],
  ['more hits than the list has', (results) => results.set([HITS_MAX + 1], 0)],
])('ends the search for a solution at %s', async (_what, spoil) => {
  await expect(solve(solvingWith(spoil))).rejects.toMatchObject({
    code: 'device.failed',
    message: expect.stringContaining('computes wrong values'),
  });
});

const scan = (device: Device) => deviceScanner(SPEC, device)(KEYS, ORDER);

test('a device finds what threads find, with the same numbers', async () => {
  const { result, deviceSeconds } = await scan(deviceWith(() => {}));

  expect(result).toEqual(scanner(SPEC, kernelSource())(KEYS, ORDER));
  expect(deviceSeconds).toBeGreaterThan(0);
});

test('the CPU searches a batch that the device returns unsearched', async () => {
  const refusing = deviceWith((results, run) => {
    if (run === 0) results.fill(0).set([0, 16]);
  });

  const { result } = await scan(refusing);

  expect(result).toEqual(scanner(SPEC, kernelSource())(KEYS, ORDER));
});

const at = 2 + UNSEARCHED_MAX;
test.each<readonly [string, (results: Uint32Array) => void]>([
  ['a hit that is none', (results) => results.set([12345], at)],
  ['a hit outside the run', (results) => results.set([SIZE * 2], at)],
  ['only zeros, as a kernel that did not run', (results) => results.fill(0)],
  ['a miss with another node ID', (results) => results.fill(7, RESULT_WORDS - 2 * SAMPLES_MAX)],
  ['too many batches unsearched', (results) => results.set([UNSEARCHED_MAX + 1], 1)],
  ['more hits than a batch has keys', (results) => results.set([HITS_MAX + 1], 0)],
])('ends the search at %s', async (_what, spoil) => {
  await expect(scan(deviceWith(spoil))).rejects.toMatchObject({
    code: 'device.failed',
    message: expect.stringContaining('computes wrong values'),
  });
});

test('ends the search if the device loses its hits, although its samples are right', async () => {
  const losing = deviceWith((results) => results.set([0]));
  const spec = { ...SPEC, policy: { ...STRICT_POLICY, c1: 1 } };

  await expect(deviceScanner(spec, losing)(KEYS, ORDER)).rejects.toMatchObject({
    code: 'device.failed',
    message: expect.stringMatching(/computes wrong values.*0 hits|computes wrong values.*attempt/),
  });
});

test('ends the search if the device is lost in its second run', async () => {
  const lost = deviceWith((_results, run) => {
    if (run === 1) throw new Error('lost');
  });

  await expect(scan(lost)).rejects.toThrow('lost');
});

test('ends the search if the device does not answer, or does not compile', async () => {
  const never = new Promise<never>(() => {});
  const limits = { answer: 0.01, compile: 0.01 };
  const hangs: Device = { ...deviceWith(() => {}), load: async () => ({ dispatch: () => never }) };
  const compiles: Device = { ...hangs, load: () => never };

  for (const device of [hangs, compiles]) {
    await expect(scan(watched(device, DEVICE_HOST, limits))).rejects.toMatchObject({
      code: 'device.failed',
      message: expect.stringContaining('did not answer in 0.01 s'),
    });
  }
});
