/**
 * @module
 * The rows and the sums that are made of columns are those made of one record after another.
 */

import { sha256 } from '@noble/hashes/sha2.js';
import { describe, expect, it } from 'vitest';

import { bytesToHex, utf8ToBytes } from '../../../src/bytes.ts';
import { OBSERVATION_NAMES } from '../../../src/experiment/runs/observations.ts';
import type { SweepFrame } from '../../../src/experiment/sweep/cells.ts';
import { axisValues, rowReplay } from '../../../src/experiment/sweep/cells.ts';
import { executeChunk } from '../../../src/experiment/sweep/chunk.ts';
import type { TableRow, TableValue } from '../../../src/experiment/sweep/columns.ts';
import { runColumns } from '../../../src/experiment/sweep/columns.ts';
import { packRecords, readColumns, unpackRecords } from '../../../src/experiment/sweep/packing.ts';
import { outlineSweep, planCells } from '../../../src/experiment/sweep/plan.ts';
import type { BlockColumn } from '../../../src/experiment/sweep/rows.ts';
import { runBlocks } from '../../../src/experiment/sweep/rows.ts';
import { addToSums, emptySums, groupsOfCell } from '../../../src/experiment/sweep/sums.ts';
import type { RunRecord, SweepCell } from '../../../src/experiment/sweep/sweep.ts';
import { rowSeed } from '../../../src/experiment/sweep/sweep.ts';
import type { Seed } from '../../../src/random.ts';
import { parseSeed } from '../../../src/random.ts';
import { textForm } from '../../../src/runtime/sweep/table-writers.ts';
import { modelFrom, STILL } from '../models.ts';

const SEED = parseSeed('5');
const CODE = '1+2';

function idOf(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}

/** The rows of a record, one for each group. */
function plainRows(frame: SweepFrame, cell: SweepCell, record: RunRecord, seed: Seed): TableRow[] {
  const groups = groupsOfCell(cell);
  return groups.map((protocols, group): TableRow => {
    const { won = null, observations = {} } = record.outcomes?.[group] ?? {};
    const own = groups.length === 1 ? [] : protocols;
    return [
      idOf(['usurp/row/v1', cell.digest, seed, CODE, ...own].join('\0')),
      ...[cell.index, record.repetition, seed, ...axisValues(frame.axes, cell)],
      protocols.length === 0 ? null : protocols.join(' '),
      won,
      ...OBSERVATION_NAMES.map((name) => observations[name] ?? null),
      record.failure,
      CODE,
      rowReplay(frame, cell).around(observations.attempts).join(seed),
    ];
  });
}

function plainSums(cell: SweepCell, records: readonly RunRecord[], seeds: readonly Seed[]) {
  return groupsOfCell(cell).map((_, group) => {
    const seen = records.map(({ outcomes }, index) => {
      return { outcome: outcomes?.[group], seed: seeds[index] ?? null };
    });
    const ended = seen.filter(({ outcome }) => outcome !== undefined);
    const wins = ended.filter(({ outcome }) => outcome?.won === true);
    const losses = ended.filter(({ outcome }) => outcome?.won === false);
    const valuesOf = (name: (typeof OBSERVATION_NAMES)[number]) =>
      ended.flatMap(({ outcome, seed }) => {
        const value = outcome?.observations[name];
        return value === undefined ? [] : [{ value, seed }];
      });
    const messages = valuesOf('messages');
    const end = (better: (one: number, other: number) => boolean) =>
      messages.reduce<(typeof messages)[number] | null>(
        (best, each) => (best === null || better(each.value, best.value) ? each : best),
        null,
      );
    const sums = OBSERVATION_NAMES.map((name) => {
      const values = valuesOf(name);
      const sum = values.reduce((total, { value }) => total + value, 0);
      return [name, { sum, count: values.length }] as const;
    });
    return {
      ...{ n: ended.length, k: wins.length, failures: records.length - ended.length },
      sums: new Map(sums),
      fewest: end((one, other) => one < other),
      most: end((one, other) => one > other),
      ...{ wonSeed: wins[0]?.seed ?? null, lostSeed: losses[0]?.seed ?? null },
      detections: valuesOf('detectionTicks')
        .slice(0, 60)
        .map(({ value }) => value),
    };
  });
}

function valueAt(column: BlockColumn, row: number): TableValue {
  if (column.type === 'constant') return column.value;
  if (column.type === 'each') return column.values[row] ?? null;
  return column.before + column.digits[row] + column.after;
}

