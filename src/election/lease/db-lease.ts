/**
 * @module
 * Leader by a lease in one row of a database, after the published description of the DynamoDB lock
 * client: whoever sees a version of the row stand still for a whole lease, on its own clock, may write
 * the next one. No clocks are compared, only their drift ρ is bounded. The holder writes the next
 * version three times a lease. The row is all memory there is: nothing is persisted, and a node that
 * restarts reads it; a row that names it while it does not lead is of an earlier life, and it may
 * write at once.
 *
 * Invariants: (1) a lease of D ticks is held for D(1−ρ)/(1+ρ), from the sending of the first copy of
 * the SWAP (C. Gray and D. Cheriton, Leases, SOSP 1989), and waited out for D(1+ρ), from the first
 * sight of the version; (2) so no two live nodes that are not paused lead at one moment; (3) an epoch
 * is the version at acquisition and has one writer, under any schedule, pauses and amnesia included;
 * (4) at most one SWAP is open, and its copies are equal; (5) a version that was seen is never unseen.
 * A pause breaks (2), as what fell due in it is done after it: a holder that gives up a margin before
 * the end of its lease does no harm after a pause no longer than that.
 *
 * Take-over, no message lost, within D(1+ρ) + P + 5Δ of a crash, P the polling period: the last write
 * reaches the row (Δ), the first poll after it starts at most P later and takes 2Δ, the version stands
 * still, the SWAP and its answer take 2Δ. Messages: 2 for each poll of a follower and each SWAP.
 */

import type { FlagFault, Flags, NumberFlags, NumberOf } from '../flags.ts';
import { numbersOf } from '../flags.ts';
import { holderTicks } from '../lease-interval.ts';
import type { Effects, Event, Machine, Message, Rank, Self } from '../machine.ts';
import type { Timing } from '../timing.ts';
import { answerTicks, silenceTicks } from '../timing.ts';
import type { LeaseRow, TableCall, TableReply } from './lease-table.ts';
import type { Tenure } from './tenure.ts';
import { askTenure, endTenure, forgoTenure, holdTenure, lapse, noTenure } from './tenure.ts';

export type DbLeaseState = {
  phase: 'off' | 'drawing' | 'reading' | 'leading';
  /** The last request number used. */
  request: number;
  /** The newest version seen, 0 for no row, and its epoch. */
  version: number;
  epoch: number;
  /** Nobody's lease is in that version any more: it may be written over. */
  free: boolean;
  /** The row that it has asked to write, unanswered. */
  open: LeaseRow | null;
  tenure: Tenure;
  leader: Rank | null;
};

export const DB_LEASE_NUMBERS = {
  leaseTicks: {
    min: 3,
    max: 1_000_000_000,
    meaning: 'ticks of a lease',
    byDefault: silenceTicks,
  },
  driftPpm: {
    min: 0,
    max: 500_000,
    meaning: 'how far a clock may drift, in millionths',
    byDefault: () => 10_000,
  },
  pollTicks: {
    min: 1,
    max: 1_000_000_000,
    meaning: 'ticks from one reading of the row to the next',
    // A look that is not answered before the next is lost on it.
    byDefault: (timing, numberOf) =>
      Math.max(answerTicks(timing), Math.floor(numberOf('leaseTicks') / 10)),
  },
  marginTicks: {
    min: 0,
    max: 1_000_000_000,
    meaning: 'ticks before the end of its lease at which a holder gives up',
    byDefault: () => 0,
  },
} as const satisfies NumberFlags;

/** A margin that leaves no time for a renewal: nobody would lead for longer than one lease. */
export function dbLeaseClash(numberOf: NumberOf): FlagFault | null {
  const [leaseTicks, margin] = [numberOf('leaseTicks'), numberOf('marginTicks')];
  const held = holderTicks({ leaseTicks, driftPpm: numberOf('driftPpm') });
  const most = Math.max(0, held - renewTicks(leaseTicks) - 1);
  if (margin <= most) return null;
  const purpose = `so that a lease of leaseTicks ${leaseTicks} is renewed before it is given up`;
  return { flag: 'marginTicks', detail: `must be at most ${most}, ${purpose}, not ${margin}` };
}

/**
 * The first request number is drawn below this, as TCP draws its first sequence number (RFC 9293,
 * section 3.4.1): no answer to an earlier life of the node is taken for one to this.
 */
export const REQUESTS_BELOW = 2 ** 32;

const MILLION = 1_000_000;

interface Ticks {
  readonly hold: number;
  readonly wait: number;
  readonly renew: number;
  readonly poll: number;
  readonly retry: number;
}

interface Step {
  readonly ticks: Ticks;
  readonly self: Self;
  readonly state: DbLeaseState;
  readonly effects: Effects<Message>;
}

/** The machine of every node; its store is the lease table. Throws RangeError for foreign flags. */
export function createDbLease(timing: Timing, flags: Flags = {}): Machine<DbLeaseState, Message> {
  const numbers = numbersOf(DB_LEASE_NUMBERS, timing, flags);
  const { leaseTicks, driftPpm, pollTicks, marginTicks } = numbers;
  const ticks = {
    hold: holderTicks({ leaseTicks, driftPpm }) - marginTicks,
    wait: Math.ceil((leaseTicks * (MILLION + driftPpm)) / MILLION),
    renew: renewTicks(leaseTicks),
    poll: pollTicks,
    retry: answerTicks(timing),
  };
  return {
    init: initDbLease,
    step: (self, state, event, effects) => stepDbLease({ ticks, self, state, effects }, event),
  };
}

