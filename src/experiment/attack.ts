/**
 * @module
 * An attack on one election, from the forging of identities to what came of it: who mines, who is where,
 * the run, whether the adversary got what it wanted, at what cost, and which single defence would have
 * kept it from that, found by running the same attack under the same seed against each.
 */

import type { Aim } from '../adversary/behaviours/behaviour.ts';
import type { BehaviourName } from '../adversary/behaviours/registry.ts';
import { BEHAVIOUR_NAMES, BEHAVIOURS, findBehaviour } from '../adversary/behaviours/registry.ts';
import type { Level } from '../election/authenticated.ts';
import type { AlgorithmName } from '../election/registry.ts';
import { ALGORITHMS } from '../election/registry.ts';
import { LabError } from '../errors.ts';
import type { Budget, Ledger } from '../mining/ledger.ts';
import type { Seed } from '../random.ts';
import type { ChosenDefence } from './attack-defences.ts';
import { chosenDefences, ofNodes } from './attack-defences.ts';
import type { Finding } from './attack-judgement.ts';
import { findingsOf, reachedIn } from './attack-judgement.ts';
import type { Forge, ForgeKind, Member, Population, PopulationPlan } from './attack-population.ts';
import { adversaryRanks, populate } from './attack-population.ts';
import type { PlacedAttack } from './attack-stage.ts';
import { honestStage, stageAttack } from './attack-stage.ts';
import type { Sighting } from './attack-watch.ts';
import { watchAttack } from './attack-watch.ts';

export interface Attack {
  readonly algorithm: AlgorithmName;
  readonly level: Level;
  /** The first is nearest to the protocol; none is an adversary that only forges. */
  readonly behaviours: readonly BehaviourName[];
  readonly defences: readonly ChosenDefence[];
  readonly goal: Aim;
  /** The adversary's one identity included; with `spread` the honest are one fewer all the same. */
  readonly nodes: number;
  /** Bits of the static puzzle. */
  readonly c1: number;
  readonly forge: ForgeKind;
  readonly budget: Budget;
  readonly seed: Seed;
}

/** An attack as somebody asks for it; what is not said follows from the behaviours. */
export interface AskedAttack extends Omit<Attack, 'behaviours' | 'defences' | 'goal' | 'forge'> {
  readonly behaviours: readonly string[];
  readonly defences: readonly string[];
  readonly goal: Aim | null;
  readonly forge: ForgeKind | null;
}

export const ATTACKED_NODES = { min: 2, max: 64 } as const;

/** Fills in what was not said. Throws LabError `arguments` with what would be right. */
export function planAttack(asked: AskedAttack): Attack {
  const { algorithm, level, nodes } = asked;
  const behaviours = asked.behaviours.map((name) => fittingBehaviour(name, algorithm));
  const twice = behaviours.find((name, index) => behaviours.indexOf(name) < index);
  if (twice !== undefined) throw new LabError('arguments', `behaviour ${twice} is named twice`);
  const { min, max } = ATTACKED_NODES;
  if (!Number.isSafeInteger(nodes) || nodes < min || nodes > max) {
    throw new LabError('arguments', `nodes is a whole number in ${min}..${max}, not ${nodes}`);
  }
  const needsTop = behaviours.some((name) => BEHAVIOURS[name].needsTopId);
  const forge = asked.forge ?? (needsTop ? 'top' : 'none');
  const [first] = behaviours;
  if (first === undefined && forge === 'none') {
    throw new LabError(
      'arguments',
      'without a behaviour and without forging nobody attacks: name one or forge',
    );
  }
  const goal = asked.goal ?? (first === undefined ? 'leader' : BEHAVIOURS[first].aim);
  const isForging = forge !== 'none';
  const defences = chosenDefences(asked.defences, { algorithm, level, isForging });
  if (!isForging && Object.values(asked.budget).some((amount) => amount !== undefined)) {
    throw new LabError(
      'arguments',
      `a budget is for forging, and ${behaviours.join(', ')} does with an ordinary identity: forge top, successor or spread, or leave the budget out`,
    );
  }
  if (goal === 'outlive-lease' && !behaviours.includes('lease-hog')) {
    throw new LabError('arguments', 'only lease-hog outlives a lease');
  }
  const attack = { ...asked, behaviours, defences, goal, forge };
  // What options would refuse is refused before anything is mined.
  stageAttack(placed(attack, { places: nodes, adversary: [1] }));
  return attack;
}

