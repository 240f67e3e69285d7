/**
 * @module
 * The button that shows all rows of a long table of students.
 */

import type { Signal } from '@preact/signals';

/** Rows that are shown before the rest is asked for. */
export const ROWS_SHOWN = 20;

interface ShowAllProps {
  /** Number of all rows. */
  readonly count: number;
  readonly isWhole: Signal<boolean>;
}

/** Shows nothing for a table that is short. */
export function ShowAll({ count, isWhole }: ShowAllProps) {
  if (count <= ROWS_SHOWN) return null;
  return (
    <button
      type="button"
      aria-expanded={isWhole.value}
      onClick={() => {
        isWhole.value = !isWhole.value;
      }}
    >
      {isWhole.value ? `Show ${ROWS_SHOWN}` : `Show all ${count}`}
    </button>
  );
}
