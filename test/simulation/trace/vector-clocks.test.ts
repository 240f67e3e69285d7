/**
 * @module
 * Vector clocks against the definition they implement: happened-before, computed here from program
 * order and messages alone, over elections whose networks lose, copy, hold back, pause and crash.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { fromRank, toRank } from '../../../src/election/world/cast.ts';
import type { Action } from '../../../src/election/world/world.ts';
import { LabError } from '../../../src/errors.ts';
import type { TraceRecord } from '../../../src/simulation/engine/trace.ts';
import type { ClockedEvent } from '../../../src/simulation/trace/vector-clocks.ts';
import {
  CLOCK_NODES_LIMIT,
  createClockWriter,
  vectorClocks,
} from '../../../src/simulation/trace/vector-clocks.ts';
import { lostReads, STORE_PLAN, storeRecords } from '../store-runs.ts';
import { stormRecords } from '../storms.ts';

const PROTOCOLS: readonly ProtocolName[] = ['bully-oneshot', 'cr-join', 'itai-rodeh'];

/** A record in which a node sends to others, messages numbered as given. */
function record(seq: number, action: Action, sends: readonly (readonly [number, number])[] = []) {
  const effects = sends.map(([id, to]) => {
    return { type: 'send' as const, id, to: toRank(to), message: { type: 'SAY' } };
  });
  return { seq, t: seq, action, effects };
}

function clocksOf(records: readonly TraceRecord[], nodes: number) {
  return [...vectorClocks(records, nodes)].map(({ clock }) => Array.from(clock));
}

describe('vector clocks', () => {
  it('count a step and its sends as one event, and merge at the delivery', () => {
    const records = [
      record(0, { type: 'start', node: 1 }, [
        [0, 2],
        [1, 3],
      ]),
      record(1, { type: 'start', node: 3 }),
      record(2, { type: 'deliver', message: 0 }, [[2, 3]]),
      record(3, { type: 'deliver', message: 2 }),
      record(4, { type: 'deliver', message: 1 }),
    ];

    expect(clocksOf(records, 3)).toEqual([
      [1, 0, 0],
      [0, 0, 1],
      [1, 1, 0],
      [1, 1, 2],
      [1, 1, 3],
    ]);
  });

  it('tick the node alone at whatever no message brings', () => {
    const actions: Action[] = [
      { type: 'crash', node: 2 },
      { type: 'recover', node: 2, amnesia: true },
      { type: 'suspect', node: 1, about: 2 },
      { type: 'trust', node: 1, about: 2 },
      { type: 'timeout', node: 1, timer: 'answer' },
      { type: 'pause', node: 2 },
      { type: 'resume', node: 2 },
      { type: 'choose', node: 2, value: 1 },
      { type: 'enter', node: 3 },
      { type: 'join', node: 1, about: 3 },
    ];

    const clocks = clocksOf(
      actions.map((action, seq) => record(seq, action)),
      3,
    );

    expect(clocks).toEqual([
      [0, 1, 0],
      [0, 2, 0],
      [1, 0, 0],
      [2, 0, 0],
      [3, 0, 0],
      [0, 3, 0],
      [0, 4, 0],
      [0, 5, 0],
      [0, 0, 1],
      [4, 0, 0],
    ]);
  });

  it('make nothing that the network does an event of a node', () => {
    const records: TraceRecord[] = [
      record(0, { type: 'start', node: 1 }, [
        [0, 2],
        [1, 2],
      ]),
      record(1, { type: 'drop', message: 0 }),
      record(2, { type: 'duplicate', message: 1 }),
      record(3, { type: 'start', node: 1 }),
      { ...record(4, { type: 'deliver', message: 1 }), dropped: true },
      record(5, { type: 'deliver', message: -1 }),
    ];

    const events = [...vectorClocks(records, 2)];

    expect(events.map(({ node }) => node)).toEqual([1, null, null, 1, null, 2]);
    expect(events.map(({ clock }) => Array.from(clock))).toEqual([
      [1, 0],
      [1, 0],
      [1, 0],
      [2, 0],
      [1, 0],
      [1, 1],
    ]);
  });

  it('are one below the other exactly when one event happened before the other', () => {
    const seen = { before: 0, concurrent: 0, copies: 0, losses: 0 };

    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 999 }),
        fc.constantFrom(...PROTOCOLS),
        (number, protocol) => {
          // Enough to compare every pair.
          const records = stormRecords(number, protocol).slice(0, 250);
          const pasts = pastsOf(records);
          const events = [...vectorClocks(records, 5)].filter(({ node }) => node !== null);
          seen.copies += records.filter(({ action }) => action.type === 'duplicate').length;
          seen.losses += records.filter(({ action }) => action.type === 'drop').length;
          for (const left of events) {
            for (const right of events) {
              const isBefore = pasts.get(right.record.seq)?.has(left.record.seq) === true;
              if (isBefore !== isBelow(left, right)) {
                throw new Error(`${left.record.seq} before ${right.record.seq}: ${isBefore}`);
              }
              if (isBefore) seen.before += 1;
              else if (!isBelow(right, left) && left !== right) seen.concurrent += 1;
            }
          }
        },
      ),
      { seed: 1, numRuns: 30 },
    );

    expect(Math.min(...Object.values(seen))).toBeGreaterThan(100);
  });

  it('have a component for the store, by which nodes learn of each other', () => {
    const { nodes, store } = STORE_PLAN;
    const clocks = [...vectorClocks(storeRecords(), nodes, { store })];

    expect(clocks.map(({ node, clock }) => [node, Array.from(clock)])).toEqual([
      [1, [1, 0, 0, 0]],
      [2, [0, 1, 0, 0]],
      [3, [0, 0, 1, 0]],
      [4, [0, 1, 0, 1]],
      [4, [1, 1, 0, 2]],
      [2, [0, 2, 0, 1]],
      [1, [2, 1, 0, 2]],
      [4, [1, 1, 1, 3]],
      [3, [1, 1, 2, 3]],
    ]);
  });

  it.each([
    ['that grants', storeRecords()],
    ['whose calls are lost and copied', lostReads()],
  ])('are happened-before over a store %s', (_, records) => {
    const { nodes, store } = STORE_PLAN;
    const pasts = pastsOf(records);
    const events = [...vectorClocks(records, nodes, { store })].filter(({ node }) => node !== null);

    for (const left of events) {
      for (const right of events) {
        const isBefore = pasts.get(right.record.seq)?.has(left.record.seq) === true;
        const pair = `${left.record.seq} before ${right.record.seq}`;
        expect(isBelow(left, right), pair).toBe(isBefore);
      }
    }
  });

  it('need to be told of the store', () => {
    expect(() => clocksOf(storeRecords(), 3)).toThrow('"nodes" expected 4 or more, got 3');
  });

  it('count the events of each node one by one, over its crashes too', () => {
    const counts = new Map<number, number>();
    let crashes = 0;

    for (const { node, clock, record } of vectorClocks(stormRecords(7, 'bully-oneshot'), 5)) {
      if (node === null) continue;
      if (record.action.type === 'crash') crashes += 1;
      expect(clock[node - 1]).toBe((counts.get(node) ?? 0) + 1);
      counts.set(node, clock[node - 1] ?? 0);
    }

    expect(crashes).toBeGreaterThan(0);
  });

  it('are sparse as JSON, keys ascending', () => {
    const written = createClockWriter(Array.from({ length: 10 }, (_, index) => `${index + 1}`));

    expect(written([2, 0, 7, 0, 0, 0, 0, 0, 0, 1])).toBe('{"1":2,"3":7,"10":1}');
    expect(written([])).toBe('{}');
    expect(createClockWriter(['node1', 'node2'])([0, 4])).toBe('{"node2":4}');
  });

  it(`are for ${CLOCK_NODES_LIMIT} nodes, and not for one more`, () => {
    const records = [record(0, { type: 'start', node: 1 })];

    expect([...vectorClocks(records, CLOCK_NODES_LIMIT)]).toHaveLength(1);
    expect(() => vectorClocks(records, CLOCK_NODES_LIMIT + 1)).toThrow(LabError);
  });

  it('do not count the store among their nodes', () => {
    const records = [record(0, { type: 'start', node: 1 })];
    const ofStore = (nodes: number) => vectorClocks(records, nodes, { store: nodes + 1 });

    expect([...ofStore(CLOCK_NODES_LIMIT)]).toHaveLength(1);
    expect(() => ofStore(CLOCK_NODES_LIMIT + 1)).toThrow(LabError);
  });

  it('end where their components are more than asked for', () => {
    const records = [
      record(0, { type: 'start', node: 1 }, [[0, 2]]),
      record(1, { type: 'deliver', message: 0 }),
    ];

    expect([...vectorClocks(records, 2, { componentsMax: 3 })]).toHaveLength(2);
    expect(() => [...vectorClocks(records, 2, { componentsMax: 2 })]).toThrow(LabError);
  });

  it('need the whole trace', () => {
    const late = [record(0, { type: 'deliver', message: 5 })];
    const twice = [
      record(0, { type: 'start', node: 1 }, [[0, 1]]),
      record(1, { type: 'drop', message: 0 }),
      record(2, { type: 'deliver', message: 0 }),
    ];

    expect(() => clocksOf(late, 1)).toThrow('"records" expected message 5 in flight');
    expect(() => clocksOf(twice, 1)).toThrow('"records" expected message 0 in flight');
    expect(() => clocksOf([record(0, { type: 'start', node: 2 })], 1)).toThrow(
      '"nodes" expected 2',
    );
  });
});

