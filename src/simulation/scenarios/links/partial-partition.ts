/**
 * @module
 * Five Raft servers of which links 1-2, 1-3, 2-3, 4-2 and 5-3 are left, 3 leading when the others fail:
 * staged and read the same way for every choice of flags. 1, 2 and 3 are a majority that hear each
 * other; 4 hears no leader but 2, and 5 none but 3.
 */

import type { Flags } from '../../../election/definition/flags.ts';
import type { LeadershipChange } from '../../run/audit.ts';

import type { PlayedRun, StagedRun } from '../played-run.ts';
import { auditOf, leadersAt } from '../played-run.ts';
import type { Figures, Scenario, ScenarioSettings } from '../scenario.ts';
import { defineScenario, runNamed } from '../scenario.ts';
import { listed } from '../words.ts';

const RUN = 'five links of ten';
const LOST = [
  [1, 4],
  [1, 5],
  [2, 5],
  [3, 4],
  [4, 5],
] as const;
const SERVERS: readonly number[] = [1, 2, 3, 4, 5];
const FIRST_LEADER = 3;
/** 3 stands after 379 ticks at the latest, and is followed 27 ticks later. */
const CUT_AT = 600;
/** 40 shortest election time-outs, of 190 ticks at latencies up to 9. */
const THIRD_TICKS = 7600;
const THIRDS = [0, 1, 2] as const;
const UNTIL_TICKS = CUT_AT + THIRDS.length * THIRD_TICKS;

type PartialPartition = {
  /** Whom they follow just before the links fail. */
  readonly before: readonly number[];
  /** Whether 4 or 5 still asks for votes in the last third. */
  readonly asks: boolean;
  /** Whether somebody comes to lead, in each third of the time after that. */
  readonly changes: readonly boolean[];
  /** Whether anybody leads in a later term than before. */
  readonly termGrows: boolean;
  /** Who leads from before the links fail to the end. */
  readonly lasting: readonly number[];
};

/** What comes of it where 4 and 5 can depose a leader again and again. */
export const NEVER_STABLE: PartialPartition = {
  before: [FIRST_LEADER],
  asks: true,
  changes: THIRDS.map(() => true),
  termGrows: true,
  lasting: [],
};

/** What comes of it where nobody who hears a leader helps to depose it. */
export const STABLE: PartialPartition = {
  before: [FIRST_LEADER],
  asks: true,
  changes: THIRDS.map(() => false),
  termGrows: false,
  lasting: [FIRST_LEADER],
};

/** The scenario of Raft with these flags on those links. */
export function definePartialPartition(
  script: Pick<Scenario, 'name' | 'aliases' | 'title' | 'explanation' | 'source'> & {
    readonly flags: Flags;
    readonly outcome: PartialPartition;
  },
): Scenario {
  const { flags, outcome, ...words } = script;
  return defineScenario<PartialPartition>({
    ...words,
    // The example is about these five servers.
    nodes: { usual: 5, min: 5, max: 5 },
    stage: (setting) => [staged(setting, flags)],
    expect: () => outcome,
    observe: (runs) => observe(runNamed(runs, RUN)),
    describe: tell,
    figures: (runs) => figuresOf(runNamed(runs, RUN)),
  });
}

function staged({ nodes, seed }: ScenarioSettings, flags: Flags): StagedRun {
  return {
    name: RUN,
    options: {
      protocol: 'raft',
      nodes,
      seed,
      flags,
      // The others have no time-out before they hear of it.
      initiators: [FIRST_LEADER],
      latency: { type: 'uniform', ticksMin: 1, ticksMax: 9 },
      schedule: {
        // With an end, though the run's own: before the last fault nothing counts as rest.
        faults: [
          {
            ...{ type: 'partition', cut: { kind: 'links', links: LOST } },
            ...{ from: CUT_AT, to: UNTIL_TICKS },
          },
        ],
        calm: null,
        detector: 'crashes',
      },
      audit: true,
      untilTicks: UNTIL_TICKS,
    },
  };
}

function observe(run: PlayedRun): PartialPartition {
  const later = risesOf(run).filter(({ at }) => at >= CUT_AT);
  const earlier = risesOf(run).filter(({ at }) => at < CUT_AT);
  return {
    before: leadersAt(run, SERVERS, CUT_AT - 1),
    asks: run.sent.some(({ t, from, message }) => {
      return t >= UNTIL_TICKS - THIRD_TICKS && from > 3 && /VOTE$/.test(message.type);
    }),
    changes: THIRDS.map((third) => {
      const from = CUT_AT + third * THIRD_TICKS;
      return later.some(({ at }) => at >= from && at < from + THIRD_TICKS);
    }),
    termGrows: lastTerm(later) > lastTerm(earlier),
    lasting: run.reigns
      .filter(({ from, to }) => from < CUT_AT && to === null)
      .map(({ rank }) => rank),
  };
}

function tell(outcome: PartialPartition): string {
  const { before, asks, changes, termGrows, lasting } = outcome;
  const changing = changes.filter((change) => change).length;
  return `all follow ${listed(before)} when the links fail; after that somebody comes to lead in ${changing} of ${changes.length} thirds of the time, terms ${
    termGrows ? 'grow' : 'stay'
  }, ${asks ? 'server 4 or 5 asks for votes to the end' : 'servers 4 and 5 ask for nothing'}, and ${listed(
    lasting,
  )} leads throughout`;
}

function figuresOf(run: PlayedRun): Figures {
  const later = risesOf(run).filter(({ at }) => at >= CUT_AT);
  const lengths = run.reigns.map(({ from, to }) => (to ?? UNTIL_TICKS) - Math.max(from, CUT_AT));
  return {
    reignsAfterCut: later.length,
    lastTerm: lastTerm(risesOf(run)),
    longestReignTicks: Math.max(0, ...lengths),
  };
}

function risesOf(run: PlayedRun): LeadershipChange[] {
  return auditOf(run)
    .trail()
    .filter(({ leads }) => leads);
}

function lastTerm(rises: readonly LeadershipChange[]): number {
  return Math.max(0, ...rises.map(({ epoch }) => epoch));
}
