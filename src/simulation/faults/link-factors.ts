/**
 * @module
 * Links of different speed: every latency of a link is multiplied by the factor of the link, a whole number
 * that is drawn from the seed or given. A link is one direction between two ranks.
 */

import { LabError } from '../../errors.ts';
import type { Seed } from '../../random.ts';
import { createRandom } from '../../random.ts';

export type LinkFactors =
  /** Each link has a factor from 1 to factorMax, drawn uniformly. */
  | { readonly type: 'seeded'; readonly factorMax: number }
  /** Links that are not named have the factor 1. */
  | {
      readonly type: 'given';
      readonly factors: readonly {
        readonly from: number;
        readonly to: number;
        readonly factor: number;
      }[];
    };

export const LINK_FACTOR_LIMIT = 1000;

/** The largest factor of a link, by which Δ grows. */
export function linkFactorMax(links: LinkFactors | null): number {
  if (links === null) return 1;
  if (links.type === 'seeded') return links.factorMax;
  return links.factors.reduce((most, { factor }) => Math.max(most, factor), 1);
}

/** Throws LabError `arguments` for factors out of range, foreign ranks, and a link given twice. */
export function assertLinkFactors(links: LinkFactors, nodes: number): void {
  const assertWithin = (name: string, value: number, max: number) => {
    if (Number.isSafeInteger(value) && value >= 1 && value <= max) return;
    const detail = `links: ${name} must be a whole number in 1..${max}, not ${value}`;
    throw new LabError('arguments', detail);
  };
  if (links.type === 'seeded') {
    assertWithin('factorMax', links.factorMax, LINK_FACTOR_LIMIT);
    return;
  }
  const named = new Set<string>();
  for (const { from, to, factor } of links.factors) {
    assertWithin('from', from, nodes);
    assertWithin('to', to, nodes);
    assertWithin('factor', factor, LINK_FACTOR_LIMIT);
    if (named.has(`${from}>${to}`)) {
      throw new LabError('arguments', `links names ${from}>${to} twice`);
    }
    named.add(`${from}>${to}`);
  }
}

/** The factor of each link. Drawn factors depend on the seed and the link only. */
export function createLinkFactors(
  links: LinkFactors | null,
  seed: Seed,
): (from: number, to: number) => number {
  if (links === null) return () => 1;
  if (links.type === 'seeded') {
    const draws = createKeyedDraws(seed, 'link-factors');
    return (from, to) => 1 + Math.floor(draws(0, from, to, 0) * links.factorMax);
  }
  const given = new Map(links.factors.map(({ from, to, factor }) => [`${from}>${to}`, factor]));
  return (from, to) => given.get(`${from}>${to}`) ?? 1;
}

/**
 * The draw for `purpose` of message number `count` from one rank to another. Independent draws: a number in [0, 1)
 * for each purpose and each message, which is identified by its link and its sequence number on that link. A fault
 * that adds or removes a message would shift a stream of draws, and does not change these. Therefore two runs differ
 * only where their schedules differ. The mixing function is the finalizer of MurmurHash3 (A. Appleby), which is fast
 * and is not cryptographic.
 */
type KeyedDraws = (purpose: number, from: number, to: number, count: number) => number;

export function createKeyedDraws(seed: Seed, label: string): KeyedDraws {
  const random = createRandom(seed, label);
  const [first = 0, second = 0, third = 0] = [1, 2, 3].map(() => random.below(2 ** 32));
  return (purpose, from, to, count) => {
    const link = mix(mix(first ^ from) ^ Math.imul(to, 0x9e3779b1));
    const high = mix(mix(link ^ count) ^ second ^ Math.imul(purpose, 0x85ebca77));
    const low = mix(high ^ third);
    return (high * 2 ** 21 + (low >>> 11)) / 2 ** 53;
  };
}

function mix(word: number): number {
  let mixed = word ^ (word >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
