/**
 * @module
 * What Hirschberg and Sinclair's election costs, exactly. Convention: a message is one send, a hop is
 * a message, ELECTED is listed apart; unit delay and all start at once ("lockstep") unless said; rings
 * are counted up to rotation.
 */

import { describe, expect, it } from 'vitest';

import { createCast } from '../../../src/election/world/cast.ts';
import { apply, createWorld } from '../../../src/election/world/world.ts';
import type { Flight } from '../../../src/election/world/world-state.ts';
import { parseSeed } from '../../../src/random.ts';
import type { Latency } from '../../../src/simulation/faults/latency.ts';
import type { ElectionOutcome } from '../../../src/simulation/run/simulate.ts';
import { simulateElection } from '../../../src/simulation/run/simulate.ts';
import { allRings, allStartSets, elect, exactMean, SEED, sum } from './rings.ts';

type Rule = 'hs-wake' | 'hs-slide';

const RULES: readonly Rule[] = ['hs-wake', 'hs-slide'];
/** A ring of eight on which the most is sent, 112 hops. */
const DEAREST = [8, 5, 6, 4, 7, 2, 3, 1];

function hopsOf({ messages }: ElectionOutcome): number {
  return (messages.FROM ?? 0) + (messages.OK ?? 0) + (messages.NO ?? 0);
}

/** 8n(1 + ⌈lg n⌉). */
function bound(nodes: number): number {
  return 8 * nodes * (1 + Math.ceil(Math.log2(nodes)));
}

/**
 * The count by the paper's argument: a candidate of reach r sends one question each way, which goes
 * min(δ, r) hops and whose answer comes back as many, δ being the distance to the next higher node;
 * who is not stopped on either side goes on with 2r. The last question of the highest goes round.
 */
function hopsInLockstep(ring: readonly number[]): number {
  const nodes = ring.length;
  let hops = 0;
  let candidates = ring.map((rank, position) => ({
    rank,
    distances: [1, -1].map((way) => distanceToHigher(ring, position, way)),
  }));
  for (let reach = 1; candidates.length > 0; reach *= 2) {
    for (const { rank, distances } of candidates) {
      for (const distance of distances) {
        hops += rank === nodes && reach >= nodes ? nodes : 2 * Math.min(distance, reach);
      }
    }
    candidates = candidates.filter(({ distances }) => Math.min(...distances) > reach);
  }
  return hops;
}

function distanceToHigher(ring: readonly number[], position: number, way: number): number {
  const nodes = ring.length;
  const rank = ring[position] ?? 0;
  let distance = 1;
  while (distance < nodes && (ring[(position + nodes + way * distance) % nodes] ?? 0) < rank) {
    distance += 1;
  }
  return distance;
}

function sortedRing(nodes: number): number[] {
  return Array.from({ length: nodes }, (_, index) => index + 1);
}

/** The place p, read backwards in binary, is the rank; `nodes` is a power of two. */
function bitReversedRing(nodes: number): number[] {
  const bits = Math.log2(nodes);
  return Array.from({ length: nodes }, (_, position) => {
    const digits = position.toString(2).padStart(bits, '0');
    return 1 + Number.parseInt([...digits].reverse().join(''), 2);
  });
}

describe('FROM, OK and NO over all rings, when all start in lockstep', () => {
  it.each(
    RULES.flatMap((rule) =>
      [
        { nodes: 1, min: 2, max: 2, mean: '2', atMost: 8 },
        { nodes: 2, min: 12, max: 12, mean: '12', atMost: 32 },
        { nodes: 3, min: 26, max: 26, mean: '26', atMost: 72 },
        { nodes: 4, min: 32, max: 40, mean: '104/3', atMost: 96 },
        { nodes: 5, min: 54, max: 62, mean: '178/3', atMost: 160 },
        { nodes: 6, min: 60, max: 80, mean: '352/5', atMost: 192 },
        { nodes: 7, min: 66, max: 96, mean: '1232/15', atMost: 224 },
        { nodes: 8, min: 72, max: 112, mean: '1408/15', atMost: 256 },
      ].map((row) => ({ rule, ...row })),
    ),
  )('$rule, $nodes nodes: $min to $max, mean $mean', ({ rule, nodes, min, max, mean, atMost }) => {
    const counts = allRings(nodes).map((ring) => hopsOf(elect(rule, ring)));

    expect(Math.min(...counts)).toBe(min);
    expect(Math.max(...counts)).toBe(max);
    expect(exactMean(counts)).toBe(mean);
    expect(atMost).toBe(bound(nodes));
    expect(max).toBeLessThanOrEqual(atMost);
  });

  it.each([1, 2, 3, 4, 5, 6, 7])('%i nodes: each ring costs what its candidates ask', (nodes) => {
    for (const ring of allRings(nodes)) {
      expect(hopsOf(elect('hs-wake', ring)), ring.join()).toBe(hopsInLockstep(ring));
    }
  });
});

