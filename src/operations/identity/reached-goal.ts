/**
 * @module
 * The goal that claims must reach for `usurp verify --goal`: the goal of the search that found them.
 */

import { bytesToHex, leadingZeroBits } from '../../bytes.ts';
import type { Goal } from '../../mining/goal.ts';
import { goalIdBytes, meetsGoal, xorDistance } from '../../mining/goal.ts';
import { PAIR_KEYS_MAX } from '../../mining/policy-cost.ts';

/** The check that a node ID reaches the goal. It follows the checks of the policy. */
export type GoalCheck =
  | { readonly check: 'goal'; readonly ok: true }
  | {
      readonly check: 'goal';
      readonly ok: false;
      readonly code: 'goal.missed';
      readonly detail: string;
    };

/** How far all claims together reach a goal. */
export interface JointGoal {
  readonly isReached: boolean;
  /** Members of the JSON output. */
  readonly json: object;
  /** Text of the table output if it is not reached. */
  readonly missing: string;
}

/** Whether one claim reaches the goal, which is entered as `wanted`. Null for goals about all claims together. */
export function checkGoal(goal: Goal, wanted: string, nodeId: Uint8Array): GoalCheck | null {
  if (goal.type === 'any' || goal.type === 'count' || goal.type === 'pair') return null;
  const bytes = goalIdBytes(goal) ?? nodeId.length;
  if (bytes !== nodeId.length) return missed(`the node ID has not ${bytes} bytes as the goal has`);
  if (meetsGoal(goal, nodeId)) return { check: 'goal', ok: true };
  switch (goal.type) {
    case 'above':
      return missed(
        wanted === 'top'
          ? `the node ID is not above all of --against; the highest is ${bytesToHex(goal.nodeId)}`
          : `the node ID is not above ${bytesToHex(goal.nodeId)}`,
      );
    case 'between':
      return missed(
        wanted === 'top'
          ? `the node ID is not below all of --against; the lowest is ${bytesToHex(goal.high)}`
          : `the node ID is not between ${bytesToHex(goal.low)} and ${bytesToHex(goal.high)}`,
      );
    case 'near': {
      const bits = leadingZeroBits(xorDistance(nodeId, goal.nodeId));
      const closest = goal.closerThan === null ? 0 : leadingZeroBits(goal.closerThan);
      return missed(
        `the node ID is not closer than all of --against: it shares ${bits} leading bits with the target, the closest of them ${closest}`,
      );
    }
    default:
      return goal satisfies never;
  }
}

/** Judges a goal that valid claims reach together: `count` or `pair`. A class, since it sees one claim at a time. */
export class JointCheck {
  readonly #goal: Goal & { readonly type: 'count' | 'pair' };
  /** The node IDs of valid claims, with the public key of the first. */
  readonly #keys = new Map<string, string>();
  #isPair = false;

  constructor(goal: Goal & { readonly type: 'count' | 'pair' }) {
    this.#goal = goal;
  }

  add(nodeId: Uint8Array, publicKey: Uint8Array | null): void {
    const id = bytesToHex(nodeId);
    const key = publicKey === null ? '' : bytesToHex(publicKey);
    const known = this.#keys.get(id);
    const isNew = known === undefined && this.#keys.size < this.#kept();
    if (known !== undefined && known !== key) this.#isPair = true;
    if (isNew) this.#keys.set(id, key);
  }

  result(): JointGoal {
    const found = this.#keys.size;
    if (this.#goal.type === 'pair') {
      const missing = 'no two valid claims with different keys have one node ID';
      return { isReached: this.#isPair, json: { pair: this.#isPair }, missing };
    }
    const { identities } = this.#goal;
    return {
      isReached: found >= identities,
      json: { identities, found },
      missing: `${found} of ${identities} different identities`,
    };
  }

  #kept(): number {
    return this.#goal.type === 'count' ? this.#goal.identities : PAIR_KEYS_MAX;
  }
}

function missed(detail: string): GoalCheck {
  return { check: 'goal', ok: false, code: 'goal.missed', detail };
}
