/**
 * @module
 * An attack on one election, from the forging of identities to what came of it: who mines, who is where,
 * the run, whether the adversary got what it wanted, at what cost, and which single defence would have
 * kept it from that, found by running the same attack under the same seed against each.
 */

import type { Aim } from '../../adversary/behaviours/behaviour.ts';
import type { BehaviourName } from '../../adversary/behaviours/registry.ts';
import { BEHAVIOUR_NAMES, BEHAVIOURS, findBehaviour } from '../../adversary/behaviours/registry.ts';
import type { Level } from '../../election/authenticated.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import type { Budget, Ledger } from '../../mining/ledger.ts';
import type { Seed } from '../../random.ts';
import type { ChosenDefence } from '../document/defence-names.ts';
import { HONEST_WORK_MAX } from '../document/limits.ts';
import type { Finding, Sighting } from '../properties/sighting.ts';
import { chosenDefences, ofNodes } from '../staging/defences.ts';
import { doubtfulOf, findingsOf, reachedIn } from '../staging/judgement.ts';
import type { PlacedAttack } from '../staging/stage.ts';
import { honestStage, stageAttack } from '../staging/stage.ts';
import { watchAttack } from '../staging/watch.ts';
import { forgeForAttack } from './forge.ts';
import type { KeysUsed } from './keys.ts';
import { watchWithRealKeys } from './keys.ts';
import type { Forge, ForgeKind, Member, Population, PopulationPlan } from './population.ts';
import { adversaryRanks, populate } from './population.ts';

export interface Attack {
  readonly protocol: ProtocolName;
  readonly level: Level;
  /** The first is nearest to the protocol; none is an adversary that only forges. */
  readonly behaviours: readonly BehaviourName[];
  readonly defences: readonly ChosenDefence[];
  readonly aim: Aim;
  /** The adversary's identities included; with `spread` the honest are one fewer all the same. */
  readonly nodes: number;
  /** Identities of the adversary's, which know of each other and share its budget. */
  readonly colluders: number;
  /** Bits of the static puzzle. */
  readonly c1: number;
  readonly forge: ForgeKind;
  readonly budget: Budget;
  readonly seed: Seed;
}

/** An attack as somebody asks for it; what is not said follows from the behaviours. */
export interface AskedAttack
  extends Omit<Attack, 'behaviours' | 'defences' | 'aim' | 'forge' | 'colluders'> {
  readonly behaviours: readonly string[];
  readonly defences: readonly string[];
  readonly aim: Aim | null;
  readonly forge: ForgeKind | null;
  /** One unless it is said. */
  readonly colluders?: number | undefined;
}

export const ATTACKED_NODES = { min: 2, max: 64 } as const;

