/**
 * @module
 * The debate about Redlock (M. Kleppmann and S. Sanfilippo, 2016): which lost lock of one instance makes two leaders,
 * and what a leader that pauses writes when it wakes up. Node 1 starts alone and leads.
 */

import { intercepted } from '../../election/intercepted.ts';
import { integerIn } from '../../election/message-members.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import type { ScheduledFault } from '../faults/schedule.ts';
import type { PlayedRun, StagedRun } from './played-run.ts';
import type { ScenarioSettings } from './scenario.ts';
import { defineScenario, LATENCY, ranksTo, stageRun } from './scenario.ts';
import type { AfterFailover } from './store-failover.ts';
import { afterFailover, described, SAFE, TWICE } from './store-failover.ts';

/** Node 1 leads by then, and has neither extended its lock nor written: the last write of the store is the last grant. */
const FAULT_AT = 25;
/** The other nodes, except node 2, start when node 1 is to have been replaced. */
const OTHERS_AT = 200;
const RESUME_AT = 500;
const UNTIL_TICKS = 2000;

/** `lateWrites` are those that the resource accepted from node 1 after a write of the next leader. */
type AfterFault = AfterFailover & { readonly lateWrites: number };

interface Run {
  readonly fault: ScheduledFault;
  readonly instances: number;
  /** How many of the instances node 1 reaches. */
  readonly reached: number;
  readonly resource: 'unfenced' | 'fencing-max';
  readonly expected: AfterFault;
}

const LOST: ScheduledFault = { type: 'failover', at: FAULT_AT, writes: 1 };
const PAUSED: ScheduledFault = { type: 'pause', rank: 1, from: FAULT_AT, to: RESUME_AT };
const FIVE = { instances: 5, reached: 5, resource: 'fencing-max' } as const;
const AWOKEN = { ...SAFE, replaced: true, together: true };

const RUNS: Readonly<Record<string, Run>> = {
  'one instance, lock lost': {
    ...{ ...FIVE, instances: 1, reached: 1 },
    ...{ fault: LOST, expected: { ...TWICE, lateWrites: 0 } },
  },
  'five instances, one lock lost': {
    ...{ ...FIVE, fault: LOST, expected: { ...SAFE, lateWrites: 0 } },
  },
  'three of five instances reached, one lock lost': {
    ...{ ...FIVE, reached: 3 },
    ...{ fault: LOST, expected: { ...TWICE, lateWrites: 0 } },
  },
  'leader paused, no fence': {
    ...{ ...FIVE, resource: 'unfenced' },
    ...{ fault: PAUSED, expected: { ...AWOKEN, lateWrites: 1 } },
  },
  'leader paused, fence': {
    ...{ ...FIVE, fault: PAUSED, expected: { ...AWOKEN, lateWrites: 0 } },
  },
};

export const REDLOCK_DEBATE = defineScenario<Readonly<Record<string, AfterFault>>>({
  name: 'redlock-debate',
  aliases: ['redlock'],
  title: 'An instance of Redlock loses a lock, and a leader by Redlock wakes up too late',
  explanation: `Node 1 acquires the lock of five instances. At tick ${FAULT_AT} the instance that granted last loses that lock, as an instance that restarts without its data does, or one whose clock jumps past the end of the lease. Four instances still refuse node 2. If node 1 had reached only three instances, the one that has lost the lock and the two others are a majority, and both nodes lead. Both have the same number, because the number of an instance is lost with the lock. In the last two runs node 1 pauses from tick ${FAULT_AT} to ${RESUME_AT}, and writes when it wakes up. Redlock itself has no token that a resource could compare. The fence compares the epoch that this implementation adds.`,
  source:
    'M. Kleppmann, How to do distributed locking, 2016, and S. Sanfilippo, Is Redlock safe?, 2016; Redis documentation, Distributed Locks with Redis: crash recovery and fsync',
  nodes: { usual: 3, min: 2, max: 16 },
  stage: (setting) => Object.entries(RUNS).map(([name, run]) => staged(setting, name, run)),
  expect: () =>
    Object.fromEntries(Object.entries(RUNS).map(([name, { expected }]) => [name, expected])),
  observe: (played) => Object.fromEntries(played.map((run) => [run.name, observe(run)])),
  describe: (outcome) =>
    Object.entries(outcome)
      .map(([name, each]) => `${name}: ${described(each)}, with ${each.lateWrites} late writes`)
      .join('; '),
});

function staged(setting: ScenarioSettings, name: string, run: Run): StagedRun {
  const { fault, instances, reached, resource } = run;
  const others = ranksTo(setting.nodes).slice(1);
  const flags = { instances: `${instances}` };
  const machine = PROTOCOLS.redlock.create({ latencyTicksMax: LATENCY.ticksMax }, flags);
  const reaching: typeof machine = {
    init: machine.init,
    step: (self, state, event, effects) =>
      machine.step(
        self,
        state,
        event,
        intercepted(effects, {
          call: (operation) => {
            const isOfStore = 'instance' in operation;
            if (!isOfStore || integerIn(operation, 'instance') < reached) effects.call(operation);
          },
        }),
      ),
  };
  return stageRun(setting, {
    run: name,
    protocol: 'redlock',
    flags,
    workload: { resource, everyTicks: null },
    crashedBefore: others,
    faults: [
      fault,
      ...others.map((rank) => {
        const at = rank === 2 ? FAULT_AT : OTHERS_AT;
        return { type: 'restart', rank, at, amnesia: true } as const;
      }),
    ],
    audit: true,
    untilTicks: UNTIL_TICKS,
    ...(reached < instances && {
      machineOf: (rank) => (rank === 1 ? reaching : machine),
    }),
  });
}

function observe(run: PlayedRun): AfterFault {
  return { ...afterFailover(run), lateWrites: run.simulation.resource()?.lateWrites ?? 0 };
}
