/**
 * @module
 * What checks claims: the question, the answer, and a verifier on the calling thread. Its threads are in claim-threads.ts.
 */

import type { Verdict } from '../../src/identity/admit.ts';
import { admit, admitCheaply } from '../../src/identity/admit.ts';
import type { Claim } from '../../src/identity/claim.ts';
import type { Policy } from '../../src/identity/policy.ts';
import { plainVerifier } from '../../src/runtime/openssl/plain-verifier.ts';
import { threadClocks } from '../../src/runtime/threads/clocks.ts';

/** What checks questions: threads in the product. */
export interface Verifiers {
  /** Batches that are accepted at the same time. */
  readonly batches: number;
  /** The answer to each question, in their order. */
  check(questions: readonly ClaimQuestion[]): Promise<readonly Checked[]>;
  /** Stops the checks. No question may follow. */
  close(): Promise<void>;
}

export interface ClaimQuestion {
  readonly claim: Claim;
  readonly policy: Policy;
  readonly all: boolean;
  /** The nonce that the claim must sign as well, if any. */
  readonly nonce: Uint8Array | null;
  /** Whether slow puzzles are evaluated. Without them there may be no verdict. */
  readonly slow: boolean;
}

export interface Checked {
  /** Null if it depends on a slow puzzle. */
  readonly verdict: Verdict | null;
  readonly cpuMs: number;
}

/** The answer to a question, computed on the calling thread. */
export function judge({ claim, policy, slow, ...options }: ClaimQuestion): Checked {
  const start = threadClocks.cpuSeconds();
  const verdict = (slow ? admit : admitCheaply)(claim, policy, {
    ...options,
    plain: plainVerifier,
  });
  return { verdict, cpuMs: 1000 * (threadClocks.cpuSeconds() - start) };
}
