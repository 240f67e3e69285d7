/**
 * @module
 * A node that votes for every candidate of one term and confirms every leader of one epoch. Where the
 * honest others split evenly between two candidates, one such voter among an odd number of nodes makes
 * two leaders of one term; where they do not, q − 1 of them do, q the majority. A vote is its voter's
 * own word, so authentication does not prevent it; it takes quorums that share an honest voter (3f + 1
 * nodes for f liars), or two signed votes held side by side afterwards.
 */

import { intercepted } from '../../election/intercepted.ts';
import type { Json, Machine, Message, Rank } from '../../election/machine.ts';
import type { AnyMachine } from '../../election/protocol.ts';
import type { ProtocolName } from '../../election/registry.ts';
import type { Hand } from '../forging.ts';
import { bodyOf, emptyHand, heedReturn } from '../forging.ts';
import type { Behaviour, ByzantineNode } from './behaviour.ts';
import { fieldsOf, numberIn } from './message-parts.ts';
import { passOn, speak } from './voice.ts';

export type DoubleVoteState = { inner: Json; hand: Hand };

type Word = Message & { readonly [member: string]: unknown };

interface Vote {
  /** What it answers to a question of `from`; null for what is none. */
  readonly answers: (question: Message, from: Rank) => readonly Word[] | null;
  /** Types that its own protocol must not send beside that. */
  readonly mutes: readonly string[];
}

const VOTES: Partial<Record<ProtocolName, Vote>> = {
  raft: { answers: voteAtRaft, mutes: ['VOTE', 'PRE_VOTE', 'VOTE_REPLY', 'PRE_VOTE_REPLY'] },
  'quorum-lease': { answers: grantLease, mutes: ['REQ', 'GRANT', 'DENY', 'MASTER'] },
  'zk-slide-quorum': { answers: acknowledge, mutes: ['NEW_LEADER', 'ACK', 'NACK', 'COMMIT'] },
  'zab-fle': {
    answers: confirmEverything,
    mutes: ['NOTIFICATION', 'CEPOCH', 'ACKEPOCH', 'ACK', 'PONG'],
  },
};

export const DOUBLE_VOTE: Behaviour = {
  name: 'double-vote',
  attack: 'A5',
  summary:
    'Votes for every candidate of a term and confirms every leader of an epoch; where candidates lack no other vote, two of them lead.',
  aim: 'split',
  needsTopId: false,
  unsupportedReason: (protocol) => (VOTES[protocol] === undefined ? 'nobody votes in it' : null),
  corrupt: createDoubleVoting,
};

function createDoubleVoting(
  machine: AnyMachine,
  byzantineNode: ByzantineNode,
): Machine<DoubleVoteState, Message> {
  const { answers = () => null, mutes = [] } = VOTES[byzantineNode.protocol] ?? {};
  return {
    init: (self) => ({ inner: machine.init(self), hand: emptyHand() }),
    step(self, state, event, effects) {
      heedReturn(state.hand, self, event);
      const speaker = { byzantineNode, hand: state.hand, effects };
      if (event.type === 'deliver') {
        const { from } = event;
        const said = answers(bodyOf(event.message), from);
        if (said !== null) {
          for (const word of said) speak(speaker, from, word);
          return;
        }
      }
      const out = intercepted(effects, {
        send(to, message) {
          if (!mutes.includes(message.type)) passOn(speaker, to, message);
        },
      });
      machine.step(self, state.inner, event, out);
    },
  };
}

function voteAtRaft(question: Message): readonly Word[] | null {
  const term = numberIn(question, 'term');
  if (question.type === 'VOTE') return [{ type: 'VOTE_REPLY', term, granted: true }];
  if (question.type === 'PRE_VOTE') return [{ type: 'PRE_VOTE_REPLY', term, granted: true }];
  return null;
}

/** Renewals too, whoever else holds a promise. */
function grantLease(question: Message): readonly Word[] | null {
  if (question.type !== 'REQ') return null;
  const term = numberIn(question, 'term');
  return [{ type: 'GRANT', term, round: numberIn(question, 'round') }];
}

function acknowledge(question: Message, from: Rank): readonly Word[] | null {
  if (question.type !== 'NEW_LEADER') return null;
  return [{ type: 'ACK', epoch: numberIn(question, 'epoch'), id: from }];
}

/** To each that looks for a leader: that it votes for it too, and follows it already. */
function confirmEverything(question: Message, from: Rank): readonly Word[] | null {
  const epoch = numberIn(question, 'epoch');
  switch (question.type) {
    case 'NOTIFICATION': {
      const { leader, state } = fieldsOf(question);
      if (leader !== from || state !== 'LOOKING') return [];
      return [{ ...question }, { type: 'CEPOCH', epoch: 0 }];
    }
    case 'NEWEPOCH':
      return [{ type: 'ACKEPOCH', epoch, promised: true, currentEpoch: 0, zxid: 0 }];
    case 'NEWLEADER':
      return [{ type: 'ACK', epoch }];
    case 'PING':
      return [{ type: 'PONG', epoch }];
    default:
      return null;
  }
}
