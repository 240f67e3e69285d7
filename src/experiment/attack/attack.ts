/**
 * @module
 * This folder contains the attack on one election, from the forging of identities to the single defences
 * that stop it. This file plans an attack and executes it: it mines, ranks the nodes, runs the election
 * with and without the attack, and compares.
 */

import type { Aim, Behaviour } from '../../adversary/behaviours/behaviour.ts';
import { AIMS, forgesTopId } from '../../adversary/behaviours/behaviour.ts';
import { BEHAVIOUR_NAMES, BEHAVIOURS, findBehaviour } from '../../adversary/behaviours/registry.ts';
import type { HeldKey } from '../../adversary/keys.ts';
import { realKeys } from '../../adversary/keys.ts';
import type { Level } from '../../election/authentication/authenticated.ts';
import type { Rank } from '../../election/machine.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { toRank } from '../../election/world/cast.ts';
import { LabError } from '../../errors.ts';
import type { PlainVerifier } from '../../identity/keys/scheme.ts';
import type { Budget, Ledger } from '../../mining/ledger.ts';
import type { Seed } from '../../random.ts';
import type { ChosenDefence } from '../document/defence-names.ts';
import { HONEST_WORK_MAX } from '../document/limits.ts';
import type { Finding, Sighting } from '../properties/sighting.ts';
import { chosenDefences, ofNodes } from '../staging/defences.ts';
import { doubtfulOf, findingsOf, harmsStill } from '../staging/judgement.ts';
import type { Stage } from '../staging/stage.ts';
import { honestStage, stageAttack } from '../staging/stage.ts';
import { watchAttack } from '../staging/watch.ts';
import { forgeForAttack } from './forge.ts';
import type { Forge, ForgeKind, Member, Population, PopulationPlan } from './population.ts';
import { adversaryRanks, populate } from './population.ts';

export interface Attack {
  readonly protocol: ProtocolName;
  readonly level: Level;
  /** The first is nearest to the protocol. Without one the adversary only forges. */
  readonly behaviours: readonly Behaviour[];
  readonly defences: readonly ChosenDefence[];
  /** The only harm that counts. Null if any does. */
  readonly aim: Aim | null;
  /** The adversary's identities included. With `spread` the honest are also one fewer. */
  readonly nodes: number;
  /** Identities of the adversary, which know each other and share its budget. */
  readonly colluders: number;
  /** Bits of the static puzzle. */
  readonly c1: number;
  readonly forge: ForgeKind;
  readonly budget: Budget;
  readonly seed: Seed;
}

/** An attack as a caller requests it. */
export interface AskedAttack
  extends Omit<Attack, 'behaviours' | 'defences' | 'forge' | 'colluders'> {
  readonly behaviours: readonly string[];
  readonly defences: readonly string[];
  /** Null if it follows from the behaviours. */
  readonly forge: ForgeKind | null;
  /** By default as many as the behaviours need. */
  readonly colluders?: number | undefined;
}

export const ATTACKED_NODES = { min: 2, max: 64 } as const;

/** The static bits that the smallest attacked network can mine. */
export const ATTACKED_BITS_MAX = bitsFor(ATTACKED_NODES.min);

/** Resolves names and defaults. Throws LabError `arguments` with what would be right. */
export function planAttack(asked: AskedAttack): Attack {
  const { protocol, level, nodes, aim } = asked;
  const behaviours = asked.behaviours.map((name) => fittingBehaviour(name, protocol));
  const twice = behaviours.find((each, index) => behaviours.indexOf(each) < index);
  if (twice !== undefined) throw refusal('behaviours', `behaviour ${twice.name} is named twice`);
  assertNodes(asked);
  const forge =
    asked.forge ?? (behaviours.some((each) => forgesTopId(each, protocol)) ? 'top' : 'none');
  if (behaviours.length === 0 && forge === 'none') {
    throw refusal(
      'behaviours',
      'without a behaviour and without forging there is no attack: name one, or forge',
    );
  }
  const isForging = forge !== 'none';
  const defences = chosenDefences(asked.defences, { protocol, level, isForging });
  if (!isForging && Object.values(asked.budget).some((amount) => amount !== undefined)) {
    const names = asked.behaviours.join(', ');
    throw refusal(
      asked.budget.attempts === undefined ? 'cpu' : 'attempts',
      `a budget is for forging, and ${names} uses an ordinary identity: forge top, successor or spread, or leave the budget out`,
    );
  }
  if (aim === 'outlive-lease' && behaviours.every((each) => each.aim !== aim)) {
    throw refusal('aim', 'only lease-hog outlives a lease');
  }
  const colluders = colludersOf(asked, behaviours, forge);
  const attack = { ...asked, behaviours, defences, forge, colluders };
  // What the options refuse is refused before anything is mined.
  stageOf(attack, { nodes, adversary: Array.from({ length: colluders }, (_, index) => index + 1) });
  return attack;
}

