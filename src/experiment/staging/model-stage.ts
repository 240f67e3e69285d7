/**
 * @module
 * The stage of a watched election of a threat model: who is where and how they behave, the chance that each
 * behaviour gets (attack-stage.ts), and beside it what the document says: its network, its defences, what
 * goes wrong. What depends on the population alone is worked out once for each that comes up.
 */

import type { BehaviourName } from '../../adversary/behaviours/registry.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { ringElectionTicks, silenceTicks } from '../../election/timing.ts';
import type { Seed } from '../../random.ts';
import { parseSeed } from '../../random.ts';
import { resolveCrashes } from '../../simulation/faults/crashes.ts';
import { latencyTicksMax } from '../../simulation/faults/latency.ts';
import type { Schedule, ScheduledFault } from '../../simulation/faults/schedule.ts';
import { withSettings } from '../../simulation/plan/defences.ts';
import { planSimulation } from '../../simulation/plan/options.ts';
import type { SimulationOptions } from '../../simulation/plan/plan.ts';
import { lastDisturbance } from '../../simulation/plan/time-limits.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { ofNodes } from './defences.ts';
import type { Script } from './election-text.ts';
import { cutAmongMembers, fittedTo, isForging } from './election-text.ts';
import type { Stage } from './stage.ts';
import { leaderWithout, stageAttack } from './stage.ts';

/** By rank, the lowest first: the name of the adversary that holds it, or null for an honest node. */
type Owners = readonly (string | null)[];

/** One election: among whom, and its seed. */
export interface Cast {
  readonly protocol: ProtocolName;
  readonly owners: Owners;
  readonly seed: Seed;
}

/** A stage without its seed. */
export interface PreparedStage {
  readonly stage: Stage;
  readonly honest: readonly number[];
  /** When whoever leads then without the adversary dies; null where nobody is to. */
  readonly leaderDiesAt: number | null;
}

/** In elections at their longest. */
const EPISODES = 12;
/** In the least time that an agreement must last in a protocol that is never silent. */
const STEADY_ROUNDS = 4;
/** Populations that are kept; a run of a few forged identities meets hardly more. */
const PREPARED_MAX = 256;
/** For what no seed decides. */
const ANY_SEED = parseSeed('0');

/** Stages the elections of a model. Throws LabError `arguments` or `schema` for what does not fit. */
export function createStaging(model: ThreatModel, script: Script): (cast: Cast) => Stage {
  const prepared = new Map<string, PreparedStage>();
  return ({ protocol, owners, seed }) => {
    const key = [protocol, ...owners.map((owner) => owner ?? '')].join(' ');
    const known = prepared.get(key);
    if (known !== undefined) return seeded(known, seed);
    const fitted = fittedTo(script, owners.length);
    const stage = prepareStage(model, fitted, { protocol, owners });
    if (prepared.size >= PREPARED_MAX) prepared.clear();
    prepared.set(key, stage);
    return seeded(stage, seed);
  };
}

/** Everything of a stage but what depends on the seed. Throws LabError for what does not fit. */
export function prepareStage(
  model: ThreatModel,
  script: Script,
  { protocol, owners }: Omit<Cast, 'seed'>,
): PreparedStage {
  const { election } = model.network;
  const members = owners.length;
  const chance = chanceOf(model, script, { protocol, owners });
  const { flags, latency, detector, workload } = script;
  const { crashedBefore, faults } = happenings(script, { members, chance });
  const disturbedUntil = lastDisturbance([], { faults, calm: null, detector: 'crashes' });
  const options = withSettings<SimulationOptions>(
    {
      ...{ ...chance.options, protocol, flags, latency, fifo: election.fifo, seed: ANY_SEED },
      level: election.level ?? (isGuarded(model) ? 'L0' : undefined),
      ring: election.ring,
      ...(detector === undefined ? {} : { detector }),
      ...(workload === undefined ? {} : { workload }),
      crashedBefore,
      schedule: scheduleOf([...chance.faults, ...faults], script.notice),
      byzantine: byzantineOf(model, owners, crashedBefore),
      audit: true,
    },
    ofNodes(election.defences, isForging(model), protocol),
  );
  const { steadyTicks } = planSimulation(options);
  const usual = Math.max(chance.ticks, STEADY_ROUNDS * (steadyTicks ?? 0));
  const ticks = election.ticks ?? disturbedUntil + usual;
  return {
    stage: { options, ticks, judgedFrom: Math.floor(ticks / 2) },
    honest: ranksOf(owners, (owner) => owner === null),
    leaderDiesAt: chance.leaderDiesAt,
  };
}

/** What the behaviours of a population need, at this latency. */
interface Chance {
  readonly options: Pick<SimulationOptions, 'nodes' | 'phantoms' | 'detector' | 'workload'>;
  readonly crashedBefore: readonly number[];
  readonly faults: readonly ScheduledFault[];
  readonly leaderDiesAt: number | null;
  readonly ticks: number;
}

