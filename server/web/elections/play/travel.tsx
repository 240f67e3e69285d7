/**
 * @module
 * The messages that travel in the picture of the nodes: along the line between two nodes of a clique, and along the
 * circle between two neighbours of a ring.
 */

import { counted } from '../../parts/numbers.ts';
import type { TypeMark } from '../layout/groups.ts';
import { CIRCLE_RADIUS, SIDE } from '../layout/groups.ts';
import type { Travelling } from '../layout/travel.ts';

interface TravelProps {
  readonly travelling: readonly Travelling[];
  readonly marks: readonly TypeMark[];
  /** The centres of the nodes, and their radius. */
  readonly slots: readonly { readonly x: number; readonly y: number }[];
  readonly radius: number;
  readonly isRing: boolean;
}

const MARK_RADIUS = 9;

export function Travel({ travelling, marks, ...picture }: TravelProps) {
  if (travelling.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: a group in a picture is not interactive
    <g role="img" aria-label={`${counted(travelling.length, 'message')} on the way`}>
      {travelling.map((each) => {
        const { letters = '·', series = 0 } = marks[each.type] ?? {};
        const isEnded = each.fate !== 'in flight' && each.fate !== 'delivered';
        return (
          <g
            key={each.message}
            class={`message series-${series} ${isEnded ? 'refused' : ''}`}
            data-message={each.message}
            style={{ transform: transformOf(each, picture) }}
          >
            <circle r={MARK_RADIUS} />
            <text>{letters}</text>
            {isEnded ? <path class="cross" d="M-11 -11L11 11M11 -11L-11 11" /> : null}
          </g>
        );
      })}
    </g>
  );
}

type Picture = Pick<TravelProps, 'slots' | 'radius' | 'isRing'>;

/** Between the edges of both nodes. All transforms of a message have the same parts, so that they can be animated. */
function transformOf({ from, to, way }: Travelling, { slots, radius, isRing }: Picture): string {
  const [one, other] = [slots[from] ?? CENTRE, slots[to] ?? CENTRE];
  const turns = turnsBetween(from, to, slots.length);
  if (isRing && Math.abs(turns) === 1) {
    const step = 360 / slots.length;
    const margin = (radius + MARK_RADIUS) / CIRCLE_RADIUS / (Math.PI / 180);
    const angle = from * step + turns * (margin + way * (step - 2 * margin));
    const turn = `rotate(${round(angle)}deg)`;
    const back = `rotate(${round(-angle)}deg)`;
    return `translate(${SIDE / 2}px, ${SIDE / 2}px) ${turn} translate(0, ${-CIRCLE_RADIUS}px) ${back}`;
  }
  const distance = Math.hypot(other.x - one.x, other.y - one.y);
  const margin = Math.min(0.5, (radius + MARK_RADIUS) / distance);
  const part = margin + way * (1 - 2 * margin);
  const x = one.x + part * (other.x - one.x);
  const y = one.y + part * (other.y - one.y);
  return `translate(${round(x)}px, ${round(y)}px)`;
}

const CENTRE = { x: SIDE / 2, y: SIDE / 2 };

/** 1 if the second place follows the first clockwise, -1 if it precedes it, or else 0. */
function turnsBetween(from: number, to: number, count: number): number {
  if ((from + 1) % count === to) return 1;
  return (to + 1) % count === from ? -1 : 0;
}

function round(value: number): number {
  return Math.round(10 * value) / 10;
}
