/**
 * @module
 * One run of a cell, judged: what it violated, how it ended, and what the simulation itself says.
 */

import type { FaultName } from '../../../src/election/definition/fault-row.ts';
import type { Verdict } from '../../../src/election/properties.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import { createFaultSimulation } from '../../../src/simulation/conform/fault-nodes.ts';
import { EVENTS_MAX } from '../../../src/simulation/conform/fault-row.ts';
import { faultRun } from '../../../src/simulation/conform/fault-runs.ts';
import type { Schedule } from '../../../src/simulation/faults/schedule.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import type { Bound } from '../../../src/simulation/run/status.ts';
import { countLinks } from '../link-counts.ts';

import { ballotViolations } from './ballots.ts';
import type { ColumnName } from './columns.ts';
import { flagsOf, protocolOf } from './columns.ts';
import type { Violation } from './judge.ts';
import { violationsOf } from './judge.ts';

export interface MatrixRun {
  readonly options: SimulationOptions & { readonly schedule: Schedule };
  readonly bound: Bound;
  readonly endTicks: number;
  readonly violations: readonly Violation[];
  /** No live node follows a live node. */
  readonly isLeaderless: boolean;
  readonly verdict: Verdict;
  /** For how many ticks two or more led at once, by the audit. */
  readonly ticksSplit: number;
}

/** The run of a cell under a seed, with its own schedule or another. */
export function runCell(
  { row, column }: { readonly row: FaultName; readonly column: ColumnName },
  number: number,
  schedule?: Schedule,
): MatrixRun {
  const drawn = faultRun(row, { protocol: protocolOf(column), flags: flagsOf(column) }, number);
  const options = { ...drawn, schedule: schedule ?? drawn.schedule, trace: true, audit: true };
  const simulation = createFaultSimulation(row, options);
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
    unique: PROTOCOLS[protocol].unique,
    byLease: PROTOCOLS[protocol].leases,
  });
  const found = new Set(violations.map(({ property }) => property));
  const votes = ballotViolations(protocol, nodes, records);
  return [...violations, ...votes.filter(({ property }) => !found.has(property))];
}
