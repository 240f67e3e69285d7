/**
 * @module
 * The search on a walk as WGSL, for both curves, with the formulas of the WASM kernel (assembly/ed25519.ts and
 * assembly/secp256k1.ts). `centres` makes the centre of each batch from the one before the first batch. An invocation of
 * `search` tests 64 pairs C ± jG with one inversion. Invocations of a workgroup take the same pairs of several batches, so
 * that they read the same entry of the table.
 */

import type { SchemeName } from '../../identity/keys/scheme.ts';
import type { KernelRules } from '../kernel/memory.ts';
import type { Walk } from '../kernel/numbering.ts';
import { keysPerSum, PAIRS_PER_BATCH, POINTS_PER_BATCH } from '../kernel/numbering.ts';
import { BETA } from '../kernel/twin.ts';
import { constantText, fieldText, PACKED_WORDS } from './field-text.ts';
import { testText, words } from './hash-text.ts';

/** Pairs of an invocation. */
const PAIRS = 64;
/** Invocations for a batch. */
export const CHUNKS = PAIRS_PER_BATCH / PAIRS;
export const WORKGROUP = 64;

/** Hits and samples of one run at most. */
export const HITS_MAX = 2 ** 14;
export const SAMPLES_MAX = 2 ** 13;
/** Batches of one run that the device may return unsearched. An invocation lists its batch, so that one comes sixteen times. */
export const UNSEARCHED_MAX = 256;

/** Words of the results. */
export const RESULT_WORDS = 2 + UNSEARCHED_MAX + HITS_MAX + 2 * SAMPLES_MAX;

/** The curve's constant d of Ed25519. */
export const EDWARDS_D = 0x52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3n;

/** A program that searches a kind of walk under the rules of a policy, at most this number of batches in a run. */
export function walkText(
  walk: Pick<Walk, 'scheme' | 'siblings'>,
  rules: KernelRules,
  batchesMax: number,
): string {
  const { scheme } = walk;
  const curve = scheme === 'ed25519' ? edwardsText(walk) : secpText(walk);
  return `struct Parameters {
  batches: u32, low: u32, width: u32, sampled: u32, zeros: vec2<u32>, samples: u32, unused: u32, x: Packed, y: Packed,
}
struct Step { x: Packed, y: Packed }
struct Table { ${COLUMNS[scheme].map((name) => `${name}: array<Packed, ${PAIRS_PER_BATCH}>`).join(', ')}, steps: array<Step> }
struct Scratch { centres: array<array<Packed, 4>, ${batchesMax}>, prefixes: array<u32> }
struct Results {
  hits: atomic<u32>, unsearched: atomic<u32>, batches: array<u32, ${UNSEARCHED_MAX}>,
  attempts: array<u32, ${HITS_MAX}>, sampled: array<vec2<u32>, ${SAMPLES_MAX}>,
}
@group(0) @binding(0) var<storage, read> parameters: Parameters;
@group(0) @binding(1) var<storage, read> table: Table;
@group(0) @binding(2) var<storage, read_write> scratch: Scratch;
@group(0) @binding(3) var<storage, read_write> results: Results;
${fieldText(scheme)}
alias Pair = array<F, 2>;
${testText(rules, scheme)}
fn isOne(a: array<u32, 8>) -> bool {
  return a[0] == 1u && (a[1] | a[2] | a[3] | a[4] | a[5] | a[6] | a[7]) == 0u;
}
fn refuse(batch: u32) {
  let at = atomicAdd(&results.unsearched, 1u);
  if (at < ${UNSEARCHED_MAX}u) { results.batches[at] = batch; }
}
fn testKey(attempt: u32, key: State, prefix: u32) {
  let isSample = attempt - parameters.sampled < parameters.samples;
  let tested = test(key, prefix, isSample);
  if (isSample) { results.sampled[attempt - parameters.sampled] = vec2<u32>(tested.id, tested.probed); }
  if (tested.isHit) {
    let at = atomicAdd(&results.hits, 1u);
    if (at < ${HITS_MAX}u) { results.attempts[at] = attempt; }
  }
}
fn centre(batch: u32, part: u32) -> F { return unpack(scratch.centres[batch][part]); }
${curve}
${searchText(walk)}`;
}

