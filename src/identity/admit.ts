/**
 * @module
 * The gate: does this claim meet this policy? The checks are made in the order of `CHECK_NAMES`, the
 * cheap ones first, so that a flood of bad claims costs hashes and not curve arithmetic; the first
 * refusal ends them unless all are asked for. Total: every claim gets a verdict that says which
 * check failed and by how many bits, none gets an exception. The key checks are those that make one
 * secret one ID (RFC 8032 sections 5.1.3 and 5.1.7, SEC 1 section 2.3.4).
 */

import { bytesToHex } from '../bytes.ts';
import type { Claim } from './claim.ts';
import { possessionMessage } from './claim.ts';
import { formatNodeIdRule, nodeIdBytesOf, nodeIdOf, unsuitedKey } from './ids/node-id.ts';
import type { KeyFacts, Scheme } from './keys/contract.ts';
import { schemeOf } from './keys/scheme.ts';
import type { CheckName, Policy } from './policy.ts';
import { CHECK_NAMES, signatureRulesOf } from './policy.ts';
import {
  challengeOf,
  dynamicBits,
  formatStaticPuzzle,
  solutionBytesOf,
  staticBits,
} from './puzzles/puzzle.ts';

/** Every reason for which a claim is refused. */
export const REFUSAL_CODES = [
  'id.mismatch',
  'pow.insufficient',
  'key.encoding',
  'key.small_order',
  'key.not_torsion_free',
  'signature.invalid',
] as const;

export type RefusalCode = (typeof REFUSAL_CODES)[number];

/** One check that was made. The two puzzles say what they required and what they measured. */
export type Check = {
  readonly check: CheckName;
  readonly requiredBits?: number;
  readonly measuredBits?: number;
} & (
  | { readonly ok: true }
  | { readonly ok: false; readonly code: RefusalCode; readonly detail: string }
);

export type Verdict =
  | { readonly admitted: true; readonly refusal: null; readonly checks: readonly Check[] }
  | { readonly admitted: false; readonly refusal: RefusalCode; readonly checks: readonly Check[] };

export interface AdmitOptions {
  /** Make every check, also after the first refusal. */
  readonly all?: boolean;
}

/** What the checks of one claim share; the key is decoded once, and only if a check asks for it. */
interface Case {
  readonly claim: Claim;
  readonly policy: Policy;
  readonly scheme: Scheme;
  readonly challenge: Uint8Array;
  key(): KeyFacts | null;
}

type Outcome =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: RefusalCode; readonly detail: string };

const PASSED: Outcome = { ok: true };

/**
 * The verdict on a claim under a policy. A check that the policy switches off is neither made nor
 * listed; nor is the dynamic one where no work is asked for and none is shown, nor small order and
 * torsion for a scheme of prime order. `refusal` is the code of the first check that failed.
 */
export function admit(claim: Claim, policy: Policy, options: AdmitOptions = {}): Verdict {
  const subject = caseOf(claim, policy);
  const checks: Check[] = [];
  let refusal: RefusalCode | null = null;
  for (const name of CHECK_NAMES) {
    if (!isMade(name, subject)) continue;
    const check = make(name, subject);
    checks.push(check);
    if (check.ok) continue;
    refusal ??= check.code;
    if (options.all !== true) break;
  }
  return refusal === null
    ? { admitted: true, refusal, checks }
    : { admitted: false, refusal, checks };
}

/** The check of the static puzzle alone, for a node ID that comes without a claim. */
export function checkStatic(nodeId: Uint8Array, policy: Policy): Check {
  const bits = { requiredBits: policy.c1, measuredBits: staticBits(nodeId, policy) };
  if (bits.measuredBits >= bits.requiredBits) return { check: 'static', ok: true, ...bits };
  const detail = `${formatStaticPuzzle(policy)} ${bits.measuredBits} zero bits, ${bits.requiredBits} are required`;
  return { check: 'static', ...refuse('pow.insufficient', detail), ...bits };
}

function caseOf(claim: Claim, policy: Policy): Case {
  const scheme = schemeOf(claim.scheme);
  let key: KeyFacts | null | undefined;
  return {
    claim,
    policy,
    scheme,
    challenge: challengeOf(policy),
    key() {
      if (key === undefined) key = scheme.decode(claim.publicKey);
      return key;
    },
  };
}

function isMade(name: CheckName, { claim, policy, scheme }: Case): boolean {
  if (!policy.checks[name]) return false;
  switch (name) {
    case 'dynamic':
      return policy.c2 > 0 || claim.solution !== null;
    case 'smallOrder':
    case 'torsion':
      return scheme.cofactor !== 1;
    case 'nodeId':
    case 'static':
    case 'encoding':
    case 'signature':
      return true;
    default:
      return unknownCheck(name);
  }
}