function assertNodes({ nodes, c1 }: AskedAttack): void {
  const { min, max } = ATTACKED_NODES;
  if (!Number.isSafeInteger(nodes) || nodes < min || nodes > max) {
    throw refusal('nodes', `nodes is a whole number in ${min}..${max}, not ${nodes}`);
  }
  if (nodes * 2 ** c1 <= HONEST_WORK_MAX) return;
  throw refusal(
    'c1',
    `with ${c1} bits the honest nodes need more than ${HONEST_WORK_MAX} attempts: ${bitsFor(nodes)} bits are the most for ${nodes} nodes`,
  );
}

/** The most static bits that this number of honest nodes can mine. */
function bitsFor(nodes: number): number {
  return Math.floor(Math.log2(HONEST_WORK_MAX / nodes));
}

function colludersOf(
  asked: Pick<AskedAttack, 'protocol' | 'nodes' | 'colluders'>,
  behaviours: readonly Behaviour[],
  forge: ForgeKind,
): number {
  const { protocol, nodes } = asked;
  const { colluders = neededColluders({ protocol, behaviours, nodes, forge }) } = asked;
  if (!Number.isSafeInteger(colluders) || colluders < 1 || colluders >= nodes) {
    throw refusal(
      'colluders',
      `colluders is a whole number in 1..${nodes - 1}, so that one node is honest, not ${colluders}`,
    );
  }
  if (forge === 'spread' && colluders > 1) {
    throw refusal(
      'colluders',
      'spread forges as many colluders as outnumber the honest nodes: leave colluders out',
    );
  }
  return colluders;
}

/** The identities that the most demanding of the behaviours needs. One node stays honest. */
export function neededColluders({
  protocol,
  behaviours,
  nodes,
  forge,
}: Pick<Attack, 'protocol' | 'behaviours' | 'nodes' | 'forge'>): number {
  if (forge === 'spread') return 1;
  const needed = behaviours.map(({ stage }) => stage(protocol).colluders?.(nodes) ?? 1);
  return Math.min(Math.max(1, ...needed), nodes - 1);
}

function fittingBehaviour(name: string, protocol: ProtocolName): Behaviour {
  const found = findBehaviour(name);
  const reason = found?.unsupportedReason(protocol);
  if (found !== null && reason === null) return found;
  const fitting = BEHAVIOUR_NAMES.filter(
    (each) => BEHAVIOURS[each].unsupportedReason(protocol) === null,
  );
  const wrong =
    found === null
      ? `there is no behaviour ${JSON.stringify(name)}`
      : `${name} does not fit ${protocol}: ${reason}`;
  throw refusal('behaviours', `${wrong}; behaviours that fit ${protocol}: ${fitting.join(', ')}`);
}

/** A refusal that points at a member of the request. */
function refusal(member: keyof AskedAttack | 'attempts' | 'cpu', detail: string): LabError {
  return new LabError('arguments', detail, [{ pointer: `/${member}`, detail }]);
}

/** What an attack needs from outside. */
export interface AttackServices {
  readonly forge: Forge;
  /** Lets other tasks run. Resolves to false if the attack must stop. */
  readonly goOn: () => Promise<boolean>;
  /** Whether small runs are watched again with the mined keys, which takes a second. */
  readonly usesRealKeys?: boolean;
  /** Verifies their signatures faster than noble. */
  readonly plain?: PlainVerifier;
}

/** The result of one attack. */
export type Execution =
  | {
      readonly outcome: 'run';
      readonly members: readonly Member[];
      readonly ledger: Ledger | null;
      /** Whether forged identities took part. */
      readonly isForged: boolean;
      readonly seen: Sighting;
      readonly keys: KeysUsed;
      /** The same election without the attack. */
      readonly honest: Sighting;
      /** What the adversary caused. */
      readonly findings: readonly Finding[];
      /** What it may have caused: without the attack the election was too large to watch. */
      readonly doubtful: readonly Finding[];
    }
  | CancelledExecution
  | Exclude<Population, { readonly outcome: 'placed' | 'cancelled' }>;

/** What was finished at an interruption. */
export interface CancelledExecution {
  readonly outcome: 'cancelled';
  /** What the adversary had spent. Null if it had not begun, or forges nothing. */
  readonly ledger: Ledger | null;
  /** By rank. Empty until all of them were mined. */
  readonly members: readonly Member[];
}

/** Mines, ranks and runs an attack. */
export async function executeAttack(attack: Attack, services: AttackServices): Promise<Execution> {
  const forging = forgeForAttack(services.forge, attack);
  const population = await populate(populationOf(attack), forging.forge);
  if (population.outcome === 'cancelled') {
    return { outcome: 'cancelled', ledger: forging.spent(), members: [] };
  }
  if (population.outcome !== 'placed') return population;
  const { members, ledger, isForged } = population;
  const cancelled = { outcome: 'cancelled', ledger, members } as const;
  if (!(await services.goOn())) return cancelled;
  const stage = stageAmong(attack, members);
  const seen = watchAttack(stage);
  if (!(await services.goOn())) return cancelled;
  const honest = watchAttack(honestStage(stage, { isForged }));
  if (!(await services.goOn())) return cancelled;
  const keyOf = services.usesRealKeys === true ? forging.keyOf : null;
  const keys = watchWithRealKeys({ stage, members, seen }, keyOf, services.plain);
  const judged = { findings: findingsOf(seen, honest), doubtful: doubtfulOf(seen, honest) };
  return { outcome: 'run', members, ledger, isForged, seen, keys, honest, ...judged };
}