describe('large rings in lockstep', () => {
  it.each([
    { nodes: 8, sorted: 72, bitReversed: 112, atMost: 256 },
    { nodes: 16, sorted: 152, bitReversed: 288, atMost: 640 },
    { nodes: 32, sorted: 312, bitReversed: 704, atMost: 1536 },
    { nodes: 64, sorted: 632, bitReversed: 1664, atMost: 3584 },
    { nodes: 1024, sorted: 10_232, bitReversed: 43_008, atMost: 90_112 },
  ])('$nodes nodes: $sorted hops sorted, $bitReversed bit-reversed', (row) => {
    const { nodes, sorted, bitReversed, atMost } = row;

    const cheap = elect('hs-wake', sortedRing(nodes));
    const dear = elect('hs-wake', bitReversedRing(nodes));

    expect(hopsOf(cheap)).toBe(sorted);
    expect(sorted).toBe(4 * (nodes - 1) + 4 * (nodes - 1) + 2 * nodes);
    expect(hopsOf(dear)).toBe(bitReversed);
    expect(atMost).toBe(bound(nodes));
    expect(bitReversed).toBeLessThanOrEqual(atMost);
    expect([cheap.leader, dear.leader]).toEqual([nodes, nodes]);
  });

  it.each([3, 5, 6, 7, 9, 100])('%i nodes, sorted: the cheapest ring, by its formula', (nodes) => {
    const rounded = 2 ** Math.ceil(Math.log2(nodes));

    const hops = hopsOf(elect('hs-wake', sortedRing(nodes)));

    expect(hops).toBe(4 * (nodes - 1) + 4 * (rounded - 1) + 2 * nodes);
  });
});

describe('ELECTED', () => {
  it.each([1, 2, 3, 4, 5, 6])('goes round once: %i hops more, and all agree', (nodes) => {
    for (const ring of allRings(nodes)) {
      const { messages, agreed, leader, verdict } = elect('hs-wake', ring);
      expect(messages.ELECTED).toBe(nodes);
      expect({ agreed, leader, verdict: verdict.value }).toEqual({
        agreed: true,
        leader: nodes,
        verdict: 'true',
      });
    }
  });
});

describe('schedules', () => {
  it.each([true, false])('never change the winner nor break the bound (FIFO %s)', (fifo) => {
    const latency: Latency = { type: 'uniform', ticksMin: 1, ticksMax: 50 };
    const counts = Array.from({ length: 500 }, (_, run) => {
      const outcome = simulateElection({
        protocol: 'hs-wake',
        nodes: 8,
        ring: DEAREST,
        latency,
        fifo,
        seed: parseSeed(String(run)),
      });
      expect(outcome.leader, `seed ${run}`).toBe(8);
      expect(outcome.verdict.value).toBe('true');
      return hopsOf(outcome);
    });

    expect(Math.max(...counts)).toBeLessThanOrEqual(bound(8));
    // Unlike those of one-way rings, the counts do depend on the schedule.
    expect(new Set(counts).size).toBeGreaterThan(1);
  });
});

