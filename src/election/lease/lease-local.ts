/**
 * @module
 * Leader by a lease on its own clock, from a lease service (C. Gray and D. Cheriton, Leases, SOSP
 * 1989): acquire it, renew it before it runs out, otherwise stop. The class that textbooks print has
 * this form and three mistakes. Each flag restores one of them.
 *
 * Invariants, with the default flags: (1) a node leads only while a lease that it was granted runs on
 * its own clock, shortened to D(1−ρ)/(1+ρ) for clocks that drift by ρ at most; (2) so no two live nodes
 * that are not paused lead at one moment: what a node checked before a pause may be over after it, and
 * only a fence at the resource detects that; (3) an epoch is a grant of the service and has one holder,
 * under any schedule and any flags; (4) at most one call is open, and its copies are equal; (5) a node
 * gives back a grant that it does not wait for.
 *
 * Take-over, no message lost, within D + P + 3Δ of a crash, P the polling period: the last renewal
 * reaches the service (Δ), whose lease runs out D later; the last refused call was sent before, the
 * next starts at most P later and takes 2Δ. Messages: 2 for each poll of a follower and each renewal.
 */

import type { Flags, NumberFlags } from '../definition/flags.ts';
import { chosenFlag, faultUnlessBelow, numbersOf, TICKS } from '../definition/flags.ts';
import { defineProtocol } from '../definition/protocol.ts';
import type { Step } from '../handlers.ts';
import { createMachine } from '../handlers.ts';
import { holderTicks } from '../lease-interval.ts';
import type { Machine, Rank } from '../machine.ts';
import type { Timing } from '../timing.ts';
import { answerTicks } from '../timing.ts';
import { DB_LEASE_NUMBERS } from './db-lease.ts';
import { LEASE, STORE_NUMBERS } from './lease-facts.ts';
import type { ServiceCall, ServiceReply } from './stores/lease-service.ts';
import { createLeaseService } from './stores/lease-service.ts';
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

export type LeaseLocalState = {
  phase: 'off' | 'drawing' | 'asking' | 'leading';
  /** The last request number used. */
  request: number;
  /** The call that is not answered yet. */
  open: (ServiceCall & { readonly request: number }) | null;
  /** The epoch of the leader that it follows. */
  epoch: number;
  tenure: Tenure;
  leader: Rank | null;
};

/**
 * The correct value comes first.
 *
 * - countedFrom: whether a lease runs from the sending of the request or from its answer. By then the
 *   service has counted for as long as the answer travelled.
 * - renewal: whether a renewal counts when the service has confirmed it, or when it is sent.
 * - drift: whether the holder shortens its lease by the drift of clocks.
 */
const LEASE_LOCAL_FLAGS = {
  countedFrom: ['send', 'answer'],
  renewal: ['confirmed', 'assumed'],
  drift: ['corrected', 'ignored'],
} as const;

export const LEASE_LOCAL_NUMBERS = {
  leaseTicks: DB_LEASE_NUMBERS.leaseTicks,
  renewTicks: {
    ...TICKS,
    meaning: 'ticks from one renewal to the next',
    byDefault: (_timing, numberOf) => Math.floor(numberOf('leaseTicks') / 3),
  },
  driftPpm: DB_LEASE_NUMBERS.driftPpm,
  pollTicks: {
    ...TICKS,
    meaning: 'ticks from one attempt to acquire to the next',
    byDefault: DB_LEASE_NUMBERS.pollTicks.byDefault,
  },
} as const satisfies NumberFlags;

