/**
 * @module
 * The highest node crashes and returns faster than an election takes: before all have heard of the
 * leader that replaces it, it is back, and before all have heard that, it is gone. Nobody leads most
 * of the time, and each cycle costs a whole election, n² − 2 messages. The stage is also that of
 * storm-backoff.
 */

import { PROTOCOLS } from '../../../election/registry.ts';
import type { Cast } from '../../../election/world/cast.ts';
import type { ScheduledFault } from '../../faults/schedule.ts';

import type { PlayedRun, StagedRun } from '../played-run.ts';
import { leadersAtEnd } from '../played-run.ts';
import type { ScenarioSettings } from '../scenario.ts';
import { defineScenario, runNamed } from '../scenario.ts';
import { listed } from '../words.ts';

export const STORM_CYCLES = 10;
export const STORM_LATENCY = { type: 'uniform', ticksMin: 1, ticksMax: 9 } as const;
/**
 * With Δ = 9 survivors suspect it after T = 19 ticks, n−1 leads after as many more, and after Δ more,
 * at 47, all have heard. It returns two ticks after n−1 has announced itself, and crashes at 45.
 */
const DOWN_TICKS = 40;
const CYCLE_TICKS = 45;
const STORM_FROM = 200;
/** Its last return. */
const STORM_TO = STORM_FROM + (STORM_CYCLES - 1) * CYCLE_TICKS + DOWN_TICKS;
/** By when everything has come to rest, back-offs included. */
const UNTIL_TICKS = 20_000;
const RUN = 'storm';

/** What the storm did. */
export type Storm = {
  /** How often another node came to lead while it lasted. */
  readonly changes: number;
  /** ELECTION, OK and COORDINATOR of each cycle, from one crash to the next. */
  readonly electing: readonly number[];
  /** Whom all follow long after it. */
  readonly afterwards: readonly number[];
};

export const STORM = defineScenario<Storm>({
  name: 'storm',
  aliases: ['election-storm'],
  title: 'The highest ID goes up and down faster than an election takes',
  explanation:
    'In each cycle node n-1 leads for two ticks and n for five, and in the other 38 nobody does: ELECTION and OK of all survivors, COORDINATOR n-1, and COORDINATOR n on its heels. Compare storm-backoff: the same crashes, and returned nodes that hold back.',
  source:
    'H. Garcia-Molina, Elections in a Distributed Computing System, IEEE Trans. Computers C-31(1), 1982: a node that recovers holds an election, and the highest takes over',
  nodes: { usual: 5, min: 2, max: 64 },
  stage: (setting) => [stageStorm(setting, { name: RUN })],
  expect: (nodes) => ({
    changes: 2 * STORM_CYCLES,
    electing: cycles(() => nodes ** 2 - 2),
    afterwards: [nodes],
  }),
  observe: (runs) => seenOf(runNamed(runs, RUN)),
  describe: tellStorm,
  figures: (runs) => stormFigures(runNamed(runs, RUN)),
});

/** The storm over Bully's own machine, or over the one given. */
export function stageStorm(
  { nodes, seed }: ScenarioSettings,
  { name, machineOf }: { readonly name: string; readonly machineOf?: Cast['machineOf'] },
): StagedRun {
  return {
    name,
    options: {
      protocol: 'bully-oneshot',
      nodes,
      seed,
      // It announces itself, and everybody follows it before the first crash.
      initiators: [nodes],
      latency: STORM_LATENCY,
      schedule: { faults: flaps(nodes), calm: null, detector: 'crashes' },
      audit: true,
      untilTicks: UNTIL_TICKS,
    },
    ...(machineOf === undefined ? {} : { machineOf }),
  };
}

/** The same of either scenario, read off its run. */
export function seenOf(run: PlayedRun): Storm {
  return {
    changes: successions(run).length,
    electing: cycles((from) => electionMessages(run, from).length),
    afterwards: leadersAtEnd(run),
  };
}

export function tellStorm({ changes, electing, afterwards }: Storm): string {
  return `over ${STORM_CYCLES} cycles of crash and return another node came to lead ${changes} ${
    changes === 1 ? 'time' : 'times'
  }; messages of elections in each: ${listed(electing)}; afterwards all follow ${listed(afterwards)}`;
}

export function stormFigures(run: PlayedRun): { readonly [name: string]: number } {
  const ticks = STORM_CYCLES * CYCLE_TICKS;
  const led = run.reigns.reduce((sum, { from, to }) => sum + ticksInStorm(from, to), 0);
  const messages = run.sent.filter(({ t }) => t >= STORM_FROM && t < STORM_FROM + ticks);
  return {
    leaderlessPercent: Math.round(100 * (1 - led / ticks)),
    changesPer1000Ticks: Math.round((1000 * successions(run).length) / ticks),
    messagesPer1000Ticks: Math.round((1000 * messages.length) / ticks),
  };
}

/** Reigns that began in the storm, of another than led before. */
function successions({ reigns }: PlayedRun): PlayedRun['reigns'] {
  return reigns.filter(({ rank, from }, index) => {
    const before = reigns[index - 1];
    return from >= STORM_FROM && from <= STORM_TO && before !== undefined && before.rank !== rank;
  });
}

function ticksInStorm(from: number, to: number | null): number {
  const end = STORM_FROM + STORM_CYCLES * CYCLE_TICKS;
  return Math.max(0, Math.min(to ?? end, end) - Math.max(from, STORM_FROM));
}

function flaps(nodes: number): ScheduledFault[] {
  return cycles((at) => at).flatMap((at) => [
    { type: 'crash', rank: nodes, at },
    { type: 'restart', rank: nodes, at: at + DOWN_TICKS, amnesia: false },
  ]);
}

/** One value for each cycle, by the tick of its crash. */
function cycles<T>(ofCycle: (from: number) => T): T[] {
  return Array.from({ length: STORM_CYCLES }, (_, index) =>
    ofCycle(STORM_FROM + index * CYCLE_TICKS),
  );
}

function electionMessages({ sent }: PlayedRun, from: number): PlayedRun['sent'] {
  return sent.filter(
    ({ t, message }) => t >= from && t < from + CYCLE_TICKS && TYPES.includes(message.type),
  );
}

const TYPES = PROTOCOLS['bully-oneshot'].messageTypes;
