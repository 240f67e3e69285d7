/**
 * @module
 * The names of the defences of a comparison: those that threat models and attacks name, and those that are
 * members of the policy or epochs.
 */

import type { AttackDefence } from '../document/defence-names.ts';
import { CHOSEN_DEFENCE_NAMES, NETWORK_DEFENCE_NAMES } from '../document/defence-names.ts';

/** Defences that are members of the policy or epochs instead of names in a list. */
const BY_MEMBERS = {
  'memory-hard':
    'Argon2id with 64 MiB, of as many bits as honest nodes can afford and at most those of the document: the adversary keeps its machines and loses their speed. IDs below the honest ones are dropped before it.',
  'memory-hard-id':
    'The same function makes the ID: no ID is known before it is evaluated, so that none can be dropped.',
  'commit-then-beacon':
    'Registration in windows, with puzzle and rank salted by a beacon: keys in stock are worth no more than new ones, and no ID can be aimed at a rank.',
} as const;

export type ComparedDefence = AttackDefence | keyof typeof BY_MEMBERS;

// The keys of an object are strings to the compiler.
const MEMBER_NAMES = Object.keys(BY_MEMBERS) as readonly (keyof typeof BY_MEMBERS)[];

/** In the order of the rows. */
export const COMPARED_DEFENCES: readonly ComparedDefence[] = [
  ...CHOSEN_DEFENCE_NAMES,
  ...NETWORK_DEFENCE_NAMES.filter((name) => !CHOSEN_DEFENCE_NAMES.some((each) => each === name)),
  ...MEMBER_NAMES,
];

/** Whether a defence is a member of the policy or adds epochs. */
export function isByMembers(name: ComparedDefence): name is keyof typeof BY_MEMBERS {
  return Object.hasOwn(BY_MEMBERS, name);
}