export const LEASE_LOCAL = defineProtocol({
  name: 'lease-local',
  assumes:
    'One leader per epoch asynchronously, over a linearizable lease service; one at a time, with the default flags, while clocks keep to their drift and no node pauses; to finish, a service in reach.',
  messageBound: '2 for every RENEW, 3 a lease; 2 for every ACQUIRE of each other node; 1 RELEASE',
  messagesAbout: (nodes) => 8 * nodes,
  entriesAbout: null,
  steadyTicks(timing, flags) {
    const { leaseTicks, pollTicks } = numbersOf(LEASE_LOCAL_NUMBERS, timing, flags);
    return 2 * leaseTicks + pollTicks + answerTicks(timing);
  },
  source:
    'C. Gray and D. Cheriton, Leases: An Efficient Fault-Tolerant Mechanism for Distributed File Cache Consistency, SOSP 1989',
  flags: LEASE_LOCAL_FLAGS,
  numbers: LEASE_LOCAL_NUMBERS,
  clash: (numberOf, flags) => faultUnlessBelow(['renewTicks', 'leaseTicks'], numberOf, flags),
  inflation: STORE_NUMBERS,
  counters: [],
  drawnTicks: [],
  symmetry: {
    of: 'members',
    state: ['leader'],
    persisted: [],
    store: { state: ['holder'], messages: ['holder'] },
  },
  store: {
    messageTypes: ['ACQUIRE', 'GRANTED', 'REFUSED', 'RENEW', 'RELEASE'],
    create: (timing, flags) =>
      createLeaseService(numbersOf(LEASE_LOCAL_NUMBERS, timing, flags).leaseTicks),
  },
  create: createLeaseLocal,
  ...LEASE,
});

interface Settings {
  readonly countsFromAnswer: boolean;
  readonly assumesRenewal: boolean;
  readonly leaseTicks: number;
  /** How long a holder counts its lease. */
  readonly holdTicks: number;
  readonly renewTicks: number;
  readonly pollTicks: number;
  readonly retryTicks: number;
}

type Own = Step<LeaseLocalState, never, Settings>;

/** The machine of every node. Its store is the lease service. Throws RangeError for unknown flags. */
export function createLeaseLocal(
  timing: Timing,
  flags: Flags = {},
): Machine<LeaseLocalState, never> {
  return createMachine<LeaseLocalState, never, Settings, ServiceReply>({
    settings: settingsOf(timing, flags),
    init: () => ({
      phase: 'off',
      request: 0,
      open: null,
      epoch: 0,
      tenure: noTenure(),
      leader: null,
    }),
    on: {
      start: begin,
      recover: begin,
      chosen(step, value) {
        if (step.state.phase !== 'drawing') return;
        step.state.request = value;
        compete(step);
      },
      reply: {
        GRANTED(step, { request, epoch }) {
          const { state } = step;
          if (!isAwake(state)) return;
          if (request === state.open?.request) onGranted(step, epoch);
          // For an earlier life, or for a call that this node has given up.
          else if (state.phase !== 'leading' || epoch !== state.epoch) giveBack(step, epoch);
        },
        REFUSED(step, reply) {
          const { state } = step;
          if (isAwake(state) && reply.request === state.open?.request) onRefused(step, reply);
        },
      },
      timeout: {
        'lease-0': onLapse,
        'lease-1': onLapse,
        poll(step) {
          if (step.state.phase === 'asking' && step.state.open === null) acquire(step);
        },
        renew(step) {
          const { state, settings } = step;
          if (state.phase !== 'leading') return;
          if (state.open === null || settings.assumesRenewal) renew(step);
        },
        retry({ state, effects }) {
          if (state.open !== null) effects.call(state.open);
        },
        holder(step) {
          // As far as it knows its leader has had no lease since.
          if (step.state.phase === 'asking') unfollow(step);
        },
      },
    },
  });
}

