/**
 * @module
 * This folder contains the attacks on votes, terms and leases.
 * A node that votes for every candidate of one term and confirms every leader of one epoch. Where the
 * honest others split evenly between two candidates, one such voter among an odd number of nodes makes
 * two leaders of one term; where they do not, q − 1 of them do, q the majority. A vote is its voter's
 * own word, so authentication does not prevent it; it takes quorums that share an honest voter (3f + 1
 * nodes for f liars), or two signed votes held side by side afterwards.
 */

import { reasonIn } from '../../../election/definition/forgery.ts';
import type { AnyMachine, DoubleVote } from '../../../election/definition/protocol.ts';
import { intercepted } from '../../../election/intercepted.ts';
import type { Json, Machine, Message } from '../../../election/machine.ts';
import { PROTOCOLS } from '../../../election/registry.ts';
import type { Hand } from '../../forging.ts';
import { bodyOf, emptyHand, heedReturn } from '../../forging.ts';
import type { ByzantineNode } from '../behaviour.ts';
import { defineBehaviour } from '../behaviour.ts';
import { passOn, speak } from '../voice.ts';

export type DoubleVoteState = { inner: Json; hand: Hand };

export const DOUBLE_VOTE = defineBehaviour({
  name: 'double-vote',
  attack: 'A5',
  summary:
    'Votes for every candidate of a term and confirms every leader of an epoch; where candidates lack no other vote, two of them lead.',
  aim: 'split',
  needsTopId: false,
  stage: () => ({ events: ['honest-apart'] }),
  unsupportedReason: (protocol) => reasonIn(PROTOCOLS[protocol].doubleVote),
  wrap: createDoubleVoting,
});

const NO_VOTES: DoubleVote = { answers: () => null, mutes: [] };

function createDoubleVoting(
  machine: AnyMachine,
  byzantineNode: ByzantineNode,
): Machine<DoubleVoteState, Message> {
  const { doubleVote } = PROTOCOLS[byzantineNode.protocol];
  const { answers, mutes } = typeof doubleVote === 'string' ? NO_VOTES : doubleVote;
  return {
    init: (self) => ({ inner: machine.init(self), hand: emptyHand() }),
    step(self, state, event, effects) {
      heedReturn(state.hand, self, event);
      const speaker = { byzantineNode, hand: state.hand, effects };
      if (event.type === 'deliver') {
        const { from } = event;
        const said = answers(bodyOf(event.message), from);
        if (said !== null) {
          for (const message of said) speak(speaker, from, message);
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
