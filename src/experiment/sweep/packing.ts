/**
 * @module
 * The records of a chunk as one line of JSON, by column: a column of equal values is written as that value.
 * So a journal of a million rows is read in a second. The chunk that the line belongs to is stored beside it.
 */

import type { ObservationName } from '../runs/observations.ts';
import { OBSERVATION_NAMES } from '../runs/observations.ts';
import type { ObservedOutcome } from '../runs/run.ts';
import type { Chunk, RunRecord } from './sweep.ts';

/** One value for all records, or one for each. */
type Column = number | null | readonly (number | null)[];

/** The outcomes for one group of protocols. */
interface PackedGroup {
  /** A letter for each record: won, lost or failed. */
  readonly won: string;
  readonly observations: Readonly<Partial<Record<ObservationName, Column>>>;
}

interface Packed {
  readonly count: number;
  /** One for each group of protocols. Empty if all records failed. */
  readonly groups: readonly PackedGroup[];
  /** Failures by the index of their record in the chunk. */
  readonly failures: Readonly<Record<string, string>>;
}

const LETTERS = { won: 'w', lost: 'l', failed: 'f' } as const;

/** Packs the records of a chunk, which must be in the order of their repetitions. */
export function packRecords(records: readonly RunRecord[]): string {
  const failures: Record<string, string> = {};
  for (const [index, { failure }] of records.entries()) {
    if (failure !== null) failures[index] = failure;
  }
  const succeeded = records.find(({ outcomes }) => outcomes !== null);
  const groups = (succeeded?.outcomes ?? []).map((_, group) => packGroup(records, group));
  const packed: Packed = { count: records.length, groups, failures };
  return JSON.stringify(packed);
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

/** Unpacks a line. Throws SyntaxError or RangeError if it is of another chunk. */
export function* unpackRecords(line: string, chunk: Chunk): Generator<RunRecord, void> {
  // The digest of the line was checked, so packRecords wrote it.
  const { count, groups, failures } = JSON.parse(line) as Packed;
  if (count !== chunk.count) {
    throw new RangeError(`"line" expected ${chunk.count} records, got ${count}`);
  }
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
