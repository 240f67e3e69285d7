/**
 * @module
 * One direction of one link is cut: the lowest node receives nothing from the highest. It asks, the nodes
 * between answer that a higher node is up, and the announcement never arrives: it waits T', asks again,
 * and so on for ever, while all other nodes have long agreed.
 */

import type { PlayedRun, Sent } from './played-run.ts';
import { followedAt, leadersAt } from './played-run.ts';
import { defineScenario, listed, onlyRun, ranksTo, stageRun } from './scenario.ts';

const UNTIL_TICKS = 2000;
/** Longer than one round: the question, an answer within 2Δ, and T' = 48. */
const ROUND_TICKS_MAX = 100;

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
    'Node 1 asks (ELECTION to all), is answered (OK), sets timer coordinator and receives nothing; each of its rounds makes n announce itself to every node once more. A detector of crashes does not help, since no node is down. A node that relays the announcement, or a quorum with a pre-vote, would settle it.',
  source:
    'H. Garcia-Molina, IEEE Trans. Computers C-31(1), 1982: assumes that messages between live nodes arrive within a bound',
  nodes: { usual: 5, min: 3, max: 16 },
  stage: (setting) => [
    stageRun(setting, {
      run: 'n is not heard by 1',
      protocol: 'bully-oneshot',
      faults: [
        {
          type: 'partition',
          cut: { kind: 'one-way', from: setting.nodes, to: 1 },
          from: 0,
          to: null,
        },
      ],
      untilTicks: UNTIL_TICKS,
    }),
  ],
  expect: (nodes) => ({
    settled: false,
    stillAsks: true,
    lowestFollows: [],
    othersFollow: [nodes],
  }),
  observe(runs) {
    const run = onlyRun(runs);
    const lowest = followedAt(run, 1, Number.POSITIVE_INFINITY);
    const [, ...others] = ranksTo(run.simulation.plan.nodes);
    return {
      settled: run.outcome.bound === 'idle',
      stillAsks: (questions(run).at(-1)?.t ?? 0) >= UNTIL_TICKS - ROUND_TICKS_MAX,
      lowestFollows: lowest === null ? [] : [lowest],
      othersFollow: leadersAt(run, others, Number.POSITIVE_INFINITY),
    };
  },
  describe: ({ settled, stillAsks, lowestFollows, othersFollow }) =>
    `after ${UNTIL_TICKS} ticks ${settled ? 'all is at rest' : 'it has not settled'}: node 1 follows ${listed(
      lowestFollows,
    )} and ${stillAsks ? 'still asks' : 'asks no more'}, the others follow ${listed(othersFollow)}`,
  figures(runs) {
    const run = onlyRun(runs);
    return {
      roundsOfNode1: new Set(questions(run).map(({ t }) => t)).size,
      messagesPer1000Ticks: Math.round((1000 * run.sent.length) / UNTIL_TICKS),
    };
  },
});

/** The questions of the lowest node. */
function questions({ sent }: PlayedRun): Sent[] {
  return sent.filter(({ from, message }) => from === 1 && message.type === 'ELECTION');
}
