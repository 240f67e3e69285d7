/**
 * @module
 * With how many threads a table of cases is run. Each thread takes a fifth of a second to load, so the
 * ordinary suite shares the counts out among the cases, 5 to fewest; with `THREADS=all` every case has all
 * of them.
 */

const COUNTS = [1, 2, 5] as const;
const IN_TURNS = [5, 1, 2, 1, 2, 1] as const;
const HAS_ALL = process.env.THREADS === 'all';

/** The counts of the case with this index; the first three cases have 5, 1 and 2. */
export function threadCounts(index: number): readonly number[] {
  return HAS_ALL ? COUNTS : IN_TURNS.slice(index % IN_TURNS.length).slice(0, 1);
}
