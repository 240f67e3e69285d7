/**
 * @module
 * A chart of a sweep in which the pointer chooses a part of the grid, from one mark to another. The fields below the
 * charts do the same without a pointer.
 */

import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';

import { cellTooltip } from '../../../src/experiment/charts/cells.ts';
import type { PictureCell } from '../../../src/experiment/charts/data.ts';
import type { Picture as DrawnPicture } from '../../../src/experiment/charts/draw-sweep.ts';
import { visible } from '../../../src/experiment/charts/lettering.ts';
import { Picture } from '../parts/picture.tsx';
import type { SweepResult } from './picture-input.ts';
import type { AxisRange } from './plan.ts';
import { isWhole, isWithin, rangesBetween } from './plan.ts';

interface PickableChartProps {
  readonly picture: DrawnPicture;
  readonly result: SweepResult;
  readonly ranges: readonly AxisRange[];
  readonly choose: (ranges: readonly AxisRange[]) => void;
}

/** A mark of the chart, with its place in shares of the frame. */
interface Mark extends Box {
  readonly cell: PictureCell;
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export function PickableChart({ picture, result, ranges, choose }: PickableChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const marks = useSignal<readonly Mark[]>([]);
  const start = useSignal<Mark | null>(null);
  const end = useSignal<Mark | null>(null);
  const cells = useMemo(() => cellsByTooltip(result), [result]);
  useEffect(() => {
    if (frame.current !== null) marks.value = marksIn(frame.current, cells);
  }, [picture, cells]);
  const at = (event: PointerEvent, from: Mark | null) =>
    nearestMark(marks.value, pointIn(frame.current, event), from);
  const shown =
    start.value === null || end.value === null
      ? ranges
      : rangesBetween(ranges, start.value.cell.values, end.value.cell.values);
  const box = shown.every(isWhole) ? null : around(marks.value, shown);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section class="scrolling" aria-label={picture.title} tabIndex={0}>
      <div
        class="pickable"
        ref={frame}
        onPointerDown={(event) => {
          // A finger scrolls.
          if (event.button !== 0 || event.pointerType === 'touch') return;
          start.value = at(event, null);
          end.value = null;
        }}
        onPointerMove={(event) => {
          if (start.value !== null) end.value = at(event, start.value);
        }}
        onPointerUp={() => {
          if (start.value !== null && end.value !== null) choose(shown);
          start.value = null;
          end.value = null;
        }}
        onPointerLeave={() => {
          start.value = null;
          end.value = null;
        }}
      >
        <Picture svg={picture.svg} label={`${picture.title}. The table below has the numbers.`} />
        {box === null ? null : <div class="picked" style={placed(box)} />}
      </div>
    </section>
  );
}

/** The text of each mark names its cell. */
function cellsByTooltip({ input: { axes, cells } }: SweepResult): ReadonlyMap<string, PictureCell> {
  return new Map(cells.map((cell) => [visible(cellTooltip(axes, cell)), cell]));
}

function marksIn(frame: Element, cells: ReadonlyMap<string, PictureCell>): readonly Mark[] {
  const outer = frame.getBoundingClientRect();
  return [...frame.querySelectorAll('g > title')].flatMap(({ textContent, parentElement }) => {
    const cell = cells.get(textContent ?? '');
    if (cell === undefined || parentElement === null) return [];
    const { left, top, right, bottom } = parentElement.getBoundingClientRect();
    const [x, y] = [
      (value: number) => (value - outer.left) / outer.width,
      (value: number) => (value - outer.top) / outer.height,
    ];
    return [{ cell, left: x(left), top: y(top), right: x(right), bottom: y(bottom) }];
  });
}

interface Spot {
  readonly x: number;
  readonly y: number;
}

function pointIn(frame: Element | null, { clientX, clientY }: PointerEvent): Spot {
  const { left, top, width, height } = frame?.getBoundingClientRect() ?? new DOMRect();
  return { x: (clientX - left) / width, y: (clientY - top) / height };
}

/**
 * The mark that is nearest. After the first mark, one that shares most values with it goes before others at the same
 * distance along the chart, so that a line is followed.
 */
function nearestMark(marks: readonly Mark[], { x, y }: Spot, from: Mark | null): Mark | null {
  const isMap = marks.some(({ left, right }) => right - left > MAP_CELL_MIN);
  const distanceOf = ({ cell, left, right, top, bottom }: Mark): number => {
    const across = Math.max(left - x, x - right, 0);
    const down = Math.max(top - y, y - bottom, 0);
    if (isMap || from === null) return Math.hypot(across, down);
    const others = cell.values.filter((value, index) => value !== from.cell.values[index]).length;
    return across + FOLLOWING * others;
  };
  const sorted = marks.toSorted((one, other) => distanceOf(one) - distanceOf(other));
  return sorted[0] ?? null;
}

/** Rectangles of a map are wider than marks of a line, in shares of the width. */
const MAP_CELL_MIN = 0.03;
/** A different value counts as much as this share of the width. */
const FOLLOWING = 1e-3;

function around(marks: readonly Mark[], ranges: readonly AxisRange[]): Box | null {
  const chosen = marks.filter(({ cell }) => isWithin(ranges, cell));
  if (chosen.length === 0) return null;
  return {
    left: Math.min(...chosen.map(({ left }) => left)),
    top: Math.min(...chosen.map(({ top }) => top)),
    right: Math.max(...chosen.map(({ right }) => right)),
    bottom: Math.max(...chosen.map(({ bottom }) => bottom)),
  };
}

function placed({ left, top, right, bottom }: Box) {
  const percent = (share: number) => `${100 * share}%`;
  return {
    left: percent(left),
    top: percent(top),
    width: percent(right - left),
    height: percent(bottom - top),
  };
}
