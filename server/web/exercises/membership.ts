/**
 * @module
 * Who the caller is, and the class of the server if there is one.
 */

import { answerOf, api } from '../api/client.ts';
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
  const { role, class: path } = await answerOf(api.GET('/v1/sessions/current'));
  return { role, ofClass: path === null ? null : await answerOf(api.GET('/v1/class')) };
}

/** Whether the caller may have instances and submissions of its own. */
export function hasWork({ role }: Pick<Membership, 'role'>): boolean {
  return role !== 'reader' && role !== 'participant';
}

/** Whether the caller sees the work of all students. */
export function isInstructor({ role }: Pick<Membership, 'role'>): boolean {
  return role === 'instructor' || role === 'operator';
}
