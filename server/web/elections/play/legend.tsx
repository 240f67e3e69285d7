/**
 * @module
 * What the marks of the diagram mean. Types of messages have letters, dashes and a colour.
 */

import type { TypeMark } from '../layout/marks.ts';
import { DASHES } from '../layout/marks.ts';

const LISTED_MAX = 16;

export function Legend({ marks }: { readonly marks: readonly TypeMark[] }) {
  return (
    <ul class="legend" aria-label="Types of messages">
      {marks.slice(0, LISTED_MAX).map(({ type, letters, series }) => (
        <li key={type}>
          <svg width="34" height="10" aria-hidden="true" class={`series-${series}`}>
            <line
              x1="0"
              y1="5"
              x2="34"
              y2="5"
              stroke-dasharray={(DASHES[series] ?? []).join(' ')}
            />
          </svg>
          <span class={`type-mark series-${series}`}>{letters}</span> {type}
        </li>
      ))}
      <li class="legend-note">○ in flight</li>
      <li class="legend-note">× lost or refused</li>
      <li class="legend-note">★ becomes leader</li>
      <li class="legend-note">thick line: leads</li>
    </ul>
  );
}
