/**
 * @module
 * Field arithmetic of a device against noble: 10 000 drawn pairs of elements, and every pair of edge values, in one run.
 */

import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { describe, expect, test } from 'vitest';
import { fieldText, packed } from '../../../src/mining/device/field-text.ts';
import { pseudorandom } from '../kernel/walks.ts';
import { deviceOfTests, TEST_BINDINGS } from './software-device.ts';

const FIELDS = [
  ['ed25519', ed25519.Point.Fp],
  ['secp256k1', secp256k1.Point.Fp],
] as const;
const DRAWN = 10_000;
const WORKGROUP = 64;
const OPERATIONS = ['mul', 'square', 'sub', 'sum', 'loose', 'invert', 'canonical'] as const;

const device = await deviceOfTests();

describe.skipIf(device === null).each(FIELDS)('the field of %s', (scheme, Fp) => {
  test('computes as noble does', async () => {
    const p = Fp.ORDER;
    const edges = [
      0n,
      1n,
      2n,
      p - 1n,
      p,
      p + 1n,
      2n ** 255n - 1n,
      2n ** 256n - 1n,
      2n ** 260n - 1n,
    ];
    const pairs = [
      ...edges.flatMap((a) => edges.map((b) => [a, b] as const)),
      ...Array.from({ length: DRAWN }, (_, i) => {
        return [pseudorandom(`a ${i}`, 256), pseudorandom(`b ${i}`, 256)] as const;
      }),
    ];
    const code = `${fieldText(scheme)}
@group(0) @binding(0) var<storage, read> parameters: u32;
${TEST_BINDINGS}
@group(0) @binding(2) var<storage, read_write> scratch: u32;
@compute @workgroup_size(${WORKGROUP}) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= parameters) { return; }
  let a = unpack(table[2u * id.x]);
  let b = unpack(table[2u * id.x + 1u]);
  for (var n = 0u; n < ${OPERATIONS.length}u; n++) {
    var r = a;
    switch (n) {
      case 0u: { r = mul(a, b); }
      case 1u: { r = mul(a, a); }
      case 2u: { r = sub(a, b); }
      case 3u: { r = sum(a, b); }
      case 4u: { r = mul(unpack(pack(sub(a, b))), add(a, sum(a, b))); }
      case 5u: { r = invert(a); }
      default: {}
    }
    results[id.x * ${OPERATIONS.length}u + n] = canonical(r);
  }
}`;
    const program = await device?.load({
      code,
      table: Uint32Array.from(pairs.flat().flatMap(packed)),
      scratchWords: 1,
      resultWords: 8 * OPERATIONS.length * pairs.length,
    });

    const run = await program?.dispatch({
      parameters: Uint32Array.of(pairs.length),
      entries: [['main', Math.ceil(pairs.length / WORKGROUP)]],
    });

    const results = run?.results ?? new Uint32Array();
    const wrong = pairs.flatMap(([left, right], pair) => {
      const [a, b] = [Fp.create(left), Fp.create(right)];
      const expected = {
        mul: Fp.mul(a, b),
        square: Fp.sqr(a),
        sub: Fp.sub(a, b),
        sum: Fp.add(a, b),
        loose: Fp.mul(Fp.sub(a, b), Fp.add(a, Fp.add(a, b))),
        invert: Fp.is0(a) ? 0n : Fp.inv(a),
        canonical: a,
      };
      return OPERATIONS.filter((operation, n) => {
        const at = 8 * (pair * OPERATIONS.length + n);
        const words = Array.from(results.subarray(at, at + 8)).reverse();
        const value = words.reduce((sum, word) => (sum << 32n) | BigInt(word), 0n);
        return words.length < 8 || value !== expected[operation];
      }).map((operation) => `${operation} of ${left} and ${right}`);
    });
    expect(wrong.slice(0, 5)).toEqual([]);
  });
});
