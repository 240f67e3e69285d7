/**
 * @module
 * A node with a better ID than all others joins in the middle of an election. Bully: the leader to be gives
 * way at once. Chang and Roberts: the PROBE of the old maximum has already passed the newcomer's position,
 * so that both are elected, one after the other, and lead at once for a while. A ring of static membership
 * elects without the newcomer, and no node sends to it.
 */

import { createRandom, shuffled } from '../../random.ts';
import type { PlayedRun, StagedRun } from './played-run.ts';
import { followedAt, leadersAt, ledTogether } from './played-run.ts';
import type { RunScript, ScenarioSettings } from './scenario.ts';
import { defineScenario, listed, ranksTo, readRuns, stageRun } from './scenario.ts';

const LATENCY = { type: 'uniform', ticksMin: 5, ticksMax: 6 } as const;
/**
 * A message sent at 0 has arrived, its answer has not. On the ring PROBE n−1 has passed the position of n;
 * in Bully n−1 has been asked, and its COORDINATOR is under way.
 */
const JOIN_AT = 7;

const NAMES = { bully: 'bully-oneshot', ring: 'cr-join', static: 'ring-robust' } as const;

type LateJoin = {
  /** Nodes that came to lead, in order. */
  readonly leaders: readonly number[];
  readonly together: boolean;
  /** Leaders of the first members at rest, and of the newcomer. */
  readonly members: readonly number[];
  readonly newcomer: number | null;
};

export const LATE_JOINER = defineScenario<{
  readonly [Run in keyof typeof NAMES]: LateJoin;
}>({
  name: 'late-joiner',
  aliases: ['late-join', 'better-id-joins'],
  title: 'A better ID joins in the middle of an election',
  explanation: `Node n enters at tick ${JOIN_AT}. In the run bully-oneshot the others trust it, and n-1 steps down before n sends anything; in cr-join PROBE n follows PROBE n-1 round the ring and never catches up with it; in ring-robust n is the successor of no node. A node that may join at any time may also mine until it has the top ID: freeze the membership before the election.`,
  source:
    'E. Chang and R. Roberts, CACM 22(5), 1979; H. Garcia-Molina, IEEE Trans. Computers C-31(1), 1982: both take the set of members as given',
  nodes: { usual: 5, min: 4, max: 32 },
  stage: (setting) => [
    staged(setting, { protocol: NAMES.bully, initiators: [1] }),
    staged(setting, { protocol: NAMES.ring }),
    staged(setting, { protocol: NAMES.static }),
  ],
  expect: (nodes) => ({
    bully: { leaders: [nodes - 1, nodes], together: false, members: [nodes], newcomer: nodes },
    ring: { leaders: [nodes - 1, nodes], together: true, members: [nodes], newcomer: nodes },
    static: { leaders: [nodes - 1], together: false, members: [nodes - 1], newcomer: null },
  }),
  observe: (runs) => readRuns(runs, NAMES, observe),
  describe: (outcome) =>
    [
      `bully-oneshot elects ${described(outcome.bully)}`,
      `cr-join ${described(outcome.ring)}`,
      `ring-robust ${described(outcome.static)}`,
    ].join('; '),
});

function staged(setting: ScenarioSettings, script: RunScript): StagedRun {
  const { nodes, seed } = setting;
  const others = shuffled(ranksTo(nodes - 2), createRandom(seed, 'late-joiner'));
  return stageRun(setting, {
    ...script,
    ring: [...others, nodes - 1, nodes],
    latency: LATENCY,
    faults: [{ type: 'join', rank: nodes, at: JOIN_AT }],
    untilTicks: 1000 + 100 * nodes,
  });
}

function observe(run: PlayedRun): LateJoin {
  const { nodes } = run.simulation.plan;
  return {
    leaders: run.reigns.map(({ rank }) => rank),
    together: ledTogether(run),
    members: leadersAt(run, ranksTo(nodes - 1), Number.POSITIVE_INFINITY),
    newcomer: followedAt(run, nodes, Number.POSITIVE_INFINITY),
  };
}

function described({ leaders, together, members, newcomer }: LateJoin): string {
  const which = leaders.length === 0 ? 'none' : leaders.join(' then ');
  return `${which}${together ? ', two leading at once' : ''}: the members end with ${listed(
    members,
  )}, the newcomer with ${newcomer ?? 'none'}`;
}
