/**
 * @module
 * Texts of a space-time diagram: on the right of their marks, unless something crosses them there.
 */

import { describe, expect, it } from 'vitest';

import { PAIRS_MAX, textLocations } from '../../../src/simulation/report/space-time/label-spots.ts';
import type { Layout } from '../../../src/simulation/report/space-time/layout.ts';

type Stroke = Pick<Layout['arrows'][number], 'from' | 'to'>;

const FRAME = { left: 0, right: 400 };
const TEXT = { text: 'starts', x: 100, y: 50 };

/** Two columns at 100 and 300, with marks at `TEXT` and these arrows. */
function layoutOf(arrows: readonly Stroke[]): Layout {
  const columns = [100, 300].map((x, index) => ({ rank: index + 1, x }));
  const marks = [{ x: TEXT.x, y: TEXT.y }];
  // Only the members that placing reads.
  return { columns, marks, arrows } as unknown as Layout;
}

const stroke = (x1: number, y1: number, x2: number, y2: number): Stroke => ({
  from: { x: x1, y: y1 },
  to: { x: x2, y: y2 },
});

describe('the text beside a mark', () => {
  it('is on the right if nothing is there', () => {
    expect(textLocations([TEXT], layoutOf([]), FRAME)).toEqual([
      { x: 116, y: 54, anchor: 'start' },
    ]);
  });

  it('is on the left if an arrow crosses the right', () => {
    const [location] = textLocations([TEXT], layoutOf([stroke(100, 50, 300, 52)]), FRAME);

    expect(location).toEqual({ x: 84, y: 54, anchor: 'end' });
  });

  it('is a little higher if arrows leave on both sides', () => {
    const arrows = [stroke(100, 50, 300, 60), stroke(100, 50, 0, 60)];

    const [location] = textLocations([TEXT], layoutOf(arrows), FRAME);

    expect(location).toEqual({ x: 116, y: 45, anchor: 'start' });
  });

  it('stays on the right of an arrow that ends without a mark', () => {
    const arrows = [stroke(300, 50, 100, 50)];

    const [location] = textLocations([{ ...TEXT, isRight: true }], layoutOf(arrows), FRAME);

    expect(location).toMatchObject({ x: 116, anchor: 'start' });
    expect(location?.y).not.toBe(54);
  });

  it('never leaves the picture', () => {
    const near = { ...TEXT, x: 20 };

    const [location] = textLocations([near], layoutOf([stroke(20, 50, 300, 50)]), FRAME);

    expect(location?.anchor).toBe('start');
  });

  it('does not cover another text', () => {
    const locations = textLocations([TEXT, { ...TEXT, y: 55 }], layoutOf([]), FRAME);

    expect(new Set(locations.map(({ x, anchor }) => `${x} ${anchor}`)).size).toBe(2);
  });

  it('is on the right in a large diagram, which is not compared', () => {
    const arrow = stroke(100, 50, 300, 52);
    const arrows = Array.from({ length: PAIRS_MAX }, () => arrow);

    expect(textLocations([TEXT], layoutOf(arrows), FRAME)[0]?.anchor).toBe('start');
  });
});
