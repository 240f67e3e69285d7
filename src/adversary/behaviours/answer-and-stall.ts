/**
 * @module
 * A node that does everything to be the one that everybody waits for, and then says nothing: it
 * answers OK and never announces, halts others and never installs itself, is voted for and never leads.
 * Every word it says is true and its own, so authentication is no help; what is, is to stop waiting
 * for a node that has failed to announce itself so many times, or a rival's higher term.
 */

import { intercepted } from '../../election/intercepted.ts';
import type { Json, Machine, Message } from '../../election/machine.ts';
import type { AnyMachine } from '../../election/protocol.ts';
import type { ProtocolName } from '../../election/registry.ts';
import type { Hand } from '../forging.ts';
import { bodyOf, emptyHand, heedReturn } from '../forging.ts';
import type { Behaviour, ByzantineNode } from './behaviour.ts';
import { fieldsOf } from './message-parts.ts';
import { passOn, speak } from './voice.ts';

export type StallState = { inner: Json; hand: Hand };

interface Stall {
  /** What it never says. */
  readonly withheld: readonly string[];
  /** Timers after which it stands, and for which it does not wait. */
  readonly hastened: readonly string[];
}

const OF_RINGS =
  'nobody on a ring waits for one node in particular; who keeps a message to itself swallows it';
const OF_STORES = 'the store says who leads; who leads and does nothing hogs its lease';
const NEVER_ANNOUNCES: Stall = { withheld: ['COORDINATOR'], hastened: [] };

/** Or why it cannot be done. */
const STALLS: Readonly<Record<ProtocolName, Stall | string>> = {
  'bully-oneshot': NEVER_ANNOUNCES,
  'bully-gm82': { withheld: ['NEW_COORDINATOR', 'READY'], hastened: [] },
  'bully-2phase': { withheld: ['ANNOUNCE'], hastened: [] },
  'bully-nextinline': NEVER_ANNOUNCES,
  'bully-improved': NEVER_ANNOUNCES,
  'bully-modified': NEVER_ANNOUNCES,
  'ring-lelann': OF_RINGS,
  'ring-collect': OF_RINGS,
  'ring-maxtoken': OF_RINGS,
  'cr-join': OF_RINGS,
  'cr-replace': OF_RINGS,
  'cr-always': OF_RINGS,
  'ring-attr': OF_RINGS,
  'hs-wake': OF_RINGS,
  'hs-slide': OF_RINGS,
  peterson: OF_RINGS,
  'peterson-prose': OF_RINGS,
  'ring-robust': OF_RINGS,
  'ring-robust:peterson': OF_RINGS,
  'itai-rodeh': OF_RINGS,
  raft: { withheld: ['HEARTBEAT'], hastened: ['election'] },
  // Its renewals tell followers who leads: it asks as if it had no lease yet.
  'quorum-lease': { withheld: ['MASTER'], hastened: ['attempt'] },
  'zk-slide-quorum': { withheld: ['COMMIT'], hastened: ['check'] },
  'zab-fle': { withheld: ['NEWEPOCH'], hastened: [] },
  'db-lease': OF_STORES,
  'lease-local': OF_STORES,
  'zk-recipe': OF_STORES,
};

export const ANSWER_AND_STALL: Behaviour = {
  name: 'answer-and-stall',
  attack: 'A7',
  summary:
    'Makes everybody wait for it, by the answers and votes that an honest winner gives and takes, and never announces itself.',
  aim: 'stop',
  needsTopId: true,
  unsupportedReason(protocol) {
    const stall = STALLS[protocol];
    return typeof stall === 'string' ? stall : null;
  },
  corrupt: createStalling,
};

function createStalling(
  machine: AnyMachine,
  byzantineNode: ByzantineNode,
): Machine<StallState, Message> {
  const stall = STALLS[byzantineNode.protocol];
  const { withheld, hastened } = typeof stall === 'string' ? { withheld: [], hastened: [] } : stall;
  return {
    init: (self) => ({ inner: machine.init(self), hand: emptyHand() }),
    step(self, state, event, effects) {
      const speaker = { byzantineNode, hand: state.hand, effects };
      heedReturn(state.hand, self, event);
      const out = intercepted(effects, {
        send(to, message) {
          if (withheld.includes(message.type)) return;
          const { leads } = fieldsOf(message);
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
