/**
 * @module
 * One run of a cell, judged: what it violated, how it ended, and what the simulation itself says.
 */

import type { Verdict } from '../../../src/election/properties.ts';
import type { AlgorithmName } from '../../../src/election/registry.ts';
import { ALGORITHMS } from '../../../src/election/registry.ts';
import { countLinks } from '../../../src/simulation/conservation.ts';
import type { Schedule } from '../../../src/simulation/faults/schedule.ts';
import type { SimulationOptions } from '../../../src/simulation/options.ts';
import type { Simulation } from '../../../src/simulation/simulation.ts';
import type { Bound } from '../../../src/simulation/status.ts';
import { createSimulation } from '../../../src/simulation/simulation.ts';

import type { Violation } from './judge.ts';
import { violationsOf } from './judge.ts';
import { createNoisySimulation } from './noise.ts';
import type { RowName } from './rows.ts';
import { matrixRun } from './rows.ts';

/** An election of six has some 200 events; what has had so many will not end. */
const EVENTS_MAX = 20_000;

export interface MatrixRun {
  readonly options: SimulationOptions & { readonly schedule: Schedule };
  readonly bound: Bound;
  readonly endTicks: number;
  readonly violations: readonly Violation[];
  /** Nobody alive follows anybody alive. */
  readonly isLeaderless: boolean;
  readonly verdict: Verdict;
}

/** The run of a cell under a seed, with its own schedule or another. */
export function runCell(
  { row, algorithm }: { readonly row: RowName; readonly algorithm: AlgorithmName },
  number: number,
  schedule?: Schedule,
): MatrixRun {
  const drawn = matrixRun(row, algorithm, number);
  const options = { ...drawn, schedule: schedule ?? drawn.schedule, trace: true };
  const create = row === 'unknown-message' ? createNoisySimulation : createSimulation;
  const simulation = create(options);
  simulation.start();
  const bound = simulation.advance({ until: 'idle', events: EVENTS_MAX });
  const violations = judgeSimulation(simulation);
  const { ticks, verdict } = simulation.status();
  const live = simulation.nodes().filter(({ up }) => up);
  const lost = violations.find(({ property }) => property === 'L');
  return {
    options,
    bound,
    endTicks: ticks,
    violations,
    isLeaderless: lost?.who.length === live.length,
    verdict,
  };
}

/** The violations of a traced run, which must also account for each message of every link. */
export function judgeSimulation(simulation: Simulation): readonly Violation[] {
  const { plan } = simulation;
  const records = simulation.records();
  for (const { sent, duplicated, delivered, dropped, inFlight } of countLinks(records)) {
    if (sent + duplicated !== delivered + dropped + inFlight) {
      throw new RangeError(`"inFlight" expected ${sent + duplicated - delivered - dropped}`);
    }
  }
  return violationsOf({
    nodes: plan.nodes,
    records,
    end: simulation.status().ticks,
    highestWins: ALGORITHMS[plan.algorithm].elects !== 'any',
    // What Itai and Rodeh number are the rounds of one election; the next winner may need fewer.
    numbersElections: plan.algorithm !== 'itai-rodeh',
  });
}
