/**
 * @module
 * This folder contains goals that the student reaches in an election of the instance over HTTP. The server judges them
 * by its record of the election. This file judges which actions a student took.
 */

import type { ElectionRecord } from '../../record.ts';

/** How to begin an election again. */
export const ANEW = 'delete the election, and usurp exercise start makes it anew';

/** What is missing without an election. */
export function noElection(name: string): string {
  return `there is no election ${name} yet: usurp exercise start makes it`;
}

/** What is missing in an election in which only some actions are allowed; null if nothing is. */
export function missingConduct(
  record: ElectionRecord | undefined,
  name: string,
  {
    allowed,
    required,
  }: { readonly allowed: readonly string[]; readonly required: readonly string[] },
): string | null {
  if (record === undefined) return noElection(name);
  const types = record.actions.map(({ type }) => type);
  const other = types.find((type) => !allowed.includes(type));
  if (other !== undefined) {
    return `${name}: the action ${other} is not allowed here; ${ANEW}`;
  }
  const missing = required.find((type) => !types.includes(type));
  return missing === undefined ? null : `${name}: there is no action ${missing} yet`;
}
