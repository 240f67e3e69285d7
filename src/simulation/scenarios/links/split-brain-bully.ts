/**
 * @module
 * A majority and a minority cut off from each other, under Bully: it asks no majority, so each side
 * has a leader, from the start or as soon as the other side's leader is missed. The pair of
 * split-brain-raft, under the same partition.
 */

import { measuresOf } from '../played-run.ts';
import { defineScenario, runNamed } from '../scenario.ts';
import type { SidesOutcome, StagedSplit } from './majority-partition.ts';
import { observeSplit, stageSplit, tellSplit } from './majority-partition.ts';

const BROKEN = 'broken from the start';
const LED = 'leader n in the minority';
const SPLITS: readonly StagedSplit[] = [
  { name: BROKEN, protocol: 'bully-oneshot', cut: 'from the start' },
  { name: LED, protocol: 'bully-oneshot', cut: 'under leader n' },
];

type Split = { readonly broken: SidesOutcome; readonly led: SidesOutcome };

export const SPLIT_BRAIN_BULLY = defineScenario<Split>({
  name: 'split-brain-bully',
  aliases: ['minority-bully'],
  title: 'A leader in the minority and one in the majority, both in the right by Bully',
  explanation:
    'The highest ranks, too few for a majority, are cut off. Bully elects the highest that answers, on either side, and nothing in its messages says which leader is the newer one. Healing mends it only since the detector watches links. The pair split-brain-raft has the same partition.',
  source:
    'H. Garcia-Molina, Elections in a Distributed Computing System, IEEE Trans. Computers C-31(1), 1982: assumes that a node which does not answer in time has failed',
  nodes: { usual: 5, min: 3, max: 16 },
  stage: (setting) => SPLITS.map((split) => stageSplit(setting, split)),
  expect(nodes) {
    const sides: SidesOutcome = {
      ...{ majority: 1, minority: [nodes], outdated: false },
      ...{ leadersPerTermMax: null, agreed: true },
    };
    return { broken: sides, led: sides };
  },
  observe: (runs) => ({
    broken: observeSplit(runNamed(runs, BROKEN)),
    led: observeSplit(runNamed(runs, LED)),
  }),
  describe: ({ broken, led }) => [tellSplit(BROKEN, broken), tellSplit(LED, led)].join('; '),
  figures: (runs) => ({
    splitTicksBroken: measuresOf(runNamed(runs, BROKEN)).ticksSplit,
    splitTicksLed: measuresOf(runNamed(runs, LED)).ticksSplit,
  }),
});
