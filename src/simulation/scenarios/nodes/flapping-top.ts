/**
 * @module
 * The highest node crashes and returns again and again. Each time the survivors elect the second
 * highest, each time the returned one bullies its way back: n² − 2 messages a cycle. Latencies do not
 * matter: all survivors are told of the crash in one tick, so each asks exactly once.
 */

import type { ScheduledFault } from '../../faults/schedule.ts';

import type { PlayedRun } from '../played-run.ts';
import { defineScenario, runNamed } from '../scenario.ts';
import { listed } from '../words.ts';

const CYCLES = 4;
/** At latencies up to 9 ticks either election is over in half of it. */
const CYCLE_TICKS = 200;
const RUN = 'flapping';

type Flapping = {
  /** Of each cycle, a crash and the return. */
  readonly messages: readonly number[];
  /** Who came to lead in each cycle, in order. */
  readonly leaders: readonly (readonly number[])[];
};

export const FLAPPING_TOP = defineScenario<Flapping>({
  name: 'flapping-top',
  aliases: ['flapping'],
  title: 'The highest ID crashes and returns, over and over',
  explanation:
    'After each crash everybody asks everybody above (ELECTION), in vain the dead node too; after each return one round of COORDINATOR undoes it all. A valid top ID needs no forgery to keep a network electing: crashing is enough. An incumbent that stays until the next epoch would stop it.',
  source:
    'H. Garcia-Molina, Elections in a Distributed Computing System, IEEE Trans. Computers C-31(1), 1982: the highest live node always takes over',
  nodes: { usual: 5, min: 2, max: 100 },
  stage: ({ nodes, seed }) => [
    {
      name: RUN,
      options: {
        protocol: 'bully-oneshot',
        nodes,
        seed,
        // It announces itself, and everybody follows it before the first crash.
        initiators: [nodes],
        latency: { type: 'uniform', ticksMin: 1, ticksMax: 9 },
        schedule: { faults: flaps(nodes), calm: null, detector: 'crashes' },
        untilTicks: (CYCLES + 2) * CYCLE_TICKS,
      },
    },
  ],
  expect: (nodes) => ({
    messages: cycles(() => nodes ** 2 - 2),
    leaders: cycles(() => [nodes - 1, nodes]),
  }),
  observe(runs) {
    const run = runNamed(runs, RUN);
    return {
      messages: cycles((from) => during(run.sent, from).length),
      leaders: cycles((from) => leadersFrom(run, from)),
    };
  },
  describe: ({ messages, leaders }) =>
    `messages in each cycle of crash and return: ${listed(messages)}; leadership changes in each: ${listed(
      leaders.map((led) => `${led.length} (${led.join(', then ')})`),
    )}`,
});

function flaps(nodes: number): ScheduledFault[] {
  return cycles((at) => at).flatMap((at) => [
    { type: 'crash', rank: nodes, at },
    { type: 'restart', rank: nodes, at: at + CYCLE_TICKS / 2, amnesia: false },
  ]);
}

/** One value for each cycle, by the tick of its crash. */
function cycles<T>(ofCycle: (from: number) => T): T[] {
  return Array.from({ length: CYCLES }, (_, index) => ofCycle((index + 1) * CYCLE_TICKS));
}

function leadersFrom({ reigns }: PlayedRun, from: number): number[] {
  return during(
    reigns.map(({ rank, from: t }) => ({ rank, t })),
    from,
  ).map(({ rank }) => rank);
}

function during<T extends { readonly t: number }>(events: readonly T[], from: number): T[] {
  return events.filter(({ t }) => t >= from && t < from + CYCLE_TICKS);
}
