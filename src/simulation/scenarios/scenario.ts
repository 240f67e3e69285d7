/**
 * @module
 * This folder contains the named scenarios. A scenario stages elections from a seed and a number of nodes,
 * states which outcome is expected for that number, and reads the outcome of the runs from their traces.
 * It went as expected if both outcomes have equal members. What depends on the seed is a figure.
 */

import type { Json } from '../../election/machine.ts';
import type { Cast } from '../../election/world/cast.ts';
import { LabError } from '../../errors.ts';
import type { Seed } from '../../random.ts';
import type { Schedule, ScheduledFault } from '../faults/schedule.ts';
import type { ElectionOptions } from '../run/simulate.ts';
import type { PlayedRun, StagedRun } from './played-run.ts';
import { playRun } from './played-run.ts';

/** Latencies of most scenarios. */
export const LATENCY = { type: 'uniform', ticksMin: 1, ticksMax: 9 } as const;

export interface ScenarioSettings {
  readonly nodes: number;
  readonly seed: Seed;
}

/** Numbers of one run, by what they count. */
export type Figures = Readonly<Record<string, number>>;

/** Comparable members, and the sentence that describes them. */
export interface ScenarioOutcome {
  readonly members: Members;
  readonly sentence: string;
}

type Members = Readonly<Record<string, Json>>;

interface ScenarioFacts {
  readonly name: string;
  /** Other names of it on a command line. */
  readonly aliases: readonly string[];
  readonly title: string;
  /** What to look for in its trace, and why it happens. */
  readonly explanation: string;
  readonly source: string;
  /** How many nodes it can have. */
  readonly nodes: { readonly usual: number; readonly min: number; readonly max: number };
  stage(setting: ScenarioSettings): readonly StagedRun[];
}

export interface Scenario extends ScenarioFacts {
  expected(nodes: number): ScenarioOutcome;
  /** Reads the runs of `stage`, in their order. Must not use the expectation. */
  observed(runs: readonly PlayedRun[]): ScenarioOutcome;
  figures(runs: readonly PlayedRun[]): Figures;
}

/** A scenario as its file states it, with an outcome of its own type. */
export interface ScenarioDefinition<Outcome extends Members> extends ScenarioFacts {
  expect(nodes: number): Outcome;
  observe(runs: readonly PlayedRun[]): Outcome;
  describe(outcome: Outcome): string;
  readonly figures?: Scenario['figures'];
}

export function defineScenario<Outcome extends Members>(
  definition: ScenarioDefinition<Outcome>,
): Scenario {
  const { expect, observe, describe, figures = () => ({}), ...facts } = definition;
  const outcome = (members: Outcome) => ({ members, sentence: describe(members) });
  return {
    ...facts,
    expected: (nodes) => outcome(expect(nodes)),
    observed: (runs) => outcome(observe(runs)),
    figures,
  };
}

/** The options of a run that differ from run to run. */
export interface RunScript
  extends Omit<ElectionOptions, 'nodes' | 'seed' | 'latency' | 'schedule' | 'faults'>,
    Partial<Pick<ElectionOptions, 'latency'>> {
  /** The name of the run, by default that of its protocol. */
  readonly run?: string;
  readonly faults?: readonly ScheduledFault[];
  /** What the detector watches. By default crashes. */
  readonly watches?: Schedule['detector'];
  readonly machineOf?: Cast['machineOf'];
}

/** A run without calm, whose latencies are LATENCY unless the script has others. */
export function stageRun({ nodes, seed }: ScenarioSettings, script: RunScript): StagedRun {
  const { run, faults = [], watches = 'crashes', machineOf, ...options } = script;
  const schedule = { faults, calm: null, detector: watches };
  return {
    name: run ?? options.protocol,
    options: { nodes, seed, latency: LATENCY, schedule, ...options },
    ...(machineOf === undefined ? {} : { machineOf }),
  };
}

/** The run of that name. Throws RangeError if a scenario stages none. */
export function runNamed(runs: readonly PlayedRun[], name: string): PlayedRun {
  const run = runs.find((each) => each.name === name);
  if (run === undefined) throw new RangeError(`"name" expected a staged run, got ${name}`);
  return run;
}

/** The only run. Throws RangeError if there is none. */
export function onlyRun([run]: readonly PlayedRun[]): PlayedRun {
  if (run === undefined) throw new RangeError('"runs" expected one run, got none');
  return run;
}

/** Reads each of the named runs, by a key of the outcome. */
export function readRuns<Key extends string, Value>(
  runs: readonly PlayedRun[],
  names: Readonly<Record<Key, string>>,
  read: (run: PlayedRun) => Value,
): { readonly [Each in Key]: Value } {
  const keys = Object.keys(names) as Key[]; // A literal has no other keys.
  const values = keys.map((key) => [key, read(runNamed(runs, names[key]))]);
  return Object.fromEntries(values) as Record<Key, Value>; // It has a value for each key.
}

/** `4`, `4 and 5`, `3, 4 and 5`; `none` for an empty list. */
export function listed(items: readonly (number | string)[]): string {
  if (items.length === 0) return 'none';
  const last = items.at(-1);
  return items.length === 1 ? `${last}` : `${items.slice(0, -1).join(', ')} and ${last}`;
}

/** The ranks from 1 to the given one. */
export function ranksTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}

export interface PlayedScenario {
  readonly scenario: Scenario;
  readonly nodes: number;
  readonly seed: Seed;
  readonly expected: ScenarioOutcome;
  readonly observed: ScenarioOutcome;
  /** Whether both have the same members. */
  readonly asExpected: boolean;
  readonly figures: Figures;
  readonly runs: readonly PlayedRun[];
}

/** Runs a scenario. Throws LabError `arguments` for a number of nodes that it cannot have. */
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
    scenario,
    nodes,
    seed,
    expected,
    observed,
    // One scenario made both, so that they have the same members in the same order.
    asExpected: JSON.stringify(expected.members) === JSON.stringify(observed.members),
    figures: scenario.figures(runs),
    runs,
  };
}

/** The messages of all runs by type, and `total`. */
export function messagesOf(runs: readonly PlayedRun[]): Record<string, number> {
  const sums: Record<string, number> = {};
  let all = 0;
  for (const { outcome } of runs) {
    const { total = 0, ...byType } = outcome.messages;
    for (const [type, count] of Object.entries(byType)) sums[type] = (sums[type] ?? 0) + count;
    all += total;
  }
  return { ...sums, total: all };
}
