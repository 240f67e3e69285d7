/**
 * @module
 * One run of a cell, judged: what it violated, how it ended, and what the simulation itself says.
 */

import type { Verdict } from '../../../src/election/properties.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import type { Schedule } from '../../../src/simulation/faults/schedule.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import type { Bound } from '../../../src/simulation/run/status.ts';
import { countLinks } from '../../../src/simulation/trace/conservation.ts';

import { ballotViolations } from './ballots.ts';
import type { ColumnName } from './columns.ts';
import type { Violation } from './judge.ts';
import { violationsOf } from './judge.ts';
import { createNoisySimulation } from './noise.ts';
import type { RowName } from './rows.ts';
import { matrixRun } from './rows.ts';
import { createTornSimulation } from './torn-disk.ts';

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
  /** For how many ticks two or more led at once, by the audit. */
  readonly ticksSplit: number;
}

/** Whose leaders lead by a lease, so that two at a moment are one too many (M). */
export const LEASED: readonly ProtocolName[] = [
  'quorum-lease',
  'db-lease',
  'lease-local',
  'zk-recipe',
];

/** The run of a cell under a seed, with its own schedule or another. */
export function runCell(
  { row, column }: { readonly row: RowName; readonly column: ColumnName },
  number: number,
  schedule?: Schedule,
): MatrixRun {
  const drawn = matrixRun(row, column, number);
  const options = { ...drawn, schedule: schedule ?? drawn.schedule, trace: true, audit: true };
  const simulation = createMatrixSimulation(row, options);
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
    ticksSplit: simulation.audit()?.finish(ticks).ticksSplit ?? 0,
  };
}

/** The election of these options, among such nodes as the row is about. */
export function createMatrixSimulation(row: RowName, options: SimulationOptions): Simulation {
  if (row === 'unknown-message') return createNoisySimulation(options);
  return row === 'torn-record' ? createTornSimulation(options) : createSimulation(options);
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
  const { protocol, nodes } = plan;
  const violations = violationsOf({
    nodes,
    records,
    end: simulation.status().ticks,
    highestWins: PROTOCOLS[protocol].elects !== 'any',
    // What Itai and Rodeh number are the rounds of one election; the next winner may need fewer.
    numbersElections: protocol !== 'itai-rodeh',
    unique: PROTOCOLS[protocol].unique ?? 'moment',
    byLease: LEASED.includes(protocol),
  });
  const found = new Set(violations.map(({ property }) => property));
  const votes = ballotViolations(protocol, nodes, records);
  return [...violations, ...votes.filter(({ property }) => !found.has(property))];
}
