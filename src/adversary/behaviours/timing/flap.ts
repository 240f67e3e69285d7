/**
 * @module
 * A node that seems to crash and to return, again and again: it falls silent, forgets everything except
 * its disk, and recovers as an honest node would. With the highest rank each return causes an election,
 * and so does each silence that a detector notices: an election storm. All that it signs is true, so that
 * no level of authentication stops it. Back-off and incumbency do, if honest nodes enforce them.
 */

import type { AnyMachine } from '../../../election/definition/protocol.ts';
import { intercepted } from '../../../election/intercepted.ts';
import type { Event, Json, Machine, Message, Self } from '../../../election/machine.ts';
import { PROTOCOLS } from '../../../election/registry.ts';
import { ringElectionTicks, silenceTicks } from '../../../election/timing.ts';
import type { ByzantineNode, WrappingStep } from '../behaviour.ts';
import { defineBehaviour } from '../behaviour.ts';
import { detectorStage } from './heartbeat-forger.ts';

export type FlapState = {
  inner: Json;
  /** Null before it has been started. */
  phase: 'up' | 'down' | null;
  /** What the machine persisted last. */
  kept: Json;
  /** Timers of the machine that are set: a crash takes them away. */
  timers: string[];
};

export const FLAP_TIMER = 'byz:flap';

export const FLAP = defineBehaviour({
  name: 'flap',
  attack: 'A6',
  summary:
    'Falls silent and returns as if it had crashed, again and again. Each return of a top ID and each silence that is noticed causes another election.',
  aim: 'stop',
  needsTopId: true,
  comesLate: true,
  stage: (protocol) => ({ ...detectorStage(protocol, 'fd-heartbeat'), episodes: 20 }),
  unsupportedReason: () => null,
  remains: (protocol) =>
    PROTOCOLS[protocol].family === 'groups'
      ? 'A coordinator that returns may invite all other groups again.'
      : null,
  wrap: createFlapping,
});

/**
 * Ticks up and ticks down alike: time for an election and for it to be noticed, whatever the protocol.
 */
export function flapTicks(self: Self, { timing }: Pick<ByzantineNode, 'timing'>): number {
  return 2 * silenceTicks(timing) + ringElectionTicks(timing, self.ringNodes);
}

function createFlapping(
  machine: AnyMachine,
  byzantineNode: ByzantineNode,
): Machine<FlapState, Message> {
  return {
    init: (self) => ({ inner: machine.init(self), phase: null, kept: null, timers: [] }),
    step: (self, state, event, effects) => {
      step({ machine, byzantineNode, self, state, effects }, event);
    },
  };
}

type Step = WrappingStep<FlapState>;

function step(context: Step, event: Event<Message>): void {
  const { state } = context;
  if (event.type === 'timeout' && event.timer === FLAP_TIMER) {
    if (state.phase === 'down') rise(context);
    else if (state.phase === 'up') fall(context);
    return;
  }
  if (event.type === 'recover') state.kept = event.persisted;
  if (state.phase === null && (event.type === 'start' || event.type === 'recover')) {
    state.phase = 'up';
    setFlap(context);
  }
  if (state.phase !== 'down') stepInner(context, event);
}

/** Falls silent. Leader, timers and the messages that arrive from now on are lost, as in a crash. */
function fall(context: Step): void {
  const { state, effects } = context;
  state.phase = 'down';
  for (const timer of state.timers) effects.cancelTimer(timer);
  state.timers = [];
  effects.stepDown();
  setFlap(context);
}

function rise(context: Step): void {
  const { machine, self, state } = context;
  state.phase = 'up';
  state.inner = machine.init(self);
  setFlap(context);
  stepInner(context, { type: 'recover', persisted: state.kept });
}

function setFlap({ byzantineNode, self, effects }: Step): void {
  effects.setTimer(FLAP_TIMER, flapTicks(self, byzantineNode), false);
}

function stepInner({ machine, self, state, effects }: Step, event: Event<Message>): void {
  const forget = (timer: string) => {
    state.timers = state.timers.filter((each) => each !== timer);
  };
  const watched = intercepted(effects, {
    setTimer(timer, ticks, periodic) {
      if (!state.timers.includes(timer)) state.timers.push(timer);
      effects.setTimer(timer, ticks, periodic);
    },
    cancelTimer(timer) {
      forget(timer);
      effects.cancelTimer(timer);
    },
    persist(fields) {
      state.kept = fields;
      effects.persist(fields);
    },
  });
  machine.step(self, state.inner, event, watched);
}
