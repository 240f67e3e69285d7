/**
 * @module
 * One direction of one link is cut: the lowest node does not hear the highest. It asks, those between
 * answer that somebody higher is up, and the announcement they promise never reaches it: it waits T',
 * asks again, and so for ever, while everybody else has long agreed.
 */

import type { PlayedRun, Sent } from '../played-run.ts';
import { followedAt, leadersAt } from '../played-run.ts';
import { defineScenario, runNamed } from '../scenario.ts';
import { listed } from '../words.ts';

const LATENCY = { type: 'uniform', ticksMin: 1, ticksMax: 9 } as const;
const UNTIL_TICKS = 2000;
/** Longer than one round: asking, being answered within 2Δ, waiting out T' = 48. */
const ROUND_TICKS_MAX = 100;
const RUN = 'n is not heard by 1';

type OneWay = {
  readonly settled: boolean;
  /** Whether the lowest node still asks in the last rounds before the end. */
  readonly stillAsks: boolean;
  readonly lowestFollows: readonly number[];
  readonly othersFollow: readonly number[];
};

export const ONE_WAY_LOSS = defineScenario<OneWay>({
  name: 'one-way-loss',
  aliases: ['one-way', 'asymmetric-link'],
  title: 'One direction of a link is cut, and Bully never settles',
  explanation:
    'Node 1 asks (ELECTION to all), is answered (OK), sets timer coordinator and hears nothing; each of its rounds makes n announce itself to everybody once more. A detector of crashes is no help, nobody is down. A node that relays the announcement, or a quorum with a pre-vote, would settle it.',
  source:
    'H. Garcia-Molina, IEEE Trans. Computers C-31(1), 1982: assumes that messages between live nodes arrive within a bound',
  nodes: { usual: 5, min: 3, max: 16 },
  stage: ({ nodes, seed }) => [
    {
      name: RUN,
      options: {
        protocol: 'bully-oneshot',
        nodes,
        seed,
        latency: LATENCY,
        schedule: {
          faults: [
            { type: 'partition', cut: { kind: 'one-way', from: nodes, to: 1 }, from: 0, to: null },
          ],
          calm: null,
          detector: 'crashes',
        },
        untilTicks: UNTIL_TICKS,
      },
    },
  ],
  expect: (nodes) => ({
    settled: false,
    stillAsks: true,
    lowestFollows: [],
    othersFollow: [nodes],
  }),
  observe(runs) {
    const run = runNamed(runs, RUN);
    const others = run.simulation.nodes().filter(({ rank }) => rank > 1);
    const lowest = followedAt(run, 1, Number.POSITIVE_INFINITY);
    return {
      settled: run.outcome.bound === 'idle',
      stillAsks: (questions(run).at(-1)?.t ?? 0) >= UNTIL_TICKS - ROUND_TICKS_MAX,
      lowestFollows: lowest === null ? [] : [lowest],
      othersFollow: leadersAt(
        run,
        others.map(({ rank }) => rank),
        Number.POSITIVE_INFINITY,
      ),
    };
  },
  describe: ({ settled, stillAsks, lowestFollows, othersFollow }) =>
    `after ${UNTIL_TICKS} ticks ${settled ? 'all is at rest' : 'it has not settled'}: node 1 follows ${listed(
      lowestFollows,
    )} and ${stillAsks ? 'still asks' : 'asks no more'}, the others follow ${listed(othersFollow)}`,
  figures(runs) {
    const run = runNamed(runs, RUN);
    return {
      roundsOfNode1: new Set(questions(run).map(({ t }) => t)).size,
      messagesPer1000Ticks: Math.round((1000 * run.sent.length) / UNTIL_TICKS),
    };
  },
});

/** What the lowest node asks. */
function questions({ sent }: PlayedRun): Sent[] {
  return sent.filter(({ from, message }) => from === 1 && message.type === 'ELECTION');
}
