/**
 * @module
 * The facts that all rings that heal themselves share, whichever protocol their tokens carry: messages, how
 * they are forged, and what faults do.
 */

import type { FaultCell } from '../definition/fault-row.ts';
import { breaks, live, ok } from '../definition/fault-row.ts';
import type { ForgedMessages, Forgery, Reason } from '../definition/forgery.ts';
import type { ComputedMessages, MessageFacts } from '../definition/message-definition.ts';
import { computedMessages, DIRECT } from '../definition/message-definition.ts';
import type { Protocol } from '../definition/protocol.ts';
import { RING, RING_FAULTS, RING_FORGERY } from './ring-facts.ts';

const LISTS = {
  members: { successors: 'ranks', suspected: 'ranks', life: 'integer' },
  ...DIRECT,
} as const satisfies MessageFacts;

const SKIPPED =
  'A node that is suspected and alive is skipped, and elects as well: it needs a detector that never errs.';

type Cells = Readonly<Record<string, FaultCell>>;

/** The facts of every protocol on a ring that heals itself. */
export const ROBUST = {
  elects: 'highest',
  entriesAbout: null,
  attributes: null,
  successors: 3,
  tokens: 'it accepts every token only once already',
  ...RING,
} as const;

export const ROBUST_FAULTS = {
  duplicate: ok('The wrapper takes each token once.'),
  'clean-majority': breaks(['S1'], SKIPPED),
  'one-way': breaks(['S1', 'S2', 'S3'], SKIPPED),
  'majorities-ring': breaks(['S1', 'S2', 'S3'], SKIPPED),
  'swizzle-clog': breaks(['S1'], SKIPPED, { rarely: ['S2'] }),
  'crash-best': live('The hole is known and gone round.'),
  restart: live('A node that returns is trusted and begins again.'),
  amnesia: live('As restart: the next message contains what was forgotten.'),
  pause: breaks(['S1'], SKIPPED),
  ...RING_FAULTS,
} satisfies Cells;

/** A token has the type of the message that it carries, and the facts of its candidates. */
export function robustMessages({ messages }: Protocol): ComputedMessages {
  const tokens = Object.entries(messages).map(([type, facts]) => {
    const members = { election: 'integer', token: 'token', message: 'carried' } as const;
    return [type, { ...facts, members, token: null }] as const;
  });
  return computedMessages({ ...Object.fromEntries(tokens), LOOKUP: LISTS, SUCCESSORS: LISTS });
}

/** Forged tokens carry the forged messages, in elections that this ring numbers. */
export function robustForgery({ forgery }: Protocol): Forgery {
  const wrap = (forged: ForgedMessages | Reason): ForgedMessages | Reason =>
    typeof forged === 'string'
      ? forged
      : {
          ...forged,
          messages: (subject) =>
            forged.messages(subject).map((message) => {
              const { home, serial, epoch: election } = subject;
              return { type: message.type, election, token: [home, serial], message };
            }),
        };
  return {
    numbering: 'election',
    announcement: wrap(forgery.announcement),
    candidacy: wrap(forgery.candidacy),
    answer: wrap(forgery.answer),
    ...RING_FORGERY,
  };
}
