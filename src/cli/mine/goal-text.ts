/**
 * @module
 * Goals as the command line writes them, and the list of node IDs that some of them are about. The
 * list supplies what the text leaves open: the IDs that `top` must pass and `near` must beat.
 */

import { InvalidArgumentError } from 'commander';
import type { Wish } from '../../adversary/goals.ts';
import { idOf, parseWish, resolveGoal, WISH_FORMS } from '../../adversary/goals.ts';
import { LabError } from '../../errors.ts';
import { nodeIdBytesOf } from '../../identity/ids/node-id.ts';
import { rankRuleOf } from '../../identity/ids/rank-key.ts';
import type { Policy } from '../../identity/policy.ts';
import type { Goal } from '../../mining/goal.ts';
import { formatGoal, goalIdBytes } from '../../mining/goal.ts';
import { IDENTITIES_MAX } from '../../mining/saved-search.ts';

/** Every way to write what a search may find: also a pair, which is no goal against a network. */
export const GOAL_FORMS = `${WISH_FORMS.replace(' or ', ', ')} or pair`;

/** Reads a wish. */
export function wish(text: string): Wish {
  const read = text === 'pair' ? ({ type: 'pair' } as const) : parseWish(text);
  if (read !== null) return read;
  throw new InvalidArgumentError(
    `expected ${GOAL_FORMS}: an id in lower-case hex (64 digits under most policies), k a whole number in 1..${IDENTITIES_MAX}`,
  );
}

/**
 * The goal of a search against a network whose node IDs are known, or without a network (null). Throws
 * LabError `arguments` where list and goal do not fit, or the IDs are not those of the policy.
 */
export function goalAgainst(
  wanted: Wish,
  nodeIds: readonly Uint8Array[] | null,
  policy: Policy,
): Goal {
  const resolved = resolve(wanted, nodeIds, policy);
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

function resolve(wanted: Wish, nodeIds: readonly Uint8Array[] | null, policy: Policy): Goal {
  if (nodeIds === null) {
    if (wanted.type !== 'top') return wanted;
    throw new LabError(
      'arguments',
      '--goal top needs the IDs of the network: name a file of node IDs with --against',
    );
  }
  if (wanted.type !== 'near' && wanted.type !== 'top') {
    throw new LabError(
      'arguments',
      `--against goes with the goals top and near, not ${wanted.type}`,
    );
  }
  const [{ length } = new Uint8Array()] = nodeIds;
  if (wanted.type === 'near' && length !== wanted.nodeId.length) {
    throw new LabError(
      'arguments',
      `the list has IDs of ${length} bytes, the goal ${formatGoal(wanted)} one of ${wanted.nodeId.length}`,
    );
  }
  return resolveGoal(wanted, nodeIds, rankRuleOf(policy));
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
