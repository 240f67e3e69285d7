/**
 * @module
 * The sets of defences that a comparison names: texts such as `beacon-rank+frozen-membership`, or every defence
 * alone and every pair.
 */

import { LabError } from '../../errors.ts';
import { suggestion } from '../reading/nearest.ts';
import { isLevel } from '../staging/defences.ts';
import type { ComparedDefence } from './names.ts';
import { COMPARED_DEFENCES, isByMembers } from './names.ts';

export type DefenceSet = readonly ComparedDefence[];

/** The name of the empty set. */
export const NO_DEFENCE = 'none';

/** The name of a set in tables and commands. */
export function setName(defences: DefenceSet): string {
  return defences.length === 0 ? NO_DEFENCE : defences.join('+');
}

/** Reads sets between commas. Throws LabError `arguments` that names what is possible. */
export function readSets(text: string): readonly DefenceSet[] {
  const sets = text.split(',').map((each) => readSet(each.trim()));
  const names = sets.map(setName);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new LabError('arguments', `${twice} is named twice`);
  return sets;
}

function readSet(text: string): DefenceSet {
  if (text === NO_DEFENCE) return [];
  const names = text.split('+').map((name) => {
    const found = COMPARED_DEFENCES.find((each) => each === name);
    if (found !== undefined) return found;
    const known = [NO_DEFENCE, ...COMPARED_DEFENCES];
    throw new LabError(
      'arguments',
      `there is no defence ${JSON.stringify(name)}${suggestion(known, name)}; expected sets such as none,beacon-rank,beacon-rank+proof-of-work of ${COMPARED_DEFENCES.join(', ')}`,
    );
  });
  // In one order, so that equal sets have equal names.
  const set = COMPARED_DEFENCES.filter((name) => names.includes(name));
  if (set.length === names.length) return set;
  throw new LabError('arguments', `${text} names a defence twice`);
}

/** No defence, each defence alone, and on request each pair. A level of authentication contains the lower ones. */
export function allSets(hasPairs: boolean): readonly DefenceSet[] {
  const singles = COMPARED_DEFENCES.map((name) => [name]);
  const pairs = COMPARED_DEFENCES.flatMap((one, index) =>
    COMPARED_DEFENCES.slice(index + 1)
      .filter((other) => !(isLevelName(one) && isLevelName(other)))
      .map((other) => [one, other]),
  );
  return [[], ...singles, ...(hasPairs ? pairs : [])];
}

function isLevelName(name: ComparedDefence): boolean {
  return !isByMembers(name) && isLevel(name);
}
