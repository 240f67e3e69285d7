/**
 * @module
 * The key of the reader's node. It is made in this browser and never leaves it: the server receives the claim alone.
 * Other views do not load this file.
 */

import { ed25519 } from '@noble/curves/ed25519.js';

import { bytesToHex, compareBytes, hexToBytes } from '../../../../src/bytes.ts';
import { nodeIdOf, staticBits } from '../../../../src/identity/ids/node-id.ts';
import { rankKeyOf, rankRuleOf } from '../../../../src/identity/ids/rank-key.ts';
import { messageBytes } from '../../../../src/identity/message.ts';
import { possessionMessage } from '../../../../src/identity/possession.ts';
import { DYNAMIC_PUZZLES, dynamicBits } from '../../../../src/identity/puzzles/dynamic.ts';
import { challengeOf } from '../../../../src/identity/puzzles/puzzle.ts';
import type { Election, Schema } from '../../api/contract.ts';

/** An admissible claim with the secret key that it belongs to, in hex. */
export interface MinedHere {
  readonly claim: Schema<'Claim'>;
  readonly secretKey: string;
}

interface MineOptions {
  /** IDs that the node must rank above; none of them if any ID will do. */
  readonly above: readonly string[];
  /** A nonce of the server that the claim signs as well, in hex; null if none is required. */
  readonly nonce: string | null;
  readonly onTested: (keys: number) => void;
}

/** Keys and solutions that are tested before the page may draw. */
const SLICE = 64;
/** A key takes about a millisecond: at most some minutes. */
const TESTED_MAX = 200_000;

/** Makes keys until one has an ID that the policy admits. Throws Error after `TESTED_MAX` keys. */
export async function mineHere(
  { policy: stated }: Pick<Election, 'policy'>,
  { above, nonce, onTested }: MineOptions,
): Promise<MinedHere> {
  const policy = numbered(stated);
  const rule = rankRuleOf(policy);
  const [top] = above
    .map((nodeId) => rankKeyOf(hexToBytes(nodeId), rule))
    .sort((one, other) => compareBytes(other, one));
  for (let tested = 1; tested <= TESTED_MAX; tested += 1) {
    if (tested % SLICE === 0) {
      onTested(tested);
      await new Promise((resolve) => setTimeout(resolve));
    }
    const { secretKey, publicKey } = ed25519.keygen();
    const nodeId = nodeIdOf(publicKey, policy);
    if (policy.checks.static && staticBits(nodeId, policy) < policy.c1) continue;
    if (top !== undefined && compareBytes(rankKeyOf(nodeId, rule), top) <= 0) continue;
    const solution = await solutionFor(nodeId, policy);
    const challenge = challengeOf(policy);
    const signed = possessionMessage({
      ...{ challenge, nodeId, solution },
      nonce: nonce === null ? null : hexToBytes(nonce),
    });
    const claim = {
      scheme: 'ed25519' as const,
      publicKey: bytesToHex(publicKey),
      nodeId: bytesToHex(nodeId),
      solution: solution === null ? null : bytesToHex(solution),
      signature: bytesToHex(ed25519.sign(signed, secretKey)),
    };
    return { claim, secretKey: bytesToHex(secretKey) };
  }
  throw new Error(`None of ${TESTED_MAX} keys has an ID as it is needed.`);
}

/** Answers contain numbers; their type is that of requests, which may also have texts. */
function numbered({ c1, c2, idBits, epoch, ...rest }: Election['policy']) {
  return {
    ...rest,
    ...{ c1: Number(c1), c2: Number(c2), idBits: Number(idBits), epoch: Number(epoch) },
  };
}

/** The first X that solves the dynamic puzzle; null without one. */
async function solutionFor(
  nodeId: Uint8Array,
  policy: ReturnType<typeof numbered>,
): Promise<Uint8Array | null> {
  if (policy.c2 === 0) return null;
  const challenge = challengeOf(policy);
  for (let number = 0; ; number += 1) {
    if (number % (SLICE * SLICE) === 0) await new Promise((resolve) => setTimeout(resolve));
    const solution = DYNAMIC_PUZZLES[policy.dynamic].solution(nodeId, number);
    const bits = dynamicBits({ form: policy.dynamic, challenge, nodeId, solution, policy });
    if (bits >= policy.c2) return solution;
  }
}

/** The signature of a text of an election, in hex. */
export function signatureOf(secretKey: string, text: string): string {
  return bytesToHex(ed25519.sign(messageBytes(text), hexToBytes(secretKey)));
}