/** The entry point `search`. */
function searchText(walk: Pick<Walk, 'scheme' | 'siblings'>): string {
  const roots = walk.scheme === 'secp256k1' && walk.siblings ? 3 : 1;
  return `@compute @workgroup_size(${WORKGROUP}) fn search(@builtin(global_invocation_id) id: vec3<u32>) {
  let batch = id.x % parameters.batches;
  let chunk = id.x / parameters.batches;
  if (chunk >= ${CHUNKS}u) { return; }
  let first = chunk * ${PAIRS}u;
  let stride = parameters.batches * ${CHUNKS}u;
  var running = ONE;
  for (var i = 0u; i <= ${PAIRS}u; i++) {
    let prefix = pack(running);
    for (var k = 0u; k < ${PACKED_WORDS}u; k++) { scratch.prefixes[(i * ${PACKED_WORDS}u + k) * stride + id.x] = prefix[k]; }
    running = mul(running, factorOf(batch, first, i));
  }
  running = invert(running);
  var pair: Pair;
  // The pairs from the last one on, the centre, and the running inverse, which must be one at the end.
  for (var n = 0u; n < 2u * ${PAIRS}u + 2u; n++) {
    let isPair = n < 2u * ${PAIRS}u;
    let i = select(${PAIRS}u, ${PAIRS}u - 1u - (n >> 1u), isPair);
    var found = running;
    if ((n & 1u) == 0u) {
      var prefix: Packed;
      for (var k = 0u; k < ${PACKED_WORDS}u; k++) { prefix[k] = scratch.prefixes[(i * ${PACKED_WORDS}u + k) * stride + id.x]; }
      let inverse = mul(running, unpack(prefix));
      running = mul(running, factorOf(batch, first, i));
      pair = pairOf(batch, min(first + i, ${PAIRS_PER_BATCH - 1}u), inverse);
      found = pair[0];
      if (!isPair) { found = centre(batch, 0u); }
    } else if (isPair) {
      found = pair[1];
    }
    for (var root = 0u; root < ${roots}u; root++) {
      if (root > 0u) { found = nextRoot(root, found); }
      let words = canonical(found);
      if (n == 2u * ${PAIRS}u + 1u) {
        if (root == 0u && !isOne(words)) { refuse(batch); }
      } else if (isPair || chunk == 0u) {
        let point = select(0u, 2u * (first + i) + 1u + (n & 1u), isPair);
        testKeys((batch * ${POINTS_PER_BATCH}u + point) * ${keysPerSum(walk)}u + 2u * root, words);
      }
    }
  }
}
`;
}

/** Words of the memory that remains on the device. */
export function scratchWords(batchesMax: number): number {
  return batchesMax * PACKED_WORDS * (4 + CHUNKS * (PAIRS + 1));
}

/** The columns of the table: what is known of each jG. */
export const COLUMNS: Readonly<Record<SchemeName, readonly string[]>> = {
  ed25519: ['numerators', 'squares', 'xs'],
  secp256k1: ['xs', 'ys'],
};

/**
 * The entry point `centres`: a straight program over named elements, which a loop interprets, so that each operation is in the
 * text once. `1/` inverts. The elements x, y are those of the centre before the run, and stepX, stepY the distance.
 */
function centresText(program: string, outputs: readonly string[]): string {
  const names = ['x', 'y', 'stepX', 'stepY', 'one', 'constant'];
  const numberOf = (name: string) => {
    if (!names.includes(name)) names.push(name);
    return names.indexOf(name);
  };
  const codes = [...program.matchAll(/(\w+) = (\w+) ?(\S) ?(\w+)/g)].map(
    ([, to = '', a = '', sign = '', b = '']) => {
      const operation = ['*', '+', '-', '/'].indexOf(sign);
      const [left, right] = operation === 3 ? [b, b] : [a, b];
      return ((operation * 32 + numberOf(left)) * 32 + numberOf(right)) * 32 + numberOf(to);
    },
  );
  return `@compute @workgroup_size(${WORKGROUP}) fn centres(@builtin(global_invocation_id) id: vec3<u32>) {
  let batch = id.x;
  if (batch >= parameters.batches) { return; }
  var codes = array<u32, ${codes.length}>(${words(codes)});
  var r: array<F, ${names.length}>;
  r[0] = unpack(parameters.x);
  r[1] = unpack(parameters.y);
  r[2] = unpack(table.steps[batch].x);
  r[3] = unpack(table.steps[batch].y);
  r[4] = ONE;
  r[5] = CONSTANT;
  for (var n = 0u; n < ${codes.length}u; n++) {
    let left = r[(codes[n] >> 10u) & 31u];
    let right = r[(codes[n] >> 5u) & 31u];
    var to: F;
    switch (codes[n] >> 15u) {
      case 0u: { to = mul(left, right); }
      case 1u: { to = sum(left, right); }
      case 2u: { to = sub(left, right); }
      default: { to = invert(left); }
    }
    r[codes[n] & 31u] = to;
  }
  if (!isOne(canonical(r[${numberOf('check')}]))) { refuse(batch); }
${outputs.map((name, part) => `scratch.centres[batch][${part}] = pack(r[${numberOf(name)}]);`).join('\n')}
}`;
}

