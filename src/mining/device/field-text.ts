/**
 * @module
 * The field arithmetic of a scheme as WGSL. WGSL has no integers of 64 bits and no upper half of a product, so that an
 * element has twenty limbs of 13 bits: a column of twenty products and its carry is below 2^32.
 *
 * Limbs of results are *tight*: below 2^13 + 16, and the third one below 2^13 + 5 · 2^10. The sum of two tight elements is
 * *loose*. `mul` takes one loose factor at most.
 */

import type { SchemeName } from '../../identity/keys/scheme.ts';

/** What decides the arithmetic of a field. */
export interface Field {
  readonly prime: bigint;
  /** Bits of the prime. */
  readonly bits: number;
  /** 2^bits modulo the prime as a sum of factors at limbs. */
  readonly excess: readonly Term[];
  /** 2^260 modulo the prime as a sum of factors at limbs. */
  readonly fold: readonly Term[];
}

/** `factor` · 2^(13 · `limb`). */
interface Term {
  readonly limb: number;
  readonly factor: number;
}

export const FIELDS: Readonly<Record<SchemeName, Field>> = {
  ed25519: {
    prime: 2n ** 255n - 19n,
    bits: 255,
    excess: [{ limb: 0, factor: 19 }],
    fold: [{ limb: 0, factor: 608 }],
  },
  secp256k1: {
    prime: 2n ** 256n - 2n ** 32n - 977n,
    bits: 256,
    excess: [
      { limb: 0, factor: 977 },
      { limb: 2, factor: 64 },
    ],
    fold: [
      { limb: 0, factor: 15632 },
      { limb: 2, factor: 1024 },
    ],
  },
};

export const LIMBS = 20;
const LIMB_BITS = 13;
const MASK = 2 ** LIMB_BITS - 1;
/** Words of an element whose limbs share words two by two. */
export const PACKED_WORDS = LIMBS / 2;
/** Words of a canonical element. */
export const WORDS = 8;

/** The functions `add` (loose), `sum` and `sub` (tight), `mul`, `invert`, `canonical`, `pack` and `unpack` over `F`. */
export function fieldText(scheme: SchemeName): string {
  const field = FIELDS[scheme];
  return [
    `alias F = array<u32, ${LIMBS}>;`,
    `alias Packed = array<u32, ${PACKED_WORDS}>;`,
    `const ONE = ${constantText(1n)};`,
    `fn add(a: F, b: F) -> F { return ${elementText((k) => `a[${k}] + b[${k}]`)}; }`,
    subText(field),
    'fn sum(a: F, b: F) -> F { return sub(a, sub(F(), b)); }',
    productText(field),
    invertText(field),
    canonicalText(field),
    `fn pack(a: F) -> Packed { return Packed(${indexes(PACKED_WORDS).map((k) => `a[${2 * k}] | (a[${2 * k + 1}] << 16u)`)}); }`,
    `fn unpack(p: Packed) -> F { return ${elementText((k) => `(p[${k >> 1}] >> ${16 * (k & 1)}u) & 0xffffu`)}; }`,
  ].join('\n');
}

/** An element as a constant of WGSL. */
export function constantText(value: bigint): string {
  return elementText((k) => `${limbOf(value, k)}u`);
}

/** The packed words of an element, as `unpack` reads them. */
export function packed(value: bigint): readonly number[] {
  return indexes(PACKED_WORDS).map(
    (k) => limbOf(value, 2 * k) + limbOf(value, 2 * k + 1) * 2 ** 16,
  );
}

