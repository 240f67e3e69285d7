/**
 * @module
 * A vectorised script of numpy as a yardstick for sampled rows: the same model, drawn in blocks of arrays. It keeps no
 * seed for each row. It needs python3 with numpy.
 */

import { spawnSync } from 'node:child_process';
import process from 'node:process';

import type { Yardstick } from './measure.ts';

/** One thread of an AMD EPYC with numpy 2.4.6, for machines without numpy. */
export const NUMPY_ANCHOR =
  'anchor: 8.4 M rows/s with 4 bits and 8 honest nodes, measured once with numpy 2.4.6';

const SCRIPT = `
import sys, time
import numpy as np
honest, attempts, bits, seconds = (float(word) for word in sys.argv[1:])
rng = np.random.default_rng(1)
rows, block, wins = 0, 65536, 0
start = time.process_time()
while time.process_time() - start < seconds:
    found = rng.binomial(int(attempts), 2.0 ** -bits, size=block)
    top = rng.random((block, int(honest))).max(axis=1)
    with np.errstate(divide="ignore"):
        best = rng.random(block) ** (1.0 / found)
    wins += int(((found > 0) & (best > top)).sum())
    rows += block
print(rows / (time.process_time() - start))
`;

/** Rows per CPU second of numpy. Null without python3 and numpy. */
export function numpyRows(model: {
  readonly honest: number;
  readonly attempts: number;
  readonly bits: number;
}): Yardstick | null {
  if (spawnSync('python3', ['-c', 'import numpy']).status !== 0) return null;
  const { honest, attempts, bits } = model;
  const rates = (sliceMs: number) => {
    const args = [honest, attempts, bits, sliceMs / 1e3].map(String);
    const { stdout, status, stderr } = spawnSync('python3', ['-c', SCRIPT, ...args], {
      encoding: 'utf8',
      env: { ...process.env, OMP_NUM_THREADS: '1' },
    });
    const rate = Number(stdout);
    if (status !== 0 || !(rate > 0)) throw new Error(`numpy gave no figure: ${stdout}${stderr}`);
    return [rate];
  };
  return { name: 'numpy, vectorised', unit: 'rows', rates };
}
