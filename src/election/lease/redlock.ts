/**
 * @module
 * Leader by a lock on a majority of independent instances: Redlock (S. Sanfilippo; Redis documentation, Distributed
 * Locks with Redis). A candidate asks all instances at once, with a random value. It has the lock if a majority grants
 * it within a time-out, for what is left of the lease since it asked, less the drift of clocks. Otherwise it releases
 * all instances, waits a random delay and tries again. A holder extends its lock on a majority.
 *
 * Redlock has no fencing token (M. Kleppmann, How to do distributed locking, 2016). Its epoch here is an addition: each
 * instance counts its grants, and a candidate takes the highest count of its majority. The counts of instances
 * diverge, so that a majority may not have that count. The candidate then leads only when an EXTEND has raised the count on
 * a majority. What this does not promise: an instance that loses its data counts again from a lower number.
 *
 * Invariants, with the default flags: (1) a node leads only while its lock runs on its own clock, shortened to
 * D(1−ρ)/(1+ρ); (2) so no two live nodes that are not paused lead at one moment; (3) an instance gives an epoch to one
 * holder, and a leader has its epoch on a majority, so that an epoch has one leader under any schedule, and a later one
 * a higher epoch; (4) at most one round is open; (5) a node gives back a grant that it does not wait for.
 *
 * Messages, N instances: 2N a round of ACQUIRE or EXTEND, and at most N to release. Take-over as for lease-local, if no
 * two candidates divide the instances.
 */

import type { FaultRow } from '../definition/fault-row.ts';
import { breaks } from '../definition/fault-row.ts';
import type { Flags, NumberFlags } from '../definition/flags.ts';
import { chosenFlag, faultUnlessBelow, numbersOf } from '../definition/flags.ts';
import { defineProtocol } from '../definition/protocol.ts';
import type { Step } from '../handlers.ts';
import { createMachine } from '../handlers.ts';
import { holderTicks } from '../lease-interval.ts';
import type { Machine, Rank } from '../machine.ts';
import type { Timing } from '../timing.ts';
import { answerTicks } from '../timing.ts';
import { FAULTS_BUT_FAIL_OVER, LEASE, STORE_NUMBERS } from './lease-facts.ts';
import { LEASE_LOCAL_NUMBERS } from './lease-local.ts';
import type { InstanceCall, InstanceReply } from './stores/redlock-instances.ts';
import { createRedlockInstances } from './stores/redlock-instances.ts';
import type { Tenure } from './tenure.ts';
import {
  askTenure,
  begin,
  endTenure,
  follow,
  forgoTenure,
  holdTenure,
  lapse,
  noTenure,
  unfollow,
} from './tenure.ts';

type Answer = {
  readonly granted: boolean;
  /** The node that has the lock instead. */
  readonly holder: Rank | null;
  readonly epoch: number;
};

type Round = {
  request: number;
  /** By instance. Null before its answer. */
  answers: (Answer | null)[];
};

export type RedlockState = {
  /** A node draws its first request number, and in `choosing` the delay for which it then waits. */
  phase: 'off' | 'drawing' | 'choosing' | 'waiting' | 'asking' | 'leading';
  /** The last request number used. */
  request: number;
  /** The lock that it tries to get or has. `value` is the request number of its ACQUIRE. `epoch` is 0 before a majority has granted it. */
  lock: { value: number; epoch: number } | null;
  /** The calls to all instances that are not answered yet. */
  round: Round | null;
  /** The epoch of the leader that it follows. */
  epoch: number;
  tenure: Tenure;
  leader: Rank | null;
};

/**
 * The correct value comes first.
 *
 * - numbering: whether a candidate leads when a majority has its epoch, or as soon as it has computed it. Counts of
 *   several instances diverge (Kleppmann 2016), so that two candidates can compute the same.
 */
const REDLOCK_FLAGS = { numbering: ['raised', 'highest'] } as const;

const REDLOCK_NUMBERS = {
  instances: {
    min: 1,
    max: 15,
    meaning: 'independent instances of the store',
    byDefault: () => 5,
    shortTicks: null,
  },
  ...LEASE_LOCAL_NUMBERS,
  pollTicks: {
    ...LEASE_LOCAL_NUMBERS.pollTicks,
    meaning: 'shortest delay before another attempt, in ticks; the longest is nearly twice as long',
  },
} as const satisfies NumberFlags;

const FAULTS: FaultRow = {
  ...FAULTS_BUT_FAIL_OVER,
  'fail-over': breaks(
    ['S1', 'M'],
    'An instance that has lost its grant grants the lock again, with the same number. Two majorities can then have it.',
  ),
};

