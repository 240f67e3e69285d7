/**
 * @module
 * Field arithmetic of the WASM kernel against BigInt, through the entry points of a build of its own.
 */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { TESTING_BYTES } from './wasm.ts';

interface Field {
  readonly memory: WebAssembly.Memory;
  scratch(): number;
  prepareFor(scheme: number): void;
  multiply(scheme: number, d: number, a: number, b: number): void;
  inverse(scheme: number, d: number, a: number): void;
  sum(scheme: number, d: number, a: number, b: number): void;
  difference(scheme: number, d: number, a: number, b: number): void;
  reduce(scheme: number, d: number): void;
  freezeQuad(scheme: number, quad: number): void;
  quadPlus(d: number, a: number, b: number): void;
  quadDifference(d: number, a: number, b: number): void;
  quadMinusTwo(d: number, a: number, b: number, c: number): void;
  fromBytes(d: number, bytes: number): void;
  toBytes(bytes: number, a: number): void;
}

type Limbs = readonly number[];

const RUNS = Number(process.env.KERNEL_FIELD_RUNS ?? 2000);
const MASK = 0x1fffffff;
/** What products may leave in the first three limbs. */
const LOOSE = 2 ** 29 + 2 ** 21;

const FIELDS = [
  ['2^255 - 19', 0, 2n ** 255n - 19n],
  ["secp256k1's p", 1, 2n ** 256n - 2n ** 32n - 977n],
] as const;

