/**
 * @module
 * The goal of finding by hand which check each claim fails. Every student has claims of their own, one for each kind
 * of fault and one without, in an order of their own.
 */

import { bytesToHex } from '../../bytes.ts';
import type { Check } from '../../identity/admit.ts';
import { admit } from '../../identity/admit.ts';
import type { Claim, ClaimJson } from '../../identity/claim.ts';
import { claimToJson, createClaim } from '../../identity/claim.ts';
import type { Policy } from '../../identity/policy.ts';
import { challengeOf } from '../../identity/puzzles/puzzle.ts';
import type { MinedIdentity } from '../../mining/search.ts';
import { mine } from '../../mining/search.ts';
import type { Seed } from '../../random.ts';
import { createRandom, deriveSeed, shuffled } from '../../random.ts';
import type { SubmissionOf } from '../submission.ts';
import type { Setting } from './goal.ts';
import { defineGoal } from './goal.ts';

type Made = (policy: Policy, seed: Seed) => Claim;
type Found = SubmissionOf<'checks'>['checks'][number];

interface Subject {
  readonly label: string;
  readonly claim: ClaimJson;
  readonly expected: Omit<Found, 'claim'>;
}

interface Task {
  readonly labels: readonly string[];
  /** Made when they are needed: a look at the labels needs no keys. */
  readonly subjects: () => readonly Subject[];
  readonly policy: Policy;
}

/** Seeds that are tried for a claim with a fault. With 4 bits, one in 16 fails. */
const TRIES_MAX = 1000;
const CLOCKS = { cpuSeconds: () => 0, wallSeconds: () => 0 };

/** How a claim with each fault is made. */
const MAKERS: readonly Made[] = [
  (policy, seed) => mined(policy, seed).claim,
  (policy, seed) => {
    const { claim } = mined(policy, seed);
    return { ...claim, nodeId: flipped(claim.nodeId, claim.nodeId.length - 1) };
  },
  (policy, seed) =>
    firstFailing('static', policy, seed, (each) => mined({ ...policy, c1: 0 }, each).claim),
  (policy, seed) =>
    firstFailing('dynamic', policy, seed, (each) => {
      const { claim, secret } = mined({ ...policy, c2: 0 }, each);
      const solution = new Uint8Array(8);
      return createClaim({ scheme: claim.scheme, secret, policy, solution });
    }),
  (policy, seed) => {
    const { claim } = mined(policy, seed);
    return { ...claim, signature: flipped(claim.signature, 0) };
  },
];

export const CHECKS_OF_CLAIMS = defineGoal({
  name: 'checks-of-claims',
  summary:
    'For every claim of the instance, name the first check that fails and the measured bits.',
  submission: 'checks',
  needs: [],
  parameters: {},
  criteria: {
    checks: { weight: 2, meaning: 'The first failed check of every claim is named.' },
    bits: { weight: 1, meaning: 'The measured bits of every failed puzzle are stated.' },
  },
  task: (_parameters, setting) => taskOf(setting),
  given: ({ subjects, policy }) => ({
    challenge: bytesToHex(challengeOf(policy)),
    claims: subjects().map(({ label, claim }) => ({ label, claim })),
  }),
  judge({ subjects }, { checks }) {
    const expected = subjects();
    const foundOf = (label: string) => checks.find(({ claim }) => claim === label);
    const unknown = checks.find(({ claim }) => expected.every(({ label }) => label !== claim));
    const wrong = expected.filter(
      ({ label, expected: { check } }) => foundOf(label)?.check !== check,
    );
    const puzzles = expected.filter(({ expected: { measuredBits } }) => measuredBits !== null);
    const isMeasured = puzzles.every(
      ({ label, expected: { measuredBits } }) => foundOf(label)?.measuredBits === measuredBits,
    );
    return {
      checks: unknown === undefined ? missingChecks(wrong.length, expected.length) : NOT_OWN,
      bits: isMeasured && unknown === undefined ? null : MISSING_BITS,
    };
  },
  isOf: ({ labels }, { checks }) => checks.some(({ claim }) => labels.includes(claim)),
});

const NOT_OWN = 'a label is not one of your instance: usurp exercise start prints your claims';
const MISSING_BITS =
  'the measured bits of a failed puzzle are wrong: count the leading zero bits of the digest, not the bits that are required; a later check than the first failed one does not count';

function missingChecks(wrong: number, all: number): string | null {
  if (wrong === 0) return null;
  return `${wrong} of ${all} claims have another first failed check: go through the checks in the order of GET /v1/params, and compute SHA-256 of the public key first`;
}

function taskOf({ policy, seed }: Setting): Task {
  const makers = shuffled([...MAKERS.entries()], createRandom(seed('claims'), 'order'));
  const labels = makers.map((_maker, index) => labelOf(seed(`claims/label/${index}`)));
  let made: readonly Subject[] | null = null;
  const subjects = () => {
    made ??= makers.map(([kind, make], index) => {
      const claim = make(policy, deriveSeed(seed('claims'), kind));
      const failed = admit(claim, policy).checks.find(({ ok }) => !ok);
      return { label: labels[index] ?? '', claim: claimToJson(claim), expected: foundIn(failed) };
    });
    return made;
  };
  return { labels, subjects, policy };
}

function foundIn(failed: Check | undefined): Omit<Found, 'claim'> {
  return { check: failed?.check ?? 'none', measuredBits: failed?.measuredBits ?? null };
}

/** Eight hex digits of a seed. */
function labelOf(seed: Seed): string {
  return BigInt(seed).toString(16).padStart(64, '0').slice(0, 8);
}

function mined(policy: Policy, seed: Seed): MinedIdentity {
  const { identity } = mine(
    {
      scheme: 'ed25519',
      policy,
      goal: { type: 'any' },
      seed,
      budget: {},
      strategy: 'fresh',
      dynamicStrategy: 'dynamic',
    },
    CLOCKS,
  );
  if (identity === null) throw new TypeError('"identity" expected one without a budget, got none');
  return identity;
}

/** A claim whose first failed check is this one. */
function firstFailing(
  check: 'static' | 'dynamic',
  policy: Policy,
  seed: Seed,
  make: (seed: Seed) => Claim,
): Claim {
  for (let attempt = 0; attempt < TRIES_MAX; attempt += 1) {
    const claim = make(deriveSeed(seed, attempt));
    const failed = admit(claim, policy).checks.find(({ ok }) => !ok);
    if (failed?.check === check) return claim;
  }
  throw new RangeError(`"policy" expected bits for the ${check} puzzle, got none`);
}

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  return bytes.map((byte, index) => (index === at ? byte ^ 1 : byte));
}