export function indexes(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function limbOf(value: bigint, limb: number): number {
  return Number((value >> BigInt(LIMB_BITS * limb)) & BigInt(MASK));
}

function elementText(limb: (index: number) => string): string {
  return `F(${indexes(LIMBS).map(limb).join(', ')})`;
}

/**
 * All columns of the product, the upper ones reduced to limbs and folded into the lower ones. `low` + 2 limbs remain above
 * limb 19, which are folded again. That carry ends at a low limb.
 */
function productText({ fold }: Field): string {
  const reach = Math.max(...fold.map(({ limb }) => limb));
  const lines = ['a', 'b'].flatMap((name) =>
    indexes(LIMBS).map((k) => `let ${name}${k} = ${name}[${k}];`),
  );
  let carry = '0u';
  for (let k = LIMBS; k < 2 * LIMBS - 1; k += 1) {
    lines.push(`let t${k} = ${column(k)} + ${carry};`, `let h${k} = t${k} & ${MASK}u;`);
    carry = `(t${k} >> ${LIMB_BITS}u)`;
  }
  lines.push(`let h${2 * LIMBS - 1} = ${carry};`);
  const upper = indexes(LIMBS).map((k) => `h${k + LIMBS}`);
  carry = '0u';
  for (let k = 0; k < LIMBS + reach; k += 1) {
    const terms = [...(k < LIMBS ? [column(k)] : []), ...foldedInto(k, upper, fold), carry];
    lines.push(`let u${k} = ${terms.join(' + ')};`, `let v${k} = u${k} & ${MASK}u;`);
    carry = `(u${k} >> ${LIMB_BITS}u)`;
  }
  lines.push(`let top = ${carry};`);
  const above = indexes(reach).map((k) => `v${k + LIMBS}`);
  above.push(`(top & ${MASK}u)`, `(top >> ${LIMB_BITS}u)`);
  const last = above.length + reach;
  carry = '0u';
  for (let k = 0; k <= last; k += 1) {
    lines.push(`let x${k} = ${[`v${k}`, ...foldedInto(k, above, fold), carry].join(' + ')};`);
    carry = `(x${k} >> ${LIMB_BITS}u)`;
  }
  const limb = (k: number) => (k < last ? `x${k} & ${MASK}u` : `${k > last ? 'v' : 'x'}${k}`);
  return `fn mul(a: F, b: F) -> F {\n${lines.join('\n')}\nreturn ${elementText(limb)};\n}`;
}

/** What the limbs above limb 19 add to a limb. */
function foldedInto(k: number, above: readonly string[], fold: Field['fold']): string[] {
  return fold.flatMap(({ limb, factor }) => {
    const name = above[k - limb];
    return name === undefined ? [] : [`${name} * ${factor}u`];
  });
}

function column(k: number): string {
  const rows = indexes(LIMBS).filter((i) => k - i >= 0 && k - i < LIMBS);
  return rows.map((i) => `a${i} * b${k - i}`).join(' + ');
}

/** a − b, plus a multiple of the prime whose limbs are all above those of a tight element. */
function subText({ prime, fold }: Field): string {
  // 2^262 rounded to a multiple. Each limb lends two units of the next one.
  const multiple = (2n ** 262n / prime) * prime;
  const lent = (k: number) => (k < LIMBS - 1 ? 2 * (MASK + 1) : 0) - (k > 0 ? 2 : 0);
  const digit = (k: number) =>
    k < LIMBS - 1 ? limbOf(multiple, k) : Number(multiple >> BigInt(LIMB_BITS * (LIMBS - 1)));
  const lines = indexes(LIMBS).map(
    (k) => `let t${k} = a[${k}] + ${digit(k) + lent(k)}u - b[${k}];`,
  );
  lines.push(`let top = t${LIMBS - 1} >> ${LIMB_BITS}u;`);
  const parts = indexes(LIMBS).map((k) => {
    const carry = k > 0 ? [`(t${k - 1} >> ${LIMB_BITS}u)`] : [];
    return [`(t${k} & ${MASK}u)`, ...carry, ...foldedInto(k, ['top'], fold)].join(' + ');
  });
  lines.push(`let first = ${parts[0]};`);
  const limb = (k: number) =>
    k === 0
      ? `first & ${MASK}u`
      : k === 1
        ? `${parts[k]} + (first >> ${LIMB_BITS}u)`
        : `${parts[k]}`;
  return `fn sub(a: F, b: F) -> F {\n${lines.join('\n')}\nreturn ${elementText(limb)};\n}`;
}

/**
 * a^(p − 2), from the highest bit down (Fermat). Zero for zero. Both exponents begin with eight ones, so that a^255 is first, and
 * the factor of each further run of eight ones. A step is a number of squarings and a factor. There is one multiplication in
 * the text, because a compiler copies it to each of its places.
 */
function invertText({ prime, bits }: Field): string {
  const steps = [1, 2, 4].map((length) => OWN_FACTOR + length);
  for (let rest = (prime - 2n).toString(2).padStart(bits, '0').slice(RUN.length); rest !== ''; ) {
    const isRun = rest.startsWith(RUN);
    const length = isRun ? RUN.length : rest.indexOf('1') + 1;
    steps.push(isRun ? RUN_FACTOR + length : length);
    rest = rest.slice(length);
  }
  return `fn invert(a: F) -> F {
var steps = array<u32, ${steps.length}>(${steps.map((step) => `${step}u`).join(', ')});
var power = a;
var run = a;
for (var s = 0u; s < ${steps.length}u; s++) {
  if (s == 3u) { run = power; }
  let length = steps[s] & ${OWN_FACTOR - 1}u;
  var last = a;
  if ((steps[s] & ${OWN_FACTOR}u) != 0u) { last = power; }
  if ((steps[s] & ${RUN_FACTOR}u) != 0u) { last = run; }
  for (var i = 0u; i <= length; i++) {
    var factor = power;
    if (i == length) { factor = last; }
    power = mul(power, factor);
  }
}
return power;
}`;
}

const RUN = '11111111';
/** Marks a step whose factor is a^255, or the power before its squarings. */
const RUN_FACTOR = 128;
const OWN_FACTOR = 64;

/** The representative in 0..p − 1, in eight words from the lowest on. */
function canonicalText({ bits, excess }: Field): string {
  const highest = LIMBS - 1;
  const highBits = bits - LIMB_BITS * highest;
  const lines = indexes(LIMBS).map((k) => `var t${k} = a[${k}];`);
  const carry = indexes(highest).map(
    (k) => `t${k + 1} += t${k} >> ${LIMB_BITS}u; t${k} &= ${MASK}u;`,
  );
  const foldTop = [
    `top = t${highest} >> ${highBits}u; t${highest} &= ${2 ** highBits - 1}u;`,
    ...excess.map(({ limb, factor }) => `t${limb} += top * ${factor}u;`),
  ];
  // After two folds the value is below 2^bits.
  lines.push('var top = 0u;', ...carry, ...foldTop, ...carry, ...foldTop, ...carry);
  // The value is at least p if it reaches 2^bits with the excess.
  lines.push(...indexes(LIMBS).map((k) => `let kept${k} = t${k};`));
  lines.push(...excess.map(({ limb, factor }) => `t${limb} += ${factor}u;`), ...carry);
  lines.push(
    `let isAbove = (t${highest} >> ${highBits}u) != 0u; t${highest} &= ${2 ** highBits - 1}u;`,
  );
  lines.push(...indexes(LIMBS).map((k) => `let r${k} = select(kept${k}, t${k}, isAbove);`));
  const words = indexes(WORDS).map((word) =>
    indexes(LIMBS)
      .map((k) => ({ k, shift: LIMB_BITS * k - 32 * word }))
      .filter(({ shift }) => shift > -LIMB_BITS && shift < 32)
      .map(({ k, shift }) => (shift < 0 ? `(r${k} >> ${-shift}u)` : `(r${k} << ${shift}u)`))
      .join(' | '),
  );
  return `fn canonical(a: F) -> array<u32, ${WORDS}> {\n${lines.join('\n')}\nreturn array<u32, ${WORDS}>(${words.join(', ')});\n}`;
}
