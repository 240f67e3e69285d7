/**
 * @module
 * This folder decides who a node is. This file decides whether a policy admits a claim. The checks are made in
 * the order of `checksOf`, the cheap ones first, so that a flood of invalid claims costs hashes and not curve
 * arithmetic. A slow puzzle is evaluated only for a key that has signed the claim. The first refusal ends the
 * checks unless the caller asks for all. Every claim gets a verdict with the failed check and the missing bits,
 * and no claim causes an exception. The checks of the key make sure that one
 * secret has one ID (RFC 8032 sections 5.1.3 and 5.1.7, SEC 1 section 2.3.4).
 */

import { bytesToHex } from '../bytes.ts';
import type { Claim } from './claim.ts';
import { possessionMessage } from './claim.ts';
import { idRuleOf, nodeIdBytesOf, nodeIdOf, staticBits } from './ids/node-id.ts';
import { schemeOf } from './keys/scheme.ts';
import type { KeyFacts, PlainVerifier, Scheme } from './keys/signature-scheme.ts';
import type { CheckName, Policy } from './policy.ts';
import { checksOf, signatureRulesOf } from './policy.ts';
import { challengeOf, DYNAMIC_PUZZLES, dynamicBits } from './puzzles/puzzle.ts';
import { isSlow } from './puzzles/puzzle-function.ts';

/** Every reason to refuse a claim. */
export const REFUSAL_CODES = [
  'id.mismatch',
  'pow.insufficient',
  'key.encoding',
  'key.small_order',
  'key.not_torsion_free',
  'signature.invalid',
] as const;

export type RefusalCode = (typeof REFUSAL_CODES)[number];

/** Result of one check. The two puzzles report the required and the measured bits. */
type Outcome = { readonly requiredBits?: number; readonly measuredBits?: number } & (
  | { readonly ok: true }
  | { readonly ok: false; readonly code: RefusalCode; readonly detail: string }
);

/** One check that was made. */
export type Check = { readonly check: CheckName } & Outcome;

export type Verdict =
  | { readonly admitted: true; readonly refusal: null; readonly checks: readonly Check[] }
  | { readonly admitted: false; readonly refusal: RefusalCode; readonly checks: readonly Check[] };

export interface AdmitOptions {
  /** Make every check, also after the first refusal. */
  readonly all?: boolean;
  /** Verifies most signatures in a fraction of noble's time. The verdict is the same. */
  readonly plain?: PlainVerifier | null | undefined;
  /** The nonce of the verifier, if possession must be fresh. The signature must contain it. */
  readonly nonce?: Uint8Array | null | undefined;
}

/** What the checks of one claim share. The key is decoded once, and only if a check needs it. */
interface Case {
  readonly claim: Claim;
  readonly policy: Policy;
  readonly scheme: Scheme;
  readonly challenge: Uint8Array;
  readonly plain: PlainVerifier | null;
  readonly nonce: Uint8Array | null;
  key(): KeyFacts | null;
}

const PASSED: Outcome = { ok: true };

/** How each check is made. Null if it does not apply to the claim. */
const CHECKERS: Readonly<Record<CheckName, (subject: Case) => Outcome | null>> = {
  nodeId: checkNodeId,
  static: ({ claim, policy }) => staticOutcome(claim.nodeId, policy),
  dynamic: checkDynamic,
  encoding: (subject) =>
    checkKey(subject, 'key.encoding', ({ canonical }) =>
      canonical ? null : `the encoding of the key is not canonical; ${formatOf(subject.scheme)}`,
    ),
  smallOrder: (subject) =>
    subject.scheme.cofactor === 1
      ? null
      : checkKey(subject, 'key.small_order', (key) =>
          key.isSmallOrder()
            ? 'the key is a point of small order, for which anyone can sign'
            : null,
        ),
  torsion: (subject) =>
    subject.scheme.cofactor === 1
      ? null
      : checkKey(subject, 'key.not_torsion_free', (key) =>
          key.isTorsionFree()
            ? null
            : 'the key is outside the subgroup of prime order; one secret would have eight such keys',
        ),
  signature: checkSignature,
};

/**
 * The verdict on a claim under a policy. A check that the policy switches off, or that does not apply, is neither
 * made nor listed: the dynamic puzzle if no work is required and none is shown, small order and torsion for a
 * scheme of prime order. `refusal` is the code of the first check that failed.
 */
export function admit(claim: Claim, policy: Policy, options: AdmitOptions = {}): Verdict {
  const verdict = verdictOf(claim, policy, options);
  if (verdict !== null) return verdict;
  throw new TypeError('"verdict" expected one after all checks, got none');
}

/**
 * The verdict, if it needs no evaluation of a slow puzzle. Null if it does: then the checks that were made have passed,
 * or all are asked for.
 */
export function admitCheaply(
  claim: Claim,
  policy: Policy,
  options: AdmitOptions = {},
): Verdict | null {
  return verdictOf(claim, policy, options, isEvaluatedSlowly);
}

/** Null if a check is one that must not be made. */
function verdictOf(
  claim: Claim,
  policy: Policy,
  options: AdmitOptions,
  isForbidden: (check: CheckName, subject: Case) => boolean = () => false,
): Verdict | null {
  const subject = caseOf(claim, policy, options);
  const checks: Check[] = [];
  let refusal: RefusalCode | null = null;
  for (const check of checksOf(policy)) {
    if (isForbidden(check, subject)) return null;
    const outcome = CHECKERS[check](subject);
    if (outcome === null) continue;
    checks.push({ check, ...outcome });
    if (outcome.ok) continue;
    refusal ??= outcome.code;
    if (options.all !== true) break;
  }
  return refusal === null
    ? { admitted: true, refusal, checks }
    : { admitted: false, refusal, checks };
}

