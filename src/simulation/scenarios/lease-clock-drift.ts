/**
 * @module
 * Clocks that drift, each as far as it is allowed: the master's runs slow by ρ = 1 %, those of its voters
 * fast by 1 %. The master is cut off after its first lease of D ticks. If it counts D on its own clock, the
 * voters' promises end first and two are master for about 2Dρ/(1−ρ²) ticks; if it counts D(1−ρ)/(1+ρ), two
 * never are.
 */

import { overlapTicks } from '../../election/lease-interval.ts';
import type { ScheduledFault } from '../faults/schedule.ts';
import type { PlayedRun, StagedRun } from './played-run.ts';
import { measuresOf } from './played-run.ts';
import type { ScenarioSettings } from './scenario.ts';
import { defineScenario, ranksTo, readRuns, stageRun } from './scenario.ts';

const NAMES = { ignored: 'drift ignored', corrected: 'drift corrected' } as const;
const MASTER = 1;
const LEASE = { leaseTicks: 100_000, driftPpm: 10_000 } as const;
const OVERLAP_TICKS_MAX = overlapTicks(LEASE);
/** The first lease is granted after 93 ticks at the latest, and renewed after half of it. */
const CUT_AT = 200;
const UNTIL_TICKS = 105_000;

/** For how long two were master at once: up to half of 2Dρ/(1−ρ²), up to all of it, or more. */
type Overlap = 'never' | 'short' | 'bound' | 'long';

type Lease = {
  /** How many were master. */
  readonly masters: number;
  readonly overlap: Overlap;
  /** Number of nodes that were master in one term, at most. */
  readonly mastersPerTermMax: number | null;
};

export const LEASE_CLOCK_DRIFT = defineScenario<{ readonly [Run in keyof typeof NAMES]: Lease }>({
  name: 'lease-clock-drift',
  aliases: ['clock-drift', 'lease-drift'],
  title: 'Clocks drift within bounds, and a lease that leaves that out has two masters',
  explanation: `Node ${MASTER}, whose timers take 100/99 of their ticks, is cut off at tick ${CUT_AT} and asks for renewal in vain until its lease is over. The others, whose timers take 100/101, elect another when their promises end. Left out, the drift has both master for up to ${OVERLAP_TICKS_MAX} ticks, in two terms, so that a fence on the term would distinguish them; taken off, the first steps down before.`,
  source:
    'C. Gray and D. Cheriton, Leases: An Efficient Fault-Tolerant Mechanism for Distributed File Cache Consistency, SOSP 1989; M. Burrows, The Chubby lock service for loosely-coupled distributed systems, OSDI 2006',
  // Three and more voters can split their promises, each of which binds for D: none would be second.
  nodes: { usual: 3, min: 3, max: 3 },
  stage: (setting) => [
    staged(setting, NAMES.ignored, 'ignored'),
    staged(setting, NAMES.corrected, 'corrected'),
  ],
  expect: () => ({
    ignored: { masters: 2, overlap: 'bound', mastersPerTermMax: 1 },
    corrected: { masters: 2, overlap: 'never', mastersPerTermMax: 1 },
  }),
  observe: (runs) => readRuns(runs, NAMES, observe),
  describe: ({ ignored, corrected }) =>
    `with the drift left out ${described(ignored)}; with the lease shortened by it ${described(corrected)}`,
  figures(runs) {
    const { ignored, corrected } = readRuns(runs, NAMES, (run) => measuresOf(run).ticksSplit);
    return {
      splitTicksIgnored: ignored,
      splitTicksCorrected: corrected,
      splitTicksBound: OVERLAP_TICKS_MAX,
    };
  },
});

function staged(setting: ScenarioSettings, run: string, drift: 'ignored' | 'corrected'): StagedRun {
  const skews = ranksTo(setting.nodes).map((rank): ScheduledFault => {
    return { type: 'skew', rank, numerator: 100, denominator: rank === MASTER ? 99 : 101 };
  });
  const cut = { kind: 'isolate', rank: MASTER } as const;
  const { leaseTicks, driftPpm } = LEASE;
  return stageRun(setting, {
    run,
    protocol: 'quorum-lease',
    flags: { leaseTicks: String(leaseTicks), driftPpm: String(driftPpm), drift },
    // The others stand when their promises to it end.
    initiators: [MASTER],
    faults: [...skews, { type: 'partition', cut, from: CUT_AT, to: null }],
    audit: true,
    untilTicks: UNTIL_TICKS,
  });
}

function observe(run: PlayedRun): Lease {
  const { ticksSplit, leadersPerEpochMax } = measuresOf(run);
  return {
    masters: new Set(run.reigns.map(({ rank }) => rank)).size,
    overlap: overlapOf(ticksSplit),
    mastersPerTermMax: leadersPerEpochMax,
  };
}

function overlapOf(ticks: number): Overlap {
  if (ticks === 0) return 'never';
  if (ticks > OVERLAP_TICKS_MAX) return 'long';
  return ticks > OVERLAP_TICKS_MAX / 2 ? 'bound' : 'short';
}

function described({ masters, overlap, mastersPerTermMax }: Lease): string {
  const bound = `2Dp/(1-p^2) = ${OVERLAP_TICKS_MAX} ticks`;
  const texts: Readonly<Record<Overlap, string>> = {
    never: 'never two at once',
    short: `two at once for less than half of ${bound}`,
    bound: `two at once for nearly ${bound}`,
    long: `two at once for more than ${bound}`,
  };
  const led = masters === 1 ? 'one node is' : `${masters} nodes are`;
  return `${led} master, ${texts[overlap]}, at most ${mastersPerTermMax} a term`;
}
