/**
 * @module
 * Every defence under churn by name. As text: `ergo`, `fixed:hardness=16`.
 */

import { LabError } from '../../errors.ts';
import type { ChurnDefence, ChurnRules } from './defence.ts';
import { readSettings } from './defence.ts';
import { AGE } from './defences/age.ts';
import { CCOM } from './defences/ccom.ts';
import { ERGO } from './defences/ergo.ts';
import { FIXED } from './defences/fixed.ts';
import { RECENT } from './defences/recent.ts';
import { STOP_FORWARDING } from './defences/stop-forwarding.ts';
import { SYBIL_CONTROL } from './defences/sybil-control.ts';
import { TOGCOM } from './defences/togcom.ts';

export const CHURN_DEFENCES: readonly ChurnDefence[] = [
  FIXED,
  RECENT,
  CCOM,
  TOGCOM,
  ERGO,
  SYBIL_CONTROL,
  STOP_FORWARDING,
  AGE,
];

/** A defence with its settings. */
export interface ChurnSpec extends Pick<ChurnDefence, 'name' | 'bound'> {
  readonly text: string;
  readonly rules: ChurnRules;
}

/** Reads `name` or `name:setting=value,…`. Throws LabError `arguments`. */
export function parseChurnDefence(text: string): ChurnSpec {
  const [name, ...rest] = text.split(':');
  const found = CHURN_DEFENCES.find((defence) => defence.name === name);
  if (found === undefined) {
    const names = CHURN_DEFENCES.map((defence) => defence.name).join(', ');
    throw new LabError('arguments', `must be one of ${names}`);
  }
  const settings = readSettings(found, rest.length === 0 ? undefined : rest.join(':'));
  return { name: found.name, text, rules: found.rules(settings), bound: found.bound };
}