/** Fills in what was not said. Throws LabError `arguments` with what would be right. */
export function planAttack(asked: AskedAttack): Attack {
  const { protocol, level, nodes } = asked;
  const behaviours = asked.behaviours.map((name) => fittingBehaviour(name, protocol));
  const twice = behaviours.find((name, index) => behaviours.indexOf(name) < index);
  if (twice !== undefined) throw new LabError('arguments', `behaviour ${twice} is named twice`);
  const { min, max } = ATTACKED_NODES;
  if (!Number.isSafeInteger(nodes) || nodes < min || nodes > max) {
    throw new LabError('arguments', `nodes is a whole number in ${min}..${max}, not ${nodes}`);
  }
  if (nodes * 2 ** asked.c1 > HONEST_WORK_MAX) {
    const bits = Math.floor(Math.log2(HONEST_WORK_MAX / nodes));
    throw new LabError(
      'arguments',
      `${asked.c1} bits ask the honest nodes for more than ${HONEST_WORK_MAX} attempts: --c1 ${bits} is the most for ${nodes} nodes`,
    );
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
  const aim = asked.aim ?? (first === undefined ? 'lead' : BEHAVIOURS[first].aim);
  const isForging = forge !== 'none';
  const defences = chosenDefences(asked.defences, { protocol, level, isForging });
  if (!isForging && Object.values(asked.budget).some((amount) => amount !== undefined)) {
    throw new LabError(
      'arguments',
      `a budget is for forging, and ${behaviours.join(', ')} does with an ordinary identity: forge top, successor or spread, or leave the budget out`,
    );
  }
  if (aim === 'outlive-lease' && !behaviours.includes('lease-hog')) {
    throw new LabError('arguments', 'only lease-hog outlives a lease');
  }
  const colluders = colludersOf(asked, forge);
  const attack = { ...asked, behaviours, defences, aim, forge, colluders };
  // What options would refuse is refused before anything is mined.
  const adversary = Array.from({ length: colluders }, (_, index) => index + 1);
  stageAttack(placed(attack, { places: nodes, adversary }));
  return attack;
}

function colludersOf({ colluders = 1, nodes }: AskedAttack, forge: ForgeKind): number {
  if (!Number.isSafeInteger(colluders) || colluders < 1 || colluders >= nodes) {
    throw new LabError(
      'arguments',
      `colluders is a whole number in 1..${nodes - 1}, so that one node is honest, not ${colluders}`,
    );
  }
  if (forge === 'spread' && colluders > 1) {
    throw new LabError(
      'arguments',
      'spread forges as many colluders as it takes to outnumber the honest: leave colluders out',
    );
  }
  return colluders;
}

/** What an attack needs of the world. */
export interface AttackServices {
  readonly forge: Forge;
  /** Lets others have their turn; false where the attack is to stop. */
  readonly goOn: () => Promise<boolean>;
  /** Whether small runs are seen once more with the keys that were mined, which takes a second. */
  readonly usesRealKeys?: boolean;
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
      readonly keys: KeysUsed;
      /** The same without anybody who cheats. */
      readonly honest: Sighting;
      /** What it brought about. */
      readonly findings: readonly Finding[];
      /** What was seen and may have come without it: there was too much to watch without a cheat. */
      readonly doubtful: readonly Finding[];
    }
  | CancelledExecution
  | Exclude<Population, { readonly outcome: 'placed' | 'cancelled' }>;

/** What was finished when it was interrupted. */
export interface CancelledExecution {
  readonly outcome: 'cancelled';
  /** Of what the adversary had mined by then; null where it had not begun or forges nothing. */
  readonly ledger: Ledger | null;
  /** By rank, once all of them were there. */
  readonly members: readonly Member[];
}

/** Forges, places and runs an attack. */
export async function executeAttack(attack: Attack, services: AttackServices): Promise<Execution> {
  const forging = forgeForAttack(services.forge, attack);
  const population = await populateAttack(attack, forging.forge);
  if (population.outcome === 'cancelled') {
    return { outcome: 'cancelled', ledger: forging.spent(), members: [] };
  }
  if (population.outcome !== 'placed') return population;
  const { members, ledger, isForged } = population;
  const cancelled = { outcome: 'cancelled', ledger, members } as const;
  if (!(await services.goOn())) return cancelled;
  const places = { places: members.length, adversary: adversaryRanks(members) };
  const stage = stageAttack(placed(attack, places));
  const seen = watchAttack(stage);
  if (!(await services.goOn())) return cancelled;
  const honest = watchAttack(honestStage(stage, { isForged }));
  if (!(await services.goOn())) return cancelled;
  const keys = watchWithRealKeys(
    { stage, members, seen },
    services.usesRealKeys === true ? forging.keyOf : null,
  );
  const judged = { findings: findingsOf(seen, honest), doubtful: doubtfulOf(seen, honest) };
  return { outcome: 'run', members, ledger, isForged, seen, keys, honest, ...judged };
}

/** What came of a trial of what could have stopped an attack. */
interface TrialOutcome {
  /** Whether the aim shows by the signs of the attack; null where there was too much to watch. */
  readonly isReached: boolean | null;
  readonly isForged: boolean;
}

/**
 * Whether the aim shows by these signs all the same. Whoever forges nothing in time is left with the
 * ordinary identity that it could have had before. It is not asked whether the aim would have come without
 * a cheat: then nothing was stopped either.
 */
export async function reachesAim(
  attack: Attack,
  trial: { readonly signs: readonly Finding[]; readonly changed?: Partial<PopulationPlan> },
  { forge }: Pick<AttackServices, 'forge'>,
): Promise<TrialOutcome | 'cancelled'> {
  const forging = forgeForAttack(forge, attack);
  const forged = await populateAttack(attack, forging.forge, trial.changed);
  const population =
    forged.outcome === 'spent'
      ? await populateAttack(attack, forging.forge, { forge: 'none', nodes: attack.nodes })
      : forged;
  if (population.outcome !== 'placed') return 'cancelled';
  const { members, isForged } = population;
  const places = { places: members.length, adversary: adversaryRanks(members) };
  const seen = watchAttack(stageAttack(placed(attack, places)));
  return { isReached: reachedIn(attack.aim, seen, trial.signs), isForged };
}

/** Who is to be there for an attack. */
export function populationOf(attack: Attack): PopulationPlan {
  const { c1, forge, defences, budget, seed, colluders } = attack;
  const isFrozen = forge !== 'none' && defences.includes('frozen-membership');
  // Forged ones take the places of ordinary ones, the first of them that of the last.
  const nodes = forge === 'none' || isFrozen ? attack.nodes : attack.nodes - colluders + 1;
  return {
    ...{ nodes, c1, newcomersC1: c1, forge, budget, seed },
    isBeaconRanked: defences.includes('beacon-rank'),
    isFrozen,
  };
}

/** Everybody in their places; where nothing forged is among them the lowest are the colluders. */
async function populateAttack(
  attack: Attack,
  forge: Forge,
  changed: Partial<PopulationPlan> = {},
): Promise<Population> {
  const population = await populate({ ...populationOf(attack), ...changed }, forge);
  if (population.outcome !== 'placed' || population.isForged) return population;
  const members = population.members.map((member, index): Member => {
    return index < attack.colluders ? { ...member, owner: 'adversary' } : member;
  });
  return { ...population, members };
}

function placed(
  attack: Omit<Attack, 'aim'>,
  places: Pick<PlacedAttack, 'places' | 'adversary'>,
): PlacedAttack {
  const { protocol, level, behaviours, forge, seed } = attack;
  return {
    ...{ protocol, level, behaviours, seed, ...places },
    defences: ofNodes(attack.defences, forge !== 'none', protocol),
    // The place after a victim is one only where the ring goes by the IDs.
    isRingById: forge === 'successor' || forge === 'spread',
  };
}

function fittingBehaviour(name: string, protocol: ProtocolName): BehaviourName {
  const found = BEHAVIOUR_NAMES.find((each) => each === name);
  const fitting = BEHAVIOUR_NAMES.filter(
    (each) => BEHAVIOURS[each].unsupportedReason(protocol) === null,
  );
  const unsupportedReason = findBehaviour(name)?.unsupportedReason(protocol) ?? null;
  if (found !== undefined && unsupportedReason === null) return found;
  const wrong =
    found === undefined
      ? `there is no behaviour ${JSON.stringify(name)}`
      : `${name} does not fit ${protocol}: ${unsupportedReason}`;
  const family = PROTOCOLS[protocol].name;
  throw new LabError('arguments', `${wrong}; those that fit ${family}: ${fitting.join(', ')}`);
}
