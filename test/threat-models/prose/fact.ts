/**
 * @module
 * What derives a numeral of a document's prose: a member of the document, a closed form, or runs.
 */

import { canonicalJson } from '../../../src/experiment/document/canonical-json.ts';
import type { Adversary, ThreatModel } from '../../../src/experiment/document/threat-model.ts';
import { adversariesOf } from '../../../src/experiment/document/threat-model.ts';
import { applySettings, readSetting } from '../../../src/experiment/reading/settings.ts';
import type { Observations } from '../../../src/experiment/runs/observations.ts';
import { createRunner, settled } from '../../../src/experiment/runs/run.ts';
import { EMPTY_TALLY } from '../../../src/experiment/runs/tally.ts';
import { theoryOf } from '../../../src/experiment/verdict/theory.ts';
import { parseSeed } from '../../../src/random.ts';
import { onlyOf, STILL } from '../../experiment/models.ts';
import { judged, modelOf } from '../catalogue-judged.ts';

/** A phrase of the prose, and the value of each of its numerals in their order. */
export interface Fact {
  /** The phrase as the prose has it, or a pattern of it. Line breaks count as spaces. */
  readonly says: string | RegExp;
  readonly is: (model: ThreatModel) => readonly number[];
  /** Whether its runs take seconds, so that the slow suite alone derives it. */
  readonly isLong?: boolean;
}

/** The facts of documents by their ids. */
export type Facts = Readonly<Record<string, readonly Fact[]>>;

export const PROSE = ['title', 'assumes', 'can', 'cannot', 'wants', 'outcome'] as const;

export function proseOf(model: ThreatModel): string {
  return PROSE.map((part) => model[part].replaceAll(/\s+/g, ' ')).join('\n');
}

export function fact(says: string | RegExp, is: Fact['is']): Fact {
  return { says, is };
}

/** A fact whose runs take seconds. */
export function long(one: Fact): Fact {
  return { ...one, isLong: true };
}

/** A statement without numerals, which runs or a closed form confirm. */
export function statement(says: string, holds: (model: ThreatModel) => boolean): Fact {
  return { says, is: (model) => (holds(model) ? [] : [Number.NaN]) };
}

/** A document of the catalogue with settings. */
export function changed(model: ThreatModel, ...settings: readonly string[]): ThreatModel {
  return applySettings(modelOf(model.id), settings.map(readSetting));
}

/** The share of runs under one seed that have the property. */
export function measured(model: ThreatModel, runs: number): number {
  return onlyOf(shares(model, runs));
}

/** That share for each protocol, or for each group of protocols that share their outcomes. */
export function shares(model: ThreatModel, runs: number): readonly number[] {
  const key = canonicalJson({ ...model, runs });
  const found = SHARES.get(key);
  if (found !== undefined) return found;
  const measuredNow = judged(model, runs).results.map((result) => result.measured.frequency);
  SHARES.set(key, measuredNow);
  return measuredNow;
}

/** Several facts need the same runs. */
const SHARES = new Map<string, readonly number[]>();

/** What was seen of the first runs with one protocol, under one seed. */
export interface Seen extends Observations {
  readonly won: boolean;
  /** Messages of its election. */
  readonly sent: number;
}

export function seenIn(model: ThreatModel, runs: number): readonly Seen[] {
  const key = canonicalJson({ ...model, runs });
  const found = SEEN.get(key);
  if (found !== undefined) return found;
  const run = createRunner(model, STILL);
  const seen = Array.from({ length: runs }, (_, index) => {
    const { outcomes } = run({ seed: parseSeed('1'), run: index });
    const { won, elections, observations } = onlyOf(outcomes);
    return { won, sent: onlyOf(elections).messages, ...observations };
  });
  SEEN.set(key, seen);
  return seen;
}

const SEEN = new Map<string, readonly Seen[]>();

/** The mean of an observation. */
export function mean(seen: readonly Seen[], value: (one: Seen) => number | undefined): number {
  return seen.reduce((sum, one) => sum + (value(one) ?? 0), 0) / seen.length;
}

/** The probability of the closed form. */
export function theory(model: ThreatModel): number {
  const { probability } = theoryOf(settled(model, null).model, EMPTY_TALLY, null);
  if (probability === null) throw new TypeError(`"${model.id}" has no closed form`);
  return probability;
}

export function adversaryOf(model: ThreatModel): Adversary {
  return onlyOf(adversariesOf(model))[1];
}
