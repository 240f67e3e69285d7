/**
 * @module
 * The partition of split-brain-bully under Raft: the minority elects nobody, since a leader needs the
 * votes of a majority of all members. A leader that the minority already had is another matter: it
 * believes on, in a term that is over, unless it counts who answers (checkQuorum).
 */

import { measuresOf } from '../played-run.ts';
import { defineScenario, runNamed } from '../scenario.ts';
import type { SidesOutcome, StagedSplit } from './majority-partition.ts';
import { observeSplit, stageSplit, tellSplit } from './majority-partition.ts';

const BROKEN = 'broken from the start';
const LED = 'leader n in the minority';
const CHECKED = 'leader n in the minority, checkQuorum';
const SPLITS: readonly StagedSplit[] = [
  { name: BROKEN, protocol: 'raft', cut: 'from the start' },
  { name: LED, protocol: 'raft', cut: 'under leader n' },
  { name: CHECKED, protocol: 'raft', flags: { checkQuorum: 'on' }, cut: 'under leader n' },
];

type Split = {
  readonly broken: SidesOutcome;
  readonly led: SidesOutcome;
  readonly checked: SidesOutcome;
};

export const SPLIT_BRAIN_RAFT = defineScenario<Split>({
  name: 'split-brain-raft',
  aliases: ['minority-raft'],
  title: 'Raft elects nobody in a minority, though an old leader there may believe on',
  explanation:
    'In the first run the minority stands again and again (VOTE) and wins nothing. In the second leader n is cut off: the majority elects another in a later term, and n leads on in its own, which any fence on the term refuses. In the third n hears no majority for a time-out and steps down.',
  source:
    'D. Ongaro and J. Ousterhout, In Search of an Understandable Consensus Algorithm, USENIX ATC 2014, section 5.2; checkQuorum: D. Ongaro, Consensus: Bridging Theory and Practice, Stanford 2014, section 6.2',
  nodes: { usual: 5, min: 3, max: 16 },
  stage: (setting) => SPLITS.map((split) => stageSplit(setting, split)),
  expect(nodes) {
    const sides: SidesOutcome = {
      ...{ majority: 1, minority: [], outdated: false },
      ...{ leadersPerTermMax: 1, agreed: true },
    };
    return { broken: sides, led: { ...sides, minority: [nodes], outdated: true }, checked: sides };
  },
  observe: (runs) => ({
    broken: observeSplit(runNamed(runs, BROKEN)),
    led: observeSplit(runNamed(runs, LED)),
    checked: observeSplit(runNamed(runs, CHECKED)),
  }),
  describe: ({ broken, led, checked }) =>
    [tellSplit(BROKEN, broken), tellSplit(LED, led), tellSplit(CHECKED, checked)].join('; '),
  figures: (runs) => ({
    splitTicksBroken: measuresOf(runNamed(runs, BROKEN)).ticksSplit,
    splitTicksLed: measuresOf(runNamed(runs, LED)).ticksSplit,
    splitTicksChecked: measuresOf(runNamed(runs, CHECKED)).ticksSplit,
  }),
});
