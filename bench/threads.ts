/**
 * @module
 * How mining scales: candidates per second of two worker threads over one of the same run, in wall
 * time, measured in turns as `usurp calibrate` measures them.
 */

import { SCHEME_NAMES } from '../src/identity/keys/scheme.ts';
import { measureStrategy } from '../src/runtime/threads/calibration.ts';

import type { Row } from './measure.ts';
import { rowOf } from './measure.ts';

const ROUNDS = 7;
const THREADS = 2;

/** One row a scheme, its yardstick the same search on one thread. */
export async function measureThreads(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const scheme of SCHEME_NAMES) {
    const rates = async (threads: number) =>
      (await measureStrategy({ scheme, strategy: 'siblings', threads })).perSecond;
    const rounds: { own: number[]; standard: number[] }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const standard = [await rates(1)];
      rounds.push({ own: [await rates(THREADS)], standard });
    }
    const name = `siblings ${scheme}, strict, ${THREADS} threads`;
    const yardstick = { name: 'the same on 1 thread', unit: 'candidates' };
    rows.push(rowOf({ name, unit: 'candidates', yardstick }, rounds));
  }
  return rows;
}
