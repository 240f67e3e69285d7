/**
 * @module
 * The forms of a trace: JSON lines are the records with node and clock added, each form refuses
 * what it cannot hold before and after the run, and none changes what the run was.
 */

import { describe, expect, it } from 'vitest';

import { toRank } from '../../../src/election/world/cast.ts';
import { LabError } from '../../../src/errors.ts';
import type { TraceRecord } from '../../../src/simulation/engine/trace.ts';
import type { TraceFormat } from '../../../src/simulation/report/trace-formats.ts';
import {
  assertWritable,
  clockedLines,
  diagram,
  PRINTED_CELLS_LIMIT,
  writtenTrace,
} from '../../../src/simulation/report/trace-formats.ts';
import { runElection } from '../../../src/simulation/run/simulate.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { SEED } from '../ring/rings.ts';
import { STORE_PLAN, storeRecords } from '../store-runs.ts';
import { stormRecords } from '../storms.ts';

const FORMATS: readonly TraceFormat[] = ['jsonl', 'jsonl-bare', 'shiviz', 'svg', 'txt'];

function elected(nodes = 3): Simulation {
  const simulation = createSimulation({ protocol: 'cr-join', nodes, seed: SEED, trace: true });
  runElection(simulation);
  return simulation;
}

describe('a written trace', () => {
  it.each(FORMATS)('is the same twice as %s', (format) => {
    expect(writtenTrace(elected(), format)).toBe(writtenTrace(elected(), format));
  });

  it('has the lines of the trace, each record with its node and clock, as JSON lines', () => {
    const simulation = elected();

    const lines = writtenTrace(simulation, 'jsonl').trimEnd().split('\n');

    const bare = [...simulation.traceLines()].map((line) => line.trimEnd());
    expect(lines[0]).toBe(bare[0]);
    expect(lines).toHaveLength(bare.length);
    for (const [index, line] of lines.slice(1).entries()) {
      const { node, clock, ...record } = JSON.parse(line);
      expect(JSON.stringify(record)).toBe(bare[index + 1]);
      expect(clock[node]).toBeGreaterThan(0);
    }
  });

  it('has the lines of the trace and nothing else without clocks', () => {
    const simulation = elected();

    expect(writtenTrace(simulation, 'jsonl-bare')).toBe([...simulation.traceLines()].join(''));
  });

  it('is the diagram in plain text', () => {
    const simulation = elected();

    expect(writtenTrace(simulation, 'txt')).toBe(diagram(simulation.plan, simulation.records()));
  });

  it('gives what the network does no node and the clock of the send', () => {
    const effects = [{ type: 'send', id: 0, to: toRank(2), message: { type: 'SAY' } }] as const;
    const records: TraceRecord[] = [
      { seq: 0, t: 0, action: { type: 'start', node: 1 }, effects },
      { seq: 1, t: 0, action: { type: 'drop', message: 0 }, effects: [] },
    ];

    const lines = [...clockedLines(records, 2)];

    expect(lines[1]).toBe(
      '{"seq":1,"t":0,"action":{"type":"drop","message":0},"effects":[],"node":null,"clock":{"1":1}}\n',
    );
  });

  it('keeps the store a number in JSON lines, in its records and in their clocks', () => {
    const lines = [...clockedLines(storeRecords(), STORE_PLAN.nodes, STORE_PLAN)];

    expect(lines[3]).toBe(
      '{"seq":3,"t":1,"action":{"type":"deliver","message":1},"effects":[{"type":"send","id":3,"to":2,"message":{"type":"GRANT","holder":2}}],"node":4,"clock":{"2":1,"4":1}}\n',
    );
  });

  it.each<[TraceFormat, RegExp]>([
    ['jsonl', /"node":4,"clock":\{[^}]*"4":1\}/],
    ['shiviz', /^store \{.*"store":1\}$/m],
    ['svg', />store<\/text>/],
    ['txt', /^tick {2}1 {3}2 {3}3 {3}store$/m],
  ])('shows as %s the store of a protocol that calls one', (format, store) => {
    const simulation = createSimulation({
      protocol: 'db-lease',
      nodes: 3,
      seed: SEED,
      trace: true,
    });
    runElection(simulation);

    expect(writtenTrace(simulation, format)).toMatch(store);
  });

  it('has keys of clocks in ascending order', () => {
    for (const line of clockedLines(stormRecords(2, 'bully-oneshot'), 5)) {
      const clock = /"clock":\{(.*)\}\}\n$/.exec(line)?.[1] ?? '';
      const keys = [...clock.matchAll(/"(\d+)":/g)].map(([, key]) => Number(key));
      expect(keys).toEqual(keys.toSorted((left, right) => left - right));
      expect(keys.length).toBeGreaterThan(0);
    }
  });
});

describe('a form of a trace', () => {
  it.each<[TraceFormat, number]>([
    ['jsonl', 1_000],
    ['shiviz', 1_000],
    ['svg', 64],
  ])('%s is refused beyond %i nodes before the run', (format, nodesMax) => {
    expect(() => assertWritable(format, nodesMax)).not.toThrow();
    expect(() => assertWritable(format, nodesMax + 1)).toThrow(LabError);
    expect(() => assertWritable(format, nodesMax + 1)).toThrow(`${nodesMax} nodes`);
  });

  it.each<TraceFormat>(['jsonl-bare', 'txt'])('%s takes any number of nodes', (format) => {
    expect(() => assertWritable(format, 1_000_000)).not.toThrow();
  });

  it('in plain text is refused when it has too many cells', () => {
    const simulation = elected();
    const rows = simulation.records().length;
    const crowd = (nodes: number) => ({ ...simulation, plan: { ...simulation.plan, nodes } });

    expect(writtenTrace(crowd(Math.floor(PRINTED_CELLS_LIMIT / rows)), 'txt')).toContain('tick');
    expect(() => writtenTrace(crowd(PRINTED_CELLS_LIMIT / rows + 1), 'txt')).toThrow(LabError);
  });
});
