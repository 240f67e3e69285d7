/**
 * @module
 * The highest node crashes and returns again and again, under Bully. Each cycle costs n² − 2 messages: the
 * survivors elect the second highest, and the returned node takes over. In flapping-top an election is
 * over before the next crash. In storm it is not, so that no node leads most of the time. In storm-backoff
 * a returned node defers to the leader for a back-off that doubles with each return.
 */

import { PROTOCOLS } from '../../election/registry.ts';
import { createReturnBackOff } from '../../election/return-back-off.ts';
import type { ScheduledFault } from '../faults/schedule.ts';
import type { PlayedRun, StagedRun } from './played-run.ts';
import { leadersAtEnd } from './played-run.ts';
import type { RunScript, ScenarioSettings } from './scenario.ts';
import { defineScenario, LATENCY, listed, onlyRun, stageRun } from './scenario.ts';

const BULLY = PROTOCOLS['bully-oneshot'];

interface Cycles {
  readonly count: number;
  /** Tick of the first crash. */
  readonly from: number;
  readonly ticks: number;
  /** How long the node is down in each cycle. */
  readonly downTicks: number;
}

/** At latencies of up to 9 ticks either election of a cycle is over in half of it. */
const CALM: Cycles = { count: 4, from: 200, ticks: 200, downTicks: 100 };

/**
 * With Δ = 9 survivors suspect it after T = 19 ticks, n−1 leads after 19 more, and after Δ more, at 47, all
 * follow. It returns two ticks after n−1 has announced itself, and crashes again at 45.
 */
const STORMY: Cycles = { count: 10, from: 200, ticks: 45, downTicks: 40 };
const STORM_END = STORMY.from + STORMY.count * STORMY.ticks;
/** The last return. */
const STORM_TO = STORM_END - STORMY.ticks + STORMY.downTicks;

/** The highest announces itself, and all follow it before the first crash. */
function staged(
  setting: ScenarioSettings,
  cycles: Cycles,
  more: Partial<RunScript> & Pick<RunScript, 'untilTicks'>,
): StagedRun {
  const { nodes } = setting;
  const faults = eachCycle(cycles, (at): ScheduledFault[] => [
    { type: 'crash', rank: nodes, at },
    { type: 'restart', rank: nodes, at: at + cycles.downTicks, amnesia: false },
  ]).flat();
  return stageRun(setting, { protocol: 'bully-oneshot', initiators: [nodes], faults, ...more });
}

/** One value for each cycle, by the tick of its crash. */
function eachCycle<T>({ count, from, ticks }: Cycles, ofCycle: (crashAt: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => ofCycle(from + index * ticks));
}

type Flapping = {
  /** In each cycle. */
  readonly messages: readonly number[];
  /** Nodes that came to lead in each cycle, in order. */
  readonly leaders: readonly (readonly number[])[];
};

export const FLAPPING_TOP = defineScenario<Flapping>({
  name: 'flapping-top',
  aliases: ['flapping'],
  title: 'The highest ID crashes and returns, over and over',
  explanation:
    'After each crash every node asks all higher nodes (ELECTION), including the dead one; after each return one round of COORDINATOR undoes the result. An owner of a valid top ID needs no forgery to keep a network electing: crashing is enough. An incumbent that stays until the next epoch would stop it.',
  source:
    'H. Garcia-Molina, Elections in a Distributed Computing System, IEEE Trans. Computers C-31(1), 1982: the highest live node always takes over',
  nodes: { usual: 5, min: 2, max: 100 },
  stage: (setting) => [
    staged(setting, CALM, { run: 'flapping', untilTicks: (CALM.count + 2) * CALM.ticks }),
  ],
  expect: (nodes) => ({
    messages: eachCycle(CALM, () => nodes ** 2 - 2),
    leaders: eachCycle(CALM, () => [nodes - 1, nodes]),
  }),
  observe(runs) {
    const { sent, reigns } = onlyRun(runs);
    const during = (t: number, from: number) => t >= from && t < from + CALM.ticks;
    return {
      messages: eachCycle(CALM, (from) => sent.filter(({ t }) => during(t, from)).length),
      leaders: eachCycle(CALM, (from) =>
        reigns.filter((reign) => during(reign.from, from)).map(({ rank }) => rank),
      ),
    };
  },
  describe: ({ messages, leaders }) =>
    `messages in each cycle of crash and return: ${listed(messages)}; leadership changes in each: ${listed(
      leaders.map((led) => `${led.length} (${led.join(', then ')})`),
    )}`,
});

type Storm = {
  /** How often another node came to lead while it lasted. */
  readonly changes: number;
  /** ELECTION, OK and COORDINATOR in each cycle. */
  readonly electing: readonly number[];
  /** Leaders that nodes follow long after it. */
  readonly afterwards: readonly number[];
};

