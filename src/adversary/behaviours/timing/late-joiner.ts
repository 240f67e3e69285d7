/**
 * @module
 * A node that stays out of an election until it is over and then outbids the winner: every Bully and every
 * ring gives way to the highest rank. Its rank and its messages are its own. A membership that is frozen
 * before the election stops it, or a leader that stays until the next one. On a ring it passes on what it
 * receives, unchanged, because otherwise the ring would be broken.
 */

import type { AnyMachine } from '../../../election/definition/protocol.ts';
import { isDetectorType } from '../../../election/detectors/detector.ts';
import { intercepted } from '../../../election/intercepted.ts';
import type { Event, Json, Machine, Message, Self } from '../../../election/machine.ts';
import { PROTOCOLS } from '../../../election/registry.ts';
import { announcementTicks, ringElectionTicks } from '../../../election/timing.ts';
import type { Observed } from '../../forging.ts';
import { bodyOf, nothingObserved, observe, observeReturn } from '../../forging.ts';
import type { ByzantineNode, WrappingStep } from '../behaviour.ts';
import { defineBehaviour } from '../behaviour.ts';
import { passOn, sendAs } from '../sender.ts';

export type LateJoinerState = {
  inner: Json;
  observed: Observed;
  phase: 'out' | 'in';
  /** The timer runs at whose end it joins. */
  waiting: boolean;
  /** What was on its disk, if it has returned. */
  returned: { readonly persisted: Json } | null;
};

export const JOIN_TIMER = 'byz:late-joiner';

export const LATE_JOINER = defineBehaviour({
  name: 'late-joiner',
  attack: 'A2b',
  summary: 'Stays out until the election is over and then outbids the winner.',
  aim: 'lead',
  needsTopId: true,
  comesLate: true,
  stage: () => ({}),
  unsupportedReason(protocol) {
    return PROTOCOLS[protocol].elects === 'any'
      ? 'it may elect any member, so that a higher ID outbids no leader'
      : null;
  },
  remains: () => null,
  wrap: createJoiningLate,
});

/** Twice the longest election, of a Bully as of a ring. */
export function keepingOutTicks(self: Self, { timing }: Pick<ByzantineNode, 'timing'>): number {
  return 2 * (announcementTicks(timing) + ringElectionTicks(timing, self.ringNodes));
}

function createJoiningLate(
  machine: AnyMachine,
  byzantineNode: ByzantineNode,
): Machine<LateJoinerState, Message> {
  return {
    init: (self) => ({
      inner: machine.init(self),
      observed: nothingObserved(),
      phase: 'out',
      waiting: false,
      returned: null,
    }),
    step(self, state, event, effects) {
      observeReturn(state.observed, self, event);
      step({ machine, byzantineNode, self, state, effects }, event);
    },
  };
}

type Step = WrappingStep<LateJoinerState>;

function step(context: Step, event: Event<Message>): void {
  const { byzantineNode, self, state, effects } = context;
  if (state.phase === 'in') {
    stepInner(context, event);
    return;
  }
  if (event.type === 'timeout' && event.timer === JOIN_TIMER) {
    state.phase = 'in';
    const { returned } = state;
    stepInner(context, returned === null ? { type: 'start' } : { type: 'recover', ...returned });
    return;
  }
  if (event.type === 'recover') state.returned = { persisted: event.persisted };
  if (event.type === 'deliver') handOn(context, event);
  if (state.waiting) return;
  state.waiting = true;
  effects.setTimer(JOIN_TIMER, keepingOutTicks(self, byzantineNode), false);
}

/** Passes a message on as if the ring had been closed around it, in both directions. */
function handOn(
  { byzantineNode, self, state, effects }: Step,
  { from, message }: Event<Message> & { readonly type: 'deliver' },
): void {
  if (PROTOCOLS[byzantineNode.protocol].family !== 'ring' || isDetectorType(message.type)) return;
  const [successor] = self.successors;
  const to = from === successor ? self.predecessor : successor;
  if (to === undefined || to === self.rank) return;
  const sender = { byzantineNode, observed: state.observed, effects };
  // With the candidacies that it was shown.
  observe(state.observed, byzantineNode, { from, sealed: message });
  sendAs(sender, to, bodyOf(message));
}

function stepInner({ machine, byzantineNode, self, state, effects }: Step, event: Event<Message>) {
  const sender = { byzantineNode, observed: state.observed, effects };
  const out = intercepted(effects, { send: (to, message) => passOn(sender, to, message) });
  machine.step(self, state.inner, event, out);
}
