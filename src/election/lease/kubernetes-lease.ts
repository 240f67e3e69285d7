/**
 * @module
 * Leader by a Kubernetes Lease, as client-go's package leaderelection (2015 to 2026) elects one. The Lease is the row of
 * db-lease: `holder` is holderIdentity, `version` resourceVersion, `epoch` leaseTransitions + 1, and `leaseTicks`
 * leaseDurationSeconds. An update is a compare-and-set of resourceVersion. acquireTime and renewTime are left out, because
 * client-go does not read them. A candidate reads the Lease every RetryPeriod, and up to JitterFactor times RetryPeriod
 * later. It may overwrite a Lease that has not changed for its duration on the candidate's own clock (observedTime). The
 * holder renews every RetryPeriod. If no attempt of a round succeeds within RenewDeadline, it stops. The process then ends,
 * and the next one has a new identity, which waits like every other. The duration of the holder is shortened by no drift:
 * the tolerance is the ratio of LeaseDuration to RenewDeadline.
 *
 * Invariants: (1) an epoch has one holder, under any schedule, pauses and amnesia included; (2) a holder whose renewal takes
 * effect at t stops by t + d + RetryPeriod + RenewDeadline if the answer takes d, and no other starts before
 * t + LeaseDuration, so that (3) no two live nodes that are not paused lead at one moment while clocks run equally fast and
 * d is at most LeaseDuration − RenewDeadline − RetryPeriod, which is 3 s by default. A call may take callTimeout, which is
 * 5 s by default, so that two can lead for 2 s. (4) At most one call is open. A call that is given up may still take effect.
 *
 * Take-over, no message lost, within LeaseDuration + 2 W + 6Δ of a crash, with W the longest wait, 2.2 RetryPeriod: the last
 * renewal takes effect (Δ), the first reading after it starts at most W + 2Δ later, the Lease expires, the next reading
 * starts at most W later, and it and the update take 4Δ. Messages: 2 for each reading and each update.
 */

import { breaks, live } from '../definition/fault-row.ts';
import type { FlagFault, Flags, NumberFlags, NumberOf } from '../definition/flags.ts';
import { chosenFlag, faultUnlessBelow, numbersOf, TICKS } from '../definition/flags.ts';
import { defineProtocol } from '../definition/protocol.ts';
import type { Step } from '../handlers.ts';
import { createMachine } from '../handlers.ts';
import type { Machine, Rank } from '../machine.ts';
import type { Timing } from '../timing.ts';
import { answerTicks, silenceTicks } from '../timing.ts';
import { LEASE } from './lease-facts.ts';
import type { LeaseRow, TableCall, TableReply } from './stores/lease-table.ts';
import { createLeaseTable } from './stores/lease-table.ts';
import { begin, follow, unfollow } from './tenure.ts';

export type KubernetesLeaseState = {
  phase: 'off' | 'drawing' | 'acquiring' | 'leading';
  /** The last request number used. */
  request: number;
  /** The requests of its present identity have higher numbers. */
  identity: number;
  observedRecord: LeaseRow | null;
  /** The observed record has not changed for its duration. */
  expired: boolean;
  /** What has no answer yet: the call to read the Lease, the call to write this one, or the choice of a wait. */
  open: 'get' | LeaseRow | 'jitter' | null;
  /** The epoch of the leader that it follows. */
  epoch: number;
  /** RenewDeadline is over, and the open call decides. */
  overdue: boolean;
  leader: Rank | null;
};

/**
 * The present form comes first.
 *
 * - hang: whether RenewDeadline and callTimeout end a call that hangs (kubernetes/kubernetes#65094, 2018).
 * - expiry: whether a candidate waits for the duration that the Lease states, or for its own (kubernetes/kubernetes#114872,
 *   2023).
 * - releaseOnCancel: whether a holder that stops gives the Lease up.
 */
const KUBERNETES_LEASE_FLAGS = {
  hang: ['bounded', 'unbounded'],
  expiry: ['record', 'own'],
  releaseOnCancel: ['false', 'true'],
} as const;

const KUBERNETES_LEASE_NUMBERS = {
  leaseDuration: {
    ...TICKS,
    min: 3,
    meaning: 'ticks without a change after which a candidate overwrites the Lease; 15 s by default',
    byDefault: silenceTicks,
    shortTicks: 75,
  },
  renewDeadline: {
    ...TICKS,
    meaning: 'ticks for which a holder tries to renew; 10 s by default',
    byDefault: (_timing, numberOf) => Math.floor((numberOf('leaseDuration') * 10) / 15),
  },
  retryPeriod: {
    ...TICKS,
    meaning: 'ticks between two attempts; 2 s by default',
    byDefault: (_timing, numberOf) => Math.max(1, Math.floor((numberOf('leaseDuration') * 2) / 15)),
  },
  callTimeout: {
    ...TICKS,
    meaning: 'ticks after which the client gives up a call; 5 s by default',
    byDefault: (_timing, numberOf) => Math.max(1, Math.floor(numberOf('renewDeadline') / 2)),
  },
} as const satisfies NumberFlags;

