/**
 * @module
 * For every behaviour a protocol on which `usurp attack` with default settings reaches its aim at level L0,
 * and for every defence an attack with default settings that it stops, alone or with one other defence. They
 * are the first that a search finds in the order of the registries, under each of several seeds. The search
 * records them in test/golden/staged-pairs.json.
 */

import { readFileSync, writeFileSync } from 'node:fs';

import { forgesTopId } from '../../../src/adversary/behaviours/behaviour.ts';
import type { BehaviourName } from '../../../src/adversary/behaviours/registry.ts';
import { BEHAVIOUR_NAMES, BEHAVIOURS } from '../../../src/adversary/behaviours/registry.ts';
import type { Level } from '../../../src/election/authentication/authenticated.ts';
import { LEVELS } from '../../../src/election/authentication/authenticated.ts';
import type { DefenceName } from '../../../src/election/defences/registry.ts';
import { DEFENCE_NAMES } from '../../../src/election/defences/registry.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import type { AttackDefence } from '../../../src/experiment/document/defence-names.ts';
import {
  NETWORK_DEFENCE_NAMES,
  networkDefence,
} from '../../../src/experiment/document/defence-names.ts';
import { defencesOff } from '../../../src/experiment/staging/defences.ts';
import { AIM_FACTS } from '../../../src/experiment/staging/judgement.ts';
import type { Asked } from './attacks.ts';
import { attacked } from './attacks.ts';

/** An attack with default settings. */
export interface StagedAttack {
  readonly behaviour: BehaviourName;
  readonly protocol: ProtocolName;
  readonly level: Level;
}

/** An attack, and the defences that stop it together: the one that is shown, and another if it needs one. */
export interface StoppedAttack extends StagedAttack {
  readonly defences: readonly AttackDefence[];
}

interface Pairs {
  readonly behaviours: Readonly<Record<BehaviourName, StagedAttack>>;
  readonly defences: Readonly<Record<AttackDefence, StoppedAttack>>;
}

/** Each pair is found under each of these seeds. */
export const SEEDS = ['1', '2', '3'];

const RECORDED = new URL('../../golden/staged-pairs.json', import.meta.url);

export function recordedPairs(): Pairs {
  return JSON.parse(readFileSync(RECORDED, 'utf8'));
}

/** Whether the behaviour reaches its own aim under each seed. */
export async function isReached(attack: StagedAttack): Promise<boolean> {
  const { harm } = AIM_FACTS[BEHAVIOURS[attack.behaviour].aim];
  for (const seed of SEEDS) {
    if (!(await attacked(askedOf(attack, seed))).harms.includes(harm)) return false;
  }
  return true;
}

/**
 * Whether the attack does harm under most seeds, and under each of them these defences stop it and no
 * smaller set of them does.
 */
export async function isStopped({ defences, ...attack }: StoppedAttack): Promise<boolean> {
  let harmed = 0;
  for (const seed of SEEDS) {
    const given = askedOf(attack, seed);
    if ((await attacked(given)).succeeded !== true) continue;
    harmed += 1;
    if (!(await stops(given, defences))) return false;
    for (const smaller of smallerSets(defences, attack)) {
      if (await stops(given, smaller)) return false;
    }
  }
  return harmed > SEEDS.length / 2;
}

/** The attack as the command line runs it without other options. */
function askedOf({ behaviour, protocol, level }: StagedAttack, seed: string): Asked {
  return { behaviours: [behaviour], protocol, level, c1: 8, seed };
}

/** Whether the attack does no harm against these defences. */
async function stops(given: Asked, defences: readonly AttackDefence[]): Promise<boolean> {
  // The bits of the proof of work follow from the attempts of the attack.
  if (defences.includes('proof-of-work')) {
    return (await attacked(given, true)).stoppedBy.includes('proof-of-work');
  }
  const level = defences.map(levelOf).find((each) => each !== null) ?? given.level ?? 'L0';
  const chosen = defences.filter((each) => levelOf(each) === null);
  const { succeeded } = await attacked({ ...given, level, defences: chosen });
  return succeeded === false;
}

/** A level includes the lower ones. */
function smallerSets(
  defences: readonly AttackDefence[],
  { level }: StagedAttack,
): readonly (readonly AttackDefence[])[] {
  if (defences.length > 1) return defences.map((each) => [each]);
  const [own = 'L0'] = defences.flatMap((each) => levelOf(each) ?? []);
  return NETWORK_DEFENCE_NAMES.flatMap((name) => {
    const lower = levelOf(name);
    return lower !== null && lower > level && lower < own ? [[name]] : [];
  });
}

function levelOf(defence: AttackDefence): Level | null {
  return networkDefence(defence)?.level ?? null;
}

/** Searches for all pairs and records them. Takes minutes. */
export async function recordPairs(): Promise<void> {
  const behaviours = new Map<BehaviourName, StagedAttack>();
  const defences = new Map<AttackDefence, StoppedAttack>();
  for (const attack of stagedAttacks()) {
    const { behaviour, level } = attack;
    if (level === 'L0' && !behaviours.has(behaviour) && (await isReached(attack))) {
      behaviours.set(behaviour, attack);
    }
    for (const name of applicable(attack)) {
      const stopped = { ...attack, defences: [name] };
      if (!defences.has(name) && (await isStopped(stopped))) defences.set(name, stopped);
    }
  }
  for (const name of DEFENCE_NAMES.filter((each) => !defences.has(each))) {
    for (const stopped of pairsWith(name)) {
      if (!(await isStopped(stopped))) continue;
      defences.set(name, stopped);
      break;
    }
  }
  const pairs = {
    behaviours: Object.fromEntries(behaviours),
    defences: Object.fromEntries(defences),
  };
  writeFileSync(RECORDED, `${JSON.stringify(pairs, null, 2)}\n`);
}

function* stagedAttacks(): Generator<StagedAttack> {
  for (const level of LEVELS) {
    for (const behaviour of BEHAVIOUR_NAMES) {
      const { unsupportedReason } = BEHAVIOURS[behaviour];
      for (const protocol of PROTOCOL_NAMES) {
        if (unsupportedReason(protocol) === null) yield { behaviour, protocol, level };
      }
    }
  }
}

/** Attacks with this defence and one other that fit together. */
function* pairsWith(name: DefenceName): Generator<StoppedAttack> {
  for (const attack of stagedAttacks()) {
    if (!applicable(attack).includes(name)) continue;
    for (const other of DEFENCE_NAMES) {
      if (applicable(attack, [name]).includes(other)) yield { ...attack, defences: [name, other] };
    }
  }
}

/** The defences that can be tried against the attack beside others. */
function applicable(
  { behaviour, protocol, level }: StagedAttack,
  defences: readonly DefenceName[] = [],
): readonly AttackDefence[] {
  const isForging = forgesTopId(BEHAVIOURS[behaviour], protocol);
  const off = defencesOff({ protocol, level, defences, isForging });
  return off.flatMap(({ defence, why }) => (why === null ? [defence] : []));
}
