/**
 * @module
 * The nodes on a circle, as a ring or a clique.
 */

import { circleOf, nodeRadius, SIDE } from '../layout/arrangement.ts';
import type { RingProps } from './node-mark.tsx';
import { NodeMark } from './node-mark.tsx';

/** A clique of more nodes would be a disc of lines. */
const CLIQUE_LINES_MAX = 12;

export function Ring(props: RingProps) {
  const { groups, isRing } = props;
  const slots = circleOf(groups.length);
  const radius = nodeRadius(groups.length);
  return (
    <div class="ring">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be in a picture */}
      <svg viewBox={`0 0 ${SIDE} ${SIDE}`} class="ring-picture" role="group" aria-label="The nodes">
        {isRing || groups.length > CLIQUE_LINES_MAX ? (
          <circle class="link" cx={SIDE / 2} cy={SIDE / 2} r={SIDE / 2 - 34} />
        ) : (
          <Links slots={slots} />
        )}
        {groups.map((group, index) => {
          const { x, y } = slots[index] ?? { x: 0, y: 0 };
          return <NodeMark key={group.label} {...{ ...props, group, slot: index, x, y, radius }} />;
        })}
      </svg>
      <RingLegend {...props} />
    </div>
  );
}

/** The marks of nodes that are in the picture. */
function RingLegend({ groups, nodes, states, side }: RingProps) {
  const ranks = groups.flatMap((group) => group.ranks);
  const has = (test: (rank: number) => boolean) => ranks.some(test);
  const isPlayed = (by: string) => has((rank) => nodes.get(rank)?.player === by);
  const entries: readonly (readonly [boolean, string])[] = [
    [has((rank) => states[rank]?.isUp === true && states[rank].follows === rank), '★ leads'],
    [has((rank) => states[rank]?.isUp === false), '✕ down'],
    [has((rank) => states[rank]?.isPaused === true), '‖ paused'],
    [isPlayed('byzantine'), '□ Byzantine'],
    [isPlayed('adversary'), '□ of the adversary'],
    [isPlayed('outside'), '◇ played from outside'],
    [side.length > 0, '╌ to be separated'],
  ];
  const shown = entries.filter(([isShown]) => isShown);
  if (shown.length === 0) return null;
  return (
    <ul class="legend legend-note" aria-label="Marks of nodes">
      {shown.map(([, text]) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );
}

/** A line between any two groups. */
function Links({ slots }: { readonly slots: ReturnType<typeof circleOf> }) {
  const pairs = slots.flatMap((one, index) =>
    slots.slice(index + 1).map((other) => ({ one, other })),
  );
  return (
    <>
      {pairs.map(({ one, other }) => (
        <line
          key={`${one.x},${one.y},${other.x},${other.y}`}
          class="link"
          {...{ x1: one.x, y1: one.y, x2: other.x, y2: other.y }}
        />
      ))}
    </>
  );
}