/** The result of a trial of defences. */
interface TrialOutcome {
  /** Whether the attack still does harm. Null if the election was too large to watch. */
  readonly isHarmful: boolean | null;
  readonly isForged: boolean;
}

/**
 * Whether an attack still does harm after it or its population was changed. `signs` are those of the
 * attack before. An adversary whose budget ends keeps the ordinary identity that it could have had before.
 */
export async function tryAgain(
  attack: Attack,
  trial: { readonly signs: readonly Finding[]; readonly changed?: Partial<PopulationPlan> },
  { forge }: Pick<AttackServices, 'forge'>,
): Promise<TrialOutcome | 'cancelled'> {
  const forging = forgeForAttack(forge, attack);
  const plan = populationOf(attack);
  const forged = await populate({ ...plan, ...trial.changed }, forging.forge);
  const population =
    forged.outcome === 'spent'
      ? await populate({ ...plan, forge: 'none', nodes: attack.nodes }, forging.forge)
      : forged;
  if (population.outcome !== 'placed') return 'cancelled';
  const { members, isForged } = population;
  const stage = stageAmong(attack, members);
  const honest = () => watchAttack(honestStage(stage, { isForged }));
  const against = { signs: trial.signs, honest };
  return { isHarmful: harmsStill(aimsOf(attack), watchAttack(stage), against), isForged };
}

/** The aims that count. */
function aimsOf({ aim }: Attack): readonly Aim[] {
  return aim === null ? AIMS : [aim];
}

/** The identities of an attack. */
export function populationOf(attack: Attack): PopulationPlan {
  const { c1, forge, defences, budget, seed, colluders } = attack;
  const isFrozen = forge !== 'none' && defences.includes('frozen-membership');
  // Forged identities replace ordinary ones, the first of them the last of these.
  const nodes = forge === 'none' || isFrozen ? attack.nodes : attack.nodes - colluders + 1;
  return {
    nodes,
    colluders,
    c1,
    newcomersC1: c1,
    forge,
    budget,
    seed,
    isBeaconRanked: defences.includes('beacon-rank'),
    isFrozen,
  };
}

function stageAmong(attack: Attack, members: readonly Member[]): Stage {
  return stageOf(attack, { nodes: members.length, adversary: adversaryRanks(members) });
}

function stageOf(
  attack: Omit<Attack, 'nodes'>,
  ranks: { readonly nodes: number; readonly adversary: readonly number[] },
): Stage {
  const { protocol, level, behaviours, forge, seed } = attack;
  return stageAttack({
    protocol,
    level,
    behaviours,
    seed,
    ...ranks,
    defences: ofNodes(attack.defences, forge !== 'none', protocol),
    // A node is after its victim only on a ring in the order of IDs.
    isRingById: forge === 'successor' || forge === 'spread',
  });
}

/** The keys that signed messages. Below level L2 there are none. */
type KeysUsed = 'none' | 'symbolic' | 'real';

/** Limits of an election with real keys: a message is signed once and checked once or twice, in about 1 ms. */
export const REAL_KEYS = { nodesMax: 16, messagesMax: 800 } as const;

/** Watches an election with the keys of its members if it is small. Returns the keys that it was seen with. */
function watchWithRealKeys(
  run: {
    readonly stage: Stage;
    readonly members: readonly Member[];
    /** With symbolic keys. */
    readonly seen: Sighting;
  },
  keyOf: ((nodeId: Uint8Array) => HeldKey | null) | null,
  plain?: PlainVerifier,
): KeysUsed {
  const { stage, members, seen } = run;
  const { level } = stage.options;
  if (level !== 'L2' && level !== 'L3') return 'none';
  const { nodesMax, messagesMax } = REAL_KEYS;
  const isSmall = members.length <= nodesMax && seen.messages <= messagesMax;
  if (keyOf === null || !isSmall || seen.brokenOffAt !== null) return 'symbolic';
  const held = new Map<Rank, HeldKey>();
  for (const [index, { nodeId }] of members.entries()) {
    const key = keyOf(nodeId);
    if (key === null) return 'symbolic';
    held.set(toRank(index + 1), key);
  }
  const again = watchAttack(stage, realKeys(held, plain));
  if (JSON.stringify(again) === JSON.stringify(seen)) return 'real';
  throw new TypeError('"keys" expected the same outcome from real and symbolic ones');
}
