/**
 * @module
 * The node IDs and tests of a device against noble: 10 000 drawn keys under each format of a policy, in one run.
 * The slow suite has more formats.
 */

import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { hexToBytes } from '../../../src/bytes.ts';
import { nodeIdOf, staticBits } from '../../../src/identity/ids/node-id.ts';
import { NAMED_POLICIES } from '../../../src/identity/named-policies.ts';
import { STRICT_POLICY } from '../../../src/identity/policy.ts';
import { testText } from '../../../src/mining/device/hash-text.ts';
import { probedBits } from '../../../src/mining/device/walk-program.ts';
import { headOf } from '../../../src/mining/goal.ts';
import { pseudorandom } from '../kernel/walks.ts';
import { deviceOfTests } from './software-device.ts';

const KEYS = 10_000;
const WORKGROUP = 64;

/** Every way in which blocks differ: their number, where they begin, what is cut, and which hash is the ID. */
const FORMATS = [
  ['strict', 'ed25519', STRICT_POLICY],
  ['strict', 'secp256k1', STRICT_POLICY],
  ['salted', 'ed25519', { ...STRICT_POLICY, salted: true }],
  ['salted and cut', 'secp256k1', { ...STRICT_POLICY, salted: true, idBits: 184 }],
  ['sha1', 'secp256k1', NAMED_POLICIES.sha1.policy],
  ['sha1, salted', 'ed25519', { ...STRICT_POLICY, hash: 'sha1', salted: true }],
  ['storj', 'secp256k1', NAMED_POLICIES['version-byte'].policy],
  ['truncated-id', 'ed25519', NAMED_POLICIES['truncated-id'].policy],
  ['yggdrasil', 'ed25519', NAMED_POLICIES.yggdrasil.policy],
] as const;

/** Strict IDs are tested with walks. A program takes seconds to compile on a software device. */
const TESTED = FORMATS.filter(
  ([name]) => process.env.DEVICE_CASES === 'all' || !/strict|sha1$|truncated/.test(name),
);

const device = await deviceOfTests();

describe.skipIf(device === null).each(TESTED)('%s with %s', (_name, scheme, policy) => {
  test('makes and tests the IDs that noble makes', async () => {
    const keys = Array.from({ length: KEYS }, (_, i) => {
      const x = pseudorandom(`key ${i}`, 256);
      const edge = [0n, 2n ** 256n - 1n][i] ?? x;
      const bytes = hexToBytes(edge.toString(16).padStart(64, '0'));
      return scheme === 'ed25519' ? bytes : Uint8Array.of(2 + (i & 1), ...bytes);
    });
    const words = keys.flatMap((key) => {
      const view = new DataView(key.buffer, key.length - 32);
      return Array.from({ length: 8 }, (_, word) => view.getUint32(4 * word));
    });
    const code = `struct Parameters { zeros: vec2<u32>, low: u32, width: u32 }
@group(0) @binding(0) var<storage, read> parameters: Parameters;
@group(0) @binding(1) var<storage, read> table: array<State>;
@group(0) @binding(2) var<storage, read_write> scratch: u32;
@group(0) @binding(3) var<storage, read_write> results: array<array<u32, 3>>;
${testText(policy, scheme)}
@compute @workgroup_size(${WORKGROUP}) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= ${KEYS}u) { return; }
  let tested = test(table[id.x], 2u + (id.x & 1u), true);
  results[id.x] = array<u32, 3>(tested.id, tested.probed, select(0u, 1u, tested.isHit));
}`;
    const program = await device?.load({
      code,
      table: Uint32Array.from(words),
      scratchWords: 1,
      resultWords: 3 * KEYS,
    });

    const [low, width] = [0xc0000000, 0x7fffffff];
    const run = await program?.dispatch({
      parameters: Uint32Array.of(0, 0, low, width),
      entries: [['main', Math.ceil(KEYS / WORKGROUP)]],
    });

    const wrong = keys.flatMap((key, index) => {
      const [head, probed = 0, isHit] = (run?.results ?? new Uint32Array()).subarray(3 * index);
      const nodeId = nodeIdOf(key, policy);
      const isInside = (headOf(nodeId) - low) >>> 0 <= width;
      const isSame =
        head === headOf(nodeId) &&
        probedBits(policy, scheme, probed) === Math.min(32, staticBits(nodeId, policy)) &&
        isHit === Number(isInside);
      return isSame ? [] : [index];
    });
    expect(wrong).toEqual([]);
  });
});
