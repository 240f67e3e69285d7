/**
 * @module
 * The text form of what leaders work on, and that the resource is the one that was asked for.
 */

import { describe, expect, it } from 'vitest';

import { RESOURCE_KINDS } from '../../../src/election/lease/stores/resource.ts';
import { parseSeed } from '../../../src/random.ts';
import type { Workload } from '../../../src/simulation/plan/workload.ts';
import {
  isWorkload,
  parseWorkload,
  RESOURCE_RULES,
  workloadText,
} from '../../../src/simulation/plan/workload.ts';
import { runElection } from '../../../src/simulation/run/simulate.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';

describe('the text form', () => {
  it.each<[string, Workload]>([
    ['unfenced', { resource: 'unfenced', everyTicks: null }],
    ['fencing-register:every=1', { resource: 'fencing-register', everyTicks: 1 }],
    ['fencing-max:step=10', { resource: 'fencing-max', everyTicks: null, epochStepMax: 10 }],
    ['fencing-max:every=5,step=1', { resource: 'fencing-max', everyTicks: 5, epochStepMax: 1 }],
    [
      'unfenced:every=1000000000,step=1000000000',
      { resource: 'unfenced', everyTicks: 1_000_000_000, epochStepMax: 1_000_000_000 },
    ],
  ])('%s is read and written', (text, work) => {
    expect(parseWorkload(text)).toEqual(work);
    expect(workloadText(work)).toBe(text);
    expect(isWorkload(work)).toBe(true);
  });

  it('is written with every first, however it was read', () => {
    expect(workloadText(parseWorkload('fencing-max:step=2,every=7'))).toBe(
      'fencing-max:every=7,step=2',
    );
  });

  it.each([
    ['no kind', ''],
    ['an unknown kind', 'fence'],
    ['a colon and nothing', 'unfenced:'],
    ['no number', 'unfenced:every='],
    ['zero ticks', 'unfenced:every=0'],
    ['a tick too many', 'unfenced:every=1000000001'],
    ['zero epochs', 'fencing-max:step=0'],
    ['an epoch too many', 'fencing-max:step=1000000001'],
    ['a sign', 'fencing-max:step=+1'],
    ['an option twice', 'fencing-max:step=1,step=1'],
    ['an unknown option', 'fencing-max:often=1'],
    ['the name of a method', 'fencing-max:toString=1'],
    ['a comma at the end', 'fencing-max:step=1,'],
    ['a new line', 'fencing-max:step=1\n'],
  ])('with %s is refused', (_what, text) => {
    expect(() => parseWorkload(text)).toThrowError(/unfenced, fencing-register, fencing-max/);
  });

  it('is not of work that it could not have been read from', () => {
    expect(isWorkload({ resource: 'fencing-max', everyTicks: null, epochStepMax: 0 })).toBe(false);
    expect(isWorkload({ resource: 'fencing-max', everyTicks: 1.5 })).toBe(false);
  });

  it('has words for every kind', () => {
    expect(Object.keys(RESOURCE_RULES)).toEqual(RESOURCE_KINDS);
  });
});

describe('the bound on steps', () => {
  /** Under this seed the first leader has won the second election. */
  const run = (work: string) => {
    const flags = { spreadTicks: '2' };
    const election = { protocol: 'raft', flags, nodes: 5, seed: parseSeed('4') } as const;
    const simulation = createSimulation({ ...election, workload: parseWorkload(work) });
    runElection(simulation);
    return simulation.resource();
  };

  it('refuses an epoch that is further ahead, and takes one that is not', () => {
    expect(run('fencing-max:step=1')).toMatchObject({ accepted: 0, highest: 0 });
    expect(run('fencing-max:step=1')?.refused).toBeGreaterThan(0);
    expect(run('fencing-max:step=2')).toMatchObject({ refused: 0, highest: 2 });
  });

  it('is no bound where none is given', () => {
    expect(run('fencing-max')).toMatchObject({ refused: 0, highest: 2 });
  });
});
