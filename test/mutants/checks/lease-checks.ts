/**
 * @module
 * Checks of the lease family: never two leaders at a moment without pauses and with clocks within their
 * drift, one leader an epoch, what ZooKeeper's recipe sends to its store, and the fence that stops a leader
 * which a pause has made a zombie.
 */

import { FAULT_KINDS } from '../../../src/election/definition/drawn-faults.ts';
import type { Flags } from '../../../src/election/definition/flags.ts';
import type { ServiceCall } from '../../../src/election/lease/stores/lease-service.ts';
import { createLeaseService } from '../../../src/election/lease/stores/lease-service.ts';
import type { ResourceKind } from '../../../src/election/lease/stores/resource.ts';
import { toRank } from '../../../src/election/world/cast.ts';
import { createRandom } from '../../../src/random.ts';
import type { ScheduledFault } from '../../../src/simulation/faults/schedule.ts';
import { runElection, simulateElection } from '../../../src/simulation/run/simulate.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { recorded, SELF } from '../../election/recorded.ts';
import type { LeaseRun } from '../../simulation/lease/lease-runs.ts';
import { holderAt, leaseElection, measuresOf } from '../../simulation/lease/lease-runs.ts';
import { SEED } from '../../simulation/ring/rings.ts';
import { scheduleOf, swarmRun } from '../../simulation/schedules.ts';
import type { Check } from './check.ts';
import { complainUnlessSame, firstComplaint, upTo } from './check.ts';

type LeaseName = 'db-lease' | 'lease-local' | 'redlock' | 'zk-recipe';

export const LEASE_CHECKS = {
  'db-lease: one leader': () => oneLeader('db-lease', { leaseTicks: '60' }),
  'db-lease: cut-off holders': () => cutOffHolders('db-lease'),
  'db-lease: clocks at the edge': () => clocksAtTheEdge('db-lease', [2, 3]),
  'lease-local: cut-off holders': () => cutOffHolders('lease-local'),
  'lease-local: slow answers': () => slowAnswers('lease-local'),
  'lease-local: clocks at the edge': () => clocksAtTheEdge('lease-local', []),
  'lease service: a release that comes late': lateRelease,
  'redlock: one leader': () => oneLeader('redlock', { leaseTicks: '60' }),
  'redlock: slow answers': () => slowAnswers('redlock', { instances: '1' }),
  'zk-recipe: one leader': () => oneLeader('zk-recipe', { sessionTicks: '60' }),
  'zk-recipe: a leader that is cut off': cutOffLeader,
  'zk-recipe: who looks when the leader goes': whoLooks,
  'zk-recipe: lost watch events': lostWatchEvents,
  'fencing-max: no write of a zombie': () => noZombieWrites('fencing-max'),
  'fencing-register: no write of a zombie': () => noZombieWrites('fencing-register'),
} satisfies Record<string, Check>;

/** No pauses; every clock is 5 % fast or slow. */
function oneLeader(protocol: LeaseName, flags: Flags): string | null {
  const kinds = FAULT_KINDS.filter((kind) => !['pause', 'skew', 'drift', 'jump'].includes(kind));
  return firstComplaint(upTo(60), (number) => {
    const { schedule, ...run } = swarmRun(number, { protocol, kinds });
    const random = createRandom(run.seed, 'clocks');
    const skews = upTo(run.nodes).map((rank): ScheduledFault => {
      return { type: 'skew', rank, numerator: 20, denominator: random.below(2) === 0 ? 19 : 21 };
    });
    const faults = [...(schedule?.faults ?? []), ...skews];
    const drifting = { ...run, flags: { ...flags, driftPpm: '50000' } };
    const { ticksSplit, leadersPerEpochMax } = measuresOf(
      { ...drifting, schedule: scheduleOf(...faults) },
      2000,
    );
    const found = [ticksSplit, leadersPerEpochMax ?? 1];
    return complainUnlessSame(`run ${number}, ticks split, leaders an epoch`, found, [0, 1]);
  });
}

/** Seeds 1..20: never two leaders at a moment, and more than one in turn somewhere. */
function neverSplit(
  protocol: Exclude<LeaseName, 'zk-recipe'>,
  run: LeaseRun,
  ticks: number,
): string | null {
  let changes = 0;
  const complaint = firstComplaint(upTo(20), (seed) => {
    const measures = measuresOf(leaseElection(protocol, seed, run), ticks);
    changes += measures.changes;
    return complainUnlessSame(`seed ${seed}, ticks split`, measures.ticksSplit, 0);
  });
  return complaint ?? (changes > 0 ? null : 'no node ever took over');
}

/** Each node in turn, for longer than two leases. */
function cutOffHolders(protocol: 'db-lease' | 'lease-local'): string | null {
  const faults = upTo(3).map((rank) => isolated(rank, 400 * rank, 400 * rank + 300));
  return neverSplit(protocol, { faults, flags: { leaseTicks: '120' } }, 1700);
}

