/**
 * @module
 * This folder shares elections between callers: by access modes, join codes and participants. This file states
 * who may do what with an election. Every look-up of an election names what it is for, and asks this table.
 */

import type { Principal } from '../../request/principal.ts';

/**
 * Who else may read an election. private: only its owner and instructors. shared: also participants, who
 * exchanged a join code. public: also every holder of a token.
 */
export const ACCESS_MODES = ['private', 'shared', 'public'] as const;

export type AccessMode = (typeof ACCESS_MODES)[number];

/** What a caller is to an election. A manager is an instructor or an operator that does not own it. */
export const RELATIONS = ['owner', 'manager', 'participant', 'onlooker'] as const;

export type Relation = (typeof RELATIONS)[number];

/** What an operation does with an election. */
export type Deed = 'look' | 'join' | 'play' | 'examine' | 'conduct' | 'share';

interface Right {
  /** What is done, for refusals and documents. */
  readonly what: string;
  readonly relations: readonly Relation[];
}

const RESPONSIBLE = ['owner', 'manager'] as const;

export const RIGHTS: Readonly<Record<Deed, Right>> = {
  look: {
    what: 'read its state, nodes, verdict and events',
    relations: [...RESPONSIBLE, 'participant', 'onlooker'],
  },
  join: { what: 'join it with a node', relations: [...RESPONSIBLE, 'participant'] },
  play: { what: 'play a node of it', relations: [...RESPONSIBLE, 'participant'] },
  examine: { what: 'read its messages and its trace, or copy it', relations: RESPONSIBLE },
  conduct: { what: 'act on it or delete it', relations: RESPONSIBLE },
  share: { what: 'share it', relations: RESPONSIBLE },
};

/** The facts about an election that decide who may do what. */
export interface Shared {
  readonly id: string;
  /** `undefined` if it has no owner, so that every holder of a token may do everything with it. */
  readonly owner: string | undefined;
  readonly mode: AccessMode;
}

/** What the principal is to an election; null if it may not know of it. */
export function relationOf(
  { participant, access, owner: caller }: Principal,
  { id, owner, mode }: Shared,
): Relation | null {
  if (participant !== null) {
    return participant.election === id && mode !== 'private' ? 'participant' : null;
  }
  if (access === 'open' || owner === undefined || owner === caller) return 'owner';
  if (access === 'all') return 'manager';
  return mode === 'public' ? 'onlooker' : null;
}

/** Whether a relation suffices. */
export function mayDo(relation: Relation, deed: Deed): boolean {
  return RIGHTS[deed].relations.includes(relation);
}
