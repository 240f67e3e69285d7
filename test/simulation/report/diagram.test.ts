/**
 * @module
 * Diagrams of what the golden traces do not show: losses, copies, amnesia, wide ranks, a
 * store.
 */

import { describe, expect, it } from 'vitest';

import type { Json } from '../../../src/election/machine.ts';
import { toRank } from '../../../src/election/world/cast.ts';
import type { TraceRecord } from '../../../src/simulation/engine/trace.ts';
import { diagram } from '../../../src/simulation/report/trace-formats.ts';
import { lostReads, STORE_PLAN, storeRecords } from '../store-runs.ts';

const PLAN = { nodeOrder: [1, 2], crashedBefore: [] };

/** The rows below the head. */
function rowsOf(
  records: readonly TraceRecord[],
  plan: Parameters<typeof diagram>[0] = PLAN,
): string[] {
  return diagram(plan, records).trimEnd().split('\n').slice(3);
}

describe('a diagram', () => {
  it('names sender and recipient of a message that was lost or duplicated', () => {
    const rows = rowsOf([
      {
        seq: 0,
        t: 0,
        action: { type: 'start', node: 1 },
        effects: [{ type: 'send', id: 0, to: toRank(2), message: { type: 'OK' } }],
      },
      { seq: 1, t: 1, action: { type: 'duplicate', message: 0 }, effects: [] },
      { seq: 2, t: 1, action: { type: 'drop', message: 0 }, effects: [] },
      { seq: 3, t: 2, action: { type: 'drop', message: -1 }, effects: [] },
    ]);

    expect(rows).toEqual([
      '   0  ●   │   starts: OK to 2',
      '   1  │   │   OK from 1 to 2: copied on the way',
      '   1  │   │   OK from 1 to 2: lost on the way',
      '   2  │   │   OK from 1 to 2: lost on the way',
    ]);
  });

  it('says what a node set, saved and forgot', () => {
    const rows = rowsOf([
      {
        seq: 0,
        t: 12345,
        action: { type: 'recover', node: 2, amnesia: true },
        effects: [
          { type: 'set-timer', timer: 'beat', ticks: 4, periodic: true },
          { type: 'persist', fields: { term: 1 } },
        ],
      },
    ]);

    expect(rows).toEqual([
      '12345  │   ●   returns and remembers nothing: sets beat in 4 and again; persists term 1',
    ]);
  });

  it.each<[string, Json, string]>([
    [
      'an object by its fields',
      { term: 3, vote: null, log: [[1, 'x']] },
      'term 3, vote null, log [[1,"x"]]',
    ],
    ['an empty object', {}, 'nothing'],
    ['a number', 7, '7'],
    ['nothing', null, 'null'],
    ['a list', [1, 2], '[1,2]'],
    ['40 characters', 'x'.repeat(38), `"${'x'.repeat(38)}"`],
    ['41 characters cut short', 'x'.repeat(39), `"${'x'.repeat(38)}…`],
  ])('says what a node persists: %s', (_, fields, words) => {
    const rows = rowsOf([
      {
        seq: 0,
        t: 0,
        action: { type: 'start', node: 1 },
        effects: [{ type: 'persist', fields }],
      },
    ]);

    expect(rows).toEqual([`   0  ●   │   starts: persists ${words}`]);
  });

  it('names an epoch above 0', () => {
    const elect = (leader: number, epoch: number) =>
      ({ type: 'elect', leader: toRank(leader), epoch }) as const;
    const rows = rowsOf([
      {
        seq: 0,
        t: 0,
        action: { type: 'start', node: 1 },
        effects: [elect(1, 0), elect(2, 0), elect(2, 1), elect(1, 3)],
      },
    ]);

    expect(rows).toEqual([
      '   0  ★   │   starts: leads; follows 2; follows 2 in epoch 1; leads in epoch 3',
    ]);
  });

  it('has a column for the store behind the nodes', () => {
    const [, , head, ...rows] = diagram(STORE_PLAN, storeRecords()).trimEnd().split('\n');

    expect(head).toBe('tick  1   2   3   store');
    expect(rows).toEqual([
      '   0  ●   │   │   │   starts: CLAIM to store',
      '   0  │   ●   │   │   starts: CLAIM to store',
      '   0  │   │   ●   │   starts: CLAIM to store',
      '   1  │   ├───┼──▶●   CLAIM: GRANT 2 to 2',
      '   2  ├───┼───┼──▶●   CLAIM: GRANT 2 to 1',
      '   3  │   ★◀──┼───┤   GRANT 2: persists epoch 3, holder 2; leads in epoch 3',
      '   4  ●◀──┼───┼───┤   GRANT 2: persists epoch 3, holder 2; follows 2 in epoch 3',
      '   5  │   │   ├──▶●   CLAIM: GRANT 2 to 3',
      '   7  │   │   ●◀──┤   GRANT 2: persists epoch 3, holder 2; follows 2 in epoch 3',
    ]);
  });

  it('says which calls of the store and answers were lost or copied', () => {
    expect(rowsOf(lostReads(), STORE_PLAN)).toEqual([
      '   0  │   ●   │   │   starts: READ to store, store',
      '   0  │   │   │   │   READ from 2 to store: lost on the way',
      '   1  │   │   │   │   READ from 2 to store: copied on the way',
      '   2  │   ├───┼──▶●   READ: READ_REPLY to 2',
      '   3  │   ✕   │   │   crashes',
      '   4  │   ✕◀╌╌┼╌╌╌┤   READ_REPLY: lost',
    ]);
  });

  it('has columns as wide as its ranks', () => {
    const nodeOrder = Array.from({ length: 10 }, (_, index) => index + 1);

    const [, , head] = diagram({ nodeOrder, crashedBefore: [10] }, []).split('\n');

    expect(head).toBe('tick  1    2    3    4    5    6    7    8    9    10');
  });

  it('needs the whole trace', () => {
    const records: TraceRecord[] = [
      { seq: 0, t: 0, action: { type: 'deliver', message: 5 }, effects: [] },
    ];

    expect(() => rowsOf(records)).toThrow('"records" expected message 5 in flight');
  });
});
