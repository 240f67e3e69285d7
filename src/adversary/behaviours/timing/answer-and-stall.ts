/**
 * @module
 * A node that does everything to be the one that everybody waits for, and then says nothing: it
 * answers OK and never announces, halts others and never installs itself, is voted for and never leads.
 * Every word it says is true and its own, so authentication is no help; what is, is to stop waiting
 * for a node that has failed to announce itself so many times, or a rival's higher term.
 */

import { reasonIn } from '../../../election/definition/forgery.ts';
import type { AnyMachine } from '../../../election/definition/protocol.ts';
import { intercepted } from '../../../election/intercepted.ts';
import type { Json, Machine, Message } from '../../../election/machine.ts';
import { memberOf } from '../../../election/message-members.ts';
import { PROTOCOLS } from '../../../election/registry.ts';
import type { Hand } from '../../forging.ts';
import { bodyOf, emptyHand, heedReturn } from '../../forging.ts';
import type { ByzantineNode } from '../behaviour.ts';
import { defineBehaviour } from '../behaviour.ts';
import { passOn, speak } from '../voice.ts';

export type StallState = { inner: Json; hand: Hand };

export const ANSWER_AND_STALL = defineBehaviour({
  name: 'answer-and-stall',
  attack: 'A7',
  summary:
    'Makes everybody wait for it, by the answers and votes that an honest winner gives and takes, and never announces itself.',
  aim: 'stop',
  needsTopId: true,
  stage: () => ({}),
  unsupportedReason: (protocol) => reasonIn(PROTOCOLS[protocol].stall),
  wrap: createStalling,
});

function createStalling(
  machine: AnyMachine,
  byzantineNode: ByzantineNode,
): Machine<StallState, Message> {
  const { stall } = PROTOCOLS[byzantineNode.protocol];
  const { withheld, hastened } = typeof stall === 'string' ? { withheld: [], hastened: [] } : stall;
  return {
    init: (self) => ({ inner: machine.init(self), hand: emptyHand() }),
    step(self, state, event, effects) {
      const speaker = { byzantineNode, hand: state.hand, effects };
      heedReturn(state.hand, self, event);
      const out = intercepted(effects, {
        send(to, message) {
          if (withheld.includes(message.type)) return;
          const leads = memberOf(message, 'leads');
          if (leads === true) speak(speaker, to, { ...bodyOf(message), ...FIRST_REQUEST });
          else passOn(speaker, to, message);
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
