/**
 * @module
 * Levels, Byzantine nodes and phantom ranks, as options of a run and in a saved one.
 */

import { describe, expect, it } from 'vitest';

import { LabError } from '../../../src/errors.ts';
import { parseSeed } from '../../../src/random.ts';
import { traceDigest } from '../../../src/simulation/engine/trace.ts';
import { planSimulation } from '../../../src/simulation/plan/options.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import { loadRun, saveRun } from '../../../src/simulation/report/saved-run.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';

const ELECTION = { protocol: 'cr-join', nodes: 5, seed: parseSeed('1') } as const;
const byzantineAt = (rank: number, ...behaviours: string[]) => ({
  byzantine: [{ rank, behaviours }],
});

describe('options', () => {
  it.each<[string, Partial<SimulationOptions>]>([
    ['byzantine: rank must be a whole number in 1..5, not 6', byzantineAt(6, 'swallow')],
    ['byzantine: rank must be a whole number in 1..5, not 0', byzantineAt(0, 'swallow')],
    ['byzantine: 5 is a phantom or died before the run', { ...byzantineAt(5), phantoms: [5] }],
    ['byzantine: 4 is a phantom or died before the run', { ...byzantineAt(4), crashedBefore: [4] }],
    [
      'byzantine names rank 1 twice',
      { byzantine: [...byzantineAt(1).byzantine, ...byzantineAt(1).byzantine] },
    ],
    ['phantoms leaves no node', { phantoms: [1, 2, 3, 4, 5] }],
    [
      'double-vote does not fit cr-join: no node votes in it',
      { ...byzantineAt(1, 'swallow', 'double-vote') },
    ],
  ])('are refused: %s', (detail, more) => {
    const planning = () => planSimulation({ ...ELECTION, ...more });

    expect(planning).toThrow(new LabError('arguments', detail));
  });

  it('are refused with the list of behaviours where there is no such', () => {
    const planning = () => planSimulation({ ...ELECTION, ...byzantineAt(1, 'swallows') });

    expect(planning).toThrow('there is no behaviour "swallows"; there are spoof-coordinator, ');
  });

  it('need the highest place to be free for a phantom-id, and say what to do', () => {
    const planning = (phantoms: number[]) => () =>
      planSimulation({ ...ELECTION, ...byzantineAt(1, 'phantom-id'), phantoms });
    const detail =
      'phantom-id names the highest rank, which no node may have: add 5 to phantoms, or one more node that is a phantom';

    expect(planning([])).toThrow(new LabError('arguments', detail));
    expect(planning([4])).toThrow(new LabError('arguments', detail));
    expect(planning([5, 4])).not.toThrow();
  });

  it('have level L0 where somebody lies and none is given', () => {
    const levels = [{}, byzantineAt(1, 'swallow')].map((more) => {
      const { level } = planSimulation({ ...ELECTION, ...more });
      return level;
    });

    expect(levels).toEqual([null, 'L0']);
  });
});

describe('a saved run', () => {
  const RUNS: readonly Partial<SimulationOptions>[] = [
    { level: 'L3' },
    { phantoms: [5] },
    { ...byzantineAt(2, 'spoof-coordinator') },
    { level: 'L2', phantoms: [5, 4], ...byzantineAt(1, 'phantom-id', 'replay') },
    {
      ...{ level: 'L1', faults: [{ type: 'crash', rank: 5, at: 30 }] },
      byzantine: [
        ...byzantineAt(1, 'equivocate').byzantine,
        ...byzantineAt(3, 'tamper-token').byzantine,
      ],
    },
  ];

  it.each(RUNS)('with %o is the same when it is loaded and run again', (more) => {
    const options = { ...ELECTION, untilTicks: 300, ...more };
    const { plan } = createSimulation(options);
    const digest = digestOf(options);

    const loaded = loadRun(saveRun(plan, { initiators: null, digest }));

    expect(planSimulation(loaded.options)).toEqual(plan);
    expect(digestOf(loaded.options)).toBe(digest);
  });

  it('gives other traces with other levels, Byzantine nodes and phantoms', () => {
    const digests = [{}, ...RUNS].map((more) =>
      digestOf({ ...ELECTION, untilTicks: 300, ...more }),
    );

    expect(new Set(digests).size).toBe(digests.length);
  });

  it.each([
    ['level', 'L4', '/level'],
    ['byzantine', [{ rank: 1 }], '/byzantine/0/behaviours'],
    ['byzantine', [{ rank: 1, behaviours: ['x'] }], 'there is no behaviour "x"'],
    ['byzantine', [{ rank: 1, behaviours: Array(17).fill('swallow') }], '/byzantine/0/behaviours'],
    ['phantoms', [0], '/phantoms/0'],
    ['phantoms', [6], 'phantoms'],
  ])('is refused with %s %o', (member, value, detail) => {
    const text = saveRun(planSimulation(ELECTION), { initiators: null, digest: null });

    expect(() => loadRun(JSON.stringify({ ...JSON.parse(text), [member]: value }))).toThrow(detail);
  });
});

function digestOf(options: SimulationOptions): string {
  const simulation = createSimulation({ ...options, trace: true });
  simulation.start();
  simulation.advance({ until: 'idle' });
  return traceDigest(simulation.traceLines());
}
