/**
 * @module
 * What the controller did to live nodes, in their trace: pauses, partitions, and the messages that were lost by them.
 */

import { expect, it } from 'vitest';

import { toRank } from '../../../src/election/world/cast.ts';
import type { Disturbance } from '../../../src/live/check/disturbances.ts';
import { withDisturbances } from '../../../src/live/check/disturbances.ts';
import type { TraceRecord } from '../../../src/simulation/engine/trace.ts';
import { spaceTimeSvg } from '../../../src/simulation/report/space-time/svg.ts';
import { diagram } from '../../../src/simulation/report/trace-formats.ts';

function step(t: number, action: TraceRecord['action'], sends: readonly [number, number][] = []) {
  const effects = sends.map(([id, to]) => {
    return { type: 'send', id, to: toRank(to), message: { type: 'SAY' } } as const;
  });
  return { seq: t, t, action, effects };
}

const traced = (records: readonly TraceRecord[], disturbances: readonly Disturbance<number>[]) =>
  withDisturbances(records, { disturbances, store: null, heard: [1, 2, 3] });
const start = (t: number, node: number, sends: readonly [number, number][] = []) =>
  step(t, { type: 'start', node }, sends);

it('a pause is after the last step before the process stopped, and a return before the first one after it', () => {
  const records = [start(10, 1), start(101, 1), start(300, 1)];

  const all = traced(records, [
    { t: 100, type: 'pause', node: 1 },
    { t: 300, type: 'resume', node: 1 },
  ]);

  expect(all.map(({ seq, t, action }) => [seq, t, action.type])).toEqual([
    [0, 10, 'start'],
    [1, 101, 'start'],
    [2, 101, 'pause'],
    [3, 300, 'resume'],
    [4, 300, 'start'],
  ]);
});

it('a message that never arrives is lost at once beyond a partition or at a node that is down', () => {
  const records = [
    start(10, 1, [[0, 2]]),
    start(20, 1, [
      [1, 2],
      [2, 3],
    ]),
    step(25, { type: 'deliver', message: 2 }),
    step(30, { type: 'crash', node: 3 }),
    start(40, 1, [[3, 3]]),
  ];

  const all = traced(records, [
    { t: 15, type: 'partition', sides: [[1, 3], [2]] },
    { t: 30, type: 'end', node: 3 },
    { t: 35, type: 'heal' },
  ]);

  expect(all.map(({ t, action, lost }) => [t, action.type, lost ?? ''])).toEqual([
    [10, 'start', ''],
    [15, 'partition', ''],
    [20, 'start', ''],
    [20, 'drop', 'partition'],
    [25, 'deliver', ''],
    [30, 'crash', ''],
    [35, 'heal', ''],
    [40, 'start', ''],
    [40, 'deliver', ''],
  ]);
  expect(diagram({ nodeOrder: [1, 2, 3], crashedBefore: [], isLive: true }, all)).toContain(
    'SAY from 1 to 2: lost, a partition separates them',
  );
  expect(all.at(-1)?.dropped).toBe(true);
  const svg = spaceTimeSvg({ protocol: 'raft', nodeOrder: [1, 2, 3], crashedBefore: [] }, all);
  for (const mark of [
    'crashes',
    'is down',
    'message lost on its way',
    'a partition begins or ends',
  ])
    expect(svg).toContain(`>${mark}<`);
});

it('a message that is under way when the process of its recipient ends is lost with it', () => {
  const records = [
    start(10, 1, [
      [0, 2],
      [1, 2],
    ]),
    step(12, { type: 'crash', node: 2 }),
    step(20, { type: 'recover', node: 2, amnesia: false }),
    step(21, { type: 'deliver', message: 1 }),
  ];

  const all = traced(records, []);

  expect(all.map(({ t, action, dropped }) => [t, action, dropped ?? false])).toEqual([
    [10, { type: 'start', node: 1 }, false],
    [12, { type: 'crash', node: 2 }, false],
    [12, { type: 'deliver', message: 0 }, true],
    [20, { type: 'recover', node: 2, amnesia: false }, false],
    [21, { type: 'deliver', message: 1 }, false],
  ]);
});

it('a store that was killed is down until it is started again, and calls of that time are lost', () => {
  const calling = {
    ...start(20, 1),
    effects: [{ type: 'call', id: 0, to: toRank(3), operation: { type: 'READ' } } as const],
  };

  const all = withDisturbances([start(10, 1), calling], {
    disturbances: [
      { t: 15, type: 'end', node: 3 },
      { t: 30, type: 'return', node: 3 },
    ],
    ...{ store: 3, heard: [1, 2] },
  });

  expect(all.map(({ t, action }) => [t, action.type])).toEqual([
    [10, 'start'],
    [15, 'crash'],
    [20, 'start'],
    [20, 'deliver'],
    [30, 'recover'],
  ]);
});

it('a message that never arrives is lost when it was sent, if a later one has arrived, its sender has ended, or it is late', () => {
  const records = [
    start(10, 1, [
      [0, 2],
      [1, 2],
      [2, 3],
    ]),
    step(12, { type: 'deliver', message: 1 }),
    start(20, 2, [[3, 1]]),
    step(21, { type: 'crash', node: 2 }),
    start(20_000, 1, [
      [4, 3],
      [5, 4],
    ]),
  ];

  const all = withDisturbances(records, { disturbances: [], store: null, heard: [1, 2, 3] });

  const ends = all.flatMap(({ t, action }) => ('message' in action ? [[t, action]] : []));
  expect(ends).toEqual([
    [10, { type: 'drop', message: 0 }],
    [10, { type: 'drop', message: 2 }],
    [12, { type: 'deliver', message: 1 }],
    [20, { type: 'drop', message: 3 }],
  ]);
});

it('a message to a node that is paused until the end, or has no whole log, stays under way', () => {
  const records = [
    start(10, 1, [
      [0, 2],
      [1, 3],
    ]),
    start(20_000, 1),
  ];
  const disturbances = [{ t: 5, type: 'pause', node: 2 }] as const;

  const all = withDisturbances(records, { disturbances, store: null, heard: [1, 2] });

  expect(all.filter(({ action }) => action.type === 'drop')).toEqual([]);
});

it('a process that ended with its cluster stops, and is no crash', () => {
  const records = [
    start(10, 1),
    step(21, { type: 'crash', node: 1 }),
    step(30, { type: 'recover', node: 1, amnesia: false }),
    step(40, { type: 'crash', node: 1 }),
  ];

  const all = traced(records, [
    { t: 20, type: 'stop', node: 1 },
    { t: 40, type: 'end', node: 1 },
  ]);

  const plan = { nodeOrder: [1], crashedBefore: [], isLive: true };
  expect(diagram(plan, all).match(/✕ {3}(?:stops|crashes)$/gm)).toEqual([
    '✕   stops',
    '✕   crashes',
  ]);
  expect(spaceTimeSvg({ protocol: 'raft', ...plan }, all)).toContain('>stops with its cluster<');
});
