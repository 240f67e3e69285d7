/**
 * @module
 * Clocks that drift, each as far as it is allowed: the master's runs slow by ρ = 1 %, those of its
 * voters fast by 1 %. The master is cut off after its first lease of D ticks. If it counts D on its
 * own clock, the voters' promises end first and two are master for about 2Dρ/(1−ρ²) ticks; if it
 * counts D(1−ρ)/(1+ρ), no two ever are.
 */

import { overlapTicks } from '../../../election/lease-interval.ts';
import type { ScheduledFault } from '../../faults/schedule.ts';

import type { PlayedRun, StagedRun } from '../played-run.ts';
import { measuresOf } from '../played-run.ts';
import type { ScenarioSettings } from '../scenario.ts';
import { defineScenario, runNamed } from '../scenario.ts';

const IGNORED = 'drift ignored';
const CORRECTED = 'drift corrected';
const MASTER = 1;
const LEASE = { leaseTicks: 100_000, driftPpm: 10_000 } as const;
const OVERLAP_TICKS_MAX = overlapTicks(LEASE);
/** The first lease is granted after 93 ticks at the latest, and renewed after half of it. */
const CUT_AT = 200;
const UNTIL_TICKS = 105_000;

/** For how long two were master at once, held against 2Dρ/(1−ρ²): up to half of it, up to all of it, more. */
type Overlap = 'never' | 'short' | 'bound' | 'long';

type Lease = {
  /** How many were master. */
  readonly masters: number;
  readonly overlap: Overlap;
  /** Nodes that were master in one and the same term, at most. */
  readonly mastersPerTermMax: number | null;
};

type Drift = { readonly ignored: Lease; readonly corrected: Lease };

export const LEASE_CLOCK_DRIFT = defineScenario<Drift>({
  name: 'lease-clock-drift',
  aliases: ['clock-drift', 'lease-drift'],
  title: 'Clocks drift within bounds, and a lease that leaves that out has two masters',
  explanation: `Node ${MASTER}, whose timers take 100/99 of their ticks, is cut off at tick ${CUT_AT} and asks for renewal in vain until its lease is over. The others, whose timers take 100/101, elect another when their promises end. Left out, the drift has both master for up to ${OVERLAP_TICKS_MAX} ticks, in two terms, so that a fence on the term would tell them apart; taken off, the first steps down before.`,
  source:
    'C. Gray and D. Cheriton, Leases: An Efficient Fault-Tolerant Mechanism for Distributed File Cache Consistency, SOSP 1989; M. Burrows, The Chubby lock service for loosely-coupled distributed systems, OSDI 2006',
  // Three voters and more can split their promises, each of which binds for D: nobody would be second.
  nodes: { usual: 3, min: 3, max: 3 },
  stage: (setting) => [
    staged(setting, { name: IGNORED, drift: 'ignored' }),
    staged(setting, { name: CORRECTED, drift: 'corrected' }),
  ],
  expect: () => ({
    ignored: { masters: 2, overlap: 'bound', mastersPerTermMax: 1 },
    corrected: { masters: 2, overlap: 'never', mastersPerTermMax: 1 },
  }),
  observe: (runs) => ({
    ignored: seen(runNamed(runs, IGNORED)),
    corrected: seen(runNamed(runs, CORRECTED)),
  }),
  describe: ({ ignored, corrected }) =>
    `with the drift left out ${told(ignored)}; with the lease shortened by it ${told(corrected)}`,
  figures: (runs) => ({
    splitTicksIgnored: measuresOf(runNamed(runs, IGNORED)).ticksSplit,
    splitTicksCorrected: measuresOf(runNamed(runs, CORRECTED)).ticksSplit,
    splitTicksBound: OVERLAP_TICKS_MAX,
  }),
});

function staged(
  { nodes, seed }: ScenarioSettings,
  run: { readonly name: string; readonly drift: 'ignored' | 'corrected' },
): StagedRun {
  const { name, drift } = run;
  const skews = Array.from({ length: nodes }, (_, index): ScheduledFault => {
    const rank = index + 1;
    return { type: 'skew', rank, numerator: 100, denominator: rank === MASTER ? 99 : 101 };
  });
  const cut = { kind: 'isolate', rank: MASTER } as const;
  return {
    name,
    options: {
      protocol: 'quorum-lease',
      nodes,
      seed,
      flags: {
        leaseTicks: String(LEASE.leaseTicks),
        driftPpm: String(LEASE.driftPpm),
        drift,
      },
      // The others stand when their promises to it end.
      initiators: [MASTER],
      latency: { type: 'uniform', ticksMin: 1, ticksMax: 9 },
      schedule: {
        faults: [...skews, { type: 'partition', cut, from: CUT_AT, to: null }],
        calm: null,
        detector: 'crashes',
      },
      audit: true,
      untilTicks: UNTIL_TICKS,
    },
  };
}

function seen(run: PlayedRun): Lease {
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

function told({ masters, overlap, mastersPerTermMax }: Lease): string {
  const bound = `2Dp/(1-p^2) = ${OVERLAP_TICKS_MAX} ticks`;
  const words: Readonly<Record<Overlap, string>> = {
    never: 'never two at once',
    short: `two at once for less than half of ${bound}`,
    bound: `two at once for nearly ${bound}`,
    long: `two at once for more than ${bound}`,
  };
  const led = masters === 1 ? 'one node is' : `${masters} nodes are`;
  return `${led} master, ${words[overlap]}, at most ${mastersPerTermMax} a term`;
}
