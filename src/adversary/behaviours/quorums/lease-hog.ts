/**
 * @module
 * A leader by lease that only renews its lease, never gives it back, and later stops renewing and acts as
 * if the lease had not expired. An honest holder observes the end of its lease by its own clock (C. Gray,
 * D. Cheriton, Leases, SOSP 1989), which no signature proves, so that two nodes lead at once at every
 * level of authentication. Only fencing at the resource rejects its late writes (M. Burrows, The Chubby
 * lock service, OSDI 2006, section 2.4).
 */

import type { AnyMachine } from '../../../election/definition/protocol.ts';
import { isDetectorType } from '../../../election/detectors/detector.ts';
import { intercepted } from '../../../election/intercepted.ts';
import { RESOURCE_OPERATIONS } from '../../../election/lease/stores/resource.ts';
import type { Effects, Event, Json, Machine, Message, Self } from '../../../election/machine.ts';
import { PROTOCOLS } from '../../../election/registry.ts';
import type { Timing } from '../../../election/timing.ts';
import { silenceTicks } from '../../../election/timing.ts';
import type { EffectRecord } from '../../../election/world/effect-record.ts';
import { copyJson } from '../../../election/world/plain-json.ts';
import type { ByzantineNode, WrappingStep } from '../behaviour.ts';
import { defineBehaviour } from '../behaviour.ts';

export type HogState = {
  inner: Json;
  /**
   * Honest until it leads; then `hogging`, renewing without working; then `overstaying`, working
   * without renewing.
   */
  phase: 'honest' | 'hogging' | 'overstaying';
};

export const HOG_TIMER = 'byz:lease-hog';

export const LEASE_HOG = defineBehaviour({
  name: 'lease-hog',
  attack: 'A15',
  summary:
    'Renews its lease without working, never gives it back, and continues to act after the lease has expired.',
  aim: 'outlive-lease',
  needsTopId: false,
  comesLate: false,
  stage: () => ({ events: ['adversary-first', 'leaders-write'] }),
  unsupportedReason: (protocol) => (PROTOCOLS[protocol].leases ? null : 'no node leads by a lease'),
  remains: () => null,
  wrap: createHogging,
});

/** For how long it hogs: several leases. */
export function hoggingTicks(timing: Timing): number {
  return 4 * silenceTicks(timing);
}

function createHogging(
  machine: AnyMachine,
  byzantineNode: ByzantineNode,
): Machine<HogState, Message> {
  return {
    init: (self) => ({ inner: machine.init(self), phase: 'honest' }),
    step(self, state, event, effects) {
      step({ machine, byzantineNode, self, state, effects }, event);
    },
  };
}

type Step = WrappingStep<HogState>;

function step(context: Step, event: Event<Message>): void {
  const { machine, self, state } = context;
  if (event.type === 'timeout' && event.timer === HOG_TIMER) {
    if (state.phase === 'hogging') state.phase = 'overstaying';
    return;
  }
  const dryRun = stepOnCopy(machine, self, state.inner, event);
  if (state.phase !== 'honest' && endsReign(dryRun)) {
    // It ignores the event: no lease is left to renew.
    state.phase = 'overstaying';
    return;
  }
  state.inner = dryRun.state;
  const out = hogging(context);
  for (const { carryOut } of dryRun.effects) carryOut(out);
}

function hogging({ byzantineNode, self, state, effects }: Step): Effects<Message> {
  return intercepted(effects, {
    send(to, message) {
      if (state.phase !== 'overstaying' || isDetectorType(message.type)) effects.send(to, message);
    },
    call(operation) {
      const isWork = RESOURCE_OPERATIONS.includes(operation.type);
      if (state.phase === 'hogging' && (isWork || operation.type === 'RELEASE')) return;
      if (state.phase === 'overstaying' && !isWork) return;
      effects.call(operation);
    },
    elect(leader, epoch) {
      effects.elect(leader, epoch);
      if (leader !== self.rank || state.phase !== 'honest') return;
      state.phase = 'hogging';
      effects.setTimer(HOG_TIMER, hoggingTicks(byzantineNode.timing), false);
    },
  });
}

/**
 * A step of a machine on a copy of its state, with effects that are not carried out yet, so that a Byzantine node
 * can look at a step before it takes it. Machines are pure, so that a step that is dropped changes nothing.
 */
interface DryRun {
  /** The state after the step. */
  readonly state: Json;
  readonly effects: readonly Pending[];
}

/** An effect that has not been carried out, and what it is called in a trace. */
interface Pending {
  readonly type: EffectRecord['type'];
  readonly carryOut: (effects: Effects<Message>) => void;
}

/** What a step would do; `state` is left as it is. */
function stepOnCopy(machine: AnyMachine, self: Self, state: Json, event: Event<Message>): DryRun {
  const copy = copyJson(state);
  const effects: Pending[] = [];
  const add = (type: Pending['type'], carryOut: Pending['carryOut']) => {
    effects.push({ type, carryOut });
  };
  machine.step(self, copy, event, {
    send: (to, message) => add('send', (out) => out.send(to, message)),
    setTimer: (timer, ticks, periodic) =>
      add('set-timer', (out) => out.setTimer(timer, ticks, periodic)),
    cancelTimer: (timer) => add('cancel-timer', (out) => out.cancelTimer(timer)),
    choose: (below) => add('choose', (out) => out.choose(below)),
    persist: (fields) => add('persist', (out) => out.persist(fields)),
    call: (operation) => add('call', (out) => out.call(operation)),
    elect: (leader, epoch) =>
      add(leader === self.rank ? 'elect' : 'step-down', (out) => out.elect(leader, epoch)),
    stepDown: () => add('step-down', (out) => out.stepDown()),
    accuse: (evidence) => add('accuse', (out) => out.accuse(evidence)),
    respond: (value) => add('respond', (out) => out.respond(value)),
  });
  return { state: copy, effects };
}

/** Whether the machine would lead no more after it. */
function endsReign({ effects }: DryRun): boolean {
  return effects.some(({ type }) => type === 'step-down');
}
