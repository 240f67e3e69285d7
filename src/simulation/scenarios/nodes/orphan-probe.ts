/**
 * @module
 * The owner of the highest ID crashes when its PROBE has left. Every node lets that PROBE pass and
 * discards its rivals, and the one node that would take it off the ring is gone: it goes round for
 * ever and nobody leads. Certain by the ring chosen: n−1 stands right before n, so its own PROBE, the
 * only one that no other live node stops, is lost with n.
 */

import { PROTOCOLS } from '../../../election/registry.ts';
import { createRandom, shuffled } from '../../../random.ts';
import type { Schedule } from '../../faults/schedule.ts';
import type { ElectionOptions } from '../../run/simulate.ts';
import type { PlayedRun, Sent } from '../played-run.ts';
import { leadersAtEnd } from '../played-run.ts';
import type { ScenarioSettings } from '../scenario.ts';
import { defineScenario, runNamed } from '../scenario.ts';
import { listed } from '../words.ts';
import { createClosingRing } from './closing-ring.ts';

/**
 * Slow and even enough that with four nodes and more the PROBE has yet to come to n−1, three hops of
 * 5 ticks away, when the crash is told, T = 13 ticks after it; so it never meets the dead node.
 */
const LATENCY = { type: 'uniform', ticksMin: 5, ticksMax: 6 } as const;
const ORPHAN = 'cr-join';
const DEFENDED = 'ring-robust';
const ORPHAN_TICKS = 3000;

type Orphan = {
  readonly leaders: readonly number[];
  readonly settled: boolean;
  /** The highest node's PROBE is still being sent on in the last lap. */
  readonly circulates: boolean;
  readonly hopsPerLap: readonly number[];
  readonly defendedLeaders: readonly number[];
};

export const ORPHAN_PROBE = defineScenario<Orphan>({
  name: 'orphan-probe',
  aliases: ['orphaned-probe', 'owner-crashes'],
  title: 'The owner of the maximum crashes after its probe left',
  explanation:
    'PROBE n is passed on by everybody, once a lap for ever, while the ring has closed around n. The second run is ring-robust on the same ring: numbered elections and tokens that are taken once. A hop limit of 2n would do as well; signatures would not, the orphan is genuine.',
  source:
    'E. Chang and R. Roberts, CACM 22(5), 1979: assumes that no process fails; on failures see H. Garcia-Molina, IEEE Trans. Computers C-31(1), 1982',
  nodes: { usual: 5, min: 4, max: 32 },
  stage(setting) {
    const options = optionsOf(setting);
    const join = PROTOCOLS[ORPHAN].create({ latencyTicksMax: LATENCY.ticksMax });
    const machine = createClosingRing(join, options.ring);
    return [
      { name: ORPHAN, options: { ...options, protocol: ORPHAN }, machineOf: () => machine },
      { name: DEFENDED, options: { ...options, protocol: DEFENDED } },
    ];
  },
  expect: (nodes) => ({
    leaders: [],
    settled: false,
    circulates: true,
    hopsPerLap: [nodes - 1],
    defendedLeaders: [nodes - 1],
  }),
  observe(runs) {
    const run = runNamed(runs, ORPHAN);
    const hops = orphanHops(run);
    const lapTicks = run.simulation.plan.nodes * LATENCY.ticksMax;
    return {
      leaders: run.reigns.map(({ rank }) => rank),
      settled: run.outcome.bound === 'idle',
      circulates: (hops.at(-1)?.t ?? 0) > ORPHAN_TICKS - lapTicks,
      hopsPerLap: lapsOf(hops),
      defendedLeaders: leadersAtEnd(runNamed(runs, DEFENDED)),
    };
  },
  describe: ({ leaders, settled, circulates, hopsPerLap, defendedLeaders }) =>
    `with cr-join ${listed(leaders)} ever leads, and after ${ORPHAN_TICKS} ticks ${
      settled ? 'all is at rest' : 'there is no rest'
    }: the orphaned probe ${circulates ? 'still circulates' : 'has stopped'}, ${hopsPerLap.join(' or ') || 'no'} hops a lap; with ring-robust the survivors follow ${listed(defendedLeaders)}`,
  figures(runs) {
    const hops = orphanHops(runNamed(runs, ORPHAN));
    const until = (share: number) => hops.filter(({ t }) => t <= share * ORPHAN_TICKS).length;
    return {
      hopsAfterThird: until(1 / 3),
      hopsAfterTwoThirds: until(2 / 3),
      hopsAtEnd: until(1),
    };
  },
});

type RingOptions = Omit<ElectionOptions, 'protocol' | 'ring'> & {
  readonly ring: readonly number[];
};

function optionsOf({ nodes, seed }: ScenarioSettings): RingOptions {
  const others = Array.from({ length: nodes - 2 }, (_, index) => index + 1);
  const ring = [...shuffled(others, createRandom(seed, 'orphan-probe')), nodes - 1, nodes];
  const schedule: Schedule = {
    faults: [{ type: 'crash', rank: nodes, at: 1 }],
    calm: null,
    detector: 'crashes',
  };
  return { nodes, seed, ring, latency: LATENCY, schedule, untilTicks: ORPHAN_TICKS };
}

/** The hops of the highest node's PROBE, its first among them. */
function orphanHops({ sent, simulation }: PlayedRun): Sent[] {
  const { nodes } = simulation.plan;
  return sent.filter(({ message }) => 'candidate' in message && message.candidate === nodes);
}

/** How many hops lie between two sends of one node after the owner's own, each number once. */
function lapsOf(hops: readonly Sent[]): number[] {
  const [, ...relayed] = hops;
  const lastOf = new Map<number, number>();
  const laps = new Set<number>();
  for (const [index, { from }] of relayed.entries()) {
    const last = lastOf.get(from);
    if (last !== undefined) laps.add(index - last);
    lastOf.set(from, index);
  }
  return [...laps].toSorted((left, right) => left - right);
}
