/**
 * @module
 * A node that uses up the numbers of elections: it makes all nodes adopt the last one, 2^53 − 1, above
 * which integers are not exact and no node can stand. Terms, epochs and versions are adopted from any
 * higher one, in the sender's own name, so that no level of authentication prevents it. A bound on each
 * rise does (D. Ongaro, Consensus: Bridging Theory and Practice, 2014, section 4.2.3, on disruption by
 * high terms).
 */

import { reasonIn } from '../../../election/definition/forgery.ts';
import type { AnyMachine, Inflation } from '../../../election/definition/protocol.ts';
import { intercepted } from '../../../election/intercepted.ts';
import { RESOURCE_OPERATIONS } from '../../../election/lease/stores/resource.ts';
import type { Json, Machine, Message } from '../../../election/machine.ts';
import { memberOf } from '../../../election/message-members.ts';
import { PROTOCOLS } from '../../../election/registry.ts';
import { silenceTicks } from '../../../election/timing.ts';
import type { Observed } from '../../forging.ts';
import { bodyOf, nothingObserved, observeReturn } from '../../forging.ts';
import type { ByzantineNode } from '../behaviour.ts';
import { defineBehaviour } from '../behaviour.ts';
import { passOn, sendAs } from '../sender.ts';

export type InflationState = { inner: Json; observed: Observed; begun: boolean };

/** The last integer that JSON carries exactly. */
export const LAST_NUMBER = Number.MAX_SAFE_INTEGER;
export const INFLATION_TIMER = 'byz:term-inflation';

export const TERM_INFLATION = defineBehaviour({
  name: 'term-inflation',
  attack: 'A14',
  summary:
    'Makes others adopt the last term, epoch or version that exists, after which no node can begin another.',
  aim: 'stop',
  needsTopId: false,
  comesLate: false,
  stage: () => ({ episodes: 32 }),
  unsupportedReason: (protocol) => reasonIn(PROTOCOLS[protocol].inflation),
  remains: (protocol) =>
    PROTOCOLS[protocol].store !== null && reasonIn(PROTOCOLS[protocol].inflation) === null
      ? 'The holder of the row writes its version, and the store accepts no version above the last one.'
      : null,
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
    init: (self) => ({ inner: machine.init(self), observed: nothingObserved(), begun: false }),
    step(self, state, event, effects) {
      observeReturn(state.observed, self, event);
      const sender = { byzantineNode, observed: state.observed, effects };
      const sendForged = () => {
        if (sends === null) return;
        for (const member of self.members) {
          if (member !== self.rank) sendAs(sender, member, sends(self.rank, LAST_NUMBER));
        }
      };
      if (event.type === 'timeout' && event.timer === INFLATION_TIMER) {
        sendForged();
        return;
      }
      if (sends !== null && !state.begun && (event.type === 'start' || event.type === 'recover')) {
        state.begun = true;
        // Repeated: it may be lost, and a node that returns without a disk must receive it too.
        effects.setTimer(INFLATION_TIMER, silenceTicks(byzantineNode.timing), true);
        sendForged();
      }
      const out = intercepted(effects, {
        send(to, message) {
          const inflated = raised(message);
          if (inflated === message) passOn(sender, to, message);
          else sendAs(sender, to, bodyOf(inflated));
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
  if (rest.length === 0) return { ...message, [name]: LAST_NUMBER };
  const member = memberOf(message, name);
  if (typeof member !== 'object' || member === null) return message;
  const [inner = ''] = rest;
  return { ...message, [name]: { ...member, [inner]: LAST_NUMBER } };
}
