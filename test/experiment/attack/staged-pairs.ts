/**
 * @module
 * For every behaviour a protocol on which `usurp attack` with default settings reaches its aim at level L0,
 * and for every defence an attack with default settings that it stops, alone or with one other defence. They
 * are the first that a search finds in the order of the registries, under each of several seeds. The search
 * records them in test/golden/staged-pairs.json. A defence without any has no effect by default.
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

/** The attack as the command line runs it without other options. */
function askedOf({ behaviour, protocol, level }: StagedAttack, seed: string): Asked {
  return { behaviours: [behaviour], protocol, level, c1: 8, seed };
}

/** Whether the behaviour reaches its own aim under each seed. */
export async function isReached(attack: StagedAttack): Promise<boolean> {
  const { harm } = AIM_FACTS[BEHAVIOURS[attack.behaviour].aim];
  return underEachSeed(async (seed) =>
    (await attacked(askedOf(attack, seed))).harms.includes(harm),
  );
}

/** Whether the attack does harm under each seed without these defences, and none with them. */
export async function isStopped({ defences, ...attack }: StoppedAttack): Promise<boolean> {
  const [first, ...others] = defences;
  return underEachSeed(async (seed) => {
    const given = askedOf(attack, seed);
    if (others.length === 0) {
      const { succeeded, stoppedBy } = await attacked(given, true);
      return succeeded === true && stoppedBy.some((each) => each === first);
    }
    const [free, defended] = await Promise.all([attacked(given), attacked({ ...given, defences })]);
    return free.succeeded === true && defended.succeeded === false;
  });
}

async function underEachSeed(holds: (seed: string) => Promise<boolean>): Promise<boolean> {
  for (const seed of SEEDS) if (!(await holds(seed))) return false;
  return true;
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
    const open = applicable(attack).filter((name) => !defences.has(name));
    const [seed = ''] = SEEDS;
    const stoppedBy: readonly AttackDefence[] =
      open.length === 0 ? [] : (await attacked(askedOf(attack, seed), true)).stoppedBy;
    for (const name of open.filter((each) => stoppedBy.includes(each))) {
      const stopped = { ...attack, defences: [name] };
      if (await isStopped(stopped)) defences.set(name, stopped);
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
