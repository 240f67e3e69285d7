/**
 * @module
 * The stage of a watched election of a threat model: the owners of its ranks and their behaviours, what these
 * need (stage.ts), and beside it the network, defences and faults of the document. What depends on the owners
 * alone is computed once for each of their combinations.
 */

import type { Behaviour } from '../../adversary/behaviours/behaviour.ts';
import type { ProtocolName } from '../../election/registry.ts';
import type { Seed } from '../../random.ts';
import { parseSeed } from '../../random.ts';
import { latencyTicksMax } from '../../simulation/faults/latency.ts';
import type { ScheduledFault } from '../../simulation/faults/schedule.ts';
import { resolveCrashes } from '../../simulation/faults/text.ts';
import { withSettings } from '../../simulation/plan/defences.ts';
import { planSimulation } from '../../simulation/plan/options.ts';
import type { SimulationOptions } from '../../simulation/plan/plan.ts';
import { lastDisturbance } from '../../simulation/plan/time-limits.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { ofNodes } from './defences.ts';
import type { Script } from './script.ts';
import { cutAmongMembers, fittedTo, isForging } from './script.ts';
import type { Stage, StageNeeds } from './stage.ts';
import { EPISODES, longestElectionTicks, needsOf, scheduleOf, withLeaderCrash } from './stage.ts';

/** By rank, the lowest first: the name of an adversary, or null for an honest node. */
type Owners = readonly (string | null)[];

/** One election of a run. */
export interface Cast {
  readonly protocol: ProtocolName;
  readonly owners: Owners;
  readonly seed: Seed;
}

/** A stage without its seed. */
export interface PreparedStage {
  readonly stage: Stage;
  readonly honest: readonly number[];
  /** When the node crashes that leads without the adversary. Null if none is to crash. */
  readonly leaderDiesAt: number | null;
}

/** For protocols that are never silent, in units of the least time that an agreement must last. */
const STEADY_ROUNDS = 4;
/** Combinations of owners that are kept. Runs with few forged identities hardly have more. */
const PREPARED_MAX = 256;
/** For what no seed decides. */
const ANY_SEED = parseSeed('0');

/** Stages the elections of a model. Throws LabError `arguments` or `schema` for what does not fit. */
export function createStaging(model: ThreatModel, script: Script): (cast: Cast) => Stage {
  const prepared = new Map<string, PreparedStage>();
  return ({ protocol, owners, seed }) => {
    const key = [protocol, ...owners.map((owner) => owner ?? '')].join(' ');
    let found = prepared.get(key);
    if (found === undefined) {
      found = prepareStage(model, fittedTo(script, owners.length), { protocol, owners });
      if (prepared.size >= PREPARED_MAX) prepared.clear();
      prepared.set(key, found);
    }
    const { stage, honest, leaderDiesAt } = found;
    const options = withLeaderCrash({ ...stage.options, seed }, leaderDiesAt, honest);
    return { ...stage, options };
  };
}

/** Everything of a stage except what depends on the seed. Throws LabError for what does not fit. */
export function prepareStage(
  model: ThreatModel,
  script: Script,
  { protocol, owners }: Omit<Cast, 'seed'>,
): PreparedStage {
  const { election } = model.network;
  const honest = owners.flatMap((owner, index) => (owner === null ? [index + 1] : []));
  const behaviours = behavioursOf(script, owners);
  const needs = modelNeeds({ protocol, behaviours, nodes: owners.length }, honest, script);
  const { flags, latency, clients, workload = needs.workload } = script;
  const { detector = needs.detector } = script;
  const { crashedBefore, faults } = documentFaults(script, needs, owners.length);
  const options = withSettings<SimulationOptions>(
    {
      ...(needs.namesPhantom
        ? { nodes: owners.length + 1, phantoms: [owners.length + 1] }
        : { nodes: owners.length }),
      protocol,
      flags,
      latency,
      fifo: election.fifo,
      sameTick: election.sameTick,
      ring: election.ring,
      topology: election.topology,
      seed: ANY_SEED,
      level: election.level ?? (isGuarded(model) ? 'L0' : undefined),
      ...(detector === undefined ? {} : { detector }),
      ...(workload === undefined ? {} : { workload }),
      ...(clients === undefined ? {} : { clients }),
      crashedBefore,
      schedule: scheduleOf([...needs.faults, ...faults], script.notice),
      byzantine: byzantineOf(script, owners, crashedBefore),
      audit: true,
    },
    ofNodes(election.defences, isForging(model), protocol),
  );
  const { steadyTicks } = planSimulation(options);
  const disturbedUntil = lastDisturbance([], { faults, calm: null, detector: 'crashes' });
  const usual = Math.max(needs.ticks, STEADY_ROUNDS * (steadyTicks ?? 0));
  const ticks = election.ticks ?? disturbedUntil + usual;
  return {
    stage: { options, ticks, judgedFrom: Math.floor(ticks / 2) },
    honest,
    leaderDiesAt: needs.leaderDiesAt,
  };
}

/** The needs of behaviours at the latency of the model. */
function modelNeeds(
  attack: Parameters<typeof needsOf>[0],
  honest: readonly number[],
  { latency }: Script,
): StageNeeds {
  const delta = latencyTicksMax(latency);
  const needs = needsOf(attack, honest, delta);
  if (attack.behaviours.length > 0) return needs;
  return {
    ...needs,
    ticks: EPISODES * longestElectionTicks(attack.nodes, { latencyTicksMax: delta }),
  };
}

/** The faults of the document among its members, and all nodes that crashed before, ascending. */
function documentFaults(script: Script, needs: StageNeeds, members: number) {
  const named = resolveCrashes(members, script.crashes);
  const others = needs.namesPhantom
    ? script.faults.map((fault) => cutAmongMembers(fault, members))
    : script.faults;
  const crashes = named.faults.map(({ rank, at }): ScheduledFault => ({ type: 'crash', rank, at }));
  const dead = new Set([...needs.crashedBefore, ...named.crashedBefore]);
  const crashedBefore = [...dead].sort((left, right) => left - right);
  return { crashedBefore, faults: [...crashes, ...others] };
}

/** Whether nodes check messages: a defence may need seals, and forged messages need a node that accepts them. */
function isGuarded({ adversaries, network }: ThreatModel): boolean {
  return Object.keys(adversaries).length > 0 || network.election.defences.length > 0;
}

/** Every live node of an adversary. Those without behaviours follow the protocol. */
function byzantineOf({ behaviours }: Script, owners: Owners, dead: readonly number[]) {
  return owners.flatMap((owner, index) => {
    const rank = index + 1;
    if (owner === null || dead.includes(rank)) return [];
    return [{ rank, behaviours: (behaviours.get(owner) ?? []).map(({ name }) => name) }];
  });
}

/** The behaviours of the adversaries that are present, each once. */
function behavioursOf({ behaviours }: Script, owners: Owners): readonly Behaviour[] {
  const present = [...new Set(owners.filter((owner) => owner !== null))].sort();
  return [...new Set(present.flatMap((name) => behaviours.get(name) ?? []))];
}
