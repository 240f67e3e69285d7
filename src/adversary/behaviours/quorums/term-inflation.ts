/**
 * @module
 * A node that uses up the numbers of elections: it makes everybody take over the last there is, 2^53 − 1,
 * beyond which integers are not exact and nobody can stand. Terms, epochs and versions are taken from
 * whoever says a higher one, in its own name, so every level of authentication lets it; a bound on how
 * far a number may rise at once does not (D. Ongaro, Consensus: Bridging Theory and Practice, 2014,
 * section 4.2.3, on servers that disrupt by high terms alone).
 */

import { reasonIn } from '../../../election/definition/forgery.ts';
import type { AnyMachine, Inflation } from '../../../election/definition/protocol.ts';
import { intercepted } from '../../../election/intercepted.ts';
import { RESOURCE_OPERATIONS } from '../../../election/lease/stores/resource.ts';
import type { Json, Machine, Message } from '../../../election/machine.ts';
import { memberOf } from '../../../election/message-members.ts';
import { PROTOCOLS } from '../../../election/registry.ts';
import { silenceTicks } from '../../../election/timing.ts';
import type { Hand } from '../../forging.ts';
import { bodyOf, emptyHand, heedReturn } from '../../forging.ts';
import type { ByzantineNode } from '../behaviour.ts';
import { defineBehaviour } from '../behaviour.ts';
import { passOn, speak } from '../voice.ts';

export type InflationState = { inner: Json; hand: Hand; begun: boolean };

/** The last number that is told from the one before it. */
export const LAST_NUMBER = Number.MAX_SAFE_INTEGER;
export const INFLATION_TIMER = 'byz:term-inflation';

export const TERM_INFLATION = defineBehaviour({
  name: 'term-inflation',
  attack: 'A14',
  summary:
    'Makes others take over the last term, epoch or version that there is, after which nobody can begin another.',
  aim: 'stop',
  needsTopId: false,
  stage: () => ({ episodes: 32 }),
  unsupportedReason: (protocol) => reasonIn(PROTOCOLS[protocol].inflation),
  wrap: createInflating,
});

const NO_INFLATION: Inflation = { sends: null, raises: null };

function createInflating(
  machine: AnyMachine,
  byzantineNode: ByzantineNode,
): Machine<InflationState, Message> {
  const { inflation } = PROTOCOLS[byzantineNode.protocol];
  const { sends, raises } = typeof inflation === 'string' ? NO_INFLATION : inflation;
  const raised = (message: Message): Message => {
    if (RESOURCE_OPERATIONS.includes(message.type)) return raisedAt(message, ['epoch']);
    return raises?.type === message.type ? raisedAt(message, raises.path) : message;
  };
  return {
    init: (self) => ({ inner: machine.init(self), hand: emptyHand(), begun: false }),
    step(self, state, event, effects) {
      heedReturn(state.hand, self, event);
      const speaker = { byzantineNode, hand: state.hand, effects };
      const say = () => {
        if (sends === null) return;
        for (const member of self.members) {
          if (member !== self.rank) speak(speaker, member, sends(self.rank, LAST_NUMBER));
        }
      };
      if (event.type === 'timeout' && event.timer === INFLATION_TIMER) {
        say();
        return;
      }
      if (sends !== null && !state.begun && (event.type === 'start' || event.type === 'recover')) {
        state.begun = true;
        // Again and again: it may be lost, and whoever returns without a disk is to hear it too.
        effects.setTimer(INFLATION_TIMER, silenceTicks(byzantineNode.timing), true);
        say();
      }
      const out = intercepted(effects, {
        send(to, message) {
          const inflated = raised(message);
          if (inflated === message) passOn(speaker, to, message);
          else speak(speaker, to, bodyOf(inflated));
        },
        call: (operation) => effects.call(raised(operation)),
      });
      machine.step(self, state.inner, event, out);
    },
  };
}

/** A copy in which the member at the end of the path is the last number. */
function raisedAt(message: Message, path: readonly string[]): Message {
  const [name = '', ...rest] = path;
  if (rest.length === 0) return { ...message, ...{ [name]: LAST_NUMBER } };
  const member = memberOf(message, name);
  if (typeof member !== 'object' || member === null) return message;
  const [inner = ''] = rest;
  return { ...message, ...{ [name]: { ...member, [inner]: LAST_NUMBER } } };
}
