/**
 * @module
 * Goals that claims of the student reach. The policy has the context of the student, so that a claim counts for one
 * instance only.
 */

import { ed25519 } from '@noble/curves/ed25519.js';
import { z } from 'zod';

import { bytesToHex } from '../../bytes.ts';
import type { Check } from '../../identity/admit.ts';
import { admit } from '../../identity/admit.ts';
import type { Claim, ClaimJson } from '../../identity/claim.ts';
import { parseClaim } from '../../identity/claim.ts';
import type { Policy } from '../../identity/policy.ts';
import type { Seed } from '../../random.ts';
import { createRandom, deriveSeed } from '../../random.ts';
import { CLAIMS_MAX } from '../submission.ts';
import { defineGoal } from './goal.ts';

export interface AdmittedClaims {
  /** Each node ID once. */
  readonly admitted: readonly Claim[];
  /** The failed check of the first claim that is not admitted, with its number from 1; null if all are. */
  readonly failed: { readonly number: number; readonly check: Check } | null;
}

export function admittedClaims(claims: readonly ClaimJson[], policy: Policy): AdmittedClaims {
  const admitted = new Map<string, Claim>();
  let failed: AdmittedClaims['failed'] = null;
  for (const [index, json] of claims.entries()) {
    const claim = parseClaim(json);
    const check = admit(claim, policy).checks.find(({ ok }) => !ok);
    if (check === undefined) admitted.set(json.nodeId, claim);
    else failed ??= { number: index + 1, check };
  }
  return { admitted: [...admitted.values()], failed };
}

/** What is missing in a submission that needs a number of different admitted claims; null if nothing is. */
export function missingClaims({ admitted, failed }: AdmittedClaims, needed: number): string | null {
  if (failed !== null) {
    const { check } = failed;
    const detail = check.ok ? '' : `: ${check.detail}`;
    return `claim ${failed.number} fails the check ${check.check}${detail}`;
  }
  if (admitted.length >= needed) return null;
  return `${admitted.length} of ${needed} claims with different node IDs are there`;
}

/** What is missing in a submission that needs a number of admitted claims, and no more; null if nothing is. */
function missingExactly(claims: readonly ClaimJson[], policy: Policy, needed: number) {
  const missing = missingClaims(admittedClaims(claims, policy), needed);
  if (missing !== null || claims.length <= needed) return missing;
  return `at most ${needed} claims are needed, got ${claims.length}`;
}

/** Whether one of the claims is admitted. A claim for another context fails, so that it belongs to one instance. */
export function isAnyAdmitted(claims: readonly ClaimJson[], policy: Policy): boolean {
  return claims.some((claim) => admit(parseClaim(claim), policy).admitted);
}

const NODES_MAX = 128;
const SUCCESSORS_MAX = 8;
const ID_DIGITS = 64;

/**
 * The goal of an eclipse: the next nodes after a victim, on a ring in the order of node IDs, all belong to the
 * student (Singh et al., Eclipse attacks on overlay networks, 2006). The student can choose no ID, only keys until
 * one falls into the gap.
 */
export const CAPTURED_SUCCESSORS = defineGoal({
  name: 'captured-successors',
  summary: 'Submit claims whose node IDs are the next ones after a victim on the ring.',
  submission: 'claims',
  needs: [],
  parameters: {
    nodes: z.int().min(4).max(NODES_MAX).describe('Number of honest nodes.'),
    successors: z.int().min(1).max(SUCCESSORS_MAX).describe('Length of the successor list.'),
  },
  criteria: {
    claims: { weight: 1, meaning: 'The policy admits all claims, no more than are needed.' },
    captured: { weight: 2, meaning: 'All successors of the victim are yours.' },
  },
  task({ nodes, successors }, { policy, seed }) {
    const nodeIds = drawnIds(nodes, seed('ring'));
    return { policy, nodeIds, victim: victimAmong(nodeIds), successors };
  },
  given: ({ nodeIds, victim, successors }) => ({ nodeIds, victim, successors }),
  judge({ policy, nodeIds, victim, successors }, { claims }) {
    const missing = missingExactly(claims, policy, successors);
    if (missing !== null) return { claims: missing, captured: missing };
    const next = successorsOf(victim, [...nodeIds, ...claims.map(({ nodeId }) => nodeId)]);
    const own = next.slice(0, successors).findIndex((nodeId) => nodeIds.includes(nodeId));
    if (own < 0) return { claims: null, captured: null };
    const captured = `successor ${own + 1} of the victim is still honest: your node IDs must lie between the victim and the honest node after it`;
    return { claims: null, captured };
  },
  isOf: ({ policy }, { claims }) => isAnyAdmitted(claims, policy),
  isOfOne: true,
});

