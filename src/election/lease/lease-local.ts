/**
 * @module
 * Leader by a lease on its own clock, from a lease service (C. Gray and D. Cheriton, Leases, SOSP
 * 1989): acquire, renew before it runs out, else stop. The class that textbooks print has this form and
 * three flaws, each of which a flag puts back.
 *
 * Invariants, with the flags' defaults: (1) a node leads only while a lease that it was granted runs on
 * its own clock, shortened to D(1−ρ)/(1+ρ) for clocks that drift by ρ at most; (2) so no two live nodes
 * that are not paused lead at one moment: what it checked before a pause may be over after it, which
 * only a fence at the resource catches; (3) an epoch is a grant of the service and has one holder,
 * under any schedule and any flags; (4) at most one call is open, and its copies are equal; (5) a
 * grant that nobody waits for is given back.
 *
 * Take-over, no message lost, within D + P + 3Δ of a crash, P the polling period: the last renewal
 * reaches the service (Δ), whose lease runs out D later; the last call refused was sent before, the
 * next starts at most P later and takes 2Δ. Messages: 2 for each poll of a follower and each renewal.
 */

import type { Flags, NumberFlags } from '../flags.ts';
import { chosenFlag, numbersOf } from '../flags.ts';
import { holderTicks } from '../lease-interval.ts';
import type { Effects, Event, Machine, Message, Rank, Self } from '../machine.ts';
import type { Timing } from '../timing.ts';
import { answerTicks } from '../timing.ts';
import { DB_LEASE_NUMBERS, REQUESTS_BELOW } from './db-lease.ts';
import type { ServiceCall, ServiceReply } from './lease-service.ts';
import type { Tenure } from './tenure.ts';
import { askTenure, endTenure, forgoTenure, holdTenure, lapse, noTenure } from './tenure.ts';

export type LeaseLocalState = {
  phase: 'off' | 'drawing' | 'asking' | 'leading';
  /** The last request number used. */
  request: number;
  /** The call that is unanswered. */
  open: (ServiceCall & { readonly request: number }) | null;
  /** Of the leader followed. */
  epoch: number;
  tenure: Tenure;
  leader: Rank | null;
};

/**
 * The sound choice first.
 *
 * - countedFrom: whether a lease runs from the sending of the request or from its answer, by when the
 *   service has counted for as long as the answer travelled.
 * - renewal: whether a renewal counts once the service has confirmed it, or when it is asked for.
 * - drift: whether the holder shortens its lease by what the clocks may drift.
 */
export const LEASE_LOCAL_FLAGS = {
  countedFrom: ['send', 'answer'],
  renewal: ['confirmed', 'assumed'],
  drift: ['corrected', 'ignored'],
} as const;

export const LEASE_LOCAL_NUMBERS = {
  leaseTicks: DB_LEASE_NUMBERS.leaseTicks,
  renewTicks: {
    min: 1,
    max: 1_000_000_000,
    meaning: 'ticks from one renewal to the next',
    byDefault: (_timing, numberOf) => Math.floor(numberOf('leaseTicks') / 3),
  },
  driftPpm: DB_LEASE_NUMBERS.driftPpm,
  pollTicks: {
    min: 1,
    max: 1_000_000_000,
    meaning: 'ticks from one attempt to acquire to the next',
    byDefault: DB_LEASE_NUMBERS.pollTicks.byDefault,
  },
} as const satisfies NumberFlags;

interface Ways {
  readonly countsFromAnswer: boolean;
  readonly assumesRenewal: boolean;
  readonly ticks: {
    readonly lease: number;
    /** What a holder counts. */
    readonly hold: number;
    readonly renew: number;
    readonly poll: number;
    readonly retry: number;
  };
}

interface Step {
  readonly ways: Ways;
  readonly self: Self;
  readonly state: LeaseLocalState;
  readonly effects: Effects<Message>;
}

/** The machine of every node; its store is the lease service. Throws RangeError for foreign flags. */
export function createLeaseLocal(
  timing: Timing,
  flags: Flags = {},
): Machine<LeaseLocalState, Message> {
  const { leaseTicks, renewTicks, driftPpm, pollTicks } = numbersOf(
    LEASE_LOCAL_NUMBERS,
    timing,
    flags,
  );
  const { countedFrom, renewal, drift } = LEASE_LOCAL_FLAGS;
  const isCorrected = chosenFlag('drift', drift, flags) === 'corrected';
  const ways = {
    countsFromAnswer: chosenFlag('countedFrom', countedFrom, flags) === 'answer',
    assumesRenewal: chosenFlag('renewal', renewal, flags) === 'assumed',
    ticks: {
      lease: leaseTicks,
      hold: isCorrected ? holderTicks({ leaseTicks, driftPpm }) : leaseTicks,
      renew: renewTicks,
      poll: pollTicks,
      retry: answerTicks(timing),
    },
  };
  return {
    init: initLeaseLocal,
    step: (self, state, event, effects) => stepLeaseLocal({ ways, self, state, effects }, event),
  };
}

function initLeaseLocal(): LeaseLocalState {
  return { phase: 'off', request: 0, open: null, epoch: 0, tenure: noTenure(), leader: null };
}

