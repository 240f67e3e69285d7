/**
 * @module
 * The plan for keys that an adversary follows over epochs. A plan is `argued` if the dynamic program of the tests
 * (test/experiment/epochs/solver.ts) confirms that no other order of work is better, for this property, salt,
 * lifetime and kind of budget. Otherwise it is the best one that is known.
 */

import { capitalized } from '../../printable.ts';
import type { Adversary, ThreatModel } from '../document/threat-model.ts';
import { isBoundInWork, mayForge, planNeedOf } from '../document/threat-model.ts';
import { epochAimOf } from '../properties/property.ts';
import { PROPERTIES } from '../properties/registry.ts';
import type { KeyPlan } from '../theory/epoch-conduct.ts';
import { isPuzzleSalted, isRankSalted, KEY_PLANS } from '../theory/epoch-conduct.ts';

export interface PlanChoice {
  readonly plan: KeyPlan;
  readonly origin: 'fixed' | 'argued' | 'best-found';
  readonly reason: string;
  readonly notSearched: readonly string[];
}

/** The plan of a model with epochs. */
export function choosePlan(model: ThreatModel, adversary: Adversary): PlanChoice {
  const { salt, retargeting } = epochsOf(model);
  const fixed = adversary.plan;
  if (fixed !== undefined) {
    const reason = `The document fixes it: ${KEY_PLANS[fixed]}.`;
    return { plan: fixed, origin: 'fixed', reason, notSearched: [] };
  }
  if (!mayForge(adversary) && adversary.stockpile === undefined) {
    const reason = 'Its budget is 0, so that it forges no identity.';
    return { plan: 'retest', origin: 'argued', reason, notSearched: [] };
  }
  const { wants, paysHashes } = situationOf(model, adversary);
  const isByNodeId = !isRankSalted(salt);
  const isArgued = isConfirmed(model, adversary);
  const isRaising = retargeting !== undefined && wants === 'many';
  const notSearched = [
    ...(isArgued ? [] : ['all other orders of work']),
    ...(retargeting === undefined || isRaising
      ? []
      : ['absence from some windows, which lowers the difficulty']),
  ];
  const claim = isRaising
    ? 'each join raises the difficulty for honest nodes'
    : 'each valid key is one more claim';
  const chosen = (plan: KeyPlan, why: string): PlanChoice => {
    const reason = `${capitalized(KEY_PLANS[plan])}. ${why}`;
    return { plan, origin: isArgued ? 'argued' : 'best-found', reason, notSearched };
  };
  if (model.expect.property === 'leads-more-than-share' && salt === 'none') {
    const why =
      'Only a key above all honest IDs leads, and each further claim raises the share that it must exceed.';
    return chosen('informed', why);
  }
  if (model.expect.property === 'leads-more-than-share' && !isByNodeId) {
    const why =
      'Each claim raises the share that it must exceed, so that it stays out when it has led often enough.';
    return chosen('sparing', why);
  }
  if (planNeedOf(model, 'inflating') === null) {
    return chosen(
      'inflating',
      'Only the difficulty of the last windows keeps honest nodes from a claim that counts, and each join raises the difficulty.',
    );
  }
  const isSeeking =
    salt === 'none' && wants !== 'many' && (paysHashes || retargeting !== undefined);
  if (!isPuzzleSalted(salt) && !isSeeking) {
    return chosen(
      'retest',
      'A valid key stays valid and a failed one stays failed, so that every plan has the same tests.',
    );
  }
  if (wants !== 'many' && isByNodeId) {
    const [useful, others, there] =
      wants === 'top'
        ? ['above all honest IDs leads', 'a key below them', 'above']
        : ['right after the victim counts', 'any other', 'there'];
    return chosen(
      'informed',
      salt === 'none'
        ? `Only a key ${useful}, so that it hashes no puzzle for ${others}.`
        : `Only a key ${useful}: a test of a kept one succeeds with the full probability of the puzzle, that of a new one only if it is ${there}, too.`,
    );
  }
  if (paysHashes) {
    return chosen('retest', `A test of a kept key saves the hash of a new ID, and ${claim}.`);
  }
  return chosen('fresh', `A new key costs as much as a test of a kept one, and ${claim}.`);
}

function epochsOf({ epochs }: ThreatModel) {
  if (epochs === undefined) throw new TypeError('"epochs" expected a map, got none');
  return epochs;
}

function situationOf({ expect }: ThreatModel, adversary: Adversary) {
  const { wants, when } = epochAimOf(PROPERTIES[expect.property]);
  const paysHashes = isBoundInWork(adversary);
  const isMixed = paysHashes && adversary.budget.attempts !== undefined;
  return { wants, when, paysHashes, isMixed };
}

/** Whether the dynamic program of the tests confirms the plan. */
function isConfirmed(model: ThreatModel, adversary: Adversary): boolean {
  const { salt, count, lifetime, retargeting, honestAttempts, unspent, churn, newcomers } =
    epochsOf(model);
  const { property } = model.expect;
  const { wants, when, paysHashes, isMixed } = situationOf(model, adversary);
  if (retargeting !== undefined || honestAttempts !== undefined || isMixed) return false;
  if (churn > 0 || newcomers > 0) return false;
  const isAlone = count === 1 || lifetime === 1;
  if (when === 'last') {
    const isByCount = salt === 'both' || wants === 'many';
    return !isPuzzleSalted(salt) || isAlone || (isByCount && !paysHashes);
  }
  // The best ID stays without a salt. The share of the identities is another question.
  if (count === 1 || property !== 'adversary-leads-once') return count === 1;
  if (salt === 'none') return true;
  const isSteady = !paysHashes && unspent === 'lost';
  return isSteady && (salt === 'rank' || (salt === 'both' && lifetime === 1));
}