/** IDs without keys, ascending. */
function drawnIds(nodes: number, seed: Seed): string[] {
  const ids = Array.from({ length: nodes }, (_, index) => BigInt(deriveSeed(seed, 'node', index)));
  return ids.map((id) => id.toString(16).padStart(ID_DIGITS, '0')).sort();
}

/** The node before the gap of median length, so that the work is alike for all students. */
function victimAmong(nodeIds: readonly string[]): string {
  const gaps = nodeIds.slice(0, -1).map((nodeId, index) => {
    const gap = BigInt(`0x${nodeIds[index + 1] ?? '0'}`) - BigInt(`0x${nodeId}`);
    return { nodeId, gap };
  });
  const sorted = gaps.toSorted((one, other) => (one.gap < other.gap ? -1 : 1));
  return sorted[Math.floor(sorted.length / 2)]?.nodeId ?? '';
}

/** The others in clockwise order from the victim. */
function successorsOf(victim: string, nodeIds: readonly string[]): string[] {
  const others = nodeIds.filter((nodeId) => nodeId !== victim).sort();
  const first = others.findIndex((nodeId) => nodeId > victim);
  return first < 0 ? others : [...others.slice(first), ...others.slice(0, first)];
}

/** Digits after the first one of a key. */
const BORDER = 'ffff';

/**
 * The goal of eclipsing a key (Baumgart and Mies, S/Kademlia, 2007): the nodes closest to a key by XOR store its value,
 * and all of them belong to the student.
 */
export const ECLIPSED_KEY = defineGoal({
  name: 'eclipsed-key',
  summary: 'Submit claims whose node IDs are the closest ones to a key by XOR.',
  submission: 'claims',
  needs: [],
  parameters: {
    nodes: z.int().min(16).max(NODES_MAX).describe('Number of honest nodes.'),
    replicas: z.int().min(1).max(SUCCESSORS_MAX).describe('Number of nodes that store a value.'),
  },
  criteria: {
    claims: { weight: 1, meaning: 'The policy admits all claims, no more than are needed.' },
    eclipsed: { weight: 2, meaning: 'All nodes that store the value of the key are yours.' },
  },
  task({ nodes, replicas }, { policy, seed }) {
    const nodeIds = drawnIds(nodes, seed('nodes'));
    return { policy, nodeIds, key: keyBeside(nodeIds, seed('key')), replicas };
  },
  given: ({ nodeIds, key, replicas }) => ({ nodeIds, key, replicas }),
  judge({ policy, nodeIds, key, replicas }, { claims }) {
    const missing = missingExactly(claims, policy, replicas);
    if (missing !== null) return { claims: missing, eclipsed: missing };
    const nearest = nearestTo(key, nodeIds);
    const far = claims.filter(({ nodeId }) => distance(nodeId, key) > nearest).length;
    if (far === 0) return { claims: null, eclipsed: null };
    const eclipsed = `${far} of your node IDs are farther from the key than an honest one: the distance of two IDs is their XOR as a number, not their difference, and not the length of a prefix`;
    return { claims: null, eclipsed };
  },
  isOf: ({ policy }, { claims }) => isAnyAdmitted(claims, policy),
  isOfOne: true,
});

const distance = (one: string, other: string) => BigInt(`0x${one}`) ^ BigInt(`0x${other}`);

function nearestTo(key: string, nodeIds: readonly string[]): bigint {
  const distances = nodeIds.map((nodeId) => distance(nodeId, key));
  return distances.reduce((one, other) => (other < one ? other : one));
}

/**
 * A key that shares its first digit with a node. It is just below the next digit, so that IDs after it on a ring are far
 * from it. Among one for each node it is the one of median distance, so that the work is alike for all students.
 */
function keyBeside(nodeIds: readonly string[], seed: Seed): string {
  const ends = drawnIds(nodeIds.length, seed).map((digits) => digits.slice(BORDER.length + 1));
  const keys = nodeIds.map((nodeId, index) => {
    const key = `${nodeId[0]}${BORDER}${ends[index]}`;
    return { key, nearest: nearestTo(key, nodeIds) };
  });
  const sorted = keys.toSorted((one, other) => (one.nearest < other.nearest ? -1 : 1));
  return sorted[Math.floor(sorted.length / 2)]?.key ?? '';
}

/** The first bytes of Y that are given. */
const PREFIX_BYTES = 4;