function make(name: CheckName, subject: Case): Check {
  switch (name) {
    case 'nodeId':
      return { check: name, ...checkNodeId(subject) };
    case 'static':
      return checkStatic(subject.claim.nodeId, subject.policy);
    case 'dynamic':
      return checkDynamic(subject);
    case 'encoding':
      return { check: name, ...checkEncoding(subject) };
    case 'smallOrder':
      return { check: name, ...checkSmallOrder(subject) };
    case 'torsion':
      return { check: name, ...checkTorsion(subject) };
    case 'signature':
      return { check: name, ...checkSignature(subject) };
    default:
      return unknownCheck(name);
  }
}

function checkNodeId({ claim, policy }: Case): Outcome {
  const { publicKey, nodeId } = claim;
  const unsuited = unsuitedKey(publicKey, policy);
  if (unsuited !== null) return refuse('id.mismatch', unsuited);
  const bytes = nodeIdBytesOf(policy);
  if (nodeId.length !== bytes) {
    const detail = `node IDs of this policy have ${bytes} bytes, the claimed one has ${nodeId.length}`;
    return refuse('id.mismatch', detail);
  }
  const expected = bytesToHex(nodeIdOf(publicKey, policy));
  if (bytesToHex(nodeId) === expected) return PASSED;
  const detail = `${formatNodeIdRule(policy)} is ${expected}, not the claimed node ID`;
  return refuse('id.mismatch', detail);
}

function checkDynamic({ claim, policy, challenge }: Case): Check {
  const { dynamic: form } = policy;
  const { nodeId, solution } = claim;
  const measuredBits =
    solution === null ? 0 : dynamicBits({ form, challenge, nodeId, solution, policy });
  const bits = { requiredBits: policy.c2, measuredBits };
  if (measuredBits >= policy.c2) return { check: 'dynamic', ok: true, ...bits };
  const detail = `${shortfall(policy, claim, measuredBits)}, ${policy.c2} bits are required`;
  return { check: 'dynamic', ...refuse('pow.insufficient', detail), ...bits };
}

function shortfall(policy: Policy, claim: Claim, measuredBits: number): string {
  const { nodeId, solution } = claim;
  const bytes = solutionBytesOf(policy.dynamic, nodeId.length);
  if (solution === null) return 'there is no solution of the dynamic puzzle';
  if (solution.length !== bytes) {
    return `a solution of the ${policy.dynamic} form has ${bytes} bytes, this one ${solution.length}`;
  }
  return `the solution meets ${measuredBits} bits of the dynamic puzzle (${policy.dynamic})`;
}

function checkEncoding({ scheme, key }: Case): Outcome {
  const facts = key();
  if (facts === null) return undecodable(scheme);
  if (facts.canonical) return PASSED;
  return refuse(
    'key.encoding',
    `the key is a second spelling of its point; ${scheme.name} keys are spelt in ${scheme.publicKeyBytes} bytes in one way`,
  );
}

function checkSmallOrder({ scheme, key }: Case): Outcome {
  const facts = key();
  if (facts === null) return undecodable(scheme);
  if (!facts.isSmallOrder()) return PASSED;
  return refuse('key.small_order', 'the key is a point of small order, for which anybody can sign');
}

function checkTorsion({ scheme, key }: Case): Outcome {
  const facts = key();
  if (facts === null) return undecodable(scheme);
  if (facts.isTorsionFree()) return PASSED;
  return refuse(
    'key.not_torsion_free',
    'the key is outside the subgroup of prime order; one secret would own eight such keys',
  );
}

function checkSignature({ claim, policy, scheme, challenge }: Case): Outcome {
  const { publicKey, nodeId, solution, signature } = claim;
  const message = possessionMessage({ challenge, nodeId, solution });
  if (scheme.verify(publicKey, message, signature, signatureRulesOf(policy))) return PASSED;
  return refuse(
    'signature.invalid',
    'the signature does not hold for this key, challenge, node ID and solution',
  );
}

function undecodable(scheme: Scheme): Outcome {
  return refuse('key.encoding', `the key does not decode to a point of ${scheme.name}`);
}

function refuse(code: RefusalCode, detail: string): Outcome & { readonly ok: false } {
  return { ok: false, code, detail };
}

function unknownCheck(name: never): never {
  throw new TypeError(`"name" expected one of ${CHECK_NAMES.join(', ')}, got ${String(name)}`);
}
