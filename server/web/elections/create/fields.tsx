/**
 * @module
 * What the groups of fields of the form have in common.
 */

import type { Catalogue } from './catalogue.ts';
import type { Draft } from './request.ts';

/** What each group of fields receives. */
export interface FieldsProps {
  readonly draft: Draft;
  readonly catalogue: Catalogue;
  readonly change: (changes: Partial<Draft>) => void;
}

interface TextProps {
  readonly label: string;
  readonly value: string;
  readonly size: number;
  readonly placeholder?: string;
  readonly set: (value: string) => void;
}

/** A field with a text. */
export function Text({ label, value, size, placeholder, set }: TextProps) {
  return (
    <label>
      {label}
      <input
        {...{ size, value, placeholder }}
        autocomplete="off"
        onInput={(event) => set(event.currentTarget.value)}
      />
    </label>
  );
}