/**
 * The goal of breaking the dynamic puzzle in the form of S/Kademlia (Baumgart and Mies 2007): one Y with a good SHA-256(Y) solves the puzzle of every ID as X = node ID xor Y. Y
 * begins with digits of the instance: no student can use the Y of another one, and `usurp mine`, whose Y follows
 * from its seed, does not find one.
 */
export const SHARED_SOLUTION = defineGoal({
  name: 'shared-solution',
  summary: 'Submit claims that solve the XOR puzzle with one Y for all of them.',
  submission: 'claims',
  needs: [],
  parameters: {
    identities: z.int().min(2).max(CLAIMS_MAX).describe('Number of claims.'),
  },
  criteria: {
    admitted: { weight: 1, meaning: 'The policy admits enough claims with different node IDs.' },
    shared: {
      weight: 2,
      meaning: 'All claims solve the puzzle with the same Y, which begins with your bytes.',
    },
  },
  task({ identities }, { policy, seed }) {
    const first = createRandom(seed('y')).below(2 ** (8 * PREFIX_BYTES));
    return { identities, policy, prefix: first.toString(16).padStart(2 * PREFIX_BYTES, '0') };
  },
  given: ({ identities, prefix }) => ({ identities, prefix }),
  judge({ policy, identities, prefix }, { claims }) {
    const found = admittedClaims(claims, policy);
    const admitted = missingClaims(found, identities);
    return { admitted, shared: admitted ?? missingShare(found.admitted.map(sharedOf), prefix) };
  },
  isOf: ({ policy }, { claims }) => isAnyAdmitted(claims, policy),
  isOfOne: true,
});

function missingShare(values: readonly string[], prefix: string): string | null {
  const used = new Set(values).size;
  if (used !== 1) {
    return `the claims use ${used} different Y; Y = node ID xor X must be the same for all, so that one search pays for all`;
  }
  return values[0]?.startsWith(prefix) === true ? null : `Y must begin with the bytes ${prefix}`;
}

/** Y = node ID xor X, in hex. */
function sharedOf({ nodeId, solution }: Claim): string {
  return bytesToHex(nodeId.map((byte, index) => byte ^ (solution?.[index] ?? 0)));
}

const COFACTOR = 8n;

/**
 * The goal of several identities from one secret: the keys A + T, where T is one of the eight points of small order
 * of Ed25519 (Chalkias et al., Taming the Many EdDSAs, 2020). The secret of A signs for all of them under a verifier
 * that multiplies by the cofactor. The policy of the exercise does not check torsion. The secret is given, so that a
 * search for an arbitrary key does not solve it.
 */
export const SIBLING_KEYS = defineGoal({
  name: 'sibling-keys',
  summary: 'Submit claims whose keys differ by points of small order, so that one secret signs.',
  submission: 'claims',
  needs: [],
  parameters: {
    identities: z.int().min(2).max(Number(COFACTOR)).describe('Number of claims.'),
  },
  criteria: {
    admitted: { weight: 1, meaning: 'The policy admits enough claims with different keys.' },
    siblings: { weight: 2, meaning: 'The given secret signs for all keys.' },
  },
  task({ identities }, { policy, seed }) {
    return { identities, policy, scalar: ed25519.Point.Fn.create(BigInt(seed('scalar'))) };
  },
  given: ({ identities, scalar }) => {
    return { identities, scalar: bytesToHex(ed25519.Point.Fn.toBytes(scalar)) };
  },
  judge({ policy, identities, scalar }, { claims }) {
    const found = admittedClaims(claims, policy);
    const admitted = missingClaims(found, identities);
    return { admitted, siblings: admitted ?? missingFamily(found.admitted.map(familyOf), scalar) };
  },
  isOf: ({ policy }, { claims }) => isAnyAdmitted(claims, policy),
  isOfOne: true,
});

function missingFamily(families: readonly string[], scalar: bigint): string | null {
  const own = ed25519.Point.BASE.multiply(scalar).multiplyUnsafe(COFACTOR).toHex();
  if (families.every((family) => family === own)) return null;
  const number = new Set(families).size;
  const from = number === 1 ? 'another secret than the given one' : `${number} secrets`;
  return `the keys come from ${from}: 8·A must be 8·scalar·B for all keys A`;
}

/** 8·A in hex, which siblings share; a text of its own for a key of another scheme. */
function familyOf({ scheme, publicKey }: Claim): string {
  if (scheme !== 'ed25519') return bytesToHex(publicKey);
  return ed25519.Point.fromBytes(publicKey).multiplyUnsafe(COFACTOR).toHex();
}