function renewTicks(leaseTicks: number): number {
  return Math.floor(leaseTicks / 3);
}

function initDbLease(): DbLeaseState {
  return {
    phase: 'off',
    request: 0,
    version: 0,
    epoch: 0,
    free: true,
    open: null,
    tenure: noTenure(),
    leader: null,
  };
}

function stepDbLease(step: Step, event: Event<Message>): void {
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
      read(step);
      break;
    case 'timeout':
      onTimeout(step, event.timer);
      break;
    case 'reply':
      if (isRow(event.value) && isAwake(state)) onRow(step, event.value.row);
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

/** A driver hands on what the store says, and this store has one word. */
function isRow(value: Message): value is TableReply {
  return value.type === 'ROW';
}

function isAwake({ phase }: DbLeaseState): boolean {
  return phase === 'reading' || phase === 'leading';
}

function onTimeout(step: Step, timer: string): void {
  const { state, effects } = step;
  if (!isAwake(state)) return;
  const lapsed = lapse(state.tenure, timer);
  if (lapsed === 'held') {
    retire(step);
    read(step);
  }
  // Too late to lead by it, should it still be written: then the row will name this node.
  if (lapsed === 'asked') close(step);
  if (timer === 'still' && state.phase === 'reading' && !state.free) {
    state.free = true;
    unfollow(step);
    if (state.open === null) swap(step, state.version + 1);
  }
  if (timer === 'poll' && state.phase === 'reading' && state.open === null) {
    effects.call({ type: 'READ' });
  }
  if (timer === 'renew' && state.phase === 'leading' && state.open === null) {
    swap(step, state.epoch);
  }
  if (timer === 'retry' && state.open !== null) callSwap(state.open, effects);
}

/** The row as it is, or was: an answer may have been overtaken. */
function onRow(step: Step, row: LeaseRow | null): void {
  const { ticks, self, state, effects } = step;
  if (row !== null && row.request === state.open?.request && row.holder === self.rank) {
    onWritten(step, row);
    return;
  }
  const version = row?.version ?? 0;
  if (version === state.version && state.free && state.open === null) {
    if (state.phase === 'reading') swap(step, version + 1);
    return;
  }
  if (row === null || version <= state.version) return;
  // What is open expects an older version, and will never be written.
  if (state.phase === 'leading') {
    retire(step);
    poll(step);
  } else {
    close(step);
  }
  state.free = row.holder === self.rank;
  if (state.free) {
    note(state, row);
    swap(step, version + 1);
  } else {
    effects.setTimer('still', ticks.wait, false);
    follow(step, row);
  }
}

/** The row says what this node has asked it to say, whichever answer brought the news. */
function onWritten(step: Step, row: LeaseRow): void {
  const { ticks, state, effects } = step;
  state.open = null;
  effects.cancelTimer('retry');
  holdTenure(state.tenure, effects);
  follow(step, row);
  if (state.phase === 'leading') return;
  state.phase = 'leading';
  state.free = false;
  effects.cancelTimer('poll');
  effects.cancelTimer('still');
  effects.setTimer('renew', ticks.renew, true);
}

function note(state: DbLeaseState, { version, epoch }: LeaseRow): void {
  state.version = version;
  state.epoch = epoch;
}

/** Asks to write the version after the newest seen. */
function swap({ ticks, self, state, effects }: Step, epoch: number): void {
  state.request += 1;
  state.open = {
    holder: self.rank,
    version: state.version + 1,
    epoch,
    request: state.request,
  };
  askTenure(state.tenure, ticks.hold, effects);
  effects.setTimer('retry', ticks.retry, true);
  callSwap(state.open, effects);
}

function callSwap(row: LeaseRow, effects: Effects<Message>): void {
  const swap: TableCall = { type: 'SWAP', expected: row.version - 1, row };
  effects.call(swap);
}

/** Waits for no answer any more. */
function close({ state, effects }: Step): void {
  if (state.open === null) return;
  state.open = null;
  effects.cancelTimer('retry');
  forgoTenure(state.tenure, effects);
}

/** Leads no more, before it does anything else. The row is this node's own, so it may claim it again. */
function retire(step: Step): void {
  unfollow(step);
  close(step);
  endTenure(step.state.tenure, step.effects);
  step.effects.cancelTimer('renew');
  step.state.free = true;
}

function read(step: Step): void {
  poll(step);
  step.effects.call({ type: 'READ' });
}

function poll({ ticks, state, effects }: Step): void {
  state.phase = 'reading';
  effects.setTimer('poll', ticks.poll, true);
}

/** Follows the row's holder, itself perhaps. */
function follow({ state, effects }: Step, row: LeaseRow): void {
  const isNews = row.holder !== state.leader || row.epoch !== state.epoch;
  note(state, row);
  state.leader = row.holder;
  if (isNews) effects.elect(row.holder, row.epoch);
}

function unfollow({ state, effects }: Step): void {
  if (state.leader === null) return;
  state.leader = null;
  effects.stepDown();
}