const CASES: readonly (readonly [string, readonly string[], readonly number[]])[] = [
  ['top-id', ['work=sampled', 'network.identity.c1=0,4'], []],
  ['top-id', ['work=sampled', 'network.identity.c1=4'], [0, 3, 8]],
  ['top-id', ['work=sampled', 'network.identity.c1=4'], Array.from({ length: 9 }, (_, at) => at)],
  ['partition-raft', ['network.election.latency=1,uniform:1:9'], [2]],
  ['swallowed-probe', ['work=sampled'], [8]],
  ['zombie-leader-unfenced', [], []],
  ['slow-drip', ['network.honest=5'], []],
];

describe('the rows and the sums of columns', () => {
  it.each(CASES)('are those of records: %s %j without the rows %j', (id, sets, failing) => {
    const model = modelFrom(id);
    const outline = outlineSweep(model, { sets, document: null, runs: 9, seed: SEED });
    const cells = planCells(model, outline, { seed: SEED, rateMeasured: null });
    const spec = { seed: SEED, seedRule: 'paired', runs: 9, codeVersion: CODE } as const;
    const frame = { program: 'a "b"', loading: ['x,y'], id, axes: outline.axes, spec };
    for (const cell of cells) {
      const chunk = { cell: cell.index, from: 100, count: 9 };
      const executed = executeChunk({ ...spec, cells }, chunk, STILL);
      const records = executed.map((record, index): RunRecord => {
        return failing.includes(index) ? { ...record, outcomes: null, failure: 'a, "b"' } : record;
      });
      const packed = packRecords(records);
      expect([...unpackRecords(packed, chunk)]).toEqual(records);
      const columns = readColumns(packed, chunk);
      for (const [from, to] of [
        [0, 9],
        [2, 8],
        [5, 5],
      ] as const) {
        const taken = records.slice(from, to);
        const seeds = taken.map(({ repetition }) => rowSeed(spec, cell.digest, repetition));
        const part = { columns, first: chunk.from, from, to };
        const rows = taken.flatMap((record, index) =>
          plainRows(frame, cell, record, seeds[index] ?? SEED),
        );

        const sums = emptySums(cell);
        addToSums(sums, part, (index) => seeds[index - from] ?? SEED);
        const idsOf = (before: string, after: string) =>
          seeds.map((seed) => idOf(before + seed + after));
        const blocks = runBlocks(frame, cell)(part, { seeds, idsOf });

        expect(sums).toEqual(plainSums(cell, taken, seeds));
        const found = taken.flatMap((_, row) =>
          blocks.map((block) => block.columns.map((column) => valueAt(column, row))),
        );
        expect(found).toEqual(rows);
        for (const format of ['csv', 'jsonl'] as const) {
          const form = textForm(format, runColumns(frame.axes));
          expect(form.lines(blocks)).toBe(rows.map((row) => form.line(row)).join(''));
        }
      }
    }
  });
});

describe('the command of a row', () => {
  it('states the attempts that a budget in seconds paid for', () => {
    const model = modelFrom('top-id', 'adversaries.main.budget={cpuSeconds: 1}');
    const outline = outlineSweep(model, { sets: [], document: null, runs: 2, seed: SEED });
    const [cell] = planCells(model, outline, { seed: SEED, rateMeasured: null });
    if (cell === undefined) throw new TypeError('expected a cell');
    const spec = { seed: SEED, seedRule: 'paired', runs: 2, codeVersion: CODE } as const;
    const frame = { program: 'usurp', loading: [], id: 'top-id', axes: [], spec };
    const groups = groupsOfCell(cell).map(() => ({
      won: 'wl',
      observations: { attempts: [7, 9] },
    }));
    const part = { columns: { count: 2, groups, failures: {} }, first: 0, from: 0, to: 2 };
    const seeds = [parseSeed('3'), parseSeed('4')];

    const [block] = runBlocks(frame, cell)(part, { seeds, idsOf: () => ['a', 'b'] });

    const commands = [0, 1].map((row) => valueAt(block?.columns.at(-1) ?? missing(), row));
    expect(commands[0]).toContain('budget.attempts=7');
    expect(commands[0]).toContain('--seed 3 --runs 1');
    expect(commands[1]).toContain('budget.attempts=9');
  });
});

function missing(): never {
  throw new TypeError('expected a column');
}
