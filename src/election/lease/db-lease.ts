/**
 * @module
 * Leader by a lease in one row of a database, after the published description of the DynamoDB lock
 * client. A node that sees a version of the row unchanged for a whole lease, on its own clock, may write
 * the next one. No clocks are compared, and only their drift ρ is bounded. The holder writes the next
 * version three times a lease. The row is the only memory: nothing is persisted, and a node that
 * restarts reads it. A row that names a node that does not lead is of an earlier life of that node,
 * which may write at once. A row with request 0 gives the lease to no node. The driver of a node wrote it, because the store
 * had lost rows (stores/lease-table.ts). (The lock client draws a new name for each life, which waits like every other node,
 * and draws the versions that are counted here.)
 *
 * Invariants: (1) a lease of D ticks, which its row states, is held for D(1−ρ)/(1+ρ), from the sending of
 * the first copy of the SWAP (C. Gray and D. Cheriton, Leases, SOSP 1989), and waited out for D(1+ρ), from
 * the first sight of the version; (2) so no two live nodes that are not paused lead at one moment; (3) an epoch
 * is the version at acquisition and has one writer, under any schedule, pauses and amnesia included;
 * (4) at most one SWAP is open, and its copies are equal; (5) a node forgets no version that it saw.
 * A pause breaks (2), because overdue timers fire after it. A holder that gives up a margin before the
 * end of its lease does no harm after a pause no longer than that.
 *
 * Take-over, no message lost, within D(1+ρ) + P + 5Δ of a crash, P the polling period: the last write
 * reaches the row (Δ), the first poll after it starts at most P later and takes 2Δ, the version does
 * not change, the SWAP and its answer take 2Δ. Messages: 2 for each poll of a follower and each SWAP.
 */

import { breaks } from '../definition/fault-row.ts';
import type { FlagFault, Flags, NumberFlags, NumberOf } from '../definition/flags.ts';
import { numbersOf, TICKS } from '../definition/flags.ts';
import { defineProtocol } from '../definition/protocol.ts';
import type { Step } from '../handlers.ts';
import { createMachine } from '../handlers.ts';
import { holderTicks } from '../lease-interval.ts';
import type { Machine, Rank } from '../machine.ts';
import type { Timing } from '../timing.ts';
import { answerTicks, silenceTicks } from '../timing.ts';
import { FAULTS_BUT_FAIL_OVER, LEASE } from './lease-facts.ts';
import type { LeaseRow, TableCall, TableReply } from './stores/lease-table.ts';
import { createLeaseTable } from './stores/lease-table.ts';
import type { Tenure } from './tenure.ts';
import {
  askTenure,
  begin,
  endTenure,
  forgoTenure,
  holdTenure,
  lapse,
  noTenure,
  unfollow,
} from './tenure.ts';

export type DbLeaseState = {
  phase: 'off' | 'drawing' | 'reading' | 'leading';
  /** The last request number used. */
  request: number;
  /** The newest version seen, 0 for no row, and its epoch. */
  version: number;
  epoch: number;
  /** The lease of that version is over, so that the row may be overwritten. */
  free: boolean;
  /** The row that it has asked to write and has no answer about. */
  open: LeaseRow | null;
  tenure: Tenure;
  leader: Rank | null;
};

export const DB_LEASE_NUMBERS = {
  leaseTicks: {
    ...TICKS,
    min: 3,
    meaning: 'ticks of a lease',
    byDefault: silenceTicks,
    shortTicks: 60,
  },
  driftPpm: {
    min: 0,
    max: 500_000,
    meaning: 'how far a clock may drift, in millionths',
    byDefault: () => 10_000,
    shortTicks: null,
  },
  pollTicks: {
    ...TICKS,
    meaning: 'ticks from one reading of the row to the next',
    // An answer that arrives after the next reading is of no use.
    byDefault: (timing, numberOf) =>
      Math.max(answerTicks(timing), Math.floor(numberOf('leaseTicks') / 10)),
  },
  marginTicks: {
    ...TICKS,
    min: 0,
    meaning: 'ticks before the end of its lease at which a holder gives up',
    byDefault: () => 0,
  },
} as const satisfies NumberFlags;

