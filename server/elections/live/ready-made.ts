/**
 * @module
 * The parts of `POST /v1/elections` that name a whole election instead of its parts: a saved run, and a run of a
 * scenario. Beside them a request says only what is done with the election. The limits are those of this server.
 */

import { z } from '@hono/zod-openapi';
import type { Cast } from '../../../src/election/world/cast.ts';
import type { savedSchema } from '../../../src/experiment/verdict/report.ts';
import type { Seed } from '../../../src/random.ts';
import { latencyTicksMax } from '../../../src/simulation/faults/latency.ts';
import { faultyTicksMax } from '../../../src/simulation/faults/schedule.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import { parseSavedRun } from '../../../src/simulation/report/saved-run.ts';
import { LATENCY_TICKS_MAX, NODES_MAX } from '../../../src/simulation/request/remote-limits.ts';
import { HELD_TICKS_LIMIT } from '../../../src/simulation/run/intervention.ts';
import { findScenario, SCENARIOS } from '../../../src/simulation/scenarios/registry.ts';
import type { Scenario } from '../../../src/simulation/scenarios/scenario.ts';
import { faultAt, repointed, schemaFault } from '../../contract/faults.ts';
import { oneOf } from '../../contract/members.ts';
import type { ElectionPlan, PlannedScenario } from './plan.ts';

const RUN_NAME_CHARACTERS_MAX = 64;

export const scenarioSchema = z
  .strictObject({
    name: oneOf(SCENARIOS.map(({ name }) => name)).meta({ example: 'split-brain' }),
    run: z
      .string()
      .max(RUN_NAME_CHARACTERS_MAX)
      .optional()
      .meta({ description: 'The run of the scenario, the first by default.', example: 'raft' }),
  })
  .meta({
    id: 'ElectionScenario',
    description:
      'A run of a scenario in place of all other members but `nodes`, `seed` and `run`. GET /v1/scenarios lists them with their runs.',
  });

/** The part of a plan that states an election completely. */
type ReadyMade = Pick<ElectionPlan, 'options' | 'initiators' | 'scenario'>;

/** The election of a saved run. Throws LabError `schema`, `arguments` or `job.size`. */
export function savedPlan(saved: z.output<typeof savedSchema>): ReadyMade {
  if (Number(saved.nodes) > NODES_MAX) {
    throw faultAt('job.size', '/saved/nodes', `at most ${NODES_MAX} nodes here`);
  }
  try {
    const { initiators, ...options } = parseSavedRun(saved).options;
    if (options.links !== undefined) {
      throw schemaFault('/links', 'must be null: links have one latency here');
    }
    const dead = initiators?.find((rank) => options.crashedBefore?.includes(rank));
    if (dead !== undefined) throw schemaFault('/initiators', `node ${dead} has crashed before`);
    assertServed(options);
    return { options, initiators };
  } catch (error) {
    throw repointed(error, (pointer) => `/saved${pointer}`);
  }
}

/** Throws LabError `job.size` if an election of these options would hold messages for too long. */
function assertServed({ latency, schedule }: SimulationOptions): void {
  const ticks = latency === undefined ? 1 : latencyTicksMax(latency);
  if (ticks > LATENCY_TICKS_MAX) {
    throw faultAt('job.size', '/latency', `at most ${LATENCY_TICKS_MAX} ticks here`);
  }
  if (schedule === undefined || faultyTicksMax(schedule, ticks) <= HELD_TICKS_LIMIT) return;
  const detail = `a message could take more than ${HELD_TICKS_LIMIT} ticks`;
  throw faultAt('job.size', '/schedule', detail);
}

/** The election of a run of a scenario. Throws LabError `schema`. */
export function scenarioPlan(
  { name, run }: z.output<typeof scenarioSchema>,
  setting: { readonly nodes: number | undefined; readonly seed: Seed },
): ReadyMade {
  const scenario = findScenario(name);
  const { usual, min, max } = scenario.nodes;
  const { nodes = usual, seed } = setting;
  if (nodes < min || nodes > max) {
    throw schemaFault('/nodes', `must be in ${min}..${max} for ${name}`);
  }
  const runs = scenario.stage({ nodes, seed });
  const staged = run === undefined ? runs[0] : runs.find((each) => each.name === run);
  if (staged === undefined) {
    const names = runs.map((each) => JSON.stringify(each.name)).join(', ');
    throw schemaFault('/scenario/run', `must be one of ${names}`);
  }
  const { initiators, ...options } = { ...staged.options, audit: false };
  return { options, initiators, scenario: { name: scenario.name, run: staged.name, nodes } };
}

/** The machines of a scenario that replace those of its protocol; undefined for those of the protocol. */
export function machinesOf({
  scenario,
  options: { seed },
}: Pick<ElectionPlan, 'scenario' | 'options'>): Cast['machineOf'] | undefined {
  if (scenario === undefined) return undefined;
  const runs = findScenario(scenario.name).stage({ nodes: scenario.nodes, seed });
  return runs.find(({ name }) => name === scenario.run)?.machineOf;
}

/** What is expected of all runs of a scenario together. */
export function expectedOf({ name, nodes }: PlannedScenario): string {
  return findScenario(name).expected(nodes).sentence;
}

/** The names of the runs of a scenario. */
export function runNamesOf(scenario: Scenario, seed: Seed): readonly string[] {
  return scenario.stage({ nodes: scenario.nodes.usual, seed }).map(({ name }) => name);
}

/** Throws LabError `schema` for a member that has no meaning beside a whole election. */
export function assertAlone(
  body: Readonly<Record<string, unknown>>,
  defaults: Readonly<Record<string, unknown>>,
  { whole, companions }: { readonly whole: string; readonly companions: readonly string[] },
): void {
  for (const [name, value] of Object.entries(body)) {
    if (name === whole || companions.includes(name)) continue;
    if (JSON.stringify(value) === JSON.stringify(defaults[name])) continue;
    throw schemaFault(`/${name}`, `has no meaning beside ${whole}`);
  }
}
