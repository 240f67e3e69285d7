/**
 * @module
 * Parts of traces: a time, some nodes, or all but heartbeats. What is left out changes nothing in what is shown.
 */

import { describe, expect, it } from 'vitest';
import { toRank } from '../../../src/election/world/cast.ts';
import type { TraceRecord } from '../../../src/simulation/engine/trace.ts';
import type { WrittenRun } from '../../../src/simulation/report/trace-formats.ts';
import { writtenTrace } from '../../../src/simulation/report/trace-formats.ts';
import { runElection } from '../../../src/simulation/run/simulate.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import type { TraceSelection } from '../../../src/simulation/trace/view.ts';
import { viewOf, viewText, WHOLE_TRACE } from '../../../src/simulation/trace/view.ts';
import { SEED } from '../ring/rings.ts';

/** Three nodes of raft, with some seconds of heartbeats. */
function raftRun() {
  const simulation = createSimulation({
    ...{ protocol: 'raft', nodes: 3, seed: SEED, trace: true, untilTicks: 300 },
    latency: { type: 'constant', ticks: 1 },
  });
  runElection(simulation);
  return simulation;
}

function partOf(run: WrittenRun, selection: Partial<TraceSelection>): WrittenRun {
  const view = viewOf(run.records(), { ...WHOLE_TRACE, ...selection });
  return { ...run, plan: { ...run.plan, view } };
}

const RAFT = raftRun();
const RECORDS = RAFT.records();
const LAST = RECORDS.at(-1)?.t ?? 0;

describe('a part of a trace', () => {
  it('as JSON lines has the same lines as the whole trace', () => {
    const [, ...whole] = writtenTrace(RAFT, 'jsonl').trim().split('\n');
    const [, ...part] = writtenTrace(partOf(RAFT, { from: 20, to: 60 }), 'jsonl')
      .trim()
      .split('\n');

    const inTime = RECORDS.flatMap(({ t }, index) =>
      t >= 20 && t <= 60 ? (whole[index] ?? []) : [],
    );
    expect(part).toEqual(inTime);
    expect(part.length).toBeGreaterThan(3);
    expect(part.length).toBeLessThan(whole.length);
  });

  it.each(['svg', 'txt'] as const)('as %s says what it is, and is shorter', (format) => {
    const part = writtenTrace(partOf(RAFT, { from: 20, to: 60, nodes: [1, 3] }), format);

    expect(part).toContain('from 0.02 s to 0.06 s, only 1, 3');
    expect(part.length).toBeLessThan(writtenTrace(RAFT, format).length);
  });

  it('begins with the states that the nodes have then', () => {
    const electing: TraceRecord[] = [
      {
        ...{ seq: 0, t: 1, action: { type: 'start', node: 1 } },
        effects: [
          { type: 'elect', leader: toRank(1), epoch: 0 },
          { type: 'send', id: 0, to: toRank(2), message: { type: 'SAY' } },
        ],
      },
      { seq: 1, t: 2, action: { type: 'pause', node: 2 }, effects: [] },
      { seq: 2, t: 8, action: { type: 'timeout', node: 1, timer: 'x' }, effects: [] },
      { seq: 3, t: 9, action: { type: 'resume', node: 2 }, effects: [] },
      { seq: 4, t: 9, action: { type: 'deliver', message: 0 }, effects: [] },
    ];
    const plan = {
      protocol: 'cr-join',
      nodes: 2,
      nodeOrder: [1, 2],
      store: null,
      crashedBefore: [],
    };
    const run = { plan, records: () => electing, traceLines: () => [] } as unknown as WrittenRun;

    const svg = writtenTrace(partOf(run, { from: 5 }), 'svg');
    const txt = writtenTrace(partOf(run, { from: 5 }), 'txt');

    expect(svg).toContain('>leads<');
    expect(svg).toContain('>is paused<');
    expect(svg).toContain('SAY from 1 to 2, sent at tick 1, arrives at tick 9');
    expect(svg).not.toContain('>starts<');
    expect(txt.split('\n')[4]).toBe('   8  ★   ‖   timer x');
    expect(txt).toContain('‖ is paused');
  });

  it('names the sender of a message from a node that is not shown', () => {
    const part = partOf(RAFT, { nodes: [1] });

    expect(writtenTrace(part, 'svg')).toMatch(/>[A-Z_]+ .*from [23]/);
    expect(writtenTrace(part, 'txt')).toMatch(/ [A-Z_]+ .*from [23]/);
  });

  it('without a step is refused with the times of the trace', () => {
    expect(() => viewOf(RECORDS, { ...WHOLE_TRACE, from: LAST + 1 })).toThrow(
      `nothing happens in this part of the trace, whose times are from ${RECORDS[0]?.t}.0 s to ${LAST / 1000} s`,
    );
  });

  it('is described in the words of its flags', () => {
    const all = { from: 5250, to: 16_000, nodes: [1, 4], heartbeats: false };

    expect(viewText(all, 4)).toBe('from 5.25 s to 16.0 s, only 1, store, without heartbeats');
    expect(viewText(WHOLE_TRACE)).toBe('');
  });
});

describe('a trace without heartbeats', () => {
  const view = viewOf(RECORDS, { ...WHOLE_TRACE, heartbeats: false });
  const shown = RECORDS.filter(view.shows);

  it('has each election, and few of the steps that repeat', () => {
    const turns = (records: readonly TraceRecord[]) =>
      records.filter(({ effects }) => effects.some(({ type }) => type === 'elect')).length;

    expect(turns(shown)).toBeGreaterThan(0);
    expect(shown.length).toBeLessThan(RECORDS.length / 3);
  });

  it('has the sending of each message that it shows', () => {
    const sent = new Set(
      shown.flatMap(({ effects }) =>
        effects.flatMap((each) => (each.type === 'send' ? each.id : [])),
      ),
    );
    const received = shown.flatMap(({ action }) => ('message' in action ? action.message : []));

    expect(received.filter((id) => !sent.has(id))).toEqual([]);
    expect(writtenTrace(partOf(RAFT, { heartbeats: false }), 'svg')).toContain(
      'without heartbeats',
    );
  });

  it('shows a step again after a fault', () => {
    const beat = (seq: number): TraceRecord => ({
      ...{ seq, t: seq, action: { type: 'timeout', node: 1, timer: 'beat' } },
      effects: [{ type: 'set-timer', timer: 'beat', ticks: seq, periodic: false }],
    });
    const crash: TraceRecord = { seq: 2, t: 2, action: { type: 'crash', node: 2 }, effects: [] };
    const records = [beat(0), beat(1), crash, beat(3), beat(4)];

    const { shows } = viewOf(records, { ...WHOLE_TRACE, heartbeats: false });

    expect(records.map(shows)).toEqual([true, false, true, true, false]);
  });
});
