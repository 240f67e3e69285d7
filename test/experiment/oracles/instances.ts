/**
 * @module
 * Draws small documents for the oracles, by a generator of its own.
 */

import type { ThreatModel } from '../../../src/experiment/document/threat-model.ts';
import { parseThreatModel } from '../../../src/experiment/reading/document.ts';
import { checkThreatModel } from '../../../src/experiment/reading/schema-faults.ts';

/** Draws integers in 0..bound−1 (Park and Miller 1988). */
export type Draw = (bound: number) => number;

export function drawer(seed: number): Draw {
  let state = (seed % 2_147_483_646) + 1;
  return (bound) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % bound;
  };
}

/** Two or three adversaries have these names, in the order of all loops over them. */
const NAMES = ['ann', 'bob', 'cat'];

/** A document with the parts that matter here. */
export function documentOf(parts: {
  readonly network: object;
  readonly adversaries: readonly object[];
  readonly expect: object;
  readonly epochs?: object;
  readonly work?: 'sampled' | 'mined';
}): ThreatModel {
  const prose = { id: 'drawn', title: 't', assumes: 'a', can: 'a', cannot: 'a', wants: 'a' };
  const { adversaries, expect, ...others } = parts;
  const data = {
    ...{ ...prose, outcome: 'a', work: 'sampled', confirmRuns: 0, ...others },
    adversaries: Object.fromEntries(adversaries.map((each, index) => [NAMES[index], each])),
    expect: { comparison: 'at-most', probability: 0.5, ...expect },
  };
  // To read the text takes longer than all else, so that only a refused document has one.
  const checked = checkThreatModel(data);
  if (checked.outcome === 'valid') return checked.model;
  return parseThreatModel(JSON.stringify(data), 'drawn.yaml');
}

export const BUDGETS = ['attempts', 'hashes', 'seconds'] as const;
export type BudgetKind = (typeof BUDGETS)[number];

/** An adversary whose budget pays for this number of attempts. `hashes` is the cost of one. */
export function budgeted(
  kind: BudgetKind,
  attempts: number,
  hashes: number,
): { readonly budget: object; readonly rate?: number } {
  switch (kind) {
    case 'attempts':
      return { budget: { attempts } };
    case 'hashes':
      // A part of an attempt pays for nothing.
      return { budget: { hashes: attempts * hashes + hashes - 1 } };
    case 'seconds':
      return { budget: { cpuSeconds: attempts / 4 }, rate: 4 };
    default:
      return kind satisfies never;
  }
}

export const WHO = ['together', 'any', 'bob'] as const;
export type Who = (typeof WHO)[number];

/** The adversaries that are judged as one, by index. */
export function sidesOf(by: Who, adversaries: number): readonly (readonly number[])[] {
  const all = Array.from({ length: adversaries }, (_, index) => index);
  if (by === 'together') return [all];
  return by === 'any' ? all.map((index) => [index]) : [[NAMES.indexOf(by)]];
}