/** What an attack needs of the world. */
export interface AttackServices {
  readonly forge: Forge;
  /** Lets others have their turn; false where the attack is to stop. */
  readonly goOn: () => Promise<boolean>;
}

/** What came of one attack. */
export type Execution =
  | {
      readonly outcome: 'run';
      readonly members: readonly Member[];
      readonly ledger: Ledger | null;
      /** Whether forged identities took part. */
      readonly isForged: boolean;
      readonly seen: Sighting;
      /** The same without anybody who cheats. */
      readonly honest: Sighting;
      /** What it brought about. */
      readonly findings: readonly Finding[];
    }
  | Exclude<Population, { readonly outcome: 'placed' }>;

/** Forges, places and runs an attack. */
export async function executeAttack(attack: Attack, services: AttackServices): Promise<Execution> {
  const population = await populate(populationOf(attack), services.forge);
  if (population.outcome !== 'placed') return population;
  const { members, ledger, isForged } = population;
  const places = { places: members.length, adversary: adversaryRanks(members) };
  const stage = stageAttack(placed(attack, places));
  const seen = watchAttack(stage);
  if (!(await services.goOn())) return { outcome: 'cancelled' };
  const honest = watchAttack(honestStage(stage, { isForged }));
  const findings = findingsOf(seen, honest);
  return { outcome: 'run', members, ledger, isForged, seen, honest, findings };
}

/**
 * Whether the goal shows by these signs, for trials of what could have stopped it; null where there was too
 * much to watch. It is not asked whether it would have come without a cheat: then nothing was stopped either.
 */
export async function reachesGoal(
  attack: Attack,
  trial: { readonly signs: readonly Finding[]; readonly changed?: Partial<PopulationPlan> },
  { forge }: Pick<AttackServices, 'forge'>,
): Promise<boolean | null | 'cancelled'> {
  const population = await populate({ ...populationOf(attack), ...trial.changed }, forge);
  if (population.outcome === 'cancelled') return 'cancelled';
  if (population.outcome === 'spent') return false;
  const { members } = population;
  const places = { places: members.length, adversary: adversaryRanks(members) };
  return reachedIn(attack.goal, watchAttack(stageAttack(placed(attack, places))), trial.signs);
}

/** Who is to be there for an attack. */
export function populationOf(attack: Attack): PopulationPlan {
  const { nodes, c1, forge, defences, budget, seed } = attack;
  return {
    ...{ nodes, c1, newcomersC1: c1, forge, budget, seed },
    isBeaconRanked: defences.includes('beacon-rank'),
    isFrozen: forge !== 'none' && defences.includes('frozen-membership'),
  };
}

function placed(
  attack: Omit<Attack, 'goal'>,
  places: Pick<PlacedAttack, 'places' | 'adversary'>,
): PlacedAttack {
  const { algorithm, level, behaviours, forge, seed } = attack;
  return {
    ...{ algorithm, level, behaviours, seed, ...places },
    defences: ofNodes(attack.defences, forge !== 'none', algorithm),
    // The place after a victim is one only where the ring goes by the IDs.
    isRingById: forge === 'successor' || forge === 'spread',
  };
}

function fittingBehaviour(name: string, algorithm: AlgorithmName): BehaviourName {
  const found = BEHAVIOUR_NAMES.find((each) => each === name);
  const fitting = BEHAVIOUR_NAMES.filter((each) => BEHAVIOURS[each].misfit(algorithm) === null);
  const misfit = findBehaviour(name)?.misfit(algorithm) ?? null;
  if (found !== undefined && misfit === null) return found;
  const wrong =
    found === undefined
      ? `there is no behaviour ${JSON.stringify(name)}`
      : `${name} does not fit ${algorithm}: ${misfit}`;
  const family = ALGORITHMS[algorithm].name;
  throw new LabError('arguments', `${wrong}; those that fit ${family}: ${fitting.join(', ')}`);
}
