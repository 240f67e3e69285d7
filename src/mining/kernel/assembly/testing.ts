/**
 * @module
 * Exports for tests of the field arithmetic against BigInt, in a build of their own. `scheme` is 0 for
 * 2^255 - 19 and 1 for secp256k1's p. Addresses are those of lane-interleaved elements (layout.ts)
 * inside `scratch()`.
 */
import { Edwards, Secp } from './columns';
import { canonical, fromBytes, invert, minus, mul, plus, prepareField, toBytes } from './field';
import { passing, prepareBounds, report } from './hits';
import { HITS_FOUND, PROBE_FIRST, STATE, WORK, ZERO_FIRST } from './layout';
import { freeze, quadDifference, quadMinusTwo, quadPlus } from './quads';

export function scratch(): usize { return WORK; }
export function state(): usize { return STATE; }
export function zeros(): usize { return ZERO_FIRST; }
export function probes(): usize { return PROBE_FIRST; }
/** The lanes that pass the first probe. */
export function passingLanes(): i32 { prepareBounds(); return passing(); }
export function hitsFound(): usize { return HITS_FOUND; }

export function prepareFor(scheme: i32): void {
  if (scheme == 0) prepareField<Edwards>();
  else prepareField<Secp>();
}

export function multiply(scheme: i32, d: usize, a: usize, b: usize): void {
  if (scheme == 0) mul<Edwards>(d, a, b);
  else mul<Secp>(d, a, b);
}

export function inverse(scheme: i32, d: usize, a: usize): void {
  if (scheme == 0) invert<Edwards>(d, a);
  else invert<Secp>(d, a);
}

export function sum(scheme: i32, d: usize, a: usize, b: usize): void {
  if (scheme == 0) plus<Edwards>(d, a, b);
  else plus<Secp>(d, a, b);
}

export function difference(scheme: i32, d: usize, a: usize, b: usize): void {
  if (scheme == 0) minus<Edwards>(d, a, b);
  else minus<Secp>(d, a, b);
}

export function reduce(scheme: i32, d: usize): void {
  if (scheme == 0) canonical<Edwards>(d);
  else canonical<Secp>(d);
}

export function freezeQuad(scheme: i32, quad: usize): void {
  if (scheme == 0) freeze<Edwards>(quad);
  else freeze<Secp>(quad);
}

export { fromBytes, report, quadDifference, quadMinusTwo, quadPlus, toBytes };
