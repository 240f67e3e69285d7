/**
 * @module
 * The records of a chunk as one line of JSON, by column: a column of equal values is written as that value.
 * So a journal of a million rows is read in a second. The chunk that the line belongs to is stored beside it.
 */

import type { ObservationName } from '../runs/observations.ts';
import { OBSERVATION_NAMES } from '../runs/observations.ts';
import type { ObservedOutcome } from '../runs/run.ts';
import type { SampledBatch, SampledColumns } from '../runs/sampled-batch.ts';
import type { Chunk, RunRecord } from './sweep.ts';

/** One value for all records, or one for each. */
export type Column = number | null | readonly (number | null)[];

/** The outcomes for one group of protocols. */
export interface PackedGroup {
  /** A letter for each record: won, lost or failed. */
  readonly won: string;
  readonly observations: Readonly<Partial<Record<ObservationName, Column>>>;
}

/** The records of a chunk by column. */
export interface PackedColumns {
  readonly count: number;
  /** One for each group of protocols. Empty if all records failed. */
  readonly groups: readonly PackedGroup[];
  /** Failures by the index of their record in the chunk. */
  readonly failures: Readonly<Record<string, string>>;
}

/** The records from..to−1 of a chunk. */
export interface ChunkPart {
  readonly columns: PackedColumns;
  /** Repetition of the chunk's first record. */
  readonly first: number;
  readonly from: number;
  readonly to: number;
}

export const LETTERS = { won: 'w', lost: 'l', failed: 'f' } as const;

/** Packs the records of a chunk, which must be in the order of their repetitions. */
export function packRecords(records: readonly RunRecord[]): string {
  const failures: Record<string, string> = {};
  for (const [index, { failure }] of records.entries()) {
    if (failure !== null) failures[index] = failure;
  }
  const succeeded = records.find(({ outcomes }) => outcomes !== null);
  const groups = (succeeded?.outcomes ?? []).map((_, group) => packGroup(records, group));
  return packColumns({ count: records.length, groups, failures });
}

/** The line of columns. `readColumns` reads it. */
export function packColumns(columns: PackedColumns): string {
  return JSON.stringify(columns);
}

function packGroup(records: readonly RunRecord[], group: number): PackedGroup {
  const outcomes = records.map((record) => record.outcomes?.[group] ?? null);
  const observations: Partial<Record<ObservationName, Column>> = {};
  for (const name of OBSERVATION_NAMES) {
    // Most columns are constant. To list each value takes a tenth of the time of a cheap run.
    const seen = (outcome: ObservedOutcome | null) => outcome?.observations[name] ?? null;
    const first = seen(outcomes[0] ?? null);
    const isConstant = outcomes.every((outcome) => seen(outcome) === first);
    if (!isConstant) observations[name] = outcomes.map(seen);
    else if (first !== null) observations[name] = first;
  }
  let won = '';
  for (const outcome of outcomes) {
    won += outcome === null ? LETTERS.failed : outcome.won ? LETTERS.won : LETTERS.lost;
  }
  return { won, observations };
}

/** Packs the results of a batch as `packRecords` packs its records. */
export function packBatch(
  { won, identities }: SampledColumns,
  observations: SampledBatch['observations'],
): string {
  const [first] = identities;
  const isConstant = identities.every((each) => each === first);
  const own: Partial<Record<ObservationName, Column | undefined>> = {
    ...observations,
    identities: isConstant ? first : [...identities],
  };
  const named = OBSERVATION_NAMES.flatMap((name) => {
    const column = own[name];
    return column === undefined ? [] : [[name, column] as const];
  });
  let letters = '';
  for (const each of won) letters += each === 1 ? LETTERS.won : LETTERS.lost;
  const group = { won: letters, observations: Object.fromEntries(named) };
  return packColumns({ count: won.length, groups: [group], failures: {} });
}

/** Reads a line. Throws SyntaxError or RangeError if it is of another chunk. */
export function readColumns(line: string, chunk: Chunk): PackedColumns {
  // The digest of the line was checked, so packColumns wrote it.
  const columns = JSON.parse(line) as PackedColumns;
  if (columns.count !== chunk.count) {
    throw new RangeError(`"line" expected ${chunk.count} records, got ${columns.count}`);
  }
  return columns;
}

/** Unpacks a line. Throws SyntaxError or RangeError if it is of another chunk. */
export function* unpackRecords(line: string, chunk: Chunk): Generator<RunRecord, void> {
  const { count, groups, failures } = readColumns(line, chunk);
  const unpack = groups.map(unpackGroup);
  for (let index = 0; index < count; index += 1) {
    const failure = failures[index] ?? null;
    const outcomes = failure === null ? unpack.map((outcomeAt) => outcomeAt(index)) : null;
    yield { repetition: chunk.from + index, outcomes, failure };
  }
}

/** Returns the outcome of a record by its index. */
function unpackGroup({ won, observations }: PackedGroup): (index: number) => ObservedOutcome {
  const columns = OBSERVATION_NAMES.flatMap((name) => {
    const column = observations[name];
    return column === undefined ? [] : [{ name, column }];
  });
  return (index) => {
    const seen: Partial<Record<ObservationName, number>> = {};
    for (const { name, column } of columns) {
      const value = typeof column === 'object' && column !== null ? column[index] : column;
      if (value !== null && value !== undefined) seen[name] = value;
    }
    return { won: won[index] === LETTERS.won, observations: seen };
  };
}
