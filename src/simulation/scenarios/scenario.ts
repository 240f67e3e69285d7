/**
 * @module
 * What a named scenario is: elections staged from a seed and a number of nodes, what must come of them
 * and what did. Expectation and observation are the same members, the one computed from the number of
 * nodes, the other read off the runs; one function puts either into a sentence, and a scenario went as
 * expected when the members are equal. What depends on the seed is a figure and is never expected.
 */

import type { Json } from '../../election/machine.ts';
import type { Seed } from '../../random.ts';

import type { PlayedRun, StagedRun } from './played-run.ts';

/** How many nodes a scenario is staged with. */
export interface NodesRange {
  readonly usual: number;
  readonly min: number;
  readonly max: number;
}

export interface ScenarioSettings {
  readonly nodes: number;
  readonly seed: Seed;
}

/** Numbers of this one run, by what they count. */
export type Figures = Readonly<Record<string, number>>;

/** What must come, or came, of a scenario: comparable members and the sentence that says them. */
export interface ScenarioOutcome {
  readonly members: Readonly<Record<string, Json>>;
  readonly sentence: string;
}

export interface Scenario {
  readonly name: string;
  /** Other words for it that a command line takes. */
  readonly aliases: readonly string[];
  readonly title: string;
  /** Where to look in its trace, and why it happens. */
  readonly explanation: string;
  readonly source: string;
  readonly nodes: NodesRange;
  stage(setting: ScenarioSettings): readonly StagedRun[];
  expected(nodes: number): ScenarioOutcome;
  /** Reads the runs of `stage`, in their order; must not look at the expectation. */
  observed(runs: readonly PlayedRun[]): ScenarioOutcome;
  figures(runs: readonly PlayedRun[]): Figures;
}

/** How a scenario file says all that about outcomes of its own shape. */
export interface ScenarioDefinition<Outcome extends Readonly<Record<string, Json>>>
  extends Pick<
    Scenario,
    'name' | 'aliases' | 'title' | 'explanation' | 'source' | 'nodes' | 'stage'
  > {
  expect(nodes: number): Outcome;
  observe(runs: readonly PlayedRun[]): Outcome;
  describe(outcome: Outcome): string;
  readonly figures?: Scenario['figures'];
}

export function defineScenario<Outcome extends Readonly<Record<string, Json>>>(
  script: ScenarioDefinition<Outcome>,
): Scenario {
  const { name, aliases, title, explanation, source, nodes, stage, describe } = script;
  const told = (members: Outcome): ScenarioOutcome => ({ members, sentence: describe(members) });
  return {
    ...{ name, aliases, title, explanation, source, nodes, stage },
    expected: (count) => told(script.expect(count)),
    observed: (runs) => told(script.observe(runs)),
    figures: script.figures ?? (() => ({})),
  };
}

/** The run of that name. Throws RangeError where a scenario stages none. */
export function runNamed(runs: readonly PlayedRun[], name: string): PlayedRun {
  const run = runs.find((each) => each.name === name);
  if (run === undefined) throw new RangeError(`"name" expected a staged run, got ${name}`);
  return run;
}
