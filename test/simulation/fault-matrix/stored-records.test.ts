/**
 * @module
 * Stored bytes that were flipped: a node that finds on its disk what it cannot have written takes no
 * part, as if it had stopped, since it may have voted; the others go on without it. A flipped byte that
 * leaves a record, such as another digit in a term, is for the disk's checksum to find: what fails
 * that is handed over as the text it is.
 */

import { describe, expect, it } from 'vitest';
import type { Effects, Json, Message } from '../../../src/election/machine.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { createCast, toRank } from '../../../src/election/world/cast.ts';
import { createRandom, parseSeed } from '../../../src/random.ts';
import type { ScheduledFault } from '../../../src/simulation/faults/schedule.ts';
import { planSimulation } from '../../../src/simulation/plan/options.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';

import { flagsOf } from './columns.ts';
import { judgeSimulation } from './runs.ts';

const SEEDS = Number(process.env.FAULT_MATRIX_SEEDS ?? 50);
/** Each with a record as it stores it, and in which it has voted where that is a vote. */
const RECORDS: readonly (readonly [ProtocolName, Json])[] = [
  ['raft', { term: 3, votedFor: 2 }],
  ['quorum-lease', { term: 3, votedFor: 2 }],
  ['zk-slide-quorum', { ackedEpoch: 3, ackedId: 2 }],
  ['zab-fle', { acceptedEpoch: 3, currentEpoch: 3 }],
];

/** The texts of a record with one bit of one byte flipped. */
function flipped(record: Json): string[] {
  const text = JSON.stringify(record);
  return Array.from(text).flatMap((_, index) =>
    [1, 2, 4, 8, 16, 32, 64].map((bit) => {
      const byte = String.fromCharCode(text.charCodeAt(index) ^ bit);
      return text.slice(0, index) + byte + text.slice(index + 1);
    }),
  );
}

/** What a disk makes of such a text: a value, if it is one. */
function readBack(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** How many effects the machine of node 1 of three has when it finds this, and then learns of others. */
function effectsOf(protocol: ProtocolName, persisted: Json): number {
  const plan = planSimulation({ protocol, nodes: 3, seed: parseSeed('1') });
  const cast = createCast(plan);
  const machine = cast.machineOf(1);
  const self = cast.selfOf(1);
  const state = machine.init(self);
  let count = 0;
  const note = () => {
    count += 1;
  };
  const effects: Effects<Message> = {
    ...{ send: note, setTimer: note, cancelTimer: note, choose: note, persist: note },
    ...{ call: note, elect: note, stepDown: note, accuse: note, respond: note },
  };
  machine.step(self, state, { type: 'recover', persisted }, effects);
  machine.step(self, state, { type: 'start' }, effects);
  machine.step(self, state, { type: 'suspect', node: toRank(3) }, effects);
  machine.step(self, state, { type: 'trust', node: toRank(3) }, effects);
  return count;
}

describe.each(RECORDS)('a record of %s', (protocol, record) => {
  const shape = (value: Json) =>
    typeof value === 'object' && value !== null ? Object.keys(value).join() : typeof value;

  it('is refused with any bit flipped that leaves it no record', () => {
    const values = flipped(record)
      .map(readBack)
      .filter((value) => shape(value) !== shape(record));

    expect(values.length).toBeGreaterThan(100);
    for (const value of values) {
      expect(effectsOf(protocol, value), JSON.stringify(value)).toBe(0);
    }
    expect(effectsOf(protocol, record)).toBeGreaterThan(0);
  });
});

describe.each(RECORDS)('a node of %s whose disk fails its checksum', (protocol) => {
  it('is silent from its return on, and the others elect without it', () => {
    for (let number = 0; number < SEEDS; number += 1) {
      const { simulation, victim, at } = runWithFlips(protocol, number);

      const label = `seed ${number}`;
      const said = simulation.records().filter(({ t, action, effects }) => {
        const isOwn = 'node' in action && action.node === victim;
        return t >= at && isOwn && effects.length > 0;
      });
      expect(said, label).toEqual([]);
      const broken = judgeSimulation(simulation);
      // It follows no node, as if it were down.
      expect(
        broken.map(({ property, who }) => [property, ...who]),
        label,
      ).toEqual([['L', victim]]);
      const leaders = simulation.nodes().filter(({ rank }) => rank !== victim);
      expect(new Set(leaders.map(({ leader }) => leader)).size, label).toBe(1);
    }
  });
});

/** Somebody, half of the time the highest, crashes once it has stored something, and returns. */
function runWithFlips(protocol: ProtocolName, number: number) {
  const seed = parseSeed(String(number));
  const random = createRandom(seed, 'flips');
  const nodes = 4 + random.below(3);
  const victim = random.below(2) === 0 ? nodes : 1 + random.below(nodes);
  const crashAt = 100 + random.below(50);
  const at = crashAt + 1 + random.below(50);
  const faults: ScheduledFault[] = [
    { type: 'crash', rank: victim, at: crashAt },
    { type: 'restart', rank: victim, at, amnesia: false },
  ];
  const options: SimulationOptions = {
    protocol,
    flags: flagsOf(protocol),
    nodes,
    seed,
    latency: { type: 'uniform', ticksMin: 1, ticksMax: 1 + random.below(9) },
    schedule: { faults, calm: { at: 200, ticks: 1000, restart: false }, detector: 'crashes' },
    trace: true,
  };
  return { simulation: withFlippedDisks(options), victim, at };
}

/** The election of these options, in which whatever is read from a disk has a byte flipped. */
function withFlippedDisks(options: SimulationOptions): Simulation {
  const cast = createCast(planSimulation(options));
  const simulation = createSimulation(options, (rank) => {
    const machine = cast.machineOf(rank);
    return {
      init: machine.init,
      step(self, state, event, effects) {
        const isReturn = event.type === 'recover';
        const persisted = isReturn ? (flipped(event.persisted)[0] ?? '') : '';
        machine.step(self, state, isReturn ? { ...event, persisted } : event, effects);
      },
    };
  });
  simulation.start();
  simulation.advance({ until: 'idle' });
  return simulation;
}
