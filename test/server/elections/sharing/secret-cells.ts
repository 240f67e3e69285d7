/**
 * @module
 * Which secrets of an election each answer reveals, and to which callers: the table of docs/http.md, of which
 * secrets.test.ts tests each cell.
 */

import type { Relation } from '../../../../server/elections/sharing/rights.ts';
import { RELATIONS } from '../../../../server/elections/sharing/rights.ts';

/** The callers that may look at a public election. */
export const VIEWERS = RELATIONS;

export type ViewerName = Relation;

export const ANSWERS = ['state', 'events', 'trace', 'fork'] as const;

export type AnswerName = (typeof ANSWERS)[number];

const RESPONSIBLE = ['owner', 'manager'] as const;
const NONE = [] as const;

/** For each secret, the callers that receive it in each answer. A fork counts with the events and trace of the copy. */
export const SECRET_CELLS = {
  'the seed': { state: RESPONSIBLE, events: NONE, trace: RESPONSIBLE, fork: RESPONSIBLE },
  // A copy belongs to the caller that made it.
  'the name of its owner': { state: RESPONSIBLE, events: NONE, trace: NONE, fork: ['owner'] },
  'messages of other nodes': {
    ...{ state: NONE, events: RESPONSIBLE, trace: RESPONSIBLE, fork: RESPONSIBLE },
  },
  'private keys of the server’s nodes': { state: NONE, events: NONE, trace: NONE, fork: NONE },
  'node tokens and their digests': { state: NONE, events: NONE, trace: NONE, fork: NONE },
  'the join code': { state: NONE, events: NONE, trace: NONE, fork: NONE },
  'tokens of participants': { state: NONE, events: NONE, trace: NONE, fork: NONE },
} as const satisfies Record<string, Record<AnswerName, readonly ViewerName[]>>;

export type SecretName = keyof typeof SECRET_CELLS;