describe('one initiator, the others asleep', () => {
  it.each([
    { position: 0, hops: 44 },
    { position: 1, hops: 4 },
    { position: 2, hops: 12 },
    { position: 3, hops: 4 },
    { position: 4, hops: 28 },
    { position: 5, hops: 4 },
    { position: 6, hops: 12 },
    { position: 7, hops: 4 },
  ])('hs-slide, place $place of eight: $hops hops, and a leader from place 0 only', (row) => {
    const { position, hops } = row;

    const outcome = elect('hs-slide', DEAREST, [DEAREST[position] ?? 0]);

    expect(hopsOf(outcome)).toBe(hops);
    expect(outcome.leader).toBe(position === 0 ? 8 : null);
    expect(outcome.bound).toBe('idle');
  });

  it('hs-slide elects somebody exactly if that is the highest', () => {
    for (const ring of [1, 2, 3, 4, 5, 6].flatMap(allRings)) {
      for (const initiator of ring) {
        const { leader } = elect('hs-slide', ring, [initiator]);
        expect(leader, `${ring} from ${initiator}`).toBe(
          initiator === ring.length ? initiator : null,
        );
      }
    }
  });

  it('hs-wake always elects the highest', () => {
    for (const ring of [1, 2, 3, 4, 5, 6].flatMap(allRings)) {
      for (const initiator of ring) {
        const { leader, agreed } = elect('hs-wake', ring, [initiator]);
        expect({ leader, agreed }, `${ring} from ${initiator}`).toEqual({
          leader: ring.length,
          agreed: true,
        });
      }
    }
  });

  // A candidate whose last OK and whose conqueror's FROM come in one tick goes on or not, as they are
  // ordered; so the count has no meaning without that order.
  it.each<{ order: string; newestFirst: boolean; hops: readonly number[] }>([
    {
      order: 'latest sent first',
      newestFirst: true,
      hops: [104, 112, 112, 104, 104, 112, 112, 104],
    },
    {
      order: 'earliest sent first',
      newestFirst: false,
      hops: [112, 112, 112, 112, 112, 112, 112, 112],
    },
  ])('hs-wake in lockstep, within a tick the $order', ({ newestFirst, hops }) => {
    const counts = DEAREST.map((initiator) => hopsByTicks(DEAREST, { initiator, newestFirst }));

    expect(counts).toEqual(hops);
  });

  it('hs-wake in the simulator: earliest sent first', () => {
    const counts = DEAREST.map((initiator) => hopsOf(elect('hs-wake', DEAREST, [initiator])));

    expect(counts).toEqual(DEAREST.map(() => 112));
  });
});

describe('some initiators', () => {
  it.each([1, 2, 3, 4, 5])('%i nodes: any non-empty set elects the highest', (nodes) => {
    for (const ring of allRings(nodes)) {
      for (const initiators of allStartSets(nodes)) {
        const { leader, verdict } = elect('hs-wake', ring, initiators);
        expect(leader, `${ring} from ${initiators}`).toBe(nodes);
        expect(verdict.value).toBe('true');
      }
    }
  });

  it.each([1, 2, 3, 4, 5])('%i nodes: hs-slide elects exactly if the highest starts', (nodes) => {
    for (const ring of allRings(nodes)) {
      for (const initiators of allStartSets(nodes)) {
        const { leader } = elect('hs-slide', ring, initiators);
        expect(leader, `${ring} from ${initiators}`).toBe(
          initiators.includes(nodes) ? nodes : null,
        );
      }
    }
  });
});

describe('a ring closed around the dead', () => {
  it.each(RULES)('%s elects the highest survivor at the cost of the survivors alone', (rule) => {
    for (const ring of allRings(6)) {
      const survivors = ring.filter((rank) => rank !== 6);

      const outcome = simulateElection({
        protocol: rule,
        nodes: 6,
        ring,
        crashedBefore: [6],
        seed: SEED,
      });

      expect(outcome.leader).toBe(5);
      expect(outcome.messages).toEqual(elect(rule, survivors).messages);
    }
  });
});

/** FROM, OK and NO of a run in which all that was sent in one tick arrives in the next. */
function hopsByTicks(
  ring: readonly number[],
  options: { readonly initiator: number; readonly newestFirst: boolean },
): number {
  const timing = { latencyTicksMax: 1 };
  const cast = createCast({ protocol: 'hs-wake', timing, ring, crashedBefore: [] });
  let world = apply(cast, createWorld(cast, []), { type: 'start', node: options.initiator });
  while (world.inFlight.length > 0) {
    const due: readonly Flight[] = options.newestFirst
      ? world.inFlight.toReversed()
      : world.inFlight;
    for (const { id } of due) world = apply(cast, world, { type: 'deliver', message: id });
  }
  const { FROM = 0, OK = 0, NO = 0 } = world.sentByType;
  return sum([FROM, OK, NO]);
}
