/**
 * @module
 * A network falls into halves and heals, twice. Bully has no quorum, so each half elects its own leader, by
 * design. The effect of healing depends on the detector alone: with one that watches links the lower leader
 * gives way to the higher one; with one that watches crashes both lead on.
 */

import type { PlayedRun } from './played-run.ts';
import { leadersAt, leadersAtEnd, ledTogether } from './played-run.ts';
import { defineScenario, listed, ranksTo, runNamed, stageRun } from './scenario.ts';

const CUT_AT = 200;
const HEALED_AT = 600;
const NOTICED = 'links are watched';
const UNNOTICED = 'crashes are watched';

type Split = {
  /** Leaders that each half follows just before the network heals, in either run. */
  readonly lower: readonly number[];
  readonly upper: readonly number[];
  readonly together: boolean;
  readonly noticedEnd: readonly number[];
  readonly unnoticedEnd: readonly number[];
};

export const SPLIT_BRAIN = defineScenario<Split>({
  name: 'split-brain',
  aliases: ['partition'],
  title: 'One leader on each side of a partition, and the effect of healing',
  explanation:
    'The lower half loses every ELECTION it sends up and takes the silence for death. Two runs: in the first a detector watches links, in the second it knows of crashes alone, and no node ever asks again. Only a majority (quorum) or fencing at the resource keeps two leaders from acting.',
  source:
    'H. Garcia-Molina, IEEE Trans. Computers C-31(1), 1982: assumes that a node which does not answer in time has failed',
  nodes: { usual: 5, min: 2, max: 32 },
  stage(setting) {
    const halves = { protocol: 'bully-oneshot', untilTicks: 2 * HEALED_AT } as const;
    const broken = { type: 'partition', cut: { kind: 'halves' }, to: HEALED_AT } as const;
    return [
      // All follow n when the network breaks.
      stageRun(setting, {
        ...halves,
        run: NOTICED,
        initiators: [setting.nodes],
        faults: [{ ...broken, from: CUT_AT }],
        watches: 'links',
      }),
      // It is broken from the start. Otherwise no node would ask.
      stageRun(setting, { ...halves, run: UNNOTICED, faults: [{ ...broken, from: 0 }] }),
    ];
  },
  expect: (nodes) => ({
    lower: [Math.floor(nodes / 2)],
    upper: [nodes],
    together: true,
    noticedEnd: [nodes],
    unnoticedEnd: [Math.floor(nodes / 2), nodes],
  }),
  observe: (runs) => ({
    lower: leadersOfHalf(runs, (rank, last) => rank <= last),
    upper: leadersOfHalf(runs, (rank, last) => rank > last),
    together: runs.every(ledTogether),
    noticedEnd: leadersAtEnd(runNamed(runs, NOTICED)),
    unnoticedEnd: leadersAtEnd(runNamed(runs, UNNOTICED)),
  }),
  describe: ({ lower, upper, together, noticedEnd, unnoticedEnd }) =>
    `cut off from each other the lower half follows ${listed(lower)} and the upper half ${listed(upper)}, ${
      together ? 'both leading at once' : 'never two leading at once'
    }; after healing live nodes follow ${listed(noticedEnd)} where links are watched, ${listed(
      unnoticedEnd,
    )} where only crashes are`,
});

/** The leaders of a half in all runs, before the network heals. `last` is the last rank of the lower half. */
function leadersOfHalf(
  runs: readonly PlayedRun[],
  isIn: (rank: number, last: number) => boolean,
): number[] {
  const leaders = runs.flatMap((run) => {
    const { nodes } = run.simulation.plan;
    const half = ranksTo(nodes).filter((rank) => isIn(rank, Math.floor(nodes / 2)));
    return leadersAt(run, half, HEALED_AT - 1);
  });
  return [...new Set(leaders)].toSorted((left, right) => left - right);
}
