/**
 * @module
 * The goal of an eclipse: the next nodes after a victim, on a ring in the order of node IDs, all belong to the student
 * (Singh et al., Eclipse attacks on overlay networks, 2006). The student can choose no ID, only keys until one falls
 * into the gap.
 */

import { z } from 'zod';
import type { Policy } from '../../../identity/policy.ts';
import type { Seed } from '../../../random.ts';
import { deriveSeed } from '../../../random.ts';
import { defineGoal } from '../goal.ts';
import { admittedClaims, isAnyAdmitted, missingClaims } from './admitted-claims.ts';

const NODES_MAX = 128;
const SUCCESSORS_MAX = 8;
const ID_DIGITS = 64;

interface Task {
  readonly policy: Policy;
  /** Ascending. */
  readonly nodeIds: readonly string[];
  readonly victim: string;
  readonly successors: number;
}

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
  task({ nodes, successors }, { policy, seed }): Task {
    const nodeIds = drawnIds(nodes, seed('ring'));
    return { policy, nodeIds, victim: victimAmong(nodeIds), successors };
  },
  given: ({ nodeIds, victim, successors }) => ({ nodeIds, victim, successors }),
  judge({ policy, nodeIds, victim, successors }, { claims }) {
    const found = admittedClaims(claims, policy);
    const missing = missingClaims(found, successors);
    if (missing !== null) return { claims: missing, captured: missing };
    if (claims.length > successors) {
      const text = `at most ${successors} claims are needed, got ${claims.length}`;
      return { claims: text, captured: text };
    }
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
