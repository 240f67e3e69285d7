/**
 * @module
 * A COORDINATOR that arrives when its sender is long dead. The highest node returns for one tick, in
 * which links are so slow that its announcements outlive it; the survivors elect another leader in
 * the meantime. Bully's messages carry no epoch, so the old ones are believed, and the detector, which
 * has spoken of that death already, does not speak of it again.
 */

import type { PlayedRun } from '../played-run.ts';
import { followedAt, leadersAt, leadersAtEnd } from '../played-run.ts';
import { defineScenario, runNamed } from '../scenario.ts';
import { listed } from '../words.ts';

const LATENCY = { type: 'uniform', ticksMin: 1, ticksMax: 9 } as const;
const CRASH_AT = 200;
const RETURN_AT = 400;
/** Even the fastest old COORDINATOR takes longer than the survivors take to agree anew. */
const SLOWDOWN = 300;
const RUN = 'late COORDINATOR';

type Stale = {
  /** Whom the survivors follow just before the first old COORDINATOR arrives, and at rest. */
  readonly before: readonly number[];
  readonly after: readonly number[];
  readonly afterIsUp: boolean;
  /** The leader that they had elected gave way. */
  readonly deposed: boolean;
};

export const STALE_COORDINATOR = defineScenario<Stale>({
  name: 'stale-coordinator',
  aliases: ['late-coordinator', 'replayed-coordinator'],
  title: 'An old COORDINATOR arrives late and re-elects a dead leader',
  explanation: `COORDINATOR n, sent at tick ${RETURN_AT}, is delivered after n-1 has announced itself, and n-1 gives up. Whoever records a COORDINATOR can send it again with the same effect. An epoch under the signature stops it; a signature alone does not.`,
  source:
    'H. Garcia-Molina, IEEE Trans. Computers C-31(1), 1982: its bound on message delay rules this out, and its Halt step tells one election from another; the one-shot form has neither',
  nodes: { usual: 5, min: 2, max: 32 },
  stage: ({ nodes, seed }) => [
    {
      name: RUN,
      options: {
        protocol: 'bully-oneshot',
        nodes,
        seed,
        initiators: [nodes],
        latency: LATENCY,
        schedule: {
          faults: [
            { type: 'crash', rank: nodes, at: CRASH_AT },
            { type: 'slowdown', factor: SLOWDOWN, from: RETURN_AT, to: RETURN_AT + 1 },
            { type: 'restart', rank: nodes, at: RETURN_AT, amnesia: false },
            { type: 'crash', rank: nodes, at: RETURN_AT + 1 },
          ],
          calm: null,
          detector: 'crashes',
        },
        untilTicks: RETURN_AT + SLOWDOWN * (LATENCY.ticksMax + 1),
      },
    },
  ],
  expect: (nodes) => ({
    before: [nodes - 1],
    after: [nodes],
    afterIsUp: false,
    deposed: true,
  }),
  observe(runs) {
    const run = runNamed(runs, RUN);
    const { nodes } = run.simulation.plan;
    const survivors = run.simulation.nodes().filter(({ up }) => up);
    const ranks = survivors.map(({ rank }) => rank);
    const before = leadersAt(run, ranks, firstLateAt(run) - 1);
    const after = leadersAtEnd(run);
    return {
      before,
      after,
      afterIsUp: survivors.some(({ rank }) => after.includes(rank)),
      deposed: followedAt(run, nodes - 1, Number.POSITIVE_INFINITY) !== nodes - 1,
    };
  },
  describe: ({ before, after, afterIsUp, deposed }) =>
    `the survivors had elected ${listed(before)}; after the old COORDINATOR they follow ${listed(after)}, which is ${
      afterIsUp ? 'up' : 'down'
    }, and the leader they had ${deposed ? 'has given way' : 'leads on'}`,
  figures: (runs) => ({ firstLateAt: firstLateAt(runNamed(runs, RUN)) }),
});

/** The tick at which somebody first follows the highest node on its old word; 0 if nobody does. */
function firstLateAt({ changes, simulation }: PlayedRun): number {
  const { nodes } = simulation.plan;
  const late = changes.find(
    ({ t, node, leader }) => t > RETURN_AT && node !== nodes && leader === nodes,
  );
  return late?.t ?? 0;
}
