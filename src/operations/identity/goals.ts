/**
 * @module
 * The goal of a search for identities, and the list of node IDs that some goals are about: the IDs that `top` must pass
 * and `near` must beat.
 */

import type { Wish } from '../../adversary/goals.ts';
import { idOf, parseWish, resolveGoal, WISH_FORMS } from '../../adversary/goals.ts';
import { jsonPointer, LabError } from '../../errors.ts';
import { nodeIdBytesOf } from '../../identity/ids/node-id.ts';
import { rankRuleOf } from '../../identity/ids/rank-key.ts';
import type { Policy } from '../../identity/policy.ts';
import type { Goal } from '../../mining/goal.ts';
import { formatGoal, goalIdBytes } from '../../mining/goal.ts';
import { IDENTITIES_MAX } from '../../mining/saved-search.ts';
import type { NamedFile } from '../file.ts';
import { memberFault } from '../operation.ts';

/** Every way to write what a search may find: also a pair, which is no goal against a network. */
export const GOAL_FORMS = `${WISH_FORMS.replace(' or ', ', ')} or pair`;

/** Reads a goal against a network. Throws LabError `schema`. */
export function networkWish(text: string): Wish {
  return wishIn(parseWish(text), WISH_FORMS);
}

/** Reads any goal. Throws LabError `schema`. */
export function wishOf(text: string): Wish {
  return wishIn(text === 'pair' ? { type: 'pair' } : parseWish(text), GOAL_FORMS);
}

function wishIn(wish: Wish | null, forms: string): Wish {
  if (wish !== null) return wish;
  const rule = `an id in lower-case hex (64 digits under most policies), k a whole number in 1..${IDENTITIES_MAX}`;
  throw new LabError('schema', `must be ${forms}: ${rule}`);
}

/** What is sought, and the file of node IDs that it is about. */
export interface AskedGoal {
  readonly goal: string;
  readonly against?: NamedFile | undefined;
}

/** The goal against the listed node IDs. Throws LabError about the member that does not fit. */
export function goalIn({ goal: text, against }: AskedGoal, policy: Policy): Goal {
  const wish = wishOf(text);
  const idBytes = nodeIdBytesOf(policy);
  const ids = against === undefined ? null : nodeIdsIn(against, idBytes);
  if (ids !== null && wish.type !== 'top' && wish.type !== 'near') {
    const detail = `requires the goal top or near, not ${wish.type}`;
    throw memberFault('schema', 'against', detail);
  }
  if (wish.type === 'top') {
    if (ids !== null) return resolveGoal(wish, ids, rankRuleOf(policy));
    throw memberFault(
      'schema',
      'against',
      'is missing: it must name the node IDs that top must pass',
    );
  }
  // Before the distances, which IDs of different lengths do not have.
  const named = goalIdBytes(wish);
  if (named !== null && named !== idBytes) {
    const detail = `${formatGoal(wish)} is about IDs of ${named} bytes, those of this policy have ${idBytes}`;
    throw memberFault('schema', 'goal', detail);
  }
  return ids === null ? wish : resolveGoal(wish, ids, rankRuleOf(policy));
}

/** The node IDs of a file: a JSON array of hex strings, or one ID a line. `#` begins a comment. */
export function nodeIdsIn({ text, name }: NamedFile, idBytes: number): readonly Uint8Array[] {
  const words = text.trimStart().startsWith('[')
    ? jsonWords(text, name)
    : text.split('\n').map((line) => line.replace(/#.*/, '').trim());
  const ids = words.flatMap((word, index) => {
    if (word === '') return [];
    const id = idOf(word);
    if (id?.length === idBytes) return [id];
    const detail = `${name}: entry ${index + 1} must be a node ID of ${idBytes} bytes in lower-case hex`;
    const pointer = jsonPointer(['against', String(index)]);
    throw new LabError('schema', `against: ${detail}`, [{ pointer, detail }]);
  });
  if (ids.length > 0) return ids;
  throw memberFault('schema', 'against', `${name} must name a node ID`);
}

function jsonWords(text: string, name: string): readonly string[] {
  try {
    const words: unknown = JSON.parse(text);
    if (Array.isArray(words) && words.every((word) => typeof word === 'string')) return words;
  } catch {
    // The refusal below says what would be right.
  }
  throw memberFault('schema', 'against', `${name} must be a JSON array of node IDs in hex`);
}