export const REDLOCK = defineProtocol({
  name: 'redlock',
  assumes:
    'One leader per epoch asynchronously, over instances that lose no data; one at a time while clocks keep to their drift and no node pauses; to finish, a majority of the instances in reach.',
  messageBound:
    '2N for every round of ACQUIRE or EXTEND to N instances; N RELEASE an attempt that fails',
  messagesAbout: (nodes, flags) => 12 * instancesOf(flags) * nodes,
  entriesAbout: null,
  steadyTicks(timing, flags) {
    const { leaseTicks, pollTicks } = numbersOf(REDLOCK_NUMBERS, timing, flags);
    return 2 * leaseTicks + 2 * pollTicks + answerTicks(timing);
  },
  source:
    'S. Sanfilippo, Distributed Locks with Redis (Redis documentation); M. Kleppmann, How to do distributed locking, 2016; the epoch is an addition',
  flags: REDLOCK_FLAGS,
  numbers: REDLOCK_NUMBERS,
  clash: (numberOf, flags) => faultUnlessBelow(['renewTicks', 'leaseTicks'], numberOf, flags),
  inflation: STORE_NUMBERS,
  counters: [],
  drawnTicks: [],
  symmetry: {
    of: 'members',
    state: ['leader', 'round.answers.*.holder'],
    persisted: [],
    store: { state: ['instances.*.holder'], messages: ['holder'] },
  },
  store: {
    messageTypes: ['ACQUIRE', 'GRANTED', 'REFUSED', 'EXTEND', 'EXTENDED', 'RELEASE'],
    create: (timing, flags) => createRedlockInstances(numbersOf(REDLOCK_NUMBERS, timing, flags)),
  },
  create: createRedlock,
  ...LEASE,
  faults: FAULTS,
});

function instancesOf(flags: Flags = {}): number {
  return Number(flags.instances ?? REDLOCK_NUMBERS.instances.byDefault());
}

interface Settings {
  readonly instances: number;
  readonly majority: number;
  readonly raises: boolean;
  readonly leaseTicks: number;
  /** How long a holder counts its lock. */
  readonly holdTicks: number;
  readonly renewTicks: number;
  readonly pollTicks: number;
  readonly roundTicks: number;
}

type Own = Step<RedlockState, never, Settings>;

/** The machine of every node. Its store are the instances. Throws RangeError for unknown flags. */
export function createRedlock(timing: Timing, flags: Flags = {}): Machine<RedlockState, never> {
  return createMachine<RedlockState, never, Settings, InstanceReply>({
    settings: settingsOf(timing, flags),
    init: () => ({
      phase: 'off',
      request: 0,
      lock: null,
      round: null,
      epoch: 0,
      tenure: noTenure(),
      leader: null,
    }),
    on: {
      start: begin,
      recover: begin,
      chosen(step, value) {
        const { state, effects, settings } = step;
        if (state.phase === 'drawing') {
          state.request = value;
          acquire(step);
        } else if (state.phase === 'choosing') {
          const { pollTicks } = settings;
          state.phase = 'waiting';
          effects.setTimer('poll', pollTicks + Math.floor((pollTicks * value) / DELAYS), false);
        }
      },
      reply: {
        GRANTED(step, { instance, request, epoch }) {
          const { state } = step;
          if (request === state.round?.request) {
            onAnswer(step, instance, { granted: true, holder: null, epoch });
          } else if (isAwake(state) && request !== state.lock?.value) {
            // For an earlier life, or for an attempt that this node has given up.
            giveBack(step, instance, request);
          }
        },
        EXTENDED(step, { instance, request, epoch }) {
          if (request !== step.state.round?.request) return;
          onAnswer(step, instance, { granted: true, holder: null, epoch });
        },
        REFUSED(step, { instance, request, holder, epoch }) {
          if (request !== step.state.round?.request) return;
          onAnswer(step, instance, { granted: false, holder, epoch });
        },
      },
      timeout: {
        'lease-0': onLapse,
        'lease-1': onLapse,
        poll(step) {
          if (step.state.phase === 'waiting') acquire(step);
        },
        renew(step) {
          if (step.state.phase === 'leading' && step.state.round === null) extend(step);
        },
        round(step) {
          if (step.state.round !== null) fail(step);
        },
        holder(step) {
          // The leader has extended its lock no more, as far as this node knows.
          if (step.state.phase !== 'leading') unfollow(step);
        },
      },
    },
  });
}

/** A candidate draws one of this many delays. More of them would multiply the searches of the checker. */
const DELAYS = 8;

function settingsOf(timing: Timing, flags: Flags): Settings {
  const { driftPpm, ...numbers } = numbersOf(REDLOCK_NUMBERS, timing, flags);
  const { instances, leaseTicks } = numbers;
  return {
    ...numbers,
    majority: Math.floor(instances / 2) + 1,
    raises: chosenFlag('numbering', REDLOCK_FLAGS.numbering, flags) === 'raised',
    holdTicks: holderTicks({ leaseTicks, driftPpm }),
    roundTicks: answerTicks(timing),
  };
}

