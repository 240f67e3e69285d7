/**
 * @module
 * Diagrams of what the golden traces do not show: losses, copies, amnesia, wide ranks.
 */

import { describe, expect, it } from 'vitest';

import { toRank } from '../../src/election/cast.ts';
import { diagram } from '../../src/simulation/diagram.ts';
import type { TraceRecord } from '../../src/simulation/trace.ts';

const PLAN = { seating: [1, 2], crashedBefore: [] };

/** The rows below the head. */
function rowsOf(records: readonly TraceRecord[], plan = PLAN): string[] {
  return diagram(plan, records).trimEnd().split('\n').slice(3);
}

describe('a diagram', () => {
  it('says from whom to whom a message went that was lost or copied on its way', () => {
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
      '12345  │   ●   returns and remembers nothing: sets beat in 4 and again; persist',
    ]);
  });

  it('has columns as wide as its ranks', () => {
    const seating = Array.from({ length: 10 }, (_, index) => index + 1);

    const [, , head] = diagram({ seating, crashedBefore: [10] }, []).split('\n');

    expect(head).toBe('tick  1    2    3    4    5    6    7    8    9    10');
  });

  it('needs the whole trace', () => {
    const records: TraceRecord[] = [
      { seq: 0, t: 0, action: { type: 'deliver', message: 5 }, effects: [] },
    ];

    expect(() => rowsOf(records)).toThrow('"records" expected a send of 5');
  });
});
