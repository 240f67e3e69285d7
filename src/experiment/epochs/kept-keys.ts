/**
 * @module
 * The keys that an adversary keeps, as many as it likes: a key is drawn only when something depends on it. An ID
 * is a depth, the share of all IDs that are higher, uniform in [0, 1). Segments of that range know how many keys
 * they have, and each of their keys is uniform in its segment.
 */

import { randomBeta } from 'd3-random';
import { LabError } from '../../errors.ts';
import type { Random } from '../../random.ts';
import { drawBinomial } from '../theory/binomial-odds.ts';

interface Segment {
  readonly from: number;
  /** Equal to `from` for one key whose depth is known. */
  readonly to: number;
  readonly keys: number;
}

/** The limits of a test of kept keys. */
interface KeptTest {
  /** Maximum number of tests. */
  readonly most: number;
  /** Number of valid keys after which no more are tested. */
  readonly wanted: number;
  readonly validBits: number;
  readonly random: Random;
}

/** Segments of one adversary. More of them take seconds in each run. */
const SEGMENTS_MAX = 2 ** 16;

export class KeptKeys {
  /** Without gaps, the highest IDs first. */
  #segments: Segment[] = [{ from: 0, to: 1, keys: 0 }];
  #size = 0;
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds keys with IDs that are uniform between two depths. */
  add(count: number, from = 0, to = 1): void {
    if (count === 0) return;
    const [first, end] = [this.#split(from), this.#split(to)];
    this.#size += count;
    if (count < end - first) {
      this.#addEach(count, from, to);
      return;
    }
    let left = count;
    for (let index = first; index < end; index += 1) {
      const each = this.#segments[index];
      if (each === undefined) continue;
      const share = Math.min(1, (each.to - each.from) / (to - each.from));
      const own = index === end - 1 ? left : drawBinomial(this.#random, left, share);
      this.#segments[index] = { ...each, keys: each.keys + own };
      left -= own;
    }
  }

  /** Few keys are drawn one by one, so that their number decides the time, and not that of the segments. */
  #addEach(count: number, from: number, to: number): void {
    for (let key = 0; key < count; key += 1) {
      const index = this.#indexOf(from + (to - from) * this.#random.unit());
      const each = this.#segments[index];
      if (each !== undefined) this.#segments[index] = { ...each, keys: each.keys + 1 };
    }
  }

  /** Adds a key whose depth is known. */
  put(depth: number): void {
    this.#segments.splice(this.#split(depth), 0, { from: depth, to: depth, keys: 1 });
    this.#size += 1;
    this.#assertFew();
  }

  /** Removes this number of keys at random, if all of them are uniform over all IDs. */
  drop(count: number): void {
    this.#size -= count;
    this.#segments = [{ from: 0, to: 1, keys: this.#size }];
  }

  /** The number of keys above a depth. */
  countAbove(depth: number): number {
    const above = this.#segments.slice(0, this.#split(depth));
    return above.reduce((sum, { keys }) => sum + keys, 0);
  }

  /** Tests keys above a depth, the highest first, until enough are valid. Removes the valid keys and returns their depths. */
  testAbove(depth: number, { most, wanted, validBits, random }: KeptTest) {
    const tests = Math.min(most, this.countAbove(depth));
    const indices: number[] = [];
    for (const index of validIndices(random, tests, validBits)) {
      if (indices.length >= wanted) break;
      indices.push(index);
    }
    const isEnough = indices.length >= wanted;
    return { valid: this.takeFromTop(indices), tests: isEnough ? (indices.at(-1) ?? 0) : tests };
  }

  /** Removes this number of keys, those with the highest IDs. */
  dropFromTop(count: number): void {
    if (count === 0) return;
    const [last = 0] = this.takeFromTop([count]);
    const end = this.#split(last);
    this.#segments.splice(0, end, { from: 0, to: last, keys: 0 });
    this.#size -= count - 1;
  }

  /** Moves the beginning of the region by `by`. The depths are distances from it. */
  move(by: number): void {
    const cut = this.#split(by);
    const moved = this.#segments.map(({ from, to, keys }, index) =>
      index < cut
        ? { from: from + (1 - by), to: to + (1 - by), keys }
        : { from: from - by, to: to - by, keys },
    );
    this.#segments = [...moved.slice(cut), ...moved.slice(0, cut)];
  }

  /** Removes keys by their indices from the highest ID down, from 1 on and ascending. Returns their depths. */
  takeFromTop(indices: Iterable<number>): readonly number[] {
    const taken: number[] = [];
    const kept: Segment[] = [];
    const upcoming = indices[Symbol.iterator]();
    let next = upcoming.next();
    let passed = 0;
    let seen = 0;
    for (const { from, to, keys } of this.#segments) {
      if (next.done === true) break;
      seen += 1;
      let [low, left] = [from, keys];
      while (next.done !== true && next.value <= passed + left) {
        const index = next.value - passed;
        const depth = low + (to - low) * this.#beta(index, left - index + 1);
        kept.push({ from: low, to: depth, keys: index - 1 });
        taken.push(depth);
        [low, left, passed] = [depth, left - index, next.value];
        next = upcoming.next();
      }
      if (low < to || left > 0) kept.push({ from: low, to, keys: left });
      passed += left;
    }
    this.#segments = kept.concat(this.#segments.slice(seen));
    this.#size -= taken.length;
    this.#assertFew();
    return taken;
  }

  /** Divides the segment that contains a depth. Returns the index of the first segment from that depth on. */
  #split(depth: number): number {
    const index = this.#indexOf(depth);
    const each = this.#segments[index];
    if (each === undefined) return index;
    if (each.from >= depth) return this.#firstFrom(depth, index);
    const share = (depth - each.from) / (each.to - each.from);
    const above = drawBinomial(this.#random, each.keys, share);
    this.#segments.splice(
      index,
      1,
      { from: each.from, to: depth, keys: above },
      { from: depth, to: each.to, keys: each.keys - above },
    );
    return index + 1;
  }

  /** The index of the first segment that ends below a depth. */
  #indexOf(depth: number): number {
    let [low, high] = [0, this.#segments.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#segments[middle]?.to ?? 1) > depth) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Throws LabError `job.size` if a run would take minutes. */
  #assertFew(): void {
    if (this.#segments.length <= SEGMENTS_MAX) return;
    const detail = `the adversary knows the IDs of more than ${SEGMENTS_MAX} kept keys; lower the epochs or its budget, or raise the bits`;
    throw new LabError('job.size', detail);
  }

  /** A known key at exactly this depth is not above it. */
  #firstFrom(depth: number, index: number): number {
    let first = index;
    while (first > 0 && (this.#segments[first - 1]?.from ?? 0) >= depth) first -= 1;
    return first;
  }

  /** The smallest but `index − 1` of uniform values is Beta(index, rest). */
  #beta(index: number, rest: number): number {
    return randomBeta.source(() => this.#random.unit())(index, rest)();
  }
}

/** The indices of valid keys among a number of tests, from 1 on. */
export function* validIndices(
  random: Random,
  tests: number,
  difficultyBits: number,
): Generator<number> {
  let index = drawGap(random, difficultyBits);
  while (index <= tests) {
    yield index;
    index += drawGap(random, difficultyBits);
  }
}

/** Number of tests up to and including the next success. It is geometric. */
function drawGap(random: Random, difficultyBits: number): number {
  return 1 + Math.floor(Math.log1p(-random.unit()) / Math.log1p(-(2 ** -difficultyBits)));
}
