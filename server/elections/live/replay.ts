/**
 * @module
 * Builds the command that runs an election of the server as it was created. Some elections have no command, because the
 * command cannot express newcomers, Byzantine nodes and copies.
 */

import { isDeepStrictEqual } from 'node:util';

import { DEFENCE_NAMES } from '../../../src/election/defences/registry.ts';
import { LabError } from '../../../src/errors.ts';
import { shellWord } from '../../../src/experiment/reading/shell-word.ts';
import { faultText, parseCrashes } from '../../../src/simulation/faults/text.ts';
import { planSimulation } from '../../../src/simulation/plan/options.ts';
import type { Plan, SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import { plannedElection } from '../../../src/simulation/request/election.ts';
import { replayWords } from '../../../src/simulation/request/replay-words.ts';
import type { ElectRequest } from '../../../src/simulation/request/request.ts';
import { SCHEDULED_FLAGS } from '../../../src/simulation/request/request.ts';
import type { LiveElection } from './live-election.ts';
import type { ElectionPlan } from './plan.ts';

/** Returns the command line, without later actions. Null if no command runs this election. */
export function replayOf({ request: plan, stage }: LiveElection): string | null {
  const { options, scenario, origin, newcomers = 0, honest } = plan;
  const hasJoined = stage.roster.size > options.nodes;
  if (origin !== undefined || newcomers > 0 || hasJoined || honest === 'earned') return null;
  if (scenario !== undefined) {
    const { name, nodes } = scenario;
    return lineOf(['elect', '--scenario', name, '--nodes', `${nodes}`, '--seed', options.seed]);
  }
  const request = requestOf(plan);
  const planned = () => planSimulation(plannedElection(request, options.seed));
  return isPlan(planSimulation(asCommand(options)), planned)
    ? lineOf(replayWords(request, options.seed))
    : null;
}

/** Whether the command plans the same election. The command refuses some elections that the server runs. */
function isPlan(plan: Plan, planned: () => Plan): boolean {
  try {
    return isDeepStrictEqual(plan, planned());
  } catch (error) {
    if (error instanceof LabError) return false;
    throw error;
  }
}

function lineOf(words: readonly string[]): string {
  return ['usurp', ...words].map(shellWord).join(' ');
}

/** Returns the options as the command plans them. If there is a schedule, it contains the crashes and restarts of nodes. */
function asCommand(options: SimulationOptions): SimulationOptions {
  const { schedule, faults = [] } = options;
  if (schedule === undefined) return options;
  const scheduled = faults.map(({ type, rank, at }) =>
    type === 'crash' ? { type, rank, at } : { type: 'restart' as const, rank, at, amnesia: false },
  );
  return {
    ...options,
    faults: [],
    schedule: { ...schedule, faults: [...scheduled, ...schedule.faults] },
  };
}

/** Returns the request of the command for an election that names no identities. */
function requestOf({ options, initiators }: ElectionPlan): ElectRequest {
  const {
    protocol,
    nodes,
    flags = {},
    attributes,
    ring,
    crashedBefore = [],
    faults = [],
  } = options;
  const { latency = { type: 'constant', ticks: 1 }, schedule, defences = [] } = options;
  const text = [...crashedBefore, ...faults.map(({ rank, at }) => `${rank}@${at}`)].join();
  const scheduled = Map.groupBy(schedule?.faults ?? [], (fault) => faultText(fault).flag);
  const isUsual = schedule?.detector === 'crashes' && scheduled.size > 0;
  const asked = {
    ...Object.fromEntries(SCHEDULED_FLAGS.map((flag) => [flag, scheduled.get(flag)])),
    flag: Object.entries(flags),
    attr: attributes,
    ...(typeof ring === 'object' ? { ring } : {}),
    ringOrder: ring === 'by-id' ? ring : ('shuffled' as const),
    initiators: initiators ?? ('all' as const),
    ...(text !== '' && { crash: [{ text, crashes: parseCrashes(text) }] }),
    topology: options.topology,
    latency,
    fifo: options.fifo,
    sameTick: options.sameTick,
    calm: schedule?.calm ?? undefined,
    detector: options.detector ?? (isUsual ? undefined : schedule?.detector),
    level: options.level,
    ...(defences.length > 0 && {
      defences: DEFENCE_NAMES.filter((name) => defences.includes(name)),
    }),
    resource: options.workload,
    until: options.untilTicks,
  };
  return { options: asked, protocol, nodes, given: null, compared: [] };
}
