/**
 * @module
 * Plays a named scenario and holds what came of it against what must: staged from seed and nodes, run
 * in the simulator, read off the traces. Same scenario, seed and nodes, same answer.
 */

import { LabError } from '../../errors.ts';
import type { Seed } from '../../random.ts';

import type { PlayedRun } from './played-run.ts';
import { playRun } from './played-run.ts';
import type { Figures, Scenario, ScenarioOutcome } from './scenario.ts';

export interface PlayedScenario {
  readonly scenario: Scenario;
  readonly nodes: number;
  readonly seed: Seed;
  readonly expected: ScenarioOutcome;
  readonly observed: ScenarioOutcome;
  /** Whether what was expected and what was observed are equal, member by member. */
  readonly asExpected: boolean;
  readonly figures: Figures;
  readonly runs: readonly PlayedRun[];
}

/** `nodes` is the scenario's usual number by default. Throws LabError `arguments` if it cannot be. */
export function playScenario(
  scenario: Scenario,
  setting: { readonly seed: Seed; readonly nodes?: number | undefined },
): PlayedScenario {
  const { usual, min, max } = scenario.nodes;
  const { seed, nodes = usual } = setting;
  if (!Number.isSafeInteger(nodes) || nodes < min || nodes > max) {
    const detail = `nodes must be a whole number in ${min}..${max} for ${scenario.name}, not ${nodes}`;
    throw new LabError('arguments', detail);
  }
  const runs = scenario.stage({ nodes, seed }).map(playRun);
  const expected = scenario.expected(nodes);
  const observed = scenario.observed(runs);
  return {
    ...{ scenario, nodes, seed, expected, observed, runs },
    asExpected: isSame(expected.members, observed.members),
    figures: scenario.figures(runs),
  };
}

/** The sends of all runs by message type, and `total`. */
export function messagesOf(runs: readonly PlayedRun[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { outcome } of runs) {
    for (const [type, count] of Object.entries(outcome.messages)) {
      if (type !== 'total') sums[type] = (sums[type] ?? 0) + count;
    }
  }
  return {
    ...sums,
    total: runs.reduce((sum, { outcome }) => sum + (outcome.messages.total ?? 0), 0),
  };
}

/** Both were made by the same scenario, so they have the same members in the same order. */
function isSame(
  expected: ScenarioOutcome['members'],
  observed: ScenarioOutcome['members'],
): boolean {
  return JSON.stringify(expected) === JSON.stringify(observed);
}