function stepLeaseLocal(step: Step, event: Event<Message>): void {
  const { state, effects } = step;
  switch (event.type) {
    case 'start':
    case 'recover':
      if (state.phase !== 'off') break;
      state.phase = 'drawing';
      effects.choose(REQUESTS_BELOW);
      break;
    case 'chosen':
      if (state.phase !== 'drawing') break;
      state.request = event.value;
      compete(step);
      break;
    case 'timeout':
      onTimeout(step, event.timer);
      break;
    case 'reply':
      if (isServiceReply(event.value) && isAwake(state)) onReply(step, event.value);
      break;
    case 'deliver':
    case 'suspect':
    case 'trust':
    case 'join':
    case 'leave':
    case 'request':
      break;
    default:
      event satisfies never;
  }
}

/** A driver hands on what the store says, and this store has two words. */
function isServiceReply(value: Message): value is ServiceReply {
  return value.type === 'GRANTED' || value.type === 'REFUSED';
}

function isAwake({ phase }: LeaseLocalState): boolean {
  return phase === 'asking' || phase === 'leading';
}

function onTimeout(step: Step, timer: string): void {
  const { state, effects } = step;
  if (!isAwake(state)) return;
  const lapsed = lapse(state.tenure, timer);
  if (lapsed === 'held') {
    retire(step);
    giveBack(step, state.epoch);
    compete(step);
  }
  // Too late to lead by it: should it be granted still, it is given back.
  if (lapsed === 'asked') close(step);
  if (timer === 'poll' && state.phase === 'asking' && state.open === null) acquire(step);
  if (timer === 'renew' && state.phase === 'leading') {
    if (state.open === null || step.ways.assumesRenewal) renew(step);
  }
  if (timer === 'retry' && state.open !== null) effects.call(state.open);
  // Whoever it follows has had no lease that it knows of since.
  if (timer === 'holder' && state.phase === 'asking') unfollow(step);
}

function onReply(step: Step, reply: ServiceReply): void {
  const { state } = step;
  switch (reply.type) {
    case 'GRANTED':
      if (reply.request === state.open?.request) onGranted(step, reply.epoch);
      // Of an earlier life, or of a call that it has given up.
      else if (!leadsIn(state, reply.epoch)) giveBack(step, reply.epoch);
      break;
    case 'REFUSED':
      if (reply.request === state.open?.request) onRefused(step, reply);
      break;
    default:
      reply satisfies never;
  }
}

function leadsIn({ phase, epoch }: LeaseLocalState, granted: number): boolean {
  return phase === 'leading' && granted === epoch;
}

/** Nobody is to wait until it runs out. */
function giveBack({ effects }: Step, epoch: number): void {
  const release: ServiceCall = { type: 'RELEASE', epoch };
  effects.call(release);
}

function onGranted(step: Step, epoch: number): void {
  const { ways, self, state, effects } = step;
  const { ticks } = ways;
  settle(step);
  // It has taken this for granted.
  if (state.phase === 'leading' && ways.assumesRenewal) return;
  if (ways.countsFromAnswer) askTenure(state.tenure, ticks.hold, effects);
  holdTenure(state.tenure, effects);
  if (state.phase === 'leading') return;
  state.phase = 'leading';
  effects.cancelTimer('poll');
  effects.cancelTimer('holder');
  effects.setTimer('renew', ticks.renew, true);
  follow(step, self.rank, epoch);
}

function onRefused(step: Step, { holder, epoch }: ServiceReply & { type: 'REFUSED' }): void {
  const { ways, self, state, effects } = step;
  if (state.phase === 'leading') {
    retire(step);
    compete(step);
  } else {
    close(step);
  }
  if (holder === null || holder === self.rank) {
    // The lease of an earlier life: nobody leads by it.
    unfollow(step);
  } else {
    follow(step, holder, epoch);
    effects.setTimer('holder', ways.ticks.lease, false);
  }
}

/** Tries to acquire the lease, now and every so often. */
function compete(step: Step): void {
  step.state.phase = 'asking';
  step.effects.setTimer('poll', step.ways.ticks.poll, true);
  acquire(step);
}

function acquire(step: Step): void {
  const { ways, state } = step;
  state.request += 1;
  ask(step, { type: 'ACQUIRE', request: state.request });
  if (!ways.countsFromAnswer) askTenure(state.tenure, ways.ticks.hold, step.effects);
}

function renew(step: Step): void {
  const { ways, state, effects } = step;
  state.request += 1;
  ask(step, { type: 'RENEW', request: state.request, epoch: state.epoch });
  if (ways.assumesRenewal || !ways.countsFromAnswer) {
    askTenure(state.tenure, ways.ticks.hold, effects);
  }
  if (ways.assumesRenewal) holdTenure(state.tenure, effects);
}

function ask({ ways, state, effects }: Step, call: ServiceCall & { readonly request: number }) {
  state.open = call;
  effects.setTimer('retry', ways.ticks.retry, true);
  effects.call(call);
}

/** Its call is answered. */
function settle({ state, effects }: Step): void {
  state.open = null;
  effects.cancelTimer('retry');
}

/** Waits for no answer any more. */
function close(step: Step): void {
  if (step.state.open === null) return;
  settle(step);
  forgoTenure(step.state.tenure, step.effects);
}

/** Leads no more, before it does anything else. */
function retire(step: Step): void {
  unfollow(step);
  close(step);
  endTenure(step.state.tenure, step.effects);
  step.effects.cancelTimer('renew');
}

function follow({ state, effects }: Step, leader: Rank, epoch: number): void {
  if (leader === state.leader && epoch === state.epoch) return;
  state.leader = leader;
  state.epoch = epoch;
  effects.elect(leader, epoch);
}

function unfollow({ state, effects }: Step): void {
  if (state.leader === null) return;
  state.leader = null;
  effects.stepDown();
}
