/**
 * @module
 * Goals as the command line writes them, and the list of node IDs that some of them are about. What
 * the text leaves open (`top` of whom, `near` closer than whom) the list fills in.
 */

import { InvalidArgumentError } from 'commander';
import { resolveGoal } from '../adversary/goals.ts';
import { bytesToHex, compareBytes, hexToBytes } from '../bytes.ts';
import { LabError } from '../errors.ts';
import { nodeIdBytesOf } from '../identity/node-id.ts';
import type { Policy } from '../identity/policy.ts';
import { rankRuleOf } from '../identity/rank-key.ts';
import type { Goal } from '../mining/goal.ts';
import { formatGoal, goalIdBytes, xorDistance } from '../mining/goal.ts';
import { IDENTITIES_MAX } from '../mining/saved-search.ts';
import { integer } from './arguments.ts';

/** A goal as it was written; `top` needs a list before it is one. */
export type GoalText = Goal | { readonly type: 'top' };

export const GOAL_FORMS = 'any, top, above:<id>, near:<id>, between:<id>:<id> or count:<k>';

/** Reads a goal. */
export function goalText(text: string): GoalText {
  if (text === 'any' || text === 'top') return { type: text };
  const [kind, ...parts] = text.split(':');
  if (kind === 'count' && parts.length === 1) {
    return { type: 'count', identities: integer(1, IDENTITIES_MAX)(parts[0] ?? '') };
  }
  const ids = parts.map(idOf);
  const [first, second] = ids;
  if (first !== undefined && ids.every((id) => id?.length === first.length)) {
    if (kind === 'above' && ids.length === 1) return { type: 'above', nodeId: first };
    if (kind === 'near' && ids.length === 1) {
      return { type: 'near', nodeId: first, closerThan: null };
    }
    if (kind === 'between' && ids.length === 2 && second !== undefined) {
      return { type: 'between', low: first, high: second };
    }
  }
  throw new InvalidArgumentError(
    `expected ${GOAL_FORMS}, an id in lower-case hex of one length (64 digits under most policies)`,
  );
}

/**
 * The goal of a search against a network whose node IDs are known, or against nobody (null). Throws
 * LabError `arguments` where list and goal do not fit, or the IDs are not those of the policy.
 */
export function goalAgainst(
  goal: GoalText,
  nodeIds: readonly Uint8Array[] | null,
  policy: Policy,
): Goal {
  const resolved = resolve(goal, nodeIds, policy);
  const bytes = goalIdBytes(resolved);
  const idBytes = nodeIdBytesOf(policy);
  if (bytes !== null && bytes !== idBytes) {
    throw new LabError(
      'arguments',
      `the goal ${formatGoal(resolved)} is about IDs of ${bytes} bytes, those of this policy have ${idBytes}`,
    );
  }
  return resolved;
}

/** A list of node IDs: a JSON array of hex strings, or one ID a line; `#` begins a comment. */
export function nodeIdList(text: string, name: string): readonly Uint8Array[] {
  const words = text.trimStart().startsWith('[')
    ? jsonWords(text, name)
    : text.split('\n').map((line) => line.replace(/#.*/, '').trim());
  const ids = words.flatMap((word, index) => {
    if (word === '') return [];
    const id = idOf(word);
    if (id === undefined) {
      throw new LabError(
        'schema',
        `${name}: entry ${index + 1} is not a node ID in lower-case hex`,
      );
    }
    return [id];
  });
  const [first] = ids;
  if (first === undefined) throw new LabError('schema', `${name} holds no node ID`);
  if (ids.some((id) => id.length !== first.length)) {
    throw new LabError('schema', `${name} holds node IDs of different lengths`);
  }
  return ids;
}

function resolve(goal: GoalText, nodeIds: readonly Uint8Array[] | null, policy: Policy): Goal {
  if (goal.type === 'top') {
    if (nodeIds !== null) return resolveGoal('top', nodeIds, rankRuleOf(policy));
    throw new LabError('arguments', 'top of whom? Name a file of node IDs with --against');
  }
  if (nodeIds === null) return goal;
  if (goal.type !== 'near') {
    throw new LabError('arguments', `--against goes with the goals top and near, not ${goal.type}`);
  }
  const distances = nodeIds.map((id) => distanceTo(goal.nodeId, id));
  const closest = distances.reduce((best, each) => (compareBytes(each, best) < 0 ? each : best));
  return { ...goal, closerThan: closest };
}

function distanceTo(target: Uint8Array, id: Uint8Array): Uint8Array {
  if (id.length === target.length) return xorDistance(id, target);
  throw new LabError(
    'arguments',
    `the list has IDs of ${id.length} bytes, the goal near:${bytesToHex(target)} one of ${target.length}`,
  );
}

function idOf(text: string): Uint8Array | undefined {
  return /^(?:[0-9a-f]{2}){2,32}$/.test(text) ? hexToBytes(text) : undefined;
}

function jsonWords(text: string, name: string): readonly string[] {
  try {
    const words: unknown = JSON.parse(text);
    if (Array.isArray(words) && words.every((word) => typeof word === 'string')) return words;
  } catch {
    // Said below, together with what would be right.
  }
  throw new LabError('schema', `${name} is not a JSON array of node IDs in hex`);
}
