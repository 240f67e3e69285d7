/**
 * @module
 * Links of different speed: every latency of a link is multiplied by the factor of the link, a whole number
 * that is drawn from the seed or given. A link is one direction between two ranks.
 */

import { LabError } from '../../errors.ts';
import type { Seed } from '../../random.ts';

import { createKeyedDraws } from './keyed-draws.ts';

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
