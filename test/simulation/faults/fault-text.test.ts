/**
 * @module
 * Faults as people write them, and back.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { LabError } from '../../../src/errors.ts';
import type { ScheduledFault } from '../../../src/simulation/faults/schedule.ts';
import type { FaultFlag } from '../../../src/simulation/faults/text.ts';
import { faultText, parseCrashes, parseFaultText } from '../../../src/simulation/faults/text.ts';

const EVER = { from: 0, to: null };

describe('parseFaultText', () => {
  it.each<[FaultFlag, string, readonly ScheduledFault[]]>([
    ['loss', '5%', [{ type: 'loss', share: 0.05, ...EVER }]],
    ['loss', '12.5%@100-300', [{ type: 'loss', share: 0.125, from: 100, to: 300 }]],
    ['jump', '2@500:+300', [{ type: 'jump', rank: 2, at: 500, ticks: 300 }]],
    ['jump', '2@500:-300', [{ type: 'jump', rank: 2, at: 500, ticks: -300 }]],
    ['failover', '500:2', [{ type: 'failover', at: 500, writes: 2 }]],
    ['duplicate', '10%@5-', [{ type: 'duplication', share: 0.1, from: 5, to: null }]],
    ['reorder', '10%:20', [{ type: 'reordering', share: 0.1, ticksMax: 20, ...EVER }]],
    ['blackout', '100-300', [{ type: 'blackout', from: 100, to: 300 }]],
    ['slowdown', '10@7-9', [{ type: 'slowdown', factor: 10, from: 7, to: 9 }]],
    ['partition', 'halves@1-3', [{ type: 'partition', cut: { kind: 'halves' }, from: 1, to: 3 }]],
    [
      'partition',
      'links:1-2,3-4@1-3',
      [
        {
          type: 'partition',
          cut: {
            kind: 'links',
            links: [
              [1, 2],
              [3, 4],
            ],
          },
          from: 1,
          to: 3,
        },
      ],
    ],
    [
      'partition',
      'one-way:1>2',
      [{ type: 'partition', cut: { kind: 'one-way', from: 1, to: 2 }, ...EVER }],
    ],
    [
      'crash',
      '5@20,3@0',
      [
        { type: 'crash', rank: 5, at: 20 },
        { type: 'crash', rank: 3, at: 0 },
      ],
    ],
    [
      'restart',
      '5@80,3@9:amnesia',
      [
        { type: 'restart', rank: 5, at: 80, amnesia: false },
        { type: 'restart', rank: 3, at: 9, amnesia: true },
      ],
    ],
    ['loss', '0.05@7-', [{ type: 'loss', share: 0.05, from: 7, to: null }]],
    ['reorder', '1e-1:20', [{ type: 'reordering', share: 0.1, ticksMax: 20, from: 0, to: null }]],
    [
      'churn',
      '30@0-500:0.2:6,7',
      [{ type: 'churn', from: 0, to: 500, ticksMean: 30, amnesiaShare: 0.2, joins: [6, 7] }],
    ],
    ['pause', '2@10-60', [{ type: 'pause', rank: 2, from: 10, to: 60 }]],
    ['join', '6@50', [{ type: 'join', rank: 6, at: 50 }]],
    ['skew', '3:1.5', [{ type: 'skew', rank: 3, numerator: 3, denominator: 2 }]],
    ['skew', '3:2/3', [{ type: 'skew', rank: 3, numerator: 2, denominator: 3 }]],
    ['skew', '3:7', [{ type: 'skew', rank: 3, numerator: 7, denominator: 1 }]],
    [
      'churn',
      '30@0-500:20%:6,7',
      [{ type: 'churn', from: 0, to: 500, ticksMean: 30, amnesiaShare: 0.2, joins: [6, 7] }],
    ],
  ])('reads %s %s', (flag, text, faults) => {
    expect(parseFaultText(flag, text)).toEqual(faults);
  });

  it.each<[FaultFlag, string]>([
    ['loss', '5'],
    ['loss', '101%'],
    ['loss', '1.5'],
    ['loss', '0.0000000000001'],
    ['loss', '-1%'],
    ['loss', '5%@'],
    ['loss', '5%@3'],
    ['duplicate', ''],
    ['reorder', '5%'],
    ['reorder', '5%:0'],
    ['blackout', '100'],
    ['slowdown', '0@1-2'],
    ['partition', 'thirds@1-2'],
    ['partition', 'links:1@1-2'],
    ['partition', 'isolate:0'],
    ['crash', '5'],
    ['crash', '5@20,'],
    ['restart', '5@80:oblivion'],
    ['pause', '2@10'],
    ['join', '6'],
    ['skew', '3:0'],
    ['skew', '3:1.555'],
    ['churn', '0@0-500'],
  ])('refuses %s %j and shows what would do', (flag, text) => {
    const parse = () => parseFaultText(flag, text);

    expect(parse).toThrow(LabError);
    expect(parse).toThrow(`${flag} ${JSON.stringify(text)} is not of the form`);
  });
});

describe('faultText', () => {
  const rank = fc.integer({ min: 1, max: 99 });
  const tick = fc.integer({ min: 0, max: 100_000 });
  const share = fc.integer({ min: 0, max: 10_000 }).map((hundredths) => Number(`${hundredths}e-4`));
  const window = { from: tick, to: fc.option(tick) };
  const pair = fc.tuple(rank, rank);
  const cut = fc.oneof(
    fc.record({ kind: fc.constantFrom('halves', 'minority', 'majorities-ring') }),
    fc.record({ kind: fc.constant('isolate'), rank }),
    fc.record({ kind: fc.constant('one-way'), from: rank, to: rank }),
    fc.record({
      kind: fc.constant('links'),
      links: fc.array(pair, { minLength: 1, maxLength: 4 }),
    }),
  );
  const size = fc.integer({ min: 1, max: 1000 });
  const faults = fc.oneof(
    fc.record({ type: fc.constantFrom('crash', 'join'), rank, at: tick }),
    fc.record({ type: fc.constant('restart'), rank, at: tick, amnesia: fc.boolean() }),
    fc.record({ type: fc.constant('pause'), rank, from: tick, to: tick }),
    fc.record({ type: fc.constant('partition'), cut, ...window }),
    fc.record({ type: fc.constantFrom('loss', 'duplication'), share, ...window }),
    fc.record({ type: fc.constant('reordering'), share, ticksMax: size, ...window }),
    fc.record({ type: fc.constant('blackout'), ...window }),
    fc.record({ type: fc.constant('slowdown'), factor: size, ...window }),
    fc.record({ type: fc.constant('skew'), rank, numerator: size, denominator: size }),
    fc.record({
      ...{ type: fc.constant('churn'), from: tick, to: tick, ticksMean: size },
      ...{ amnesiaShare: share, joins: fc.array(rank, { maxLength: 3 }) },
    }),
  );

  it('reads back as the same fault', () => {
    fc.assert(
      fc.property(faults, (drawn) => {
        const fault = drawn as ScheduledFault;

        const { flag, text } = faultText(fault);

        expect(parseFaultText(flag, text)).toEqual([fault]);
      }),
      { seed: 1, numRuns: 2000 },
    );
  });
});

describe('parseCrashes', () => {
  it('distinguishes crashes during the run from crashes before it', () => {
    expect(parseCrashes('5@20,3')).toEqual([
      { rank: 5, at: 20 },
      { rank: 3, at: null },
    ]);
    expect(parseCrashes('highest@3')).toEqual([{ rank: 'highest', at: 3 }]);
  });

  it.each(['', '5@', '0', 'lowest', '5@1@2', '5,'])('refuses %j', (text) => {
    expect(() => parseCrashes(text)).toThrow(LabError);
  });
});
