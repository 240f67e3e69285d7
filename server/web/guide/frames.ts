/**
 * @module
 * The frames of a guide: which moments each of its sentences is shown with.
 */

import type { Scene } from '../race/scene.ts';
import type { Frame, Part } from './guide.ts';
import type { ElectionMoment } from './moments.ts';

/** A long wait of an election is shown in at most this many frames. */
const FRAMES_PER_STEP_MAX = 24;

/** The moments of a part, and at which of them a reader can continue. */
interface PartMoments {
  readonly moments: readonly (ElectionMoment | Scene)[];
  readonly isStop: (moment: number) => boolean;
}

/** The frames of a guide whose parts have these moments. Throws RangeError for a sentence that is never shown. */
export function framesOf(parts: readonly Part[], of: readonly PartMoments[]): readonly Frame[] {
  const frames: Frame[] = [];
  for (const [part, { steps }] of parts.entries()) {
    const before = (frames.at(-1)?.step ?? -1) + 1;
    const { moments, isStop } = of[part] ?? { moments: [], isStop: () => false };
    for (const [index, [first, last]] of spansOf(parts[part], moments).entries()) {
      const text = steps[index]?.text ?? '';
      const all = Array.from({ length: last - first + 1 }, (_, after) => first + after);
      const stops = all.filter(isStop);
      if (stops.length === 0) throw new RangeError(`"isStop" expected a moment for: ${text}`);
      for (const moment of sampled(stops))
        frames.push({ part, step: before + index, text, moment });
    }
  }
  return frames;
}

/** The first and the last moment of a sentence. */
type Span = readonly [number, number];

/**
 * The moments of each sentence: from the first at which it is true, not before the sentence that precedes it, up to
 * the moment before the next sentence.
 */
export function spansOf(
  part: Part | undefined,
  moments: readonly (ElectionMoment | Scene)[],
): readonly Span[] {
  if (part === undefined) return [];
  const starts: number[] = [];
  for (const { text, when } of part.steps) {
    const earliest = starts.at(-1) ?? part.from;
    // The moments of a part are those of its view.
    const holds = when as (moment: ElectionMoment | Scene) => boolean;
    const start = moments.findIndex((moment, index) => index >= earliest && holds(moment));
    if (start < 0) throw new RangeError(`"text" expected a sentence that becomes true: ${text}`);
    starts.push(start);
  }
  return starts.map((start, index) => {
    const next = starts[index + 1] ?? (part.to ?? moments.length - 1) + 1;
    return [start, Math.max(start, next - 1)];
  });
}

/** Entries at regular distances, the first and the last included. */
function sampled(all: readonly number[]): readonly number[] {
  if (all.length <= FRAMES_PER_STEP_MAX) return all;
  const distance = (all.length - 1) / (FRAMES_PER_STEP_MAX - 1);
  return Array.from(
    { length: FRAMES_PER_STEP_MAX },
    (_, index) => all[Math.round(index * distance)] ?? 0,
  );
}
