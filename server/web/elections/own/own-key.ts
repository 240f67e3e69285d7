/**
 * @module
 * The key of the reader's node. It is made in this browser and never leaves it: the server receives the claim alone.
 * Other views do not load this file.
 */

import { ed25519 } from '@noble/curves/ed25519.js';

import { bytesToHex, compareBytes, hexToBytes } from '../../../../src/bytes.ts';
import { nodeIdOf, staticBits } from '../../../../src/identity/ids/node-id.ts';
import { rankKeyOf, rankRuleOf } from '../../../../src/identity/ids/rank-key.ts';
import { messageBytes, possessionMessage } from '../../../../src/identity/message.ts';
import {
  challengeOf,
  DYNAMIC_PUZZLES,
  dynamicBits,
} from '../../../../src/identity/puzzles/puzzle.ts';
import type { Election, Schema } from '../../api/contract.ts';

/** An admissible identity with its secret key, in hex. */
export interface MinedKey {
  readonly secretKey: string;
  readonly publicKey: string;
  readonly nodeId: string;
  /** Null without a dynamic puzzle. */
  readonly solution: string | null;
}

/** What is searched. It is copied to the thread that searches. */
export interface MiningOrder {
  readonly policy: Election['policy'];
  /** The ID that the node must rank above; null if any ID will do. */
  readonly above: string | null;
}

/** Keys between two readings of the clock: some milliseconds. */
const SLICE = 16;
const REPORT_MS = 250;

/** Makes keys until one has an ID that the policy admits. It returns only then, so that it needs a thread of its own. */
export function mine(
  { policy: stated, above }: MiningOrder,
  onTested: (keys: number) => void,
): MinedKey {
  const policy = numberedPolicy(stated);
  const rule = rankRuleOf(policy);
  const top = above === null ? null : rankKeyOf(hexToBytes(above), rule);
  let reportedMs = performance.now();
  for (let tested = 1; ; tested += 1) {
    if (tested % SLICE === 0 && performance.now() - reportedMs >= REPORT_MS) {
      reportedMs = performance.now();
      onTested(tested);
    }
    const { secretKey, publicKey } = ed25519.keygen();
    const nodeId = nodeIdOf(publicKey, policy);
    if (policy.checks.static && staticBits(nodeId, policy) < policy.c1) continue;
    if (top !== null && compareBytes(rankKeyOf(nodeId, rule), top) <= 0) continue;
    onTested(tested);
    const solution = solutionFor(nodeId, policy);
    return {
      secretKey: bytesToHex(secretKey),
      publicKey: bytesToHex(publicKey),
      nodeId: bytesToHex(nodeId),
      solution: solution === null ? null : bytesToHex(solution),
    };
  }
}

/** The highest of these node IDs by the rule of a policy; null for none. */
export function highestOf(nodeIds: readonly string[], stated: Election['policy']): string | null {
  const rule = rankRuleOf(numberedPolicy(stated));
  const keyed = nodeIds.map((nodeId) => ({ nodeId, key: rankKeyOf(hexToBytes(nodeId), rule) }));
  return keyed.toSorted((one, other) => compareBytes(other.key, one.key))[0]?.nodeId ?? null;
}

/** The claim of a key. It signs a nonce of the server as well, if one is required. */
export function claimOf(
  { secretKey, publicKey, nodeId, solution }: MinedKey,
  stated: Election['policy'],
  nonce: string | null,
): Schema<'Claim'> {
  const bytesOf = (hex: string | null) => (hex === null ? null : hexToBytes(hex));
  const signed = possessionMessage({
    challenge: challengeOf(numberedPolicy(stated)),
    nodeId: hexToBytes(nodeId),
    solution: bytesOf(solution),
    nonce: bytesOf(nonce),
  });
  const signature = bytesToHex(ed25519.sign(signed, hexToBytes(secretKey)));
  return { scheme: 'ed25519', publicKey, nodeId, solution, signature };
}

/** Answers contain numbers; their type is that of requests, which may also have texts. */
export function numberedPolicy({ c1, c2, idBits, epoch, ...rest }: Election['policy']) {
  return { ...rest, c1: Number(c1), c2: Number(c2), idBits: Number(idBits), epoch: Number(epoch) };
}

/** The first X that solves the dynamic puzzle; null without one. */
function solutionFor(
  nodeId: Uint8Array,
  policy: ReturnType<typeof numberedPolicy>,
): Uint8Array | null {
  if (policy.c2 === 0) return null;
  const challenge = challengeOf(policy);
  for (let number = 0; ; number += 1) {
    const solution = DYNAMIC_PUZZLES[policy.dynamic].solution(nodeId, number);
    const bits = dynamicBits({ form: policy.dynamic, challenge, nodeId, solution, policy });
    if (bits >= policy.c2) return solution;
  }
}

/** The signature of a text of an election, in hex. */
export function signatureOf(secretKey: string, text: string): string {
  return bytesToHex(ed25519.sign(messageBytes(text), hexToBytes(secretKey)));
}
