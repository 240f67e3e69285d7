/**
 * @module
 * The roles of callers.
 */

/**
 * The roles of tokens. Each may do what those before it may: a reader reads; a participant plays a node of the
 * one election whose join code it exchanged; a student has elections and jobs of its own; an instructor also
 * reads and manages those of all; an operator also monitors the server.
 */
export const ROLES = ['reader', 'participant', 'student', 'instructor', 'operator'] as const;

export type Role = (typeof ROLES)[number];

/** The roles of tokens that the operator writes. */
export const HELD_ROLES = ROLES.filter((role) => role !== 'participant');

/** Whether a role includes another one. */
export function includesRole(role: Role, asked: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(asked);
}
