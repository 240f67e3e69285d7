/**
 * @module
 * Measurement against theory: for each protocol the frequency as a dot, its interval as a bar and the closed form as
 * a diamond, on an axis of probabilities. The table beside it has the numbers.
 */

import { percent } from '../catalogue-data.ts';
import type { RunReport } from './report.ts';

const WIDTH = 640;
const ROW = 34;
const LEFT = 26;
const TOP = 12;
/** So that no name stands on the line of 0 %. */
const NAME_GAP = 5;
const TICKS = [0, 0.25, 0.5, 0.75, 1];

export function IntervalChart({ report: { results, verdict } }: { readonly report: RunReport }) {
  const drawn = results.filter(({ measured }) => measured.runs > 0);
  if (drawn.length === 0) return null;
  const bottom = TOP + ROW * drawn.length;
  const at = (share: number) => LEFT + share * (WIDTH - 2 * LEFT);
  return (
    <figure class="intervals">
      <svg
        viewBox={`0 0 ${WIDTH} ${bottom + 28}`}
        role="img"
        aria-label={`Measured frequencies and closed forms. ${verdict.reason}`}
      >
        {TICKS.map((tick) => (
          <g key={tick} class="tick">
            <line x1={at(tick)} x2={at(tick)} y1={TOP - 6} y2={bottom} />
            <text x={at(tick)} y={bottom + 18}>
              {percent(tick)}
            </text>
          </g>
        ))}
        {drawn.map((result, row) => (
          <Row
            key={result.protocols.join(' ')}
            result={result}
            y={TOP + ROW * (row + 0.6)}
            at={at}
          />
        ))}
      </svg>
      <figcaption>
        <span aria-hidden="true">● </span>measured, with its interval
        {drawn.some(({ theory }) => theory.probability !== null) ? (
          <>
            {' · '}
            <span aria-hidden="true">◇ </span>closed form
          </>
        ) : null}
      </figcaption>
    </figure>
  );
}

interface RowProps {
  readonly result: RunReport['results'][number];
  readonly y: number;
  readonly at: (share: number) => number;
}

function Row({ result: { protocols, measured, theory }, y, at }: RowProps) {
  const { frequency, interval } = measured;
  const [low = frequency, high = frequency] = interval ?? [];
  const { probability } = theory;
  return (
    <g class="row">
      <text class="name" x={LEFT + NAME_GAP} y={y - 9}>
        {protocols.join(', ')}
      </text>
      <line class="interval" x1={at(low)} x2={at(high)} y1={y} y2={y} />
      <circle cx={at(frequency)} cy={y} r={5} />
      {probability === null ? null : (
        <path class="theory" d={`M${at(probability)} ${y - 8}l8 8l-8 8l-8-8z`} />
      )}
    </g>
  );
}
