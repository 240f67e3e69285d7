/**
 * @module
 * What `usurp verify` prints. One claim: every check. Several: each invalid claim with its number, node ID and refused
 * checks as soon as it is found, then the counts. Memory does not depend on the number of claims.
 */

import type { Check } from '../../identity/admit.ts';
import { columns } from '../shell/layout.ts';
import type { BareIdentity } from './bare-identity.ts';
import type { JudgedClaim } from './claims-in.ts';
import { nodeIdText } from './claims-in.ts';
import type { GoalCheck, JointGoal } from './reached-goal.ts';

type AnyCheck = Check | GoalCheck;

/** A claim with the checks of the policy and of the goal. */
export interface VerifiedClaim extends JudgedClaim {
  readonly valid: boolean;
  readonly checks: readonly AnyCheck[];
}

/** A class, since the first claim is kept until a second one follows. */
export class VerifyReport {
  readonly #print: (text: string) => void;
  readonly #isJson: boolean;
  #first: VerifiedClaim | null = null;
  #claims = 0;
  #invalid = 0;

  constructor(print: (text: string) => void, form: { readonly isJson: boolean }) {
    this.#print = print;
    this.#isJson = form.isJson;
  }

  get claims(): number {
    return this.#claims;
  }

  get invalid(): number {
    return this.#invalid;
  }

  add(claim: VerifiedClaim): void {
    this.#claims += 1;
    if (this.#claims === 1) this.#first = claim;
    else if (this.#claims === 2) this.#begin();
    if (!claim.valid) this.#invalid += 1;
    if (this.#claims > 1 && !claim.valid) this.#printInvalid(claim, this.#claims);
  }

  /** Prints the rest. `goal` is that of all claims together, or null. */
  end(goal: JointGoal | null): void {
    if (this.#claims === 1 && this.#first !== null && goal === null) {
      this.#print(
        this.#isJson ? `${JSON.stringify(answerOf(this.#first))}\n` : tableOf(this.#first),
      );
      return;
    }
    if (this.#claims === 1) this.#begin();
    const isReached = goal?.isReached !== false;
    const valid = this.#invalid === 0 && isReached;
    const summary = { claims: this.#claims, invalid: this.#invalid };
    if (this.#isJson) {
      const reached = goal === null ? {} : { goal: goal.json };
      this.#print(`],${JSON.stringify({ ...summary, ...reached, valid }).slice(1)}\n`);
      return;
    }
    const missing = isReached ? [] : [goal.missing];
    const invalid = this.#invalid === 0 ? [] : [`${this.#invalid} of ${this.#claims} claims`];
    const parts = [...invalid, ...missing].join('; ');
    this.#print(valid ? `valid: all ${this.#claims} claims\n` : `invalid: ${parts}\n`);
  }

  /** The beginning of a report on several claims. */
  #begin(): void {
    const first = this.#first;
    if (this.#isJson) this.#print('{"refused":[');
    if (first !== null && !first.valid) this.#printInvalid(first, 1);
  }

  #printInvalid(claim: VerifiedClaim, number: number): void {
    const nodeId = nodeIdText(claim);
    const refused = claim.checks.filter(({ ok }) => !ok);
    if (this.#isJson) {
      const comma = this.#hasPrinted ? ',' : '';
      this.#print(`${comma}${JSON.stringify({ number, nodeId, checks: claim.checks })}`);
    } else {
      for (const check of refused) {
        this.#print(`claim ${number}  ${nodeId}  ${rowOf(check).filter(Boolean).join('  ')}\n`);
      }
    }
    this.#hasPrinted = true;
  }

  #hasPrinted = false;
}

function answerOf({ valid, checks, facts }: VerifiedClaim) {
  return { valid, checks, ...facts };
}

function tableOf({ valid, checks, facts }: VerifiedClaim): string {
  const refused = checks.find(({ ok }) => !ok);
  const code = refused !== undefined && 'code' in refused ? refused.code : '';
  const summary = valid ? 'valid\n' : `invalid: ${code}\n`;
  return summary + columns(checks.map(rowOf)) + (facts === null ? '' : columns(factRows(facts)));
}

function rowOf(check: AnyCheck): readonly string[] {
  return [
    check.check,
    check.ok ? 'ok' : 'REFUSED',
    bitsOf(check),
    check.ok ? '' : `${check.code}: ${check.detail}`,
  ];
}

function bitsOf(check: AnyCheck): string {
  if (!('measuredBits' in check)) return '';
  return `${check.measuredBits} bits, ${check.requiredBits} required`;
}

function factRows(facts: BareIdentity['facts']): readonly (readonly string[])[] {
  const { idRule, nodeId, text, address, nominalBits, workBits } = facts;
  return [
    ['node ID', `${nodeId} (${idRule})`],
    ...(text === undefined ? [] : [['text form', text]]),
    ...(address === undefined ? [] : [['address', address]]),
    ['difficulty', `${nominalBits} bits`],
    ['real work', `${workBits} bits`],
  ];
}