const { reorder: _reorder, delay: _delay, 'clock-skew': _skew, ...SHARED_FAULTS } = LEASE.faults;

export const KUBERNETES_LEASE = defineProtocol({
  name: 'kubernetes-lease',
  assumes:
    'One leader per epoch asynchronously, over a linearizable store; one at a time while an answer takes at most leaseDuration − renewDeadline − retryPeriod, clocks run equally fast and no node pauses; to finish, a store in reach.',
  messageBound:
    '2 for every SWAP, of which a holder makes 1 a retryPeriod and a candidate 1; 2 for every READ of each other node',
  messagesAbout: (nodes) => 8 * nodes,
  entriesAbout: null,
  steadyTicks(timing, flags) {
    const { leaseDuration, retryPeriod } = numbersOf(KUBERNETES_LEASE_NUMBERS, timing, flags);
    return 2 * leaseDuration + 3 * retryPeriod + answerTicks(timing);
  },
  source:
    'kubernetes/client-go, tools/leaderelection/leaderelection.go, 2026; client timeout: kubernetes/kubernetes#95646, 2020',
  flags: KUBERNETES_LEASE_FLAGS,
  numbers: KUBERNETES_LEASE_NUMBERS,
  clash,
  // In the model a writer names the version. The API server of Kubernetes does.
  inflation: 'the store numbers the versions, and no node compares leaseTransitions',
  counters: [],
  drawnTicks: [],
  symmetry: {
    of: 'members',
    state: ['leader', 'observedRecord.holder', 'open.holder'],
    persisted: [],
    store: { state: ['row.holder'], messages: ['row.holder'] },
  },
  store: { messageTypes: ['READ', 'ROW', 'SWAP'], create: createLeaseTable },
  create: createKubernetesLease,
  ...LEASE,
  faults: {
    ...SHARED_FAULTS,
    reorder: live('As delay.'),
    delay: live('A call that takes too long is given up, and may still take effect.'),
    'clock-skew': breaks(
      ['M'],
      'A clock that is slower than the ratio of leaseDuration to renewDeadline allows makes a lease longer.',
    ),
  },
});

/** What NewLeaderElector of client-go refuses. */
function clash(numberOf: NumberOf, flags: Flags): FlagFault | null {
  const fault = faultUnlessBelow(['renewDeadline', 'leaseDuration'], numberOf, flags);
  const [deadline, least] = [numberOf('renewDeadline'), JITTER_FACTOR * numberOf('retryPeriod')];
  if (fault !== null || deadline > least) return fault;
  const detail = `must be more than ${JITTER_FACTOR} retryPeriod, which is ${least}, not ${deadline}`;
  return { flag: flags.renewDeadline === undefined ? 'retryPeriod' : 'renewDeadline', detail };
}

const JITTER_FACTOR = 1.2;
/** A candidate draws one of this many equal parts of JitterFactor times RetryPeriod, or none of them. */
const JITTER_PARTS = 6;
/** The duration of a Lease that its holder has released. No node has such a lease. */
const RELEASED_TICKS = 1;

interface Settings {
  readonly leaseDuration: number;
  readonly renewDeadline: number;
  readonly retryPeriod: number;
  readonly callTimeout: number;
  readonly isBounded: boolean;
  readonly waitsOwn: boolean;
  readonly releases: boolean;
}

type Own = Step<KubernetesLeaseState, never, Settings>;

/** The machine of every node. Its store is the lease table. Throws RangeError for unknown flags. */
export function createKubernetesLease(
  timing: Timing,
  flags: Flags = {},
): Machine<KubernetesLeaseState, never> {
  const { hang, expiry, releaseOnCancel } = KUBERNETES_LEASE_FLAGS;
  return createMachine<KubernetesLeaseState, never, Settings, TableReply>({
    settings: {
      ...numbersOf(KUBERNETES_LEASE_NUMBERS, timing, flags),
      isBounded: chosenFlag('hang', hang, flags) === 'bounded',
      waitsOwn: chosenFlag('expiry', expiry, flags) === 'own',
      releases: chosenFlag('releaseOnCancel', releaseOnCancel, flags) === 'true',
    },
    init: () => ({
      phase: 'off',
      request: 0,
      identity: 0,
      observedRecord: null,
      expired: false,
      open: null,
      epoch: 0,
      overdue: false,
      leader: null,
    }),
    on: {
      start: begin,
      recover: begin,
      chosen(step, value) {
        const { state, effects, settings } = step;
        if (state.phase === 'drawing') {
          Object.assign(state, { phase: 'acquiring', request: value, identity: value });
          tryAcquireOrRenew(step);
        } else if (state.open === 'jitter') {
          state.open = null;
          const jitter = (JITTER_FACTOR * settings.retryPeriod * value) / JITTER_PARTS;
          effects.setTimer('retry', settings.retryPeriod + Math.floor(jitter), false);
        }
      },
      reply: { ROW: onRow },
      timeout: {
        retry(step) {
          if (isAwake(step.state) && step.state.open === null) tryAcquireOrRenew(step);
        },
        answer(step) {
          if (step.state.open !== null && step.state.open !== 'jitter') fail(step);
        },
        deadline(step) {
          const { state, settings } = step;
          if (state.phase !== 'leading') return;
          if (settings.isBounded || state.open === null) stopLeading(step);
          else state.overdue = true;
        },
        lease(step) {
          if (!isAwake(step.state)) return;
          step.state.expired = true;
          if (step.state.phase === 'acquiring') unfollow(step);
        },
      },
    },
  });
}

