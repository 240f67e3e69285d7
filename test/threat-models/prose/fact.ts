/**
 * @module
 * What derives a numeral of a document's prose: a member of the document, a closed form, or runs.
 */

import { canonicalJson } from '../../../src/experiment/document/canonical-json.ts';
import type { Adversary, ThreatModel } from '../../../src/experiment/document/threat-model.ts';
import { adversariesOf } from '../../../src/experiment/document/threat-model.ts';
import { applySettings, readSetting } from '../../../src/experiment/reading/settings.ts';
import { onlyOf } from '../../experiment/models.ts';
import { judged, modelOf } from '../catalogue-judged.ts';

/** A phrase of the prose, and the value of each of its numerals in their order. */
export interface Fact {
  /** The phrase as the prose has it, or a pattern of it. Line breaks count as spaces. */
  readonly says: string | RegExp;
  readonly is: (model: ThreatModel) => readonly number[];
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

/** The probability of the closed form. */
export function theory(model: ThreatModel): number {
  const { probability } = onlyOf(judged(model, 1).results).theory;
  if (probability === null) throw new TypeError(`"${model.id}" has no closed form`);
  return probability;
}

export function adversaryOf(model: ThreatModel): Adversary {
  return onlyOf(adversariesOf(model))[1];
}
