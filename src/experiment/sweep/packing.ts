/**
 * @module
 * The records of a chunk as one line of JSON, by column: a column of equal values is written as that value.
 * So a journal of a million rows is read in a second. The chunk that the line belongs to is stored beside it.
 */

import type { ObservationName } from '../runs/observations.ts';
import { OBSERVATION_NAMES } from '../runs/observations.ts';
import type { Chunk, RunRecord } from './sweep.ts';

/** One value for all records, or one for each. */
type Column = number | null | readonly (number | null)[];

interface Packed {
  /** A letter for each record: won, lost or failed. */
  readonly won: string;
  readonly observations: Readonly<Partial<Record<ObservationName, Column>>>;
  /** Failures by the index of their record in the chunk. */
  readonly failures: Readonly<Record<string, string>>;
}

const LETTERS = { won: 'w', lost: 'l', failed: 'f' } as const;

/** Packs the records of a chunk, which must be in the order of their repetitions. */
export function packRecords(records: readonly RunRecord[]): string {
  const observations: Partial<Record<ObservationName, Column>> = {};
  for (const name of OBSERVATION_NAMES) {
    // Most columns are constant. To list each value takes a tenth of the time of a cheap run.
    const seen = (record: RunRecord) => record.observations[name] ?? null;
    const first = records[0] === undefined ? null : seen(records[0]);
    const isConstant = records.every((record) => seen(record) === first);
    if (!isConstant) observations[name] = records.map(seen);
    else if (first !== null) observations[name] = first;
  }
  const failures: Record<string, string> = {};
  let won = '';
  for (const [index, record] of records.entries()) {
    won += record.won === null ? LETTERS.failed : record.won ? LETTERS.won : LETTERS.lost;
    if (record.failure !== null) failures[index] = record.failure;
  }
  const packed: Packed = { won, observations, failures };
  return JSON.stringify(packed);
}

/** Unpacks a line. Throws SyntaxError or RangeError if it is of another chunk. */
export function* unpackRecords(line: string, chunk: Chunk): Generator<RunRecord, void> {
  // The digest of the line was checked, so packRecords wrote it.
  const { won, observations, failures } = JSON.parse(line) as Packed;
  if (won.length !== chunk.count) {
    throw new RangeError(`"line" expected ${chunk.count} records, got ${won.length}`);
  }
  const columns = OBSERVATION_NAMES.flatMap((name) => {
    const column = observations[name];
    return column === undefined ? [] : [{ name, column }];
  });
  for (let index = 0; index < chunk.count; index += 1) {
    const seen: Partial<Record<ObservationName, number>> = {};
    for (const { name, column } of columns) {
      const value = typeof column === 'object' && column !== null ? column[index] : column;
      if (value !== null && value !== undefined) seen[name] = value;
    }
    const letter = won[index];
    yield {
      repetition: chunk.from + index,
      won: letter === LETTERS.failed ? null : letter === LETTERS.won,
      observations: seen,
      failure: failures[index] ?? null,
    };
  }
}