describe.each(FIELDS)('arithmetic modulo %s', (_name, scheme, p) => {
  const field = new WebAssembly.Instance(new WebAssembly.Module(TESTING_BYTES))
    .exports as unknown as Field;
  field.prepareFor(scheme);
  const base = field.scratch();
  const view = new DataView(field.memory.buffer);
  const at = (element: number) => base + 144 * (element >> 2) + 4 * (element & 3);
  const write = (element: number, limbs: Limbs) => {
    for (const [k, limb] of limbs.entries()) view.setUint32(at(element) + 16 * k, limb, true);
  };
  const read = (element: number): number[] =>
    Array.from({ length: 9 }, (_, k) => view.getUint32(at(element) + 16 * k, true));
  const modulo = (value: bigint) => ((value % p) + p) % p;

  test('multiplies limbs as large as the search makes them', () => {
    fc.assert(
      fc.property(limbs(2 ** 31.3), limbs(LOOSE), (a, b) => {
        write(0, a);
        write(5, b);

        field.multiply(scheme, at(10), at(0), at(5));

        const product = read(10);
        expect(modulo(numberOf(product))).toBe(modulo(numberOf(a) * numberOf(b)));
        expect(product.slice(0, 3).every((limb) => limb < LOOSE)).toBe(true);
        expect(product.slice(3).every((limb) => limb <= MASK)).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });

  test('multiplies two sums', () => {
    fc.assert(
      fc.property(limbs(2 ** 30.2), limbs(2 ** 30.2), (a, b) => {
        write(1, a);
        write(2, b);

        field.multiply(scheme, at(3), at(1), at(2));

        expect(modulo(numberOf(read(3)))).toBe(modulo(numberOf(a) * numberOf(b)));
      }),
      { numRuns: RUNS },
    );
  });

  test('freezes four lanes of any limbs to the number below p', () => {
    fc.assert(
      fc.property(fc.array(elements(p), { minLength: 4, maxLength: 4 }), (lanes) => {
        for (const [l, lane] of lanes.entries()) write(l, lane);

        field.freezeQuad(scheme, at(0));

        for (const [l, lane] of lanes.entries()) {
          expect(numberOf(read(l))).toBe(modulo(numberOf(lane)));
          expect(read(l).every((limb) => limb <= MASK)).toBe(true);
        }
      }),
      { numRuns: RUNS },
    );
  });

  test('reduces any limbs to the number below p', () => {
    fc.assert(
      fc.property(elements(p), (a) => {
        write(0, a);

        field.reduce(scheme, at(0));

        expect(numberOf(read(0))).toBe(modulo(numberOf(a)));
      }),
      { numRuns: RUNS },
    );
  });

  test('adds and subtracts', () => {
    fc.assert(
      fc.property(limbs(LOOSE), limbs(LOOSE), (a, b) => {
        write(0, a);
        write(1, b);

        field.sum(scheme, at(2), at(0), at(1));
        field.difference(scheme, at(3), at(0), at(1));

        expect(numberOf(read(2))).toBe(modulo(numberOf(a) + numberOf(b)));
        expect(numberOf(read(3))).toBe(modulo(numberOf(a) - numberOf(b)));
      }),
      { numRuns: RUNS },
    );
  });

  test('adds and subtracts quads without a carry or a borrow', () => {
    fc.assert(
      fc.property(limbs(LOOSE), limbs(LOOSE), limbs(LOOSE), (a, b, c) => {
        for (let i = 0; i < 12; i++) write(i, [a, b, c][i >> 2] ?? a);

        field.quadPlus(at(12), at(0), at(4));
        field.quadDifference(at(16), at(0), at(4));
        field.quadMinusTwo(at(20), at(0), at(4), at(8));

        expect(numberOf(read(13))).toBe(numberOf(a) + numberOf(b));
        expect(modulo(numberOf(read(18)))).toBe(modulo(numberOf(a) - numberOf(b)));
        expect(modulo(numberOf(read(23)))).toBe(modulo(numberOf(a) - numberOf(b) - numberOf(c)));
      }),
      { numRuns: RUNS },
    );
  });

  test('inverts, and inverts zero to zero', () => {
    fc.assert(
      fc.property(elements(p), (raw) => {
        write(40, raw);
        field.reduce(scheme, at(40));
        const a = numberOf(read(40));

        field.inverse(scheme, at(41), at(40));

        expect(modulo(numberOf(read(41)) * a)).toBe(a === 0n ? 0n : 1n);
      }),
      { numRuns: Math.ceil(RUNS / 10) },
    );
  });

  test('reads and writes 32 little-endian bytes', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: p - 1n }), (value) => {
        const bytes = at(60);
        for (let i = 0; i < 4; i++) {
          view.setBigUint64(bytes + 8 * i, BigInt.asUintN(64, value >> BigInt(64 * i)), true);
        }

        field.fromBytes(at(0), bytes);
        field.toBytes(bytes + 32, at(0));

        expect(numberOf(read(0))).toBe(value);
        for (let i = 0; i < 32; i += 8) {
          expect(view.getBigUint64(bytes + 32 + i)).toBe(view.getBigUint64(bytes + i));
        }
      }),
      { numRuns: RUNS },
    );
  });
});

function numberOf(limbs: Limbs): bigint {
  return limbs.reduceRight((sum, limb) => (sum << 29n) + BigInt(limb), 0n);
}

/** Nine limbs up to `max`, the largest and smallest often. */
function limbs(max: number): fc.Arbitrary<number[]> {
  const top = Math.floor(max) - 1;
  const limb = fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: 0, max: top }) },
    { weight: 1, arbitrary: fc.constantFrom(0, 1, MASK, MASK - 1, MASK + 1, top) },
  );
  return fc.array(limb, { minLength: 9, maxLength: 9 });
}

/** Anything below 2^32 - 2^19 a limb, and carried numbers close to multiples of p. */
function elements(p: bigint): fc.Arbitrary<number[]> {
  const near = fc
    .tuple(fc.integer({ min: 0, max: 31 }), fc.integer({ min: -40, max: 40 }))
    .map(([times, off]) => split(BigInt(times) * p + BigInt(times === 0 ? Math.abs(off) : off)));
  return fc.oneof(limbs(2 ** 32 - 2 ** 19), near);
}

function split(value: bigint): number[] {
  return Array.from({ length: 9 }, (_, k) => Number((value >> BigInt(29 * k)) & BigInt(MASK)));
}
