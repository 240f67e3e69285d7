/**
 * @module
 * Stores whose replica takes over, and lacks writes that the store had confirmed: the debate about locks in Redis. Node 1
 * starts alone and leads. The others are up from the moment of the fail-over on, and have not seen what is lost.
 */

import { integerIn } from '../../election/message-members.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { LOST_WRITES_LIMIT } from '../faults/schedule.ts';
import type { PlayedRun } from './played-run.ts';
import { ledTogether, measuresOf } from './played-run.ts';
import { defineScenario, ranksTo, stageRun } from './scenario.ts';

const FAILOVER_AT = 800;
const UNTIL_TICKS = 3000;

/** What came of node 1, and of its epoch. */
export type AfterFailover = {
  readonly replaced: boolean;
  readonly together: boolean;
  readonly leadersPerEpochMax: number | null;
  /** Nodes from which the fence accepted writes with one token, at most. */
  readonly writersPerTokenMax: number;
};

export const SAFE = {
  replaced: false,
  together: false,
  leadersPerEpochMax: 1,
  writersPerTokenMax: 1,
};
export const TWICE = {
  replaced: true,
  together: true,
  leadersPerEpochMax: 2,
  writersPerTokenMax: 2,
};

const RUNS: Readonly<
  Record<string, { protocol: ProtocolName; writes: number; expected: AfterFailover }>
> = {
  'db-lease, the last write': {
    protocol: 'db-lease',
    writes: 1,
    expected: { ...SAFE, replaced: true, together: true },
  },
  'db-lease, all writes': { protocol: 'db-lease', writes: LOST_WRITES_LIMIT, expected: TWICE },
  'kubernetes-lease, the last write': {
    protocol: 'kubernetes-lease',
    writes: 1,
    expected: { ...SAFE, replaced: true },
  },
  'kubernetes-lease, all writes': {
    protocol: 'kubernetes-lease',
    writes: LOST_WRITES_LIMIT,
    expected: TWICE,
  },
  'lease-local, the last write': { protocol: 'lease-local', writes: 1, expected: SAFE },
  'lease-local, all writes': {
    protocol: 'lease-local',
    writes: LOST_WRITES_LIMIT,
    expected: TWICE,
  },
};

export const LOST_LEASE = defineScenario<Readonly<Record<string, AfterFailover>>>({
  name: 'lost-lease',
  aliases: ['failover', 'redis-failover'],
  title: 'A replica takes over that lacks the lease, and grants it again with the same number',
  explanation: `The store answers before its replica has the write. At tick ${FAILOVER_AT} the replica takes over. If it lacks the acquisition, it grants the lease to another node while node 1 counts on it, and gives the second grant the number of the first. A fence at the resource accepts both, because their tokens are equal. If only a renewal is lost, node 1 still has the lease. Of db-lease two nodes then lead: the versions of its rows are numbers that another node writes again, so that the repeated SWAP of node 1 finds the version that it expects in a row of its successor. A store that confirms a write when a majority of its replicas has it loses neither.`,
  source:
    'M. Kleppmann, How to do distributed locking, 2016, and S. Sanfilippo, Is Redlock safe?, 2016; Redis documentation, Distributed Locks with Redis: why failover-based implementations are not enough',
  nodes: { usual: 3, min: 2, max: 16 },
  stage: (setting) =>
    Object.entries(RUNS).map(([run, { protocol, writes }]) => {
      const others = ranksTo(setting.nodes).slice(1);
      return stageRun(setting, {
        run,
        protocol,
        workload: { resource: 'fencing-max', everyTicks: null },
        crashedBefore: others,
        faults: [
          { type: 'failover', at: FAILOVER_AT, writes },
          ...others.map(
            (rank) => ({ type: 'restart', rank, at: FAILOVER_AT, amnesia: true }) as const,
          ),
        ],
        audit: true,
        untilTicks: UNTIL_TICKS,
      });
    }),
  expect: () =>
    Object.fromEntries(Object.entries(RUNS).map(([run, { expected }]) => [run, expected])),
  observe: (played) => Object.fromEntries(played.map((run) => [run.name, afterFailover(run)])),
  describe: (outcome) =>
    Object.entries(outcome)
      .map(([run, each]) => `${run}: ${described(each)}`)
      .join('; '),
  figures: (played) =>
    Object.fromEntries(played.map((run) => [`splitTicks ${run.name}`, measuresOf(run).ticksSplit])),
});

/** What a played run shows. */
export function afterFailover(run: PlayedRun): AfterFailover {
  const { reigns } = run;
  return {
    replaced: reigns.some(({ rank }) => rank !== 1),
    together: ledTogether(run),
    leadersPerEpochMax: measuresOf(run).leadersPerEpochMax,
    writersPerTokenMax: writersPerToken(run),
  };
}

/** One outcome in words. */
export function described({
  replaced,
  together,
  leadersPerEpochMax,
  writersPerTokenMax,
}: AfterFailover): string {
  const next = replaced ? 'another node leads' : 'node 1 leads on';
  const led = together ? 'two lead at once' : 'one leads at a time';
  return `${next}, ${led}, at most ${leadersPerEpochMax} an epoch, and the fence accepts a token of ${writersPerTokenMax} at most`;
}

function writersPerToken({ sent }: PlayedRun): number {
  const written = sent.filter(({ message }) => message.type === 'WRITTEN');
  const byToken = Map.groupBy(written, ({ message }) => integerIn(message, 'epoch'));
  const writers = [...byToken.values()].map((writes) => new Set(writes.map(({ to }) => to)).size);
  return Math.max(0, ...writers);
}
