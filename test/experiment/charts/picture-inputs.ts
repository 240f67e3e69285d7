/**
 * @module
 * Sweeps as pictures take them, made up by formulas so that tests know what must be in a picture.
 */

import type { PictureCell, PictureInput } from '../../../src/experiment/charts/data.ts';
import type { Axis, AxisValue } from '../../../src/experiment/sweep/grid.ts';
import { exactInterval } from '../../../src/experiment/theory/statistics.ts';

export const BUDGET = 'adversaries.main.budget.attempts';
export const C1 = 'network.identity.c1';
export const HONEST = 'network.honest';
const RUNS = 300;

/** All cells of the grid, the last axis fastest, filled in by the function. */
export function gridOf(
  axes: readonly Axis[],
  fill: (values: readonly AxisValue[]) => Partial<PictureCell>,
): PictureCell[] {
  const grid = axes.reduce<readonly (readonly AxisValue[])[]>(
    (rows, { values }) => rows.flatMap((row) => values.map((value) => [...row, value])),
    [[]],
  );
  return grid.map((values, index) => cellOf(index, values, fill(values)));
}

export function cellOf(
  index: number,
  values: readonly AxisValue[],
  columns: Partial<PictureCell> = {},
): PictureCell {
  return {
    index,
    values,
    protocol: null,
    ...{ n: 0, k: 0, p: null, ciLow: null, ciHigh: null, theory: null },
    ...{ nodesMean: null, messagesMean: null, detectionTicksMean: null, mistakesMean: null },
    refusal: null,
    ...{ verdict: null, failures: 0, honestAttempts: null, honestSeconds: null },
    detectionTicks: [],
    response: null,
    ...columns,
  };
}

/** As measured in 300 runs, as near to the probability as their number allows, and a little off. */
export function measured(probability: number, offset = 0): Partial<PictureCell> {
  const k = Math.min(RUNS, Math.max(0, Math.round(RUNS * probability) + offset));
  const [ciLow, ciHigh] = exactInterval({ wins: k, runs: RUNS, confidence: 0.95 });
  return { n: RUNS, k, p: k / RUNS, ciLow, ciHigh, theory: probability };
}

/** About E[K/(n+K)] for n = 8. */
export function winProbability(attempts: number, difficultyBits: number): number {
  const identities = attempts * 2 ** -difficultyBits;
  return identities / (8 + identities);
}

export function inputOf(
  axes: readonly Axis[],
  cells: readonly PictureCell[],
  changes: Partial<PictureInput> = {},
): PictureInput {
  return {
    title: 'A forger with a small budget wants the highest node ID',
    sentence: 'What it must pay so that its identity leads in at most one run of a hundred.',
    event: 'adversary leads',
    axes,
    cells,
    confidence: 0.95,
    epsilons: [0.01],
    seedRule: 'independent',
    theoryAt: null,
    budgets: ['main: 4096 attempts'],
    dataFile: 'f.cells.csv',
    replay: `usurp sweep top-id ${axes.map(({ path, values }) => `--set '${path}=${values}'`).join(' ')} --runs ${RUNS} --seed 5 --format csv --out f.csv`,
    ...changes,
  };
}

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** One axis of difficulty, as in the reference command. */
export function difficultySweep(changes: Partial<PictureInput> = {}): PictureInput {
  const axes = [{ path: C1, values: range(8, 14) }];
  const cells = gridOf(axes, ([c1]) => measured(winProbability(4096, Number(c1)), Number(c1) % 3));
  return inputOf(axes, cells, {
    theoryAt: ([c1]) => winProbability(4096, Number(c1)),
    ...changes,
  });
}

/** Budget by difficulty; one cell was refused. */
export function frontierSweep(changes: Partial<PictureInput> = {}): PictureInput {
  const axes = [
    { path: C1, values: range(8, 18) },
    { path: BUDGET, values: range(8, 18).map((bits) => 2 ** bits) },
  ];
  const cells = gridOf(axes, ([c1, attempts]) =>
    c1 === 12 && attempts === 2 ** 15
      ? { refusal: 'no difficulty is worth a budget of 32768' }
      : measured(winProbability(Number(attempts), Number(c1)), (Number(c1) % 3) - 1),
  );
  return inputOf(axes, cells, changes);
}

/** Messages of two protocols, n² and n log n. */
export function messagesSweep(changes: Partial<PictureInput> = {}): PictureInput {
  const axes = [
    { path: 'network.election.protocols', values: ['bully-oneshot', 'cr-join'] },
    { path: HONEST, values: [4, 8, 16, 32, 64, 128, 256] },
  ];
  const cells = gridOf(axes, ([protocol, honest]) => {
    const n = Number(honest);
    const messagesMean = protocol === 'cr-join' ? 1.3 * n * Math.log2(n) : (n * (n - 1)) / 2 + n;
    return { ...measured(0.25), messagesMean, nodesMean: n };
  });
  return inputOf(axes, cells, changes);
}

/** Delays and mistakes by the detector's threshold and the latency. */
export function detectionSweep(changes: Partial<PictureInput> = {}): PictureInput {
  const axes = [
    { path: 'network.election.detector.threshold', values: [1, 2, 3, 4, 6, 8] },
    { path: 'network.election.latency', values: ['constant(1)', 'uniform(1,9)'] },
  ];
  const cells = gridOf(axes, ([threshold, latency]) => {
    const mean = 12 + 6 * Number(threshold) + (latency === 'constant(1)' ? 0 : 9);
    return {
      ...measured(1),
      detectionTicks: range(-6, 6).map(
        (step) => mean + step * (latency === 'constant(1)' ? 0.5 : 2),
      ),
      detectionTicksMean: mean,
      mistakesMean: (latency === 'constant(1)' ? 0.4 : 3) / Number(threshold) ** 2,
    };
  });
  return inputOf(axes, cells, { event: 'highest leads', ...changes });
}

/** An axis of words. */
export function namesSweep(changes: Partial<PictureInput> = {}): PictureInput {
  const axes = [
    {
      path: 'adversaries.main.strategy',
      values: ['fresh', 'siblings', 'endomorphism', 'stockpile'],
    },
    { path: 'network.identity.scheme', values: ['ed25519', 'secp256k1'] },
  ];
  const cells = gridOf(axes, ([strategy, scheme]) =>
    measured((String(strategy).length + (scheme === 'ed25519' ? 0 : 3)) / 40, 4),
  );
  return inputOf(axes, cells, changes);
}