/** Whether a check evaluates a slow puzzle. A solution of the wrong length is refused without. */
function isEvaluatedSlowly(check: CheckName, { claim, policy }: Case): boolean {
  if (!isSlow(policy.puzzle)) return false;
  const isIdSlow = idRuleOf(policy).isSlow;
  if (check !== 'dynamic') return check === (isIdSlow ? 'nodeId' : 'static');
  const { solutionBytes, evaluations } = DYNAMIC_PUZZLES[policy.dynamic];
  return evaluations > 0 && claim.solution?.length === solutionBytes(claim.nodeId.length);
}

/** The check of the static puzzle alone, for a node ID without a claim. */
export function checkStatic(nodeId: Uint8Array, policy: Policy): Check {
  return { check: 'static', ...staticOutcome(nodeId, policy) };
}

function caseOf(claim: Claim, policy: Policy, { plain, nonce }: AdmitOptions): Case {
  const scheme = schemeOf(claim.scheme);
  let key: KeyFacts | null | undefined;
  return {
    claim,
    policy,
    scheme,
    challenge: challengeOf(policy),
    plain: plain ?? null,
    nonce: nonce ?? null,
    key() {
      if (key === undefined) key = scheme.decode(claim.publicKey);
      return key;
    },
  };
}

function checkNodeId({ claim, policy }: Case): Outcome {
  const { publicKey, nodeId } = claim;
  const { unsuited, formula } = idRuleOf(policy);
  const reason = unsuited(publicKey.length);
  if (reason !== null) return refuse('id.mismatch', reason);
  const bytes = nodeIdBytesOf(policy);
  if (nodeId.length !== bytes) {
    const detail = `node IDs of this policy have ${bytes} bytes, the claimed one has ${nodeId.length}`;
    return refuse('id.mismatch', detail);
  }
  const expected = bytesToHex(nodeIdOf(publicKey, policy));
  if (bytesToHex(nodeId) === expected) return PASSED;
  return refuse('id.mismatch', `${formula(policy)} is ${expected}, not the claimed node ID`);
}

function staticOutcome(nodeId: Uint8Array, policy: Policy): Outcome {
  const measuredBits = staticBits(nodeId, policy);
  const measured = `${idRuleOf(policy).puzzle(policy).measures(policy)} ${measuredBits} zero ${bitsWord(measuredBits)}`;
  return bitsOutcome({ requiredBits: policy.c1, measuredBits }, `${measured}, ${policy.c1}`);
}

function checkDynamic({ claim, policy, challenge }: Case): Outcome | null {
  const { dynamic: form, c2: requiredBits } = policy;
  const { nodeId, solution } = claim;
  if (requiredBits === 0 && solution === null) return null;
  const measuredBits =
    solution === null ? 0 : dynamicBits({ form, challenge, nodeId, solution, policy });
  const shown = shownSolution(claim, policy, measuredBits);
  const required = `${requiredBits} ${bitsWord(requiredBits)}`;
  return bitsOutcome({ requiredBits, measuredBits }, `${shown}, ${required}`);
}

function shownSolution({ nodeId, solution }: Claim, policy: Policy, bits: number): string {
  const { dynamic: form } = policy;
  const bytes = DYNAMIC_PUZZLES[form].solutionBytes(nodeId.length);
  if (solution === null) return 'there is no solution of the dynamic puzzle';
  if (solution.length !== bytes) {
    return `a solution of the ${form} form has ${bytes} bytes, this one ${solution.length}`;
  }
  return `the solution meets ${bits} ${bitsWord(bits)} of the dynamic puzzle (${form})`;
}

function bitsWord(count: number): string {
  return count === 1 ? 'bit' : 'bits';
}

/** `shown` is the beginning of the sentence that explains a refusal. */
function bitsOutcome(
  bits: { readonly requiredBits: number; readonly measuredBits: number },
  shown: string,
): Outcome {
  const outcome =
    bits.measuredBits >= bits.requiredBits
      ? PASSED
      : refuse('pow.insufficient', `${shown} ${bits.requiredBits === 1 ? 'is' : 'are'} required`);
  return { ...outcome, ...bits };
}

/** `fault` says what is wrong with a key that decodes. Null if nothing is. */
function checkKey(
  { scheme, key }: Case,
  code: RefusalCode,
  fault: (key: KeyFacts) => string | null,
): Outcome {
  const facts = key();
  if (facts === null) {
    return refuse('key.encoding', `the key does not decode to a point of ${scheme.name}`);
  }
  const detail = fault(facts);
  return detail === null ? PASSED : refuse(code, detail);
}

function formatOf({ name, publicKeyBytes }: Scheme): string {
  return `a key of ${name} has one encoding, in ${publicKeyBytes} bytes`;
}

function checkSignature({ claim, policy, scheme, challenge, plain, nonce }: Case): Outcome {
  const { publicKey, nodeId, solution, signature } = claim;
  const message = possessionMessage({ challenge, nodeId, solution, nonce });
  if (scheme.verify(publicKey, message, signature, signatureRulesOf(policy), plain)) return PASSED;
  return refuse(
    'signature.invalid',
    nonce === null
      ? 'the signature is not valid for this key, challenge, node ID and solution'
      : 'the signature is not valid for this key, nonce, challenge, node ID and solution',
  );
}

function refuse(code: RefusalCode, detail: string): Outcome & { readonly ok: false } {
  return { ok: false, code, detail };
}
