/**
 * @module
 * The owner of the highest ID crashes after it has sent its PROBE. Every node relays that PROBE and discards
 * its rivals, and the one node that would take it off the ring is gone: it goes round for ever and no node
 * leads. The ring makes this certain: n−1 is right before n, so that its own PROBE, the only one that no
 * other live node stops, is lost with n. The ring closes around its dead and does no more: each node sends to the
 * next one clockwise that it does not suspect. (ring-robust does it carefully.)
 */

import type { AnyMachine } from '../../election/definition/protocol.ts';
import type { Event, Json, Machine, Message, Rank, Self } from '../../election/machine.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import { fromRank, toRank } from '../../election/world/cast.ts';
import { createRandom, shuffled } from '../../random.ts';
import type { PlayedRun, Sent } from './played-run.ts';
import { leadersAtEnd } from './played-run.ts';
import { defineScenario, listed, ranksTo, runNamed, stageRun } from './scenario.ts';

/**
 * Slow and even enough that with at least four nodes the PROBE has not reached n−1, three hops of 5 ticks
 * away, when the crash is reported, T = 13 ticks after it; so it never meets the dead node.
 */
const LATENCY = { type: 'uniform', ticksMin: 5, ticksMax: 6 } as const;
const ORPHAN = 'cr-join';
const DEFENDED = 'ring-robust';
const ORPHAN_TICKS = 3000;

type Orphan = {
  readonly leaders: readonly number[];
  readonly settled: boolean;
  /** Whether the PROBE of the highest node is still relayed in the last lap. */
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
    const { nodes, seed } = setting;
    const others = shuffled(ranksTo(nodes - 2), createRandom(seed, 'orphan-probe'));
    const ring = [...others, nodes - 1, nodes];
    const join = PROTOCOLS[ORPHAN].create({ latencyTicksMax: LATENCY.ticksMax });
    const machine = createClosingRing(join, ring);
    const faults = [{ type: 'crash', rank: nodes, at: 1 }] as const;
    const script = { ring, latency: LATENCY, faults, untilTicks: ORPHAN_TICKS };
    return [
      stageRun(setting, { ...script, protocol: ORPHAN, machineOf: () => machine }),
      stageRun(setting, { ...script, protocol: DEFENDED }),
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

type ClosingState = {
  suspected: readonly Rank[];
  wrapped: Json;
};

/** `wrapped` on a ring, clockwise, whose nodes skip the nodes that they suspect. */
function createClosingRing(wrapped: AnyMachine, ring: readonly number[]): AnyMachine {
  const machine: Machine<ClosingState, Message> = {
    init: (self) => ({ suspected: [], wrapped: wrapped.init(self) }),
    step(self, state, event, effects) {
      state.suspected = suspectedAfter(state.suspected, event);
      wrapped.step(closed(self, ring, state.suspected), state.wrapped, event, effects);
    },
  };
  return machine as AnyMachine; // Its state is plain JSON data.
}

function suspectedAfter(suspected: readonly Rank[], event: Event<Message>): readonly Rank[] {
  if (event.type === 'suspect') return [...suspected, event.node];
  if (event.type === 'trust') return suspected.filter((rank) => rank !== event.node);
  return suspected;
}

function closed(self: Self, ring: readonly number[], suspected: readonly Rank[]): Self {
  const index = ring.indexOf(fromRank(self.rank));
  const clockwise = [...ring.slice(index + 1), ...ring.slice(0, index)].map(toRank);
  const next = clockwise.find((rank) => !suspected.includes(rank)) ?? self.rank;
  return { ...self, successors: [next] };
}
