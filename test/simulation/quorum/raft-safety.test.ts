/**
 * @module
 * Never two leaders in a term, whatever network, pauses, crashes and clocks do, while disks keep term
 * and vote; and a leader soon after the last fault. One disk that forgets is enough to break the first.
 */

import { describe, expect, it } from 'vitest';

import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { SEED } from '../ring/rings.ts';
import { scheduleOf } from '../schedules.ts';
import { runRaftUnderFaults } from './raft-fault-runs.ts';
import { doubleTerms, reignsOf, withChoices } from './raft-runs.ts';

const RUNS = 300;
const FLAGS = { electionTicks: '30', spreadTicks: '30', heartbeatTicks: '10' };

describe(`${RUNS} elections of Raft under drawn faults without amnesia`, () => {
  const outcomes = Array.from({ length: RUNS }, (_, index) => runRaftUnderFaults(index + 1));

  it('never have two leaders in a term', () => {
    const broken = outcomes.filter(({ reigns }) => doubleTerms(reigns).length > 0);

    expect(broken.map(({ seed }) => seed)).toEqual([]);
  });

  it('never have a leader that has lost its term on its way', () => {
    for (const { seed, reigns } of outcomes) {
      for (const rank of [1, 2, 3, 4, 5]) {
        const terms = reigns.filter(({ leader }) => leader === rank).map(({ term }) => term);
        expect(terms, `seed ${seed}`).toEqual([...new Set(terms)].toSorted((a, b) => a - b));
      }
    }
  });

  it('have one leader that all follow in the end', () => {
    const unsettled = outcomes.filter(({ value }) => value !== 'true');

    expect(unsettled.map(({ seed, reason }) => `${seed}: ${reason}`)).toEqual([]);
  });

  it('often change their leader, and often have a term without a leader', () => {
    const changed = outcomes.filter(({ reigns }) => reigns.length > 1);
    const leaderless = outcomes.filter(({ reigns, term }) => reigns.length < term);

    expect(changed.length).toBeGreaterThan(RUNS / 4);
    expect(leaderless.length).toBeGreaterThan(RUNS / 4);
  });
});

describe('a voter that restarts between two candidates of a term', () => {
  it('makes two leaders of it when it has forgotten its vote', () => {
    const simulation = restartVoter({ amnesia: true });

    const reigns = reignsOf(simulation.records(), 3);

    expect(reigns).toEqual([
      { leader: 1, term: 1, at: 32 },
      { leader: 3, term: 1, at: 38 },
    ]);
    expect(simulation.status().verdict.properties.uniqueness.value).toBe('false');
  });

  it('makes one when its disk has kept it', () => {
    const simulation = restartVoter({ amnesia: false });

    const reigns = reignsOf(simulation.records(), 3);

    expect(reigns).toEqual([{ leader: 1, term: 1, at: 32 }]);
    expect(simulation.stateOf(2)).toMatchObject({ term: 1, votedFor: 1 });
  });
});

/** 1 leads by the vote of 2 when that goes down; 3, which has heard of nothing, stands in term 1. */
function restartVoter({ amnesia }: { readonly amnesia: boolean }): Simulation {
  const simulation = createSimulation(
    {
      protocol: 'raft',
      nodes: 3,
      seed: SEED,
      flags: FLAGS,
      schedule: scheduleOf(
        { type: 'partition', cut: { kind: 'links', links: [[1, 3]] }, from: 0, to: null },
        { type: 'crash', rank: 2, at: 33 },
        { type: 'restart', rank: 2, at: 34, amnesia },
      ),
      trace: true,
    },
    withChoices({ latencyTicksMax: 1 }, FLAGS, [0, 20, 6]),
  );
  simulation.start();
  simulation.advance({ until: 40 });
  return simulation;
}