/** Long enough for everything to come to rest, back-offs included. */
const STORM_UNTIL = { audit: true, untilTicks: 20_000 } as const;

export const STORM = defineScenario<Storm>({
  name: 'storm',
  aliases: ['election-storm'],
  title: 'The highest ID goes up and down faster than an election takes',
  explanation:
    'In each cycle node n-1 leads for two ticks and n for five, and in the other 38 no node leads: ELECTION and OK of all survivors, COORDINATOR n-1, and COORDINATOR n right after it. Compare storm-backoff: the same crashes, and returned nodes that wait.',
  source:
    'H. Garcia-Molina, Elections in a Distributed Computing System, IEEE Trans. Computers C-31(1), 1982: a node that recovers holds an election, and the highest takes over',
  nodes: { usual: 5, min: 2, max: 64 },
  stage: (setting) => [staged(setting, STORMY, { run: 'storm', ...STORM_UNTIL })],
  expect: (nodes) => ({
    changes: 2 * STORMY.count,
    electing: eachCycle(STORMY, () => nodes ** 2 - 2),
    afterwards: [nodes],
  }),
  observe: observeStorm,
  describe: describeStorm,
  figures: stormFigures,
});

export const STORM_BACKOFF = defineScenario<Storm>({
  name: 'storm-backoff',
  aliases: ['incumbency'],
  title: 'The same storm, and returned nodes that wait',
  explanation:
    'Node n reports its return (HOLD_ASK), n-1 answers that it leads (HOLD_LEADER), and no node asks another one (ELECTION) after the first crash. Long after the storm n stands (HOLD_STAND), n-1 gives way, and n leads. The wait is voluntary: a Byzantine node would not wait, and the defence against one is to freeze the ranking for the epoch.',
  source:
    'R. M. Metcalfe and D. R. Boggs, Ethernet, CACM 19(7), 1976: binary exponential back-off; H. Garcia-Molina, IEEE Trans. Computers C-31(1), 1982',
  nodes: { usual: 5, min: 2, max: 64 },
  stage(setting) {
    const timing = { latencyTicksMax: LATENCY.ticksMax };
    const machine = createReturnBackOff(BULLY.create(timing), timing);
    const machineOf = () => machine;
    return [staged(setting, STORMY, { run: 'storm with back-off', ...STORM_UNTIL, machineOf })];
  },
  expect: (nodes) => ({
    changes: 1,
    // Only in the election after the first crash every node asks.
    electing: eachCycle(STORMY, (from) => (from === STORMY.from ? nodes ** 2 - nodes - 1 : 0)),
    afterwards: [nodes],
  }),
  observe: observeStorm,
  describe: describeStorm,
  figures: (runs) => ({
    ...stormFigures(runs),
    takesOverAt: onlyRun(runs).reigns.at(-1)?.from ?? 0,
  }),
});

function observeStorm(runs: readonly PlayedRun[]): Storm {
  const run = onlyRun(runs);
  const elections = run.sent.filter(({ message }) => BULLY.messageTypes.includes(message.type));
  return {
    changes: successions(run),
    electing: eachCycle(
      STORMY,
      (from) => elections.filter(({ t }) => t >= from && t < from + STORMY.ticks).length,
    ),
    afterwards: leadersAtEnd(run),
  };
}

function describeStorm({ changes, electing, afterwards }: Storm): string {
  return `over ${STORMY.count} cycles of crash and return another node came to lead ${changes} ${
    changes === 1 ? 'time' : 'times'
  }; messages of elections in each: ${listed(electing)}; afterwards all follow ${listed(afterwards)}`;
}

function stormFigures(runs: readonly PlayedRun[]): { readonly [name: string]: number } {
  const run = onlyRun(runs);
  const ticks = STORM_END - STORMY.from;
  const led = run.reigns.map(({ from, to }) =>
    Math.max(0, Math.min(to ?? STORM_END, STORM_END) - Math.max(from, STORMY.from)),
  );
  const ledTicks = led.reduce((sum, each) => sum + each, 0);
  const messages = run.sent.filter(({ t }) => t >= STORMY.from && t < STORM_END).length;
  return {
    leaderlessPercent: Math.round(100 * (1 - ledTicks / ticks)),
    changesPer1000Ticks: Math.round((1000 * successions(run)) / ticks),
    messagesPer1000Ticks: Math.round((1000 * messages) / ticks),
  };
}

/** Number of reigns that began in the storm, of another node than the one before. */
function successions({ reigns }: PlayedRun): number {
  return reigns.filter(({ rank, from }, index) => {
    const before = reigns[index - 1];
    return from >= STORMY.from && from <= STORM_TO && before !== undefined && before.rank !== rank;
  }).length;
}