/** A centre has y, 1/y² and k. The sum is known by its y alone, which serves both signs. */
function edwardsText({ siblings }: Pick<Walk, 'siblings'>): string {
  const program = `t = x * stepX; u = y * stepY; n = t + u; v = t * u; v = v * constant; a = one + v; b = one - v;
    ab = a * b; z = ab * n; inverse = 1/z; check = z * inverse; t = x * stepY; u = y * stepX; t = t + u; u = b * n; t = t * u;
    centreX = t * inverse; t = a * n; t = t * n; centreY = t * inverse; t = b * ab; inverseY = t * inverse;
    square = inverseY * inverseY; t = centreY * centreY; t = t * constant; t = one + t; t = t * centreX; k = t * inverseY`;
  return `const CONSTANT = ${constantText(EDWARDS_D)};
${centresText(program, ['centreY', 'square', 'k'])}
fn factorOf(batch: u32, first: u32, i: u32) -> F {
  if (i == ${PAIRS}u) { return centre(batch, 0u); }
  return sub(centre(batch, 1u), unpack(table.squares[first + i]));
}
fn pairOf(batch: u32, j: u32, inverse: F) -> Pair {
  let product = mul(centre(batch, 2u), unpack(table.xs[j]));
  var pair: Pair;
  for (var s = 0u; s < 2u; s++) {
    var other = product;
    if (s == 1u) { other = sub(F(), product); }
    pair[s] = mul(inverse, add(unpack(table.numerators[j]), other));
  }
  return pair;
}
fn nextRoot(root: u32, y: F) -> F { return y; }
fn testKeys(attempt: u32, y: array<u32, 8>) {
  var key: State;
  for (var k = 0u; k < 8u; k++) {
    key[k] = (rotated(y[k], 8u) & 0xff00ff00u) | (rotated(y[k], 24u) & 0x00ff00ffu);
  }
  for (var sign = 0u; sign < ${siblings ? 2 : 1}u; sign++) {
    key[7] |= sign << 7u;
    testKey(attempt + sign, key, 0u);
  }
}`;
}

/** A centre has x and y. The sum is known by its x alone, which has two prefixes. */
function secpText({ siblings }: Pick<Walk, 'siblings'>): string {
  const program = `z = stepX - x; inverse = 1/z; check = z * inverse; t = stepY - y; slope = t * inverse; t = slope * slope; t = t - x;
    centreX = t - stepX; t = x - centreX; t = slope * t; centreY = t - y`;
  return `const CONSTANT = ${constantText(BETA)};
${centresText(program, ['centreX', 'centreY'])}
fn factorOf(batch: u32, first: u32, i: u32) -> F {
  if (i == ${PAIRS}u) { return ONE; }
  return sub(unpack(table.xs[first + i]), centre(batch, 0u));
}
fn pairOf(batch: u32, j: u32, inverse: F) -> Pair {
  let both = sub(sub(F(), centre(batch, 0u)), unpack(table.xs[j]));
  var pair: Pair;
  for (var s = 0u; s < 2u; s++) {
    var other = centre(batch, 1u);
    if (s == 0u) { other = sub(F(), other); }
    let slope = mul(inverse, add(unpack(table.ys[j]), other));
    pair[s] = sum(both, mul(slope, slope));
  }
  return pair;
}
// βx of x, then β²x of βx.
fn nextRoot(root: u32, x: F) -> F { return mul(x, CONSTANT); }
fn testKeys(attempt: u32, x: array<u32, 8>) {
  var key: State;
  for (var k = 0u; k < 8u; k++) { key[k] = x[7u - k]; }
  for (var prefix = 0u; prefix < ${siblings ? 2 : 1}u; prefix++) {
    testKey(attempt + prefix, key, 2u + prefix);
  }
}`;
}
