/**
 * @module
 * The rows of a sweep's run table, made of the packed records by column: one row for each run and protocol, or for
 * each group of protocols that share their outcomes.
 */

import type { Seed } from '../../random.ts';
import type { ObservationName } from '../runs/observations.ts';
import { OBSERVATION_NAMES } from '../runs/observations.ts';
import type { RowReplay, SweepFrame } from './cells.ts';
import { axisValues, protocolText, rowReplay } from './cells.ts';
import type { TableValue } from './columns.ts';
import type { ChunkPart, Column } from './packing.ts';
import { LETTERS } from './packing.ts';
import { groupsOfCell } from './sums.ts';
import type { SweepCell } from './sweep.ts';
import { rowIdAround } from './sweep.ts';

/** The seeds of the records of a part, and the ids of their rows. */
export interface PartTexts {
  readonly seeds: readonly Seed[];
  /** Hex of SHA-256(before ‖ seed ‖ after) for each record. */
  idsOf(before: string, after: string): readonly string[];
}

/** A column of many rows: one value for all, one for each, or digits for each between two texts. */
export type BlockColumn =
  | { readonly type: 'constant'; readonly value: TableValue }
  | { readonly type: 'each'; readonly values: readonly TableValue[] }
  | {
      readonly type: 'digits';
      readonly before: string;
      readonly digits: readonly string[];
      readonly after: string;
    };

/** Rows of the run table for one group of protocols, by column. */
export interface RowBlock {
  readonly rows: number;
  readonly columns: readonly BlockColumn[];
}

/**
 * Makes the rows of the run table for one cell, without an object for each. Each record has one row in each of the
 * blocks.
 */
export function runBlocks(
  frame: SweepFrame,
  cell: SweepCell,
): (part: ChunkPart, texts: PartTexts) => readonly RowBlock[] {
  const replay = rowReplay(frame, cell);
  const values = axisValues(frame.axes, cell).map(constant);
  const { codeVersion } = frame.spec;
  const groups = groupsOfCell(cell);
  const named = groups.map((protocols) => ({
    shown: protocolText(protocols),
    idAround: rowIdAround(cell.digest, codeVersion, groups.length === 1 ? [] : protocols),
  }));
  return (part, { seeds, idsOf }) =>
    named.map(({ shown, idAround }, group): RowBlock => {
      const { from, to, first, columns } = part;
      const { won = '', observations = {} } = columns.groups[group] ?? {};
      const indices = Array.from({ length: to - from }, (_, index) => from + index);
      const observed = (name: ObservationName) => slicedColumn(observations[name], from, to);
      const failures = indices.map((index) => columns.failures[index] ?? null);
      return {
        rows: indices.length,
        columns: [
          { type: 'digits', before: '', digits: idsOf(...idAround), after: '' },
          constant(cell.index),
          each(indices.map((index) => first + index)),
          { type: 'digits', before: '', digits: seeds, after: '' },
          ...values,
          constant(shown),
          each(indices.map((index) => WON[won[index] ?? ''] ?? null)),
          ...OBSERVATION_NAMES.map(observed),
          failures.some((failure) => failure !== null) ? each(failures) : constant(null),
          constant(codeVersion),
          replayColumn(replay, observed('attempts'), seeds),
        ],
      };
    });
}

const WON: Readonly<Record<string, boolean>> = { [LETTERS.won]: true, [LETTERS.lost]: false };

function constant(value: TableValue): BlockColumn {
  return { type: 'constant', value };
}

function each(values: readonly TableValue[]): BlockColumn {
  return { type: 'each', values };
}

function slicedColumn(column: Column | undefined, from: number, to: number): BlockColumn {
  if (typeof column === 'object' && column !== null) return each(column.slice(from, to));
  return constant(column ?? null);
}

function replayColumn(
  replay: RowReplay,
  attempts: BlockColumn,
  seeds: readonly Seed[],
): BlockColumn {
  if (replay.isPinned && attempts.type === 'each') {
    return each(seeds.map((seed, index) => replay.around(attempts.values[index]).join(seed)));
  }
  const [before, after] = replay.around(attempts.type === 'constant' ? attempts.value : null);
  return { type: 'digits', before, digits: seeds, after };
}
