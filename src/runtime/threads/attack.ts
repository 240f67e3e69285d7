/**
 * @module
 * Carries out an attack on one election from the forging of identities to the defences that stop it, on the
 * threads of this machine. An attack that is interrupted is reported with what was finished.
 */

import { setImmediate } from 'node:timers/promises';
import type { Attack, AttackServices } from '../../experiment/attack/attack.ts';
import { executeAttack } from '../../experiment/attack/attack.ts';
import { remembering } from '../../experiment/attack/forge.ts';
import type { ForgeOrder } from '../../experiment/attack/population.ts';
import type { AttackReport } from '../../experiment/attack/report.ts';
import { reportAttack, succeededIn } from '../../experiment/attack/report.ts';
import { tryDefences } from '../../experiment/attack/trials.ts';
import { winProbability } from '../../mining/odds.ts';
import { HONEST_STRATEGY } from '../../mining/strategies.ts';
import { plainVerifier } from '../openssl/plain-verifier.ts';
import { createForge } from './forge.ts';
import type { MiningProgress } from './mining-pool.ts';

/** What an attack does now. */
export type AttackProgress =
  | {
      readonly phase: 'mining';
      readonly miner: 'honest' | 'adversary';
      readonly identities: number;
      readonly tested: number;
      /** Mean number of attempts until all of them are found. Null if the goal has no simple estimate. */
      readonly expectedAttempts: number | null;
      readonly perSecond: number;
      readonly cpuSeconds: number;
    }
  /** Number of elections that are watched or about to be. */
  | { readonly phase: 'watching'; readonly elections: number };

export interface AttackOptions {
  readonly threads: number;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: AttackProgress) => void;
  /** Receives the report without defences as soon as the effect of the attack is known. */
  readonly onWatched?: (report: AttackReport) => void;
}

/** Carries out an attack. After an interrupt, the report says so and has what was finished. */
export async function carryOutAttack(
  attack: Attack,
  { threads, signal, onProgress, onWatched }: AttackOptions,
): Promise<AttackReport> {
  let elections = 0;
  const forge = createForge({
    ...{ threads, signal },
    onProgress: (order, progress) => onProgress(miningProgress(order, progress)),
  });
  const services: AttackServices = {
    forge: remembering(forge),
    usesRealKeys: true,
    plain: plainVerifier,
    async goOn() {
      elections += 1;
      onProgress({ phase: 'watching', elections });
      await setImmediate();
      return !signal.aborted;
    },
  };
  const execution = await executeAttack(attack, services);
  const isTried = succeededIn(attack, execution) === true && execution.outcome === 'run';
  if (!isTried) return reportAttack(attack, execution, NOTHING_TRIED);
  onWatched?.(reportAttack(attack, execution, null));
  return reportAttack(attack, execution, await tryDefences(attack, execution, services));
}

const NOTHING_TRIED = { trials: [], notTried: [], sets: null };

/** Only identities without a goal besides validity have an estimate. */
function miningProgress(
  { goal, policy, strategy }: ForgeOrder,
  { tested, cpuSeconds, wallSeconds }: MiningProgress,
): AttackProgress {
  const isMany = goal.type === 'count';
  return {
    phase: 'mining',
    miner: strategy === HONEST_STRATEGY ? 'honest' : 'adversary',
    identities: isMany ? goal.identities : 1,
    expectedAttempts: isMany ? goal.identities / winProbability(policy, { type: 'any' }) : null,
    perSecond: tested / Math.max(wallSeconds, 1e-6),
    ...{ tested, cpuSeconds },
  };
}
