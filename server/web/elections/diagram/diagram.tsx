/**
 * @module
 * The space-time diagram as a part of the page: a canvas as large as the visible part, in a box that scrolls over
 * all events.
 */

import { useEffect, useRef } from 'preact/hooks';

import type { Drawing, DrawnArrow } from './draw.ts';
import { draw } from './draw.ts';
import {
  columnsOf,
  distanceTo,
  HEAD_HEIGHT,
  heightOf,
  onPaletteChange,
  paletteNow,
  ROW_HEIGHT,
  rowAt,
  yOf,
} from './geometry.ts';

/** What is under the pointer. */
export type Spot =
  | { readonly type: 'event'; readonly seq: number }
  | { readonly type: 'message'; readonly message: number };

type Input = Omit<Drawing, 'columns' | 'palette'>;

interface DiagramProps {
  readonly input: Input;
  /** Number of events, so that the diagram grows with them. */
  readonly events: number;
  /** Whether it scrolls to the newest event. */
  readonly isFollowing: boolean;
  readonly onHover: (spot: Spot | null) => void;
  readonly onPick: (spot: Spot) => void;
}

/** An arrow this near to the pointer is meant. */
const ARROW_PIXELS = 7;

/** A canvas with what it shows. */
class Board {
  readonly #canvas: HTMLCanvasElement;
  readonly #box: HTMLElement;
  input: Input;
  #arrows: readonly DrawnArrow[] = [];
  #frame = 0;
  #xs: readonly number[] = [];
  #palette = paletteNow();

  constructor(box: HTMLElement, canvas: HTMLCanvasElement, input: Input) {
    this.#box = box;
    this.#canvas = canvas;
    this.input = input;
  }

  /** Draws in the next frame. */
  readonly redraw = (): void => {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#draw();
    });
  };

  readonly repaint = (): void => {
    this.#palette = paletteNow();
    this.redraw();
  };

  stop(): void {
    cancelAnimationFrame(this.#frame);
  }

  #draw(): void {
    const { clientWidth: width, clientHeight: height, scrollLeft, scrollTop } = this.#box;
    const context = this.#canvas.getContext('2d');
    if (context === null || width === 0) return;
    const began = performance.now();
    const ratio = devicePixelRatio;
    const size = [Math.round(width * ratio), Math.round(height * ratio)] as const;
    if (this.#canvas.width !== size[0] || this.#canvas.height !== size[1]) {
      [this.#canvas.width, this.#canvas.height] = size;
      this.#canvas.style.width = `${width}px`;
      this.#canvas.style.height = `${height}px`;
    }
    const columns = columnsOf(this.input.groups.length, width);
    this.#xs = columns.xs;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const window = { left: scrollLeft, top: scrollTop, width, height };
    const drawing = { ...this.input, columns, palette: this.#palette };
    this.#arrows = draw(context, drawing, window);
    // For the measurement of the time per frame.
    this.#canvas.dataset['drawMs'] = (performance.now() - began).toFixed(2);
  }

  /** What is at a place of the window; null for nothing. */
  spotAt(event: MouseEvent): Spot | null {
    const frame = this.#box.getBoundingClientRect();
    const x = event.clientX - frame.left + this.#box.scrollLeft;
    const y = event.clientY - frame.top + this.#box.scrollTop;
    if (event.clientY - frame.top < HEAD_HEIGHT) return null;
    const { timeline, slots } = this.input;
    const seq = rowAt(y);
    if (seq >= 0 && seq < timeline.length) {
      const { node } = timeline.event(seq);
      const at = node === null ? undefined : this.#xs[slots[node] ?? -1];
      if (at !== undefined && Math.hypot(x - at, y - yOf(seq)) < 11) return { type: 'event', seq };
    }
    let best: Spot | null = null;
    let nearest = ARROW_PIXELS;
    for (const { message, from, to } of this.#arrows) {
      const distance = distanceTo({ x, y }, from, to);
      if (distance < nearest) {
        nearest = distance;
        best = { type: 'message', message };
      }
    }
    return best ?? (seq >= 0 && seq < timeline.length ? { type: 'event', seq } : null);
  }
}

export function Diagram({ input, events, isFollowing, onHover, onPick }: DiagramProps) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const board = useRef<Board | null>(null);
  useEffect(() => {
    if (box.current === null || canvas.current === null) return undefined;
    const made = new Board(box.current, canvas.current, input);
    board.current = made;
    const observer = new ResizeObserver(made.redraw);
    observer.observe(box.current);
    const off = onPaletteChange(made.repaint);
    return () => {
      observer.disconnect();
      off();
      made.stop();
    };
  }, []);
  useEffect(() => {
    const { current } = board;
    if (current === null) return;
    current.input = input;
    if (box.current !== null) showRow(box.current, isFollowing ? events : input.position - 1);
    current.redraw();
  }, [input, events, isFollowing]);
  const width = columnsOf(input.groups.length, 0).width;
  const hover = (event: MouseEvent) => onHover(board.current?.spotAt(event) ?? null);
  const pick = (event: MouseEvent) => {
    const spot = board.current?.spotAt(event) ?? null;
    if (spot !== null) onPick(spot);
  };
  return (
    <section
      class="diagram"
      ref={box}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label="Space-time diagram"
      onScroll={() => board.current?.redraw()}
    >
      <div
        class="diagram-space"
        style={{ height: `${heightOf(events)}px`, minWidth: `${width}px` }}
      >
        <canvas
          ref={canvas}
          role="img"
          aria-label={`Events and messages of ${input.groups.length} columns. The buttons above step through the events, and the text beside describes each.`}
          onMouseMove={hover}
          onMouseLeave={() => onHover(null)}
          onClick={pick}
        />
      </div>
    </section>
  );
}

/** Scrolls only as far as needed. */
function showRow(box: HTMLElement, row: number): void {
  const y = yOf(row);
  const top = box.scrollTop + HEAD_HEIGHT;
  const bottom = box.scrollTop + box.clientHeight - 30;
  if (y < top + 20) box.scrollTop = wholeRows(Math.max(0, y - box.clientHeight / 2));
  else if (y > bottom) box.scrollTop = wholeRows(y - box.clientHeight + 60);
}

/** A height of whole rows, so that the names of the nodes cover no part of a row. */
function wholeRows(height: number): number {
  return Math.ceil(height / ROW_HEIGHT) * ROW_HEIGHT;
}