export const DB_LEASE = defineProtocol({
  name: 'db-lease',
  assumes:
    'One leader per epoch asynchronously, over a linearizable store; one at a time while clocks keep to their drift and no node pauses; to finish, a store in reach.',
  messageBound:
    '2 for every SWAP, of which a holder makes 3 a lease and a candidate 1; 2 for every READ of each other node',
  messagesAbout: (nodes) => 8 * nodes,
  entriesAbout: null,
  steadyTicks(timing, flags) {
    const { leaseTicks, pollTicks } = numbersOf(DB_LEASE_NUMBERS, timing, flags);
    return 2 * leaseTicks + pollTicks + answerTicks(timing);
  },
  source:
    "Amazon Web Services, Building Distributed Locks with the DynamoDB Lock Client, 2017, and Leader election in distributed systems (Builders' Library), 2019; C. Gray and D. Cheriton, Leases, SOSP 1989; versions are counted, and a node keeps its name",
  flags: {},
  numbers: DB_LEASE_NUMBERS,
  clash: marginClash,
  // The next writer must write a higher version.
  inflation: { sends: null, raises: { type: 'SWAP', path: ['row', 'version'] } },
  counters: [],
  drawnTicks: [],
  symmetry: {
    of: 'members',
    state: ['leader', 'open.holder'],
    persisted: [],
    store: { state: ['row.holder'], messages: ['row.holder'] },
  },
  store: { messageTypes: ['READ', 'ROW', 'SWAP'], create: createLeaseTable },
  create: createDbLease,
  ...LEASE,
  faults: {
    ...FAULTS_BUT_FAIL_OVER,
    // A live node can raise the versions (docs/stores.md). The modelled machine waits for a version that it has not seen.
    'fail-over': breaks(
      ['S1', 'M'],
      'Versions are written twice: a repeated SWAP finds its version in the row of another node. Nodes then follow an earlier epoch. A node forgets no version, so that no node may lead again.',
      { splits: true, rarely: ['S5'] },
    ),
  },
});

/** Refuses a margin that leaves no time for a renewal: no node would lead for longer than one lease. */
function marginClash(numberOf: NumberOf): FlagFault | null {
  const [leaseTicks, margin] = [numberOf('leaseTicks'), numberOf('marginTicks')];
  const held = holderTicks({ leaseTicks, driftPpm: numberOf('driftPpm') });
  const most = Math.max(0, held - renewTicks(leaseTicks) - 1);
  if (margin <= most) return null;
  const purpose = `so that a lease of leaseTicks ${leaseTicks} is renewed before it is given up`;
  return { flag: 'marginTicks', detail: `must be at most ${most}, ${purpose}, not ${margin}` };
}

const MILLION = 1_000_000;

interface Ticks {
  readonly lease: number;
  readonly hold: number;
  readonly driftPpm: number;
  readonly renew: number;
  readonly poll: number;
  readonly retry: number;
}

type Own = Step<DbLeaseState, never, Ticks>;

/** The machine of every node. Its store is the lease table. Throws RangeError for unknown flags. */
export function createDbLease(timing: Timing, flags: Flags = {}): Machine<DbLeaseState, never> {
  const numbers = numbersOf(DB_LEASE_NUMBERS, timing, flags);
  const { leaseTicks, driftPpm, pollTicks, marginTicks } = numbers;
  return createMachine<DbLeaseState, never, Ticks, TableReply>({
    settings: {
      lease: leaseTicks,
      hold: holderTicks({ leaseTicks, driftPpm }) - marginTicks,
      driftPpm,
      renew: renewTicks(leaseTicks),
      poll: pollTicks,
      retry: answerTicks(timing),
    },
    init: () => ({
      phase: 'off',
      request: 0,
      version: 0,
      epoch: 0,
      free: true,
      open: null,
      tenure: noTenure(),
      leader: null,
    }),
    on: {
      start: begin,
      recover: begin,
      chosen(step, value) {
        if (step.state.phase !== 'drawing') return;
        step.state.request = value;
        read(step);
      },
      reply: {
        ROW(step, { row }) {
          const { phase } = step.state;
          if (phase === 'reading' || phase === 'leading') onRow(step, row);
        },
      },
      timeout: {
        'lease-0': onLapse,
        'lease-1': onLapse,
        still(step) {
          const { state } = step;
          if (state.phase !== 'reading' || state.free) return;
          state.free = true;
          unfollow(step);
          if (state.open === null) swap(step, state.version + 1);
        },
        poll({ state, effects }) {
          if (state.phase === 'reading' && state.open === null) effects.call({ type: 'READ' });
        },
        renew(step) {
          const { state } = step;
          if (state.phase === 'leading' && state.open === null) swap(step, state.epoch);
        },
        retry(step) {
          if (step.state.open !== null) callSwap(step, step.state.open);
        },
      },
    },
  });
}

