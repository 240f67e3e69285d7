/**
 * @module
 * Bully where nodes come back at awkward moments, on FIFO links with a detector that never errs: never
 * two leaders, looked at after every event in what the nodes themselves hold, and the highest in the end.
 */

import { describe, expect, it } from 'vitest';

import type { ProtocolName } from '../../../src/election/registry.ts';
import { createRandom, parseSeed } from '../../../src/random.ts';
import type { Fault } from '../../../src/simulation/faults/schedule.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';

const RUNS = 300;
const UP_TO = (ticksMax: number) => ({ type: 'uniform', ticksMin: 1, ticksMax }) as const;

interface Watched {
  /** Leaders at the first moment that had several; empty when none had. */
  readonly rivals: readonly number[];
  /** The leader that the live nodes follow at the end. */
  readonly followed: readonly (number | null)[];
}

function watch(options: SimulationOptions, initiators?: readonly number[]): Watched {
  const simulation = createSimulation(options);
  const live = () => simulation.nodes().filter(({ up }) => up);
  const leaders = () =>
    live().flatMap(({ rank }) => (followedBy(simulation.stateOf(rank)) === rank ? rank : []));
  let rivals: readonly number[] = [];
  simulation.start(initiators);
  do {
    if (rivals.length === 0 && leaders().length > 1) rivals = leaders();
  } while (simulation.advance({ until: 'idle', events: 1 }) === 'events');
  return { rivals, followed: live().map(({ rank }) => followedBy(simulation.stateOf(rank))) };
}

function followedBy(state: unknown): number | null {
  const { leader } = state as { readonly leader: number | null }; // Of the machines listed here alone.
  return leader;
}

function schedule(at: number) {
  return { calm: { at, ticks: 5000, restart: true }, detector: 'crashes', faults: [] } as const;
}

function fault(type: Fault['type'], rank: number, at: number): Fault {
  return { type, rank, at };
}

/** Run `number`: up to five nodes, any of them dead from the beginning, up to seven crashes and returns. */
function drawRun(number: number, protocol: ProtocolName): SimulationOptions {
  const seed = parseSeed(String(number));
  const random = createRandom(seed, 'bully-returns');
  const nodes = 2 + random.below(4);
  const down = new Set<number>();
  for (let rank = nodes; rank > 1; rank -= 1) if (random.below(3) === 0) down.add(rank);
  const crashedBefore = [...down].toReversed();
  const faults: Fault[] = [];
  let at = 1;
  for (let left = random.below(8); left > 0; left -= 1) {
    at += random.below(20);
    const rank = 1 + random.below(nodes);
    if (down.delete(rank)) faults.push(fault('recover', rank, at));
    else if (down.size < nodes - 1) faults.push(fault('crash', rank, at));
    if (faults.at(-1)?.type === 'crash' && faults.at(-1)?.rank === rank) down.add(rank);
  }
  const latency = UP_TO(1 + random.below(10));
  const restart = random.below(2) === 0 ? { schedule: schedule(at + 1 + random.below(200)) } : {};
  return { protocol, nodes, seed, latency, crashedBefore, faults, ...restart };
}

describe.each(['bully-oneshot', 'bully-nextinline', 'bully-improved', 'bully-modified'] as const)(
  '%s',
  (protocol) => {
    it('never has two leaders, and the highest that lives in the end', () => {
      const broken: number[] = [];

      for (let number = 0; number < RUNS; number += 1) {
        const options = drawRun(number, protocol);
        const { rivals, followed } = watch(options);
        if (rivals.length > 0 || new Set(followed).size !== 1) broken.push(number);
      }

      expect(broken).toEqual([]);
    });
  },
);

describe.each(['bully-nextinline', 'bully-improved'] as const)(
  'the short cut of %s',
  (protocol) => {
    it('is not taken from a leader of before that came back while this node was down', () => {
      const faults = [fault('recover', 3, 20), fault('crash', 2, 30), fault('recover', 2, 40)];
      const options = { protocol, nodes: 3, seed: parseSeed('1'), crashedBefore: [3], faults };

      expect(watch({ ...options, schedule: schedule(100) })).toEqual({
        rivals: [],
        followed: [3, 3, 3],
      });
    });

    it('is not taken by one just back that heard an old announcement', () => {
      const faults = [
        ...[fault('crash', 4, 3), fault('recover', 5, 3), fault('crash', 3, 3)],
        ...[
          fault('crash', 1, 5),
          fault('recover', 3, 5),
          fault('crash', 2, 9),
          fault('recover', 4, 14),
        ],
      ];
      const options = { protocol, nodes: 5, latency: UP_TO(4), crashedBefore: [5], faults };

      const { rivals } = watch(
        { ...options, seed: parseSeed('22583'), schedule: schedule(72) },
        [1, 2],
      );

      expect(rivals).toEqual([]);
    });

    it('is not taken where a higher one than the dead may be up', () => {
      const options = { protocol, nodes: 4, seed: parseSeed('7'), crashedBefore: [2] };

      expect(watch(options)).toEqual({ rivals: [], followed: [4, 4, 4] });
    });
  },
);

describe('bully-modified', () => {
  it.each([1, 2, 3])('elects though the one that asked dies at tick %i', (at) => {
    const faults = [fault('crash', 1, at)];
    const options = {
      protocol: 'bully-modified',
      nodes: 3,
      seed: parseSeed('1'),
      faults,
    } as const;

    expect(watch(options, [1])).toEqual({ rivals: [], followed: [3, 3] });
  });
});

describe('bully-oneshot', () => {
  it.each([
    { aliveTop: 'announceOnce', back: 31, from: 110_000, runs: 300 },
    { aliveTop: 'reannounce', back: 29, from: 115_143, runs: 1 },
  ])('does not believe an old announcement when back ($aliveTop)', (row) => {
    const faults = [
      ...[fault('crash', 3, 3), fault('crash', 1, 4)],
      ...[fault('recover', 3, 27), fault('recover', 1, row.back)],
    ];
    const flags = { aliveTop: row.aliveTop };
    const options = {
      protocol: 'bully-oneshot',
      flags,
      nodes: 3,
      latency: UP_TO(9),
      faults,
    } as const;

    const ends = Array.from({ length: row.runs }, (_, number) =>
      watch({ ...options, seed: parseSeed(String(row.from + number)) }, [1]),
    );

    expect(ends.filter(({ followed }) => followed.some((leader) => leader !== 3))).toEqual([]);
  });
});