function isBelow(left: ClockedEvent, right: ClockedEvent): boolean {
  const pairs = Array.from(left.clock).map((count, index) => [count, right.clock[index] ?? 0]);
  return (
    pairs.every(([one = 0, other = 0]) => one <= other) &&
    pairs.some(([one = 0, other = 0]) => one < other)
  );
}

/**
 * For each node's event (by seq) all events before it (Lamport 1978), shared with none of the code.
 */
function pastsOf(records: readonly TraceRecord[]): Map<number, ReadonlySet<number>> {
  const pasts = new Map<number, ReadonlySet<number>>();
  const lastOf = new Map<number, number>();
  const sends = new Map<number, { readonly seq: number; readonly to: number }>();
  let copies = 0;
  for (const { seq, action, effects, dropped } of records) {
    const send = 'message' in action ? sends.get(action.message) : undefined;
    if (action.type === 'duplicate' && send !== undefined) {
      copies += 1;
      sends.set(-copies, send);
    }
    if (action.type === 'drop' || action.type === 'duplicate' || dropped === true) continue;
    const node = 'node' in action ? action.node : (send?.to ?? 0);
    const causes = [lastOf.get(node), send?.seq].filter((cause) => cause !== undefined);
    const past = new Set(causes);
    for (const cause of causes) for (const earlier of pasts.get(cause) ?? []) past.add(earlier);
    pasts.set(seq, past);
    lastOf.set(node, seq);
    for (const effect of effects) {
      if (effect.type !== 'send' && effect.type !== 'call') continue;
      sends.set(effect.id, { seq, to: fromRank(effect.to) });
    }
  }
  return pasts;
}