/** Time for which a row must stay unchanged until its lease is over on any clock within the drift, in ticks. */
function waitTicks({ leaseTicks }: LeaseRow, { driftPpm }: Ticks): number {
  return Math.ceil((leaseTicks * (MILLION + driftPpm)) / MILLION);
}

function renewTicks(leaseTicks: number): number {
  return Math.floor(leaseTicks / 3);
}

function onLapse(step: Own, timer: string): void {
  const lapsed = lapse(step.state.tenure, timer);
  if (lapsed === 'held') {
    retire(step);
    read(step);
  }
  // If the row is still written, it is too late to lead by it: then the row will name this node.
  if (lapsed === 'asked') close(step);
}

/** The row as it is, or was: an answer may be out of date. */
function onRow(step: Own, row: LeaseRow | null): void {
  const { self, state, effects, settings } = step;
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
  // The open SWAP expects an older version, and will never be written.
  if (state.phase === 'leading') {
    retire(step);
    poll(step);
  } else {
    close(step);
  }
  const isHeld = row.request > 0;
  state.free = isHeld && row.holder === self.rank;
  if (state.free) {
    note(state, row);
    swap(step, version + 1);
    return;
  }
  effects.setTimer('still', waitTicks(row, settings), false);
  if (isHeld) {
    follow(step, row);
  } else {
    note(state, row);
    unfollow(step);
  }
}

/** The row is the one that this node has asked to write, whichever answer it arrived with. */
function onWritten(step: Own, row: LeaseRow): void {
  const { state, effects, settings } = step;
  state.open = null;
  effects.cancelTimer('retry');
  holdTenure(state.tenure, effects);
  follow(step, row);
  if (state.phase === 'leading') return;
  state.phase = 'leading';
  state.free = false;
  effects.cancelTimer('poll');
  effects.cancelTimer('still');
  effects.setTimer('renew', settings.renew, true);
}

function note(state: DbLeaseState, { version, epoch }: LeaseRow): void {
  state.version = version;
  state.epoch = epoch;
}

/** Asks to write the version after the newest seen. */
function swap(step: Own, epoch: number): void {
  const { self, state, effects, settings } = step;
  state.request += 1;
  state.open = {
    holder: self.rank,
    version: state.version + 1,
    epoch,
    request: state.request,
    leaseTicks: settings.lease,
  };
  askTenure(state.tenure, settings.hold, effects);
  effects.setTimer('retry', settings.retry, true);
  callSwap(step, state.open);
}

function callSwap({ effects }: Own, row: LeaseRow): void {
  const swap: TableCall = { type: 'SWAP', expected: row.version - 1, row };
  effects.call(swap);
}

/** Waits for no answer any longer. */
function close({ state, effects }: Own): void {
  if (state.open === null) return;
  state.open = null;
  effects.cancelTimer('retry');
  forgoTenure(state.tenure, effects);
}

/** Stops leading before it does anything else. It wrote the row itself, so that it may claim it again. */
function retire(step: Own): void {
  unfollow(step);
  close(step);
  endTenure(step.state.tenure, step.effects);
  step.effects.cancelTimer('renew');
  step.state.free = true;
}

function read(step: Own): void {
  poll(step);
  step.effects.call({ type: 'READ' });
}

function poll({ state, effects, settings }: Own): void {
  state.phase = 'reading';
  effects.setTimer('poll', settings.poll, true);
}

/** Follows the row's holder, which may be itself. */
function follow({ state, effects }: Own, row: LeaseRow): void {
  const isChange = row.holder !== state.leader || row.epoch !== state.epoch;
  note(state, row);
  state.leader = row.holder;
  if (isChange) effects.elect(row.holder, row.epoch);
}
