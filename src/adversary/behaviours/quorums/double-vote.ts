/**
 * @module
 * This folder contains the attacks on votes, terms and leases. This node votes for every candidate of a
 * term and confirms every leader of an epoch. If the honest nodes are in two halves, one such voter among an
 * odd number of nodes makes two leaders of one term, and two among an even number do. A vote is the voter's
 * own statement, so authentication does not prevent it. Quorums that share an honest voter do (3f + 1 nodes
 * for f Byzantine ones). A comparison of two signed votes exposes the voter afterwards, if the nodes that
 * have received them can reach each other.
 */

import { reasonIn } from '../../../election/definition/forgery.ts';
import type { AnyMachine, DoubleVote } from '../../../election/definition/protocol.ts';
import { intercepted } from '../../../election/intercepted.ts';
import type { Json, Machine, Message } from '../../../election/machine.ts';
import { PROTOCOLS } from '../../../election/registry.ts';
import type { Observed } from '../../forging.ts';
import { bodyOf, nothingObserved, observeReturn } from '../../forging.ts';
import type { ByzantineNode } from '../behaviour.ts';
import { defineBehaviour } from '../behaviour.ts';
import { passOn, sendAs } from '../sender.ts';

export type DoubleVoteState = { inner: Json; observed: Observed };

export const DOUBLE_VOTE = defineBehaviour({
  name: 'double-vote',
  attack: 'A5',
  summary:
    'Votes for every candidate of a term and confirms every leader of an epoch. If the honest nodes are in two halves that cannot reach each other, two candidates lead in one term.',
  aim: 'split',
  needsTopId: false,
  comesLate: false,
  // Each half of the honest nodes and the adversary are a majority.
  stage: () => ({ events: ['honest-halved'], colluders: (nodes) => (nodes % 2 === 0 ? 2 : 1) }),
  unsupportedReason: (protocol) => reasonIn(PROTOCOLS[protocol].doubleVote),
  remains: (protocol) =>
    PROTOCOLS[protocol].family === 'quorum'
      ? 'Two majorities can have one node in common, and two candidates that do not reach each other cannot compare its votes: only larger quorums (2f + 1 of 3f + 1) contain an honest node in common.'
      : null,
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
    init: (self) => ({ inner: machine.init(self), observed: nothingObserved() }),
    step(self, state, event, effects) {
      observeReturn(state.observed, self, event);
      const sender = { byzantineNode, observed: state.observed, effects };
      if (event.type === 'deliver') {
        const { from } = event;
        const said = answers(bodyOf(event.message), from);
        if (said !== null) {
          for (const message of said) sendAs(sender, from, message);
          return;
        }
      }
      const out = intercepted(effects, {
        send(to, message) {
          if (!mutes.includes(message.type)) passOn(sender, to, message);
        },
      });
      machine.step(self, state.inner, event, out);
    },
  };
}
