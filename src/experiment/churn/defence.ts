/**
 * @module
 * This folder contains proof of work under churn: sessions that join and leave, defences that price identities, and
 * adversaries that buy them. This file says what a defence is. Its unit of work is a puzzle of hardness 1.
 */

import { LabError } from '../../errors.ts';
import { parseQuantity } from '../../quantities.ts';

/** The rules of a defence as numbers. The network carries them out. */
export interface ChurnRules {
  /** Hardness of the puzzle of an ID that joins, without recent joins. */
  readonly hardness: number;
  /**
   * Seconds in which each other join raises the hardness by 1, or `estimate` for one over the estimated join rate of
   * honest IDs. Null if joins do not raise it.
   */
  readonly window: number | 'estimate' | null;
  /** Share of the members that must differ from those of the last estimate before there is a new estimate. */
  readonly estimateAt: number;
  /** A purge follows when the joins and departures since the last one exceed this share of the members. Null without purges. */
  readonly purgeAt: number | null;
  /** Seconds from one puzzle of each member to its next. Null if members need not solve any. */
  readonly everyS: number | null;
  /** Seconds after which an ID is no longer valid. Null if it stays valid. */
  readonly lifetimeS: number | null;
  /** Hardness of the puzzle by which an ID stays valid for another lifetime. Null if its owner must earn a new one. */
  readonly renewal: number | null;
}

/** The rules of a defence that only asks for one puzzle of hardness 1 at the entrance. */
export const ENTRANCE_ONLY: ChurnRules = {
  hardness: 1,
  window: null,
  estimateAt: 5 / 12,
  purgeAt: null,
  everyS: null,
  lifetimeS: null,
  renewal: null,
};

/** A number that a person can set: `fixed:hardness=16`. */
export interface ChurnSetting {
  readonly kind: 'number' | 'time' | 'probability';
  readonly initial: number;
  readonly min: number;
  readonly max: number;
  readonly meaning: string;
}

/** A bound by the rates of adversarial work, T, and of honest joins, J. */
export interface ChurnBound {
  readonly formula: string;
  readonly of: (adversary: number, joins: number) => number;
}

/** All facts of a defence against Sybil IDs under churn. */
export interface ChurnDefence<Setting extends string = string> {
  readonly name: string;
  /** One sentence: what an honest ID and an adversary must do. */
  readonly summary: string;
  readonly source: string;
  readonly settings: Readonly<Record<Setting, ChurnSetting>>;
  rules(settings: Readonly<Record<Setting, number>>): ChurnRules;
  /** The rate of honest work up to a constant factor. Null if unknown. */
  readonly bound: ChurnBound | null;
}

/** Returns the definition with its precise types. */
export function defineChurnDefence<const Setting extends string>(
  facts: ChurnDefence<Setting>,
): ChurnDefence<Setting> {
  return facts;
}

/** The hardness of a puzzle, as a setting. */
export function hardnessSetting(initial: number, meaning: string): ChurnSetting {
  return { kind: 'number', initial, min: 1, max: 1e9, meaning };
}

/** A share of the members, as a setting. */
export function shareSetting(initial: number, meaning: string): ChurnSetting {
  return { kind: 'probability', initial, min: 0.001, max: 1, meaning };
}

/** A time, as a setting. */
export function timeSetting(initial: number, meaning: string): ChurnSetting {
  return { kind: 'time', initial, min: 1, max: 1e9, meaning };
}

/** Reads the settings after the name: `hardness=16,lifetime=2h`. Throws LabError `arguments`. */
export function readSettings(
  { name, settings }: ChurnDefence,
  text: string | undefined,
): Readonly<Record<string, number>> {
  const read = Object.fromEntries(
    Object.entries(settings).map(([key, { initial }]) => [key, initial]),
  );
  for (const part of text === undefined ? [] : text.split(',')) {
    const [key = '', value = ''] = part.split('=');
    const setting = Object.hasOwn(settings, key) ? settings[key] : undefined;
    if (setting === undefined) {
      const known = Object.keys(settings).join(', ') || 'none';
      throw new LabError('arguments', `has a setting ${JSON.stringify(key)}; ${name} has ${known}`);
    }
    const number = parseQuantity(setting.kind, value);
    if (!(number >= setting.min && number <= setting.max)) {
      throw new LabError('arguments', `needs ${key} in ${setting.min}..${setting.max}`);
    }
    read[key] = number;
  }
  return read;
}