/** Those that name a node which is none: the others need no place for it. */
const NAMING_PHANTOMS: readonly BehaviourName[] = ['phantom-id', 'tamper-token'];

function chanceOf(
  model: ThreatModel,
  script: Script,
  { protocol, owners }: Omit<Cast, 'seed'>,
): Chance {
  const places = owners.length;
  const delta = latencyTicksMax(script.latency);
  const behaviours = behavioursOf(model, owners);
  if (behaviours.length === 0) {
    const timing = { latencyTicksMax: delta };
    const ticks = EPISODES * (silenceTicks(timing) + ringElectionTicks(timing, places + 1));
    return { options: { nodes: places }, crashedBefore: [], faults: [], leaderDiesAt: null, ticks };
  }
  const { level = 'L0', ring, detector } = model.network.election;
  const adversary = ranksOf(owners, (owner) => owner !== null);
  const attack = { protocol, level, behaviours, defences: [], places, adversary, seed: ANY_SEED };
  const stage = stageAttack({ ...attack, isRingById: ring === 'by-id' }, detector);
  const { detector: noticing, workload, crashedBefore = [], schedule } = stage.options;
  // Stages are set for messages that take one tick.
  const faults = (schedule?.faults ?? []).map((fault) => later(fault, delta));
  const dies = faults.find((fault) => fault.type === 'crash');
  const isPhantomNamed = behaviours.some((name) => NAMING_PHANTOMS.includes(name));
  const seats = isPhantomNamed ? { nodes: places + 1, phantoms: [places + 1] } : { nodes: places };
  return {
    options: { ...seats, detector: noticing, workload },
    crashedBefore,
    faults: faults.filter((fault) => fault !== dies),
    leaderDiesAt: dies?.at ?? null,
    ticks: stage.ticks * delta,
  };
}

/** Every time of a fault so many times as late. */
function later(fault: ScheduledFault, times: number): ScheduledFault {
  switch (fault.type) {
    case 'crash':
      return { ...fault, at: fault.at * times };
    case 'pause':
      return { ...fault, from: fault.from * times, to: fault.to * times };
    case 'partition': {
      const { from, to } = fault;
      return { ...fault, from: from * times, to: to === null ? null : to * times };
    }
    default:
      throw new TypeError(`"fault" expected one that stages have, got ${fault.type}`);
  }
}

/** What the document has go wrong among these members, and who died before, the highest last. */
function happenings(
  script: Script,
  { members, chance }: { readonly members: number; readonly chance: Chance },
): { readonly crashedBefore: readonly number[]; readonly faults: readonly ScheduledFault[] } {
  const named = resolveCrashes(members, script.crashes);
  const hasPhantom = chance.options.nodes > members;
  const told = hasPhantom
    ? script.faults.map((fault) => cutAmongMembers(fault, members))
    : script.faults;
  const crashes = named.faults.map(({ rank, at }): ScheduledFault => ({ type: 'crash', rank, at }));
  const dead = new Set([...chance.crashedBefore, ...named.crashedBefore]);
  const crashedBefore = [...dead].toSorted((left, right) => left - right);
  return { crashedBefore, faults: [...crashes, ...told] };
}

function scheduleOf(
  faults: readonly ScheduledFault[],
  detector: Schedule['detector'],
): Schedule | undefined {
  const isUsual = faults.length === 0 && detector === 'crashes';
  return isUsual ? undefined : { faults, calm: null, detector };
}

/** A defence may look at seals, and whoever forges needs somebody to believe it. */
function isGuarded({ adversaries, network }: ThreatModel): boolean {
  return Object.keys(adversaries).length > 0 || network.election.defences.length > 0;
}

/** Every place of an adversary that lives: some keep to the protocol. */
function byzantineOf(model: ThreatModel, owners: Owners, dead: readonly number[]) {
  return owners.flatMap((owner, index) => {
    const rank = index + 1;
    if (owner === null || dead.includes(rank)) return [];
    return [{ rank, behaviours: model.adversaries[owner]?.behaviours ?? [] }];
  });
}

/** Of those that are there, each once. */
function behavioursOf({ adversaries }: ThreatModel, owners: Owners): readonly BehaviourName[] {
  const present = [...new Set(owners.filter((owner) => owner !== null))].sort();
  return [...new Set(present.flatMap((name) => adversaries[name]?.behaviours ?? []))];
}

function ranksOf(owners: Owners, is: (owner: string | null) => boolean): number[] {
  return owners.flatMap((owner, index) => (is(owner) ? [index + 1] : []));
}

function seeded({ stage, honest, leaderDiesAt }: PreparedStage, seed: Seed): Stage {
  const options = { ...stage.options, seed };
  if (leaderDiesAt === null) return { ...stage, options };
  const rank = leaderWithout(options, leaderDiesAt, honest);
  const { faults, detector } = options.schedule ?? { faults: [], detector: 'crashes' };
  const crash: ScheduledFault = { type: 'crash', rank, at: leaderDiesAt };
  const schedule = { faults: [...faults, crash], calm: null, detector };
  return { ...stage, options: { ...options, schedule } };
}