function isAwake({ phase }: RedlockState): boolean {
  return phase !== 'off' && phase !== 'drawing';
}

function onLapse(step: Own, timer: string): void {
  const lapsed = lapse(step.state.tenure, timer);
  if (lapsed === null) return;
  // A lock that the open round grants would be over by now.
  if (lapsed === 'asked' && step.state.phase === 'leading') close(step);
  else giveUp(step);
}

/** A copy of an answer changes nothing. */
function onAnswer(step: Own, instance: number, answer: Answer): void {
  const { state, settings } = step;
  const { answers = [] } = state.round ?? {};
  if (answers[instance] !== null) return;
  answers[instance] = answer;
  const grants = answers.filter((each) => each !== null).filter((each) => each.granted);
  if (grants.length >= settings.majority) succeed(step, grants);
  else if (!answers.includes(null)) fail(step);
}

function succeed(step: Own, grants: readonly Answer[]): void {
  const { lock } = step.state;
  const { raises, majority } = step.settings;
  if (lock === null) return;
  lock.epoch = Math.max(...grants.map(({ epoch }) => epoch));
  const having = grants.filter(({ epoch }) => epoch === lock.epoch).length;
  if (raises && having < majority) extend(step);
  else lead(step, lock.epoch);
}

function lead(step: Own, epoch: number): void {
  const { self, state, effects, settings } = step;
  holdTenure(state.tenure, effects);
  close(step);
  if (state.phase === 'leading') return;
  state.phase = 'leading';
  effects.cancelTimer('holder');
  effects.setTimer('renew', settings.renewTicks, true);
  follow(step, self.rank, epoch);
}

/** No majority has granted the lock, or extended it. Answers that are lost may still come with the next round. */
function fail(step: Own): void {
  const { state, settings } = step;
  const refused = state.round?.answers.filter((answer) => answer?.granted === false) ?? [];
  const canHold = refused.length <= settings.instances - settings.majority;
  if (state.phase === 'leading' && canHold) close(step);
  else giveUp(step);
}

/** Stops leading before it does anything else, releases the lock and waits. */
function giveUp(step: Own): void {
  const { state, effects, settings } = step;
  const { lock, round } = state;
  if (state.phase === 'leading') unfollow(step);
  for (let instance = 0; instance < settings.instances; instance += 1) {
    const isRefused = round?.answers[instance]?.granted === false;
    if (lock !== null && !isRefused) giveBack(step, instance, lock.value);
  }
  close(step);
  endTenure(state.tenure, effects);
  effects.cancelTimer('renew');
  state.lock = null;
  state.phase = 'choosing';
  followReported(step, round?.answers ?? []);
  effects.choose(DELAYS);
}

/** Frees an instance, so that no node waits until its lease runs out. */
function giveBack({ effects }: Own, instance: number, value: number): void {
  const release: InstanceCall = { type: 'RELEASE', instance, value };
  effects.call(release);
}

/** A leader is the node that has the lock of one epoch on a majority. */
function followReported(step: Own, answers: Round['answers']): void {
  const { self, effects, settings } = step;
  const named = answers.find(
    (answer) =>
      answer !== null &&
      answer.holder !== null &&
      answer.holder !== self.rank &&
      answers.filter((other) => other?.holder === answer.holder && other.epoch === answer.epoch)
        .length >= settings.majority,
  );
  if (named?.holder == null) return;
  follow(step, named.holder, named.epoch);
  effects.setTimer('holder', settings.leaseTicks, false);
}

function acquire(step: Own): void {
  const { state } = step;
  state.phase = 'asking';
  const request = open(step);
  state.lock = { value: request, epoch: 0 };
  askAll(step, (instance) => ({ type: 'ACQUIRE', instance, request }));
}

function extend(step: Own): void {
  const { lock } = step.state;
  if (lock === null) return;
  const request = open(step);
  askAll(step, (instance) => ({ type: 'EXTEND', instance, request, ...lock }));
}

/** A lock that this round grants runs from now. */
function open({ state, effects, settings }: Own): number {
  state.request += 1;
  state.round = {
    request: state.request,
    answers: Array.from({ length: settings.instances }, () => null),
  };
  effects.setTimer('round', settings.roundTicks, false);
  askTenure(state.tenure, settings.holdTicks, effects);
  return state.request;
}

function askAll({ effects, settings }: Own, callOf: (instance: number) => InstanceCall): void {
  for (let instance = 0; instance < settings.instances; instance += 1) {
    effects.call(callOf(instance));
  }
}

/** Waits for no answer any longer. */
function close({ state, effects }: Own): void {
  if (state.round === null) return;
  state.round = null;
  effects.cancelTimer('round');
  forgoTenure(state.tenure, effects);
}
