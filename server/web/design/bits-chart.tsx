/**
 * @module
 * The bits that are needed against the advantage of the adversary, beside the bits that honest nodes can afford. Where
 * the curve is above the line, no difficulty is enough.
 */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import { useWidth } from '../parts/width.ts';
import type { DesignRequest } from './members.ts';
import type { Design } from './use-answer.ts';
import { designsOf } from './use-answer.ts';

const HEIGHT = 260;
const MARGIN = { left: 48, right: 20, top: 20, bottom: 44 };
/** Advantages on each side of the one that is asked about, a factor apart. */
const STEPS = 7;
const FACTOR = 4;
/** The server computes with at most this many attempts. */
const ATTEMPTS_MAX = 2 ** 60;
const PAUSE_MS = 400;

interface BitsChartProps {
  readonly request: DesignRequest;
  readonly answer: Design;
}

/** The answers for advantages around the one of the answer. Empty until they are known. */
function useCurve({ request, answer }: BitsChartProps): readonly Design[] {
  const curve = useSignal<readonly Design[]>([]);
  const key = JSON.stringify(answer.request);
  useEffect(() => {
    const controller = new AbortController();
    const timer = setTimeout(() => {
      const { check: _check, elections: _elections, ...question } = request;
      const body = { ...question, advantage: advantagesAround(answer) };
      designsOf(body, controller.signal).then(
        (designs) => {
          if (!controller.signal.aborted) curve.value = designs;
        },
        // A question at the limits of the server has no curve. The answer is shown without it.
        () => {
          curve.value = [];
        },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [key]);
  return curve.value;
}

function advantagesAround({ request, adversaryAttempts }: Design): number[] {
  const own = Number(request.advantage);
  const most = (own * ATTEMPTS_MAX) / Math.max(1, adversaryAttempts);
  return Array.from(
    { length: 2 * STEPS + 1 },
    (_, index) => own * FACTOR ** (index - STEPS),
  ).filter((advantage) => advantage >= 1e-6 && advantage <= Math.min(most, 1e12));
}

export function BitsChart({ request, answer }: BitsChartProps) {
  const curve = useCurve({ request, answer });
  const [ref, width] = useWidth();
  return (
    <figure class="bits-chart" ref={ref}>
      {curve.length < 2 ? (
        <p class="loading">The chart needs answers for several advantages…</p>
      ) : (
        <Drawing {...{ curve, answer, width }} />
      )}
      <figcaption>
        Bits of difficulty against the advantage of the adversary. The curve is needed, the dashed
        line is affordable, the dot is your question.
      </figcaption>
    </figure>
  );
}

interface DrawingProps {
  readonly curve: readonly Design[];
  readonly answer: Design;
  readonly width: number;
}

function Drawing({ curve, answer, width }: DrawingProps) {
  const { x, y, bitsMax } = scalesOf(curve, answer, width);
  const { left, right, bottom } = MARGIN;
  const affordable = answer.bearable?.realBits ?? 0;
  const points = curve.map((each) => `${x(advantageOf(each))},${y(each.needed.realBits)}`);
  const powers = powersIn(curve);
  return (
    <svg role="img" aria-label={labelOf(curve, answer)} width={width} height={HEIGHT}>
      <rect
        class="impossible"
        x={left}
        y={y(bitsMax)}
        width={width - left - right}
        height={y(affordable) - y(bitsMax)}
      />
      {ticksTo(bitsMax).map((bits) => (
        <g key={bits}>
          <line class="grid" x1={left} x2={width - right} y1={y(bits)} y2={y(bits)} />
          <text class="tick" x={left - 8} y={y(bits) + 4} text-anchor="end">
            {bits}
          </text>
        </g>
      ))}
      {powers.map((power) => (
        <text
          key={power}
          class="tick"
          x={x(10 ** power)}
          y={HEIGHT - bottom + 18}
          text-anchor="middle"
        >
          {powers.every((each) => Math.abs(each) <= 3) ? 10 ** power : `10${superscript(power)}`}
        </text>
      ))}
      <text class="tick" x={(left + width - right) / 2} y={HEIGHT - 6} text-anchor="middle">
        advantage of the adversary, log scale
      </text>
      <text class="tick" x={left - 8} y={12} text-anchor="start">
        bits
      </text>
      <line class="affordable" x1={left} x2={width - right} y1={y(affordable)} y2={y(affordable)} />
      <text class="name" x={width - right - 8} y={y(affordable) + 16} text-anchor="end">
        affordable: {affordable.toFixed(1)}
      </text>
      <polyline class="needed" points={points.join(' ')} />
      <circle class="asked" cx={x(advantageOf(answer))} cy={y(answer.needed.realBits)} r={6} />
    </svg>
  );
}

function scalesOf(curve: readonly Design[], answer: Design, width: number) {
  const { left, right, top, bottom } = MARGIN;
  const logs = curve.map((each) => Math.log10(advantageOf(each)));
  const [least, most] = [Math.min(...logs), Math.max(...logs)];
  const bits = curve.map(({ needed }) => needed.realBits);
  const bitsMax = Math.max(8, ...bits, answer.bearable?.realBits ?? 0) * 1.05;
  return {
    bitsMax,
    x: (advantage: number) =>
      left + ((Math.log10(advantage) - least) / (most - least)) * (width - left - right),
    y: (value: number) => HEIGHT - bottom - (value / bitsMax) * (HEIGHT - top - bottom),
  };
}

function advantageOf({ request }: Design): number {
  return Number(request.advantage);
}

/** Every second power of ten on the axis. */
function powersIn(curve: readonly Design[]): readonly number[] {
  const logs = curve.map((each) => Math.log10(advantageOf(each)));
  const least = Math.ceil(Math.min(...logs));
  const count = Math.floor(Math.max(...logs)) - least + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) => least + index).filter(
    (power) => power % 2 === 0,
  );
}

function ticksTo(bitsMax: number): readonly number[] {
  const step = bitsMax > 48 ? 16 : bitsMax > 20 ? 8 : 4;
  return Array.from({ length: Math.floor(bitsMax / step) + 1 }, (_, index) => index * step);
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

function superscript(power: number): string {
  const digits = [...String(Math.abs(power))].map((digit) => SUPERSCRIPTS[Number(digit)]);
  return `${power < 0 ? '⁻' : ''}${digits.join('')}`;
}

function labelOf(curve: readonly Design[], { bearable, needed, request }: Design): string {
  const held = curve.filter((each) => each.needed.realBits <= (bearable?.realBits ?? 0));
  const most = held.at(-1);
  const limit =
    most === undefined
      ? 'No advantage shown can be held.'
      : `Advantages up to about ${Number(advantageOf(most).toPrecision(2))} can be held.`;
  return `Advantage ${request.advantage} needs ${needed.realBits.toFixed(1)} bits. ${limit}`;
}
