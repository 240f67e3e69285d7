/**
 * @module
 * A network falls into halves and heals, twice. Bully has no quorum, so each half elects its own
 * leader, by design. What healing does depends on the detector alone: with one that sees links the
 * lower leader hears of the higher one and gives way; with one that sees crashes both lead on.
 */

import type { Schedule } from '../../faults/schedule.ts';

import type { PlayedRun, StagedRun } from '../played-run.ts';
import { leadersAt, leadersAtEnd, ledTogether } from '../played-run.ts';
import type { ScenarioSettings } from '../scenario.ts';
import { defineScenario, runNamed } from '../scenario.ts';
import { listed } from '../words.ts';

const CUT_AT = 200;
const HEALED_AT = 600;
const NOTICED = 'links are watched';
const UNNOTICED = 'crashes are watched';

type Split = {
  /** Whom the lower and the upper half follow just before the network heals, in either run. */
  readonly lower: readonly number[];
  readonly upper: readonly number[];
  readonly together: boolean;
  readonly noticedEnd: readonly number[];
  readonly unnoticedEnd: readonly number[];
};

export const SPLIT_BRAIN = defineScenario<Split>({
  name: 'split-brain',
  aliases: ['partition'],
  title: 'One leader on each side of a partition, and what healing mends',
  explanation:
    'The lower half loses every ELECTION it sends up and takes the silence for death. Two runs: in the first a detector watches links, in the second it knows of crashes alone, and nobody ever asks again. Only a majority (quorum) or fencing at the resource keeps two leaders from acting.',
  source:
    'H. Garcia-Molina, IEEE Trans. Computers C-31(1), 1982: assumes that a node which does not answer in time has failed',
  nodes: { usual: 5, min: 2, max: 32 },
  stage: (setting) => [
    // Everybody follows n when the network breaks.
    staged(setting, {
      name: NOTICED,
      detector: 'links',
      from: CUT_AT,
      initiators: [setting.nodes],
    }),
    // It is broken from the start, or nobody would ask.
    staged(setting, { name: UNNOTICED, detector: 'crashes', from: 0 }),
  ],
  expect: (nodes) => ({
    lower: [Math.floor(nodes / 2)],
    upper: [nodes],
    together: true,
    noticedEnd: [nodes],
    unnoticedEnd: [Math.floor(nodes / 2), nodes],
  }),
  observe(runs) {
    const noticed = runNamed(runs, NOTICED);
    const unnoticed = runNamed(runs, UNNOTICED);
    return {
      lower: union(runs, (run) => leadersAt(run, halvesOf(run).lower, HEALED_AT - 1)),
      upper: union(runs, (run) => leadersAt(run, halvesOf(run).upper, HEALED_AT - 1)),
      together: runs.every(ledTogether),
      noticedEnd: leadersAtEnd(noticed),
      unnoticedEnd: leadersAtEnd(unnoticed),
    };
  },
  describe: ({ lower, upper, together, noticedEnd, unnoticedEnd }) =>
    `cut off from each other the lower half follows ${listed(lower)} and the upper half ${listed(upper)}, ${
      together ? 'both leading at once' : 'never two leading at once'
    }; after healing live nodes follow ${listed(noticedEnd)} where links are watched, ${listed(
      unnoticedEnd,
    )} where only crashes are`,
});

function staged(
  { nodes, seed }: ScenarioSettings,
  cut: {
    readonly name: string;
    readonly detector: Schedule['detector'];
    readonly from: number;
    readonly initiators?: readonly number[];
  },
): StagedRun {
  const { name, detector, from, initiators } = cut;
  return {
    name,
    options: {
      protocol: 'bully-oneshot',
      nodes,
      seed,
      initiators,
      latency: { type: 'uniform', ticksMin: 1, ticksMax: 9 },
      schedule: {
        faults: [{ type: 'partition', cut: { kind: 'halves' }, from, to: HEALED_AT }],
        calm: null,
        detector,
      },
      untilTicks: 2 * HEALED_AT,
    },
  };
}

function halvesOf({ simulation }: PlayedRun): { lower: number[]; upper: number[] } {
  const { nodes } = simulation.plan;
  const ranks = simulation.nodes().map(({ rank }) => rank);
  const last = Math.floor(nodes / 2);
  return { lower: ranks.slice(0, last), upper: ranks.slice(last) };
}

function union(runs: readonly PlayedRun[], leadersOf: (run: PlayedRun) => number[]): number[] {
  return [...new Set(runs.flatMap(leadersOf))].toSorted((left, right) => left - right);
}
