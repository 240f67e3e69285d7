/**
 * @module
 * A verdict: true, false or unknown, by word, colour and sign, so that none of them is needed alone.
 */

import type { ComponentChildren } from 'preact';

export type VerdictValue = 'true' | 'false' | 'unknown';

const SIGNS: Readonly<Record<VerdictValue, string>> = { true: '✓', false: '✗', unknown: '?' };

interface VerdictProps {
  readonly value: VerdictValue;
  /** In place of the words true, false and unknown. */
  readonly word?: string;
  readonly children?: ComponentChildren;
}

export function Verdict({ value, word = value, children }: VerdictProps) {
  return (
    <span class={`verdict ${value}`}>
      <span class="badge">
        <span aria-hidden="true">{SIGNS[value]}</span> {word}
      </span>{' '}
      {children}
    </span>
  );
}
