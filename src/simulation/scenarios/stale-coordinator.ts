/**
 * @module
 * A COORDINATOR that arrives when its sender is long dead. The highest node returns for one tick, in which
 * links are so slow that its announcements outlive it; the survivors elect another leader in the meantime.
 * Bully's messages carry no epoch, so the old ones are believed, and the detector, which has reported that
 * death already, does not report it again.
 */

import type { PlayedRun } from './played-run.ts';
import { followedAt, leadersAt, leadersAtEnd } from './played-run.ts';
import { defineScenario, LATENCY, listed, onlyRun, stageRun } from './scenario.ts';

const CRASH_AT = 200;
const RETURN_AT = 400;
/** Even the fastest old COORDINATOR takes longer than a new election of the survivors. */
const SLOWDOWN = 300;

type Stale = {
  /** Leaders that survivors follow just before the first old COORDINATOR arrives, and at rest. */
  readonly before: readonly number[];
  readonly after: readonly number[];
  readonly afterIsUp: boolean;
  /** Whether the leader that they had elected gave way. */
  readonly deposed: boolean;
};

export const STALE_COORDINATOR = defineScenario<Stale>({
  name: 'stale-coordinator',
  aliases: ['late-coordinator', 'replayed-coordinator'],
  title: 'An old COORDINATOR arrives late and re-elects a dead leader',
  explanation: `COORDINATOR n, sent at tick ${RETURN_AT}, is delivered after n-1 has announced itself, and n-1 gives up. A node that records a COORDINATOR can send it again with the same effect. An epoch under the signature stops it; a signature alone does not.`,
  source:
    'H. Garcia-Molina, IEEE Trans. Computers C-31(1), 1982: its bound on message delay rules this out, and its Halt step separates one election from another; the one-shot form has neither',
  nodes: { usual: 5, min: 2, max: 32 },
  stage: (setting) => [
    stageRun(setting, {
      run: 'late COORDINATOR',
      protocol: 'bully-oneshot',
      initiators: [setting.nodes],
      faults: [
        { type: 'crash', rank: setting.nodes, at: CRASH_AT },
        { type: 'slowdown', factor: SLOWDOWN, from: RETURN_AT, to: RETURN_AT + 1 },
        { type: 'restart', rank: setting.nodes, at: RETURN_AT, amnesia: false },
        { type: 'crash', rank: setting.nodes, at: RETURN_AT + 1 },
      ],
      untilTicks: RETURN_AT + SLOWDOWN * (LATENCY.ticksMax + 1),
    }),
  ],
  expect: (nodes) => ({
    before: [nodes - 1],
    after: [nodes],
    afterIsUp: false,
    deposed: true,
  }),
  observe(runs) {
    const run = onlyRun(runs);
    const { nodes } = run.simulation.plan;
    const live = run.simulation.nodes().filter(({ up }) => up);
    const survivors = live.map(({ rank }) => rank);
    const after = leadersAtEnd(run);
    return {
      before: leadersAt(run, survivors, firstLateAt(run) - 1),
      after,
      afterIsUp: survivors.some((rank) => after.includes(rank)),
      deposed: followedAt(run, nodes - 1, Number.POSITIVE_INFINITY) !== nodes - 1,
    };
  },
  describe: ({ before, after, afterIsUp, deposed }) =>
    `the survivors had elected ${listed(before)}; after the old COORDINATOR they follow ${listed(after)}, which is ${
      afterIsUp ? 'up' : 'down'
    }, and the leader they had ${deposed ? 'has given way' : 'leads on'}`,
  figures: (runs) => ({ firstLateAt: firstLateAt(onlyRun(runs)) }),
});

/** The tick at which a node first follows the highest one by an old COORDINATOR; 0 for none. */
function firstLateAt({ changes, simulation }: PlayedRun): number {
  const { nodes } = simulation.plan;
  const late = changes.find(
    ({ t, node, leader }) => t > RETURN_AT && node !== nodes && leader === nodes,
  );
  return late?.t ?? 0;
}
