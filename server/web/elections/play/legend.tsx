/**
 * @module
 * What the marks of the diagram mean: all that occur in it. Types of messages have letters, dashes and a colour.
 */

import { DOWN_DASHES, HOSTILE, PAUSED_DASHES } from '../diagram/draw.ts';
import { meaningsOf } from '../diagram/event-mark.ts';
import type { TypeMark } from '../layout/groups.ts';
import { DASHES } from '../layout/groups.ts';
import type { Timeline } from '../timeline/timeline.ts';

const LISTED_MAX = 16;

interface LegendProps {
  readonly marks: readonly TypeMark[];
  readonly timeline: Timeline;
  /** The hostile nodes, and what they are called. */
  readonly hostile: ReadonlySet<number>;
  readonly called: string;
}

export function Legend({ marks, timeline, hostile, called }: LegendProps) {
  return (
    <>
      <ul class="legend" aria-label="Types of messages">
        {marks.slice(0, LISTED_MAX).map(({ type, letters, series }) => (
          <li key={type}>
            <LineSample dashes={DASHES[series] ?? []} width={2} name={`series-${series}`} />
            <span class={`type-mark series-${series}`}>{letters}</span> {type}
          </li>
        ))}
        {marks.length > LISTED_MAX ? <li class="legend-note">and more</li> : null}
        <EndMarks fates={timeline.fates} />
      </ul>
      <ul class="legend legend-note" aria-label="Marks of the diagram">
        {meaningsOf(timeline.kinds).map(({ name, path, text }) => (
          <li key={name}>
            <svg
              viewBox="-11 -11 22 22"
              width="18"
              height="18"
              class={`mark-${name}`}
              aria-hidden="true"
            >
              <path d={path} />
            </svg>{' '}
            {text}
          </li>
        ))}
        <LifeMarks kinds={timeline.kinds} />
        {hostile.size === 0 ? null : (
          <li>
            <span class="hostile-mark">{HOSTILE}</span> {called}
          </li>
        )}
      </ul>
    </>
  );
}

/** The ends of arrows. */
function EndMarks({ fates }: Pick<Timeline, 'fates'>) {
  const isLost = fates.has('lost') || fates.has('recipient down');
  return (
    <>
      <li class="legend-note">▸ received</li>
      <li class="legend-note">○ in flight</li>
      {isLost ? <li class="legend-note">× lost</li> : null}
      {fates.has('refused') ? <li class="legend-note">×▹ refused</li> : null}
    </>
  );
}

/** The lines of nodes. */
function LifeMarks({ kinds }: Pick<Timeline, 'kinds'>) {
  return (
    <>
      <li>
        <LineSample dashes={[]} width={5} name="life-leads" /> leads
      </li>
      {kinds.has('node.paused') ? (
        <li>
          <LineSample dashes={PAUSED_DASHES} width={4} name="life" /> is paused
        </li>
      ) : null}
      {kinds.has('node.crashed') || kinds.has('node.joined') ? (
        <li>
          <LineSample dashes={DOWN_DASHES} width={2} name="life" /> is down
        </li>
      ) : null}
    </>
  );
}

interface LineSampleProps {
  readonly dashes: readonly number[];
  readonly width: number;
  readonly name: string;
}

function LineSample({ dashes, width, name }: LineSampleProps) {
  return (
    <svg width="34" height="10" aria-hidden="true" class={name}>
      <line x1="0" y1="5" x2="34" y2="5" stroke-width={width} stroke-dasharray={dashes.join(' ')} />
    </svg>
  );
}
