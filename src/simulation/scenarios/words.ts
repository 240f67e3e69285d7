/**
 * @module
 * Lists of ranks and counts in the sentences of scenarios.
 */

/** `4`, `4 and 5`, `3, 4 and 5`; `nobody` for none. */
export function listed(items: readonly (number | string)[]): string {
  if (items.length === 0) return 'nobody';
  const last = items.at(-1);
  return items.length === 1 ? `${last}` : `${items.slice(0, -1).join(', ')} and ${last}`;
}