function settingsOf(timing: Timing, flags: Flags): Settings {
  const numbers = numbersOf(LEASE_LOCAL_NUMBERS, timing, flags);
  const { leaseTicks, driftPpm } = numbers;
  const { countedFrom, renewal, drift } = LEASE_LOCAL_FLAGS;
  const isCorrected = chosenFlag('drift', drift, flags) === 'corrected';
  return {
    countsFromAnswer: chosenFlag('countedFrom', countedFrom, flags) === 'answer',
    assumesRenewal: chosenFlag('renewal', renewal, flags) === 'assumed',
    leaseTicks,
    holdTicks: isCorrected ? holderTicks({ leaseTicks, driftPpm }) : leaseTicks,
    renewTicks: numbers.renewTicks,
    pollTicks: numbers.pollTicks,
    retryTicks: answerTicks(timing),
  };
}

function isAwake({ phase }: LeaseLocalState): boolean {
  return phase === 'asking' || phase === 'leading';
}

function onLapse(step: Own, timer: string): void {
  const { state } = step;
  const lapsed = lapse(state.tenure, timer);
  if (lapsed === 'held') {
    retire(step);
    giveBack(step, state.epoch);
    compete(step);
  }
  // It is too late to lead by this lease. If it is still granted, it is given back.
  if (lapsed === 'asked') close(step);
}

/** Frees a lease, so that no node waits until it runs out. */
function giveBack({ effects }: Own, epoch: number): void {
  const release: ServiceCall = { type: 'RELEASE', epoch };
  effects.call(release);
}

function onGranted(step: Own, epoch: number): void {
  const { self, state, effects, settings } = step;
  settle(step);
  // This renewal has counted since it was sent.
  if (state.phase === 'leading' && settings.assumesRenewal) return;
  if (settings.countsFromAnswer) askTenure(state.tenure, settings.holdTicks, effects);
  holdTenure(state.tenure, effects);
  if (state.phase === 'leading') return;
  state.phase = 'leading';
  effects.cancelTimer('poll');
  effects.cancelTimer('holder');
  effects.setTimer('renew', settings.renewTicks, true);
  follow(step, self.rank, epoch);
}

function onRefused(step: Own, { holder, epoch }: ServiceReply & { type: 'REFUSED' }): void {
  const { self, state, effects, settings } = step;
  if (state.phase === 'leading') {
    retire(step);
    compete(step);
  } else {
    close(step);
  }
  if (holder === null || holder === self.rank) {
    // A lease of an earlier life, by which no node leads.
    unfollow(step);
  } else {
    follow(step, holder, epoch);
    effects.setTimer('holder', settings.leaseTicks, false);
  }
}

/** Tries to acquire the lease, now and at every poll. */
function compete(step: Own): void {
  step.state.phase = 'asking';
  step.effects.setTimer('poll', step.settings.pollTicks, true);
  acquire(step);
}

function acquire(step: Own): void {
  const { state, effects, settings } = step;
  state.request += 1;
  ask(step, { type: 'ACQUIRE', request: state.request });
  if (!settings.countsFromAnswer) askTenure(state.tenure, settings.holdTicks, effects);
}

function renew(step: Own): void {
  const { state, effects, settings } = step;
  state.request += 1;
  ask(step, { type: 'RENEW', request: state.request, epoch: state.epoch });
  if (settings.assumesRenewal || !settings.countsFromAnswer) {
    askTenure(state.tenure, settings.holdTicks, effects);
  }
  if (settings.assumesRenewal) holdTenure(state.tenure, effects);
}

function ask({ state, effects, settings }: Own, call: ServiceCall & { readonly request: number }) {
  state.open = call;
  effects.setTimer('retry', settings.retryTicks, true);
  effects.call(call);
}

/** The open call is answered. */
function settle({ state, effects }: Own): void {
  state.open = null;
  effects.cancelTimer('retry');
}

/** Waits for no answer any longer. */
function close(step: Own): void {
  if (step.state.open === null) return;
  settle(step);
  forgoTenure(step.state.tenure, step.effects);
}

/** Stops leading before it does anything else. */
function retire(step: Own): void {
  unfollow(step);
  close(step);
  endTenure(step.state.tenure, step.effects);
  step.effects.cancelTimer('renew');
}