/** Answers take up to a third of a lease, and two of five are lost. */
function slowAnswers(protocol: 'lease-local' | 'redlock', flags: Flags = {}): string | null {
  const run: LeaseRun = {
    latency: { type: 'uniform', ticksMin: 1, ticksMax: 20 },
    flags: { leaseTicks: '60', renewTicks: '20', ...flags },
    faults: [{ type: 'loss', share: 0.4, from: 0, to: null }],
  };
  return neverSplit(protocol, run, 4000);
}

/** Clocks that are as slow or as fast as 1 % allows, and each node cut off for longer than a lease. */
function clocksAtTheEdge(
  protocol: 'db-lease' | 'lease-local',
  fast: readonly number[],
): string | null {
  const faults = upTo(3).flatMap((rank): ScheduledFault[] => [
    { type: 'skew', rank, numerator: 100, denominator: fast.includes(rank) ? 101 : 99 },
    isolated(rank, 1500 * rank, 1500 * rank + 1400),
  ]);
  const latency = { type: 'uniform', ticksMin: 1, ticksMax: 2 } as const;
  const flags = { leaseTicks: '1000', pollTicks: '5' };
  return neverSplit(protocol, { faults, latency, flags }, 6000);
}

function isolated(rank: number, from: number, to: number | null): ScheduledFault {
  return { type: 'partition', cut: { kind: 'isolate', rank }, from, to };
}

/** 1 gave its first lease back, the word is slow, and it has a second one by now. */
function lateRelease(): string | null {
  const machine = createLeaseService(30);
  const state = machine.init(SELF);
  const handle = (from: number, message: ServiceCall) =>
    recorded((effects) => {
      machine.step(SELF, state, { type: 'deliver', from: toRank(from), message }, effects);
    });
  handle(1, { type: 'ACQUIRE', request: 1 });
  recorded((effects) => machine.step(SELF, state, { type: 'timeout', timer: 'lease' }, effects));
  handle(1, { type: 'ACQUIRE', request: 2 });
  handle(1, { type: 'RELEASE', epoch: 1 });
  const answers = handle(2, { type: 'ACQUIRE', request: 1 }).flatMap((effect) =>
    effect.type === 'send' ? [effect.message.type] : [],
  );
  return complainUnlessSame('what 2 gets', answers, ['REFUSED']);
}

/** Of node 1, whose clock is as slow as 1 % allows and whose messages are lost from tick 100 on. */
function cutOffLeader(): string | null {
  const skew: ScheduledFault = { type: 'skew', rank: 1, numerator: 100, denominator: 99 };
  const { ticksSplit, changes } = measuresOf(
    {
      ...{ protocol: 'zk-recipe', nodes: 3, seed: SEED },
      flags: { sessionTicks: '3000', driftPpm: '10000' },
      schedule: scheduleOf(skew, isolated(1, 100, null)),
    },
    4000,
  );
  return complainUnlessSame('ticks split, changes', [ticksSplit, changes], [0, 1]);
}

/** Its successor alone is told, and reads the line once. */
function whoLooks(): string | null {
  return firstComplaint([3, 5, 8], (nodes) => {
    const simulation = createSimulation({ protocol: 'zk-recipe', nodes, seed: SEED });
    runElection(simulation);
    const before = simulation.status();
    simulation.crash(before.leader ?? 0);
    simulation.advance({ until: 'idle' });
    const { messages, agreed } = simulation.status();
    const sent = ['DELETED', 'GET_CHILDREN', 'EXISTS'].map(
      (type) => (messages[type] ?? 0) - (before.messages[type] ?? 0),
    );
    return complainUnlessSame(`${nodes} nodes, agreed, sent`, [agreed, ...sent], [true, 1, 1, 0]);
  });
}

/** 1 pings at 12 and crashes, so that its session ends at 43; what the store says then is lost. */
function lostWatchEvents(): string | null {
  const { leader, agreed } = simulateElection({
    ...{ protocol: 'zk-recipe', nodes: 3, seed: SEED },
    schedule: scheduleOf(
      { type: 'crash', rank: 1, at: 20 },
      { type: 'blackout', from: 43, to: 44 },
    ),
  });
  return complainUnlessSame('leader, agreed', [leader, agreed], [2, true]);
}

/** The holder is paused for longer than its lease, and writes what was due when it wakes. */
function noZombieWrites(resource: ResourceKind): string | null {
  return firstComplaint(upTo(10), (seed) => {
    const run = leaseElection('lease-local', seed);
    const rank = holderAt(run, 100);
    const simulation = createSimulation({
      ...run,
      workload: { resource, everyTicks: 20 },
      schedule: scheduleOf({ type: 'pause', rank, from: 100, to: 700 }),
    });
    simulation.start();
    simulation.advance({ until: 1000 });
    const { refused = 0, lateWrites } = simulation.resource() ?? {};
    const found = [refused > 0, lateWrites];
    return complainUnlessSame(`seed ${seed}, refused, stale accepted`, found, [true, 0]);
  });
}
