/**
 * @module
 * A node that makes all others wait for it and then sends nothing more: it answers OK and never announces
 * itself, halts others and never installs itself, receives votes and never leads. Each of its messages is
 * its own and correct, so that authentication does not help. The remedies are to stop waiting for a node
 * that has failed to announce itself several times, and a rival's higher term.
 */

import { reasonIn } from '../../../election/definition/forgery.ts';
import type { AnyMachine } from '../../../election/definition/protocol.ts';
import { intercepted } from '../../../election/intercepted.ts';
import type { Json, Machine, Message } from '../../../election/machine.ts';
import { memberOf } from '../../../election/message-members.ts';
import { PROTOCOLS } from '../../../election/registry.ts';
import type { Observed } from '../../forging.ts';
import { bodyOf, nothingObserved, observeReturn } from '../../forging.ts';
import type { ByzantineNode } from '../behaviour.ts';
import { defineBehaviour } from '../behaviour.ts';
import { passOn, sendAs } from '../sender.ts';

export type StallState = { inner: Json; observed: Observed };

export const ANSWER_AND_STALL = defineBehaviour({
  name: 'answer-and-stall',
  attack: 'A7',
  summary:
    'Makes all nodes wait for it by the answers and votes of an honest winner, and never announces itself.',
  aim: 'stop',
  needsTopId: true,
  comesLate: false,
  stage: () => ({}),
  unsupportedReason: (protocol) => reasonIn(PROTOCOLS[protocol].stall),
  remains: (protocol) =>
    PROTOCOLS[protocol].family === 'quorum' && !PROTOCOLS[protocol].isRanked
      ? 'Voters give their vote to the first candidate of a term and cannot know that it will not lead: it is the first in every term.'
      : null,
  wrap: createStalling,
});

function createStalling(
  machine: AnyMachine,
  byzantineNode: ByzantineNode,
): Machine<StallState, Message> {
  const { stall } = PROTOCOLS[byzantineNode.protocol];
  const { withheld, hastened } = typeof stall === 'string' ? { withheld: [], hastened: [] } : stall;
  return {
    init: (self) => ({ inner: machine.init(self), observed: nothingObserved() }),
    step(self, state, event, effects) {
      const sender = { byzantineNode, observed: state.observed, effects };
      observeReturn(state.observed, self, event);
      const out = intercepted(effects, {
        send(to, message) {
          if (withheld.includes(message.type)) return;
          const leads = memberOf(message, 'leads');
          if (leads === true) sendAs(sender, to, { ...bodyOf(message), ...FIRST_REQUEST });
          else passOn(sender, to, message);
        },
        setTimer: (timer, ticks, periodic) =>
          effects.setTimer(timer, hastened.includes(timer) ? 1 : ticks, periodic),
        elect(leader, epoch) {
          if (leader !== self.rank) effects.elect(leader, epoch);
        },
      });
      machine.step(self, state.inner, event, out);
    },
  };
}

const FIRST_REQUEST = { leads: false };
