/**
 * @module
 * A node with a better ID than all joins in the middle of an election. Bully: the leader to be gives
 * way at once. Chang and Roberts: the old maximum's PROBE has passed the newcomer's place already, so
 * both are elected, one after the other, and lead at once for a while. A ring of static membership
 * elects as if nobody had come, and nobody tells the newcomer.
 */

import type { ProtocolName } from '../../../election/registry.ts';
import { createRandom, shuffled } from '../../../random.ts';
import type { ElectionOptions } from '../../run/simulate.ts';

import type { PlayedRun, StagedRun } from '../played-run.ts';
import { followedAt, leadersAt, ledTogether } from '../played-run.ts';
import type { ScenarioSettings } from '../scenario.ts';
import { defineScenario, runNamed } from '../scenario.ts';
import { listed } from '../words.ts';

const LATENCY = { type: 'uniform', ticksMin: 5, ticksMax: 6 } as const;
/**
 * A message sent at 0 has arrived, its answer has not. On the ring PROBE n−1 has left n's place behind
 * it; of Bully's nodes n−1 has been asked, and its COORDINATOR is under way.
 */
const JOIN_AT = 7;

type LateJoin = {
  readonly [Name in 'bully' | 'ring' | 'static']: {
    /** Who came to lead, in order. */
    readonly leaders: readonly number[];
    readonly together: boolean;
    /** Whom the first members follow at rest, and whom the newcomer. */
    readonly members: readonly number[];
    readonly newcomer: number | null;
  };
};

export const LATE_JOINER = defineScenario<LateJoin>({
  name: 'late-joiner',
  aliases: ['late-join', 'better-id-joins'],
  title: 'A better ID joins in the middle of an election',
  explanation: `Node n enters at tick ${JOIN_AT}. In the run bully-oneshot the others trust it, and n-1 steps down before n speaks; in cr-join PROBE n follows PROBE n-1 round the ring and never catches up with it; in ring-robust n is nobody's successor. Whoever may join at any time may also mine until it has the top ID: freeze the membership before the election.`,
  source:
    'E. Chang and R. Roberts, CACM 22(5), 1979; H. Garcia-Molina, IEEE Trans. Computers C-31(1), 1982: both take the set of members as given',
  nodes: { usual: 5, min: 4, max: 32 },
  stage: (setting) => [
    staged(setting, 'bully-oneshot', [1]),
    staged(setting, 'cr-join', undefined),
    staged(setting, 'ring-robust', undefined),
  ],
  expect: (nodes) => ({
    bully: { leaders: [nodes - 1, nodes], together: false, members: [nodes], newcomer: nodes },
    ring: { leaders: [nodes - 1, nodes], together: true, members: [nodes], newcomer: nodes },
    static: { leaders: [nodes - 1], together: false, members: [nodes - 1], newcomer: null },
  }),
  observe: (runs) => ({
    bully: seen(runNamed(runs, 'bully-oneshot')),
    ring: seen(runNamed(runs, 'cr-join')),
    static: seen(runNamed(runs, 'ring-robust')),
  }),
  describe: (outcome) =>
    [
      `bully-oneshot elects ${told(outcome.bully)}`,
      `cr-join ${told(outcome.ring)}`,
      `ring-robust ${told(outcome.static)}`,
    ].join('; '),
});

function staged(
  { nodes, seed }: ScenarioSettings,
  protocol: ProtocolName,
  initiators: ElectionOptions['initiators'],
): StagedRun {
  const others = Array.from({ length: nodes - 2 }, (_, index) => index + 1);
  const ring = [...shuffled(others, createRandom(seed, 'late-joiner')), nodes - 1, nodes];
  return {
    name: protocol,
    options: {
      ...{ protocol, nodes, seed, ring, initiators },
      latency: LATENCY,
      schedule: {
        faults: [{ type: 'join', rank: nodes, at: JOIN_AT }],
        calm: null,
        detector: 'crashes',
      },
      untilTicks: 1000 + 100 * nodes,
    },
  };
}

function seen(run: PlayedRun): LateJoin['ring'] {
  const { nodes } = run.simulation.plan;
  const members = Array.from({ length: nodes - 1 }, (_, index) => index + 1);
  return {
    leaders: run.reigns.map(({ rank }) => rank),
    together: ledTogether(run),
    members: leadersAt(run, members, Number.POSITIVE_INFINITY),
    newcomer: followedAt(run, nodes, Number.POSITIVE_INFINITY),
  };
}

function told({ leaders, together, members, newcomer }: LateJoin['ring']): string {
  const which = leaders.length === 0 ? 'nobody' : leaders.join(' then ');
  return `${which}${together ? ', two leading at once' : ''}: the members end with ${listed(
    members,
  )}, the newcomer with ${newcomer ?? 'nobody'}`;
}
