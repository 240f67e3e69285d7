/**
 * @module
 * P(found by now) against attempts: the curve that theory expects against the honest top ID, how far the search is, and
 * where its best ID was found. Below it the number of valid IDs, expected and found.
 */

import { about, count, percent } from '../parts/numbers.ts';
import { TableHead } from '../parts/table-head.tsx';
import { useWidth } from '../parts/width.ts';
import type { Scene } from './scene.ts';

const HEIGHT = 220;
const MARGIN = { left: 52, right: 16, top: 22, bottom: 40 };
const POINTS = 80;

export function OddsChart({ scene }: { readonly scene: Scene }) {
  const [ref, width] = useWidth();
  const { left, right, top, bottom } = MARGIN;
  const limit = Math.max(scene.budget, 1);
  const x = (attempts: number) => left + (attempts / limit) * (width - left - right);
  const y = (probability: number) => HEIGHT - bottom - probability * (HEIGHT - top - bottom);
  const steps = Array.from({ length: POINTS + 1 }, (_, index) => (index / POINTS) * limit);
  const curve = steps.map((each) => `${x(each)},${y(scene.against.within(each))}`).join(' ');
  const now = scene.against.within(scene.attempts);
  return (
    <div class="odds-chart" ref={ref}>
      <svg role="img" aria-label={labelOf(scene)} width={width} height={HEIGHT}>
        {[0, 0.25, 0.5, 0.75, 1].map((tick) => (
          <g key={tick}>
            <line class="grid" x1={x(0)} x2={x(limit)} y1={y(tick)} y2={y(tick)} />
            <text class="tick" x={left - 6} y={y(tick) + 4} text-anchor="end">
              {`${100 * tick} %`}
            </text>
          </g>
        ))}
        {[0, 0.5, 1].map((tick) => (
          <text
            key={tick}
            class="tick"
            x={x(tick * limit)}
            y={HEIGHT - bottom + 18}
            text-anchor={tick === 0 ? 'start' : tick === 1 ? 'end' : 'middle'}
          >
            {count(tick * limit)}
          </text>
        ))}
        <text class="tick" x={(x(0) + x(limit)) / 2} y={HEIGHT - 4} text-anchor="middle">
          attempts
        </text>
        <polyline class="curve" points={curve} />
        <line class="now" x1={x(scene.attempts)} x2={x(scene.attempts)} y1={y(0)} y2={y(now)} />
        <circle class="now" cx={x(scene.attempts)} cy={y(now)} r={5} />
        <FoundMark scene={scene} x={x} top={y(1)} bottom={y(0)} />
      </svg>
    </div>
  );
}

interface FoundMarkProps {
  readonly scene: Scene;
  readonly x: (attempts: number) => number;
  readonly top: number;
  readonly bottom: number;
}

/** Where the best ID was found, if it wins. */
function FoundMark({ scene: { isAhead, foundAfter, budget }, x, top, bottom }: FoundMarkProps) {
  if (!isAhead || foundAfter === null) return null;
  const left = x(foundAfter);
  const isRight = foundAfter > budget / 2;
  return (
    <g class="found">
      <line x1={left} x2={left} y1={top} y2={bottom} />
      <text x={isRight ? left - 6 : left + 6} y={14} text-anchor={isRight ? 'end' : 'start'}>
        best ID after {count(foundAfter)} attempts
      </text>
    </g>
  );
}

function labelOf({ against, attempts }: Scene): string {
  return `Probability of an ID above the highest honest one: ${percent(against.within(attempts))} after ${count(attempts)} attempts.`;
}

/** Expected beside measured. */
export function Expectation({ scene }: { readonly scene: Scene }) {
  const { against, attempts, budget, keys, expectedKeys, foundAfter, isAhead } = scene;
  const soFar = budget === 0 ? 0 : (expectedKeys * attempts) / budget;
  return (
    <div class="scrolling">
      <table>
        <TableHead
          columns={['Quantity', 'Expected', 'Measured']}
          numbers={['Expected', 'Measured']}
        />
        <tbody>
          <tr>
            <th scope="row">Valid IDs after {count(attempts)} attempts</th>
            <td class="number">{about(soFar)}</td>
            <td class="number">{count(keys)}</td>
          </tr>
          <tr>
            <th scope="row">Attempts until an ID is above all honest ones</th>
            <td class="number">{about(against.expected)}</td>
            <td class="number">
              {isAhead && foundAfter !== null ? `at most ${count(foundAfter)}` : 'none yet'}
            </td>
          </tr>
          <tr>
            <th scope="row">P(found by now)</th>
            <td class="number">{percent(against.within(attempts))}</td>
            <td class="number">{isAhead ? 'found' : 'not found'}</td>
          </tr>
          <tr>
            <th scope="row">P(found in the whole budget)</th>
            <td class="number">{percent(against.within(budget))}</td>
            <td class="number">–</td>
          </tr>
        </tbody>
      </table>
    </div>
  );
}
