/**
 * @module
 * Who the caller is, and the class of the server if there is one.
 */

import { answerOf, api, ProblemError } from '../api/client.ts';
import type { Schema } from '../api/contract.ts';
import { useAnswer } from '../shell/use-answer.ts';

export interface Membership {
  /** Null on a server that requires no tokens. */
  readonly role: Schema<'Session'>['role'];
  /** The class as the caller sees it; null if there is none. */
  readonly ofClass: Schema<'Class'> | null;
}

/** The membership, which is read again when the key changes. */
export function useMembership(key: string) {
  return useAnswer(readMembership, key);
}

async function readMembership(): Promise<Membership> {
  const { role } = await answerOf(api.GET('/v1/sessions/current'));
  // A server without tokens has no class.
  return { role, ofClass: hasWork({ role }) && role !== null ? await readClass() : null };
}

/** The class as it is now; null if the server has none. */
async function readClass(): Promise<Schema<'Class'> | null> {
  try {
    return await answerOf(api.GET('/v1/class'));
  } catch (error) {
    if (error instanceof ProblemError && error.problem.code === 'not_found') return null;
    throw error;
  }
}

/** Whether the caller may have instances and submissions of its own. */
export function hasWork({ role }: Pick<Membership, 'role'>): boolean {
  return role !== 'reader' && role !== 'participant';
}

/** Whether the caller sees the work of all students. */
export function isInstructor({ role }: Pick<Membership, 'role'>): boolean {
  return role === 'instructor' || role === 'operator';
}

const PAGES_MAX = 20;

interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextPageToken: string | null;
}

/** A page of a list: its size, and where it begins. */
interface PageQuery {
  readonly pageSize: string;
  readonly pageToken?: string;
}

/** The items of all pages of a list. */
export async function allPages<Item>(
  read: (query: PageQuery) => Promise<Page<Item>>,
): Promise<readonly Item[]> {
  const found: Item[] = [];
  let query: PageQuery = { pageSize: '100' };
  for (let page = 0; page < PAGES_MAX; page++) {
    const { items, nextPageToken } = await read(query);
    found.push(...items);
    if (nextPageToken === null) break;
    query = { ...query, pageToken: nextPageToken };
  }
  return found;
}