function isAwake({ phase }: KubernetesLeaseState): boolean {
  return phase === 'acquiring' || phase === 'leading';
}

/** A holder writes without reading first. */
function tryAcquireOrRenew(step: Own): void {
  const { state } = step;
  const { phase, observedRecord, expired } = state;
  if (phase === 'leading' && observedRecord !== null && isOwn(step, observedRecord) && !expired) {
    update(step, observedRecord.epoch);
  } else {
    get(step);
  }
}

/** Whether the present identity of the node wrote this Lease. */
function isOwn({ self, state }: Own, { holder, request }: LeaseRow): boolean {
  return holder === self.rank && request > state.identity && request <= state.request;
}

function get(step: Own): void {
  step.state.open = 'get';
  call(step, { type: 'READ' });
}

function update(step: Own, epoch: number): void {
  const { state, settings } = step;
  state.open = written(step, epoch, settings.leaseDuration);
  call(step, { type: 'SWAP', expected: state.open.version - 1, row: state.open });
}

/** The Lease that this node writes after the one that it has observed. */
function written({ self, state }: Own, epoch: number, leaseTicks: number): LeaseRow {
  state.request += 1;
  const version = (state.observedRecord?.version ?? 0) + 1;
  return { holder: self.rank, version, epoch, request: state.request, leaseTicks };
}

function call({ effects, settings }: Own, operation: TableCall): void {
  if (settings.isBounded) effects.setTimer('answer', settings.callTimeout, false);
  effects.call(operation);
}

/** The Lease as it is, or was: an answer may belong to a call that has been given up. */
function onRow(step: Own, { row }: TableReply): void {
  const { self, state } = step;
  const { open, observedRecord } = state;
  if (open === null || open === 'jitter') return;
  if (open !== 'get' && row?.holder === self.rank && row.request === open.request) {
    onWritten(step, row);
    return;
  }
  const newest = open === 'get' ? (observedRecord?.version ?? 0) : open.version;
  if ((row?.version ?? 0) < newest) return;
  if (row !== null) observe(step, row);
  if (row === null) update(step, 1);
  else if (isOwn(step, row)) update(step, row.epoch);
  else if (state.expired) update(step, row.epoch + 1);
  else fail(step);
}

/** A Lease that has changed is valid for its duration from now on, whenever it was written. */
function observe(step: Own, row: LeaseRow): void {
  const { self, state, effects, settings } = step;
  if (row.version === state.observedRecord?.version) return;
  state.observedRecord = row;
  state.expired = false;
  effects.setTimer('lease', settings.waitsOwn ? settings.leaseDuration : row.leaseTicks, false);
  if (state.phase === 'leading') return;
  if (row.holder === self.rank || row.leaseTicks === RELEASED_TICKS) unfollow(step);
  else follow(step, row.holder, row.epoch);
}

function onWritten(step: Own, row: LeaseRow): void {
  const { state, effects, settings } = step;
  const { retryPeriod, renewDeadline } = settings;
  Object.assign(state, { phase: 'leading', open: null, overdue: false });
  effects.cancelTimer('answer');
  observe(step, row);
  follow(step, row.holder, row.epoch);
  effects.setTimer('retry', retryPeriod, true);
  // The next round begins with the next attempt.
  effects.setTimer('deadline', retryPeriod + renewDeadline, false);
}

/** This attempt has failed. A holder has a timer for the next one. */
function fail(step: Own): void {
  const { state, effects } = step;
  effects.cancelTimer('answer');
  state.open = state.phase === 'acquiring' ? 'jitter' : null;
  if (state.open === 'jitter') effects.choose(JITTER_PARTS + 1);
  else if (state.overdue) stopLeading(step);
}

/** Stops leading before it does anything else. The next process has another identity, and has observed nothing. */
function stopLeading(step: Own): void {
  const { state, effects, settings } = step;
  const { observedRecord } = state;
  unfollow(step);
  for (const timer of ['retry', 'deadline', 'answer', 'lease']) effects.cancelTimer(timer);
  if (settings.releases && observedRecord !== null && isOwn(step, observedRecord)) {
    const row = written(step, observedRecord.epoch, RELEASED_TICKS);
    const release: TableCall = { type: 'SWAP', expected: observedRecord.version, row };
    effects.call(release);
  }
  const { request } = state;
  Object.assign(state, { phase: 'acquiring', identity: request, overdue: false });
  Object.assign(state, { observedRecord: null, expired: false });
  get(step);
}
