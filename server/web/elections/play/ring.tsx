/**
 * @module
 * The nodes on a circle, as a ring or a clique, and the messages that travel between them.
 */

import type { Group, TypeMark } from '../layout/groups.ts';
import { CIRCLE_RADIUS, circleOf, nodeRadius, SIDE } from '../layout/groups.ts';
import type { Travelling } from '../layout/travel.ts';
import { TRAVELLING_MAX } from '../layout/travel.ts';
import type { ElectionNode } from '../session/watch.ts';
import type { NodeThen } from '../timeline/moment.ts';
import { Travel } from './travel.tsx';

/** A clique of more nodes would be a disc of lines. */
const CLIQUE_LINES_MAX = 12;

export function Ring(props: RingProps) {
  const { groups, isRing, travelling, marks } = props;
  const slots = circleOf(groups.length);
  const radius = nodeRadius(groups.length);
  return (
    <div class="ring">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be in a picture */}
      <svg viewBox={`0 0 ${SIDE} ${SIDE}`} class="ring-picture" role="group" aria-label="The nodes">
        {isRing || groups.length > CLIQUE_LINES_MAX ? (
          <circle class="link" cx={SIDE / 2} cy={SIDE / 2} r={CIRCLE_RADIUS} />
        ) : (
          <Links slots={slots} />
        )}
        <Travel {...{ travelling, marks, slots, radius, isRing }} />
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
function RingLegend({ groups, nodes, states, side, travelling }: RingProps) {
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
    [travelling.length === TRAVELLING_MAX, `the newest ${TRAVELLING_MAX} messages travel`],
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

/**
 * Who decides what a node does. The node of an adversary can follow its protocol. A node, or a group of nodes, on
 * the circle. State shows by colour and by shape: a leader is filled and has a star, a node that is down is crossed
 * out, a Byzantine node and that of an adversary are squares, a node that is played from outside is a diamond.
 */
export type Player = ElectionNode['player'] | 'adversary';

interface RingProps {
  readonly groups: readonly Group[];
  readonly nodes: ReadonlyMap<number, { readonly player: Player }>;
  /** The nodes at the moment that is shown, by rank. */
  readonly states: readonly NodeThen[];
  /** Whether neighbours are joined by lines, in place of all with all. */
  readonly isRing: boolean;
  readonly chosen: number | null;
  readonly side: readonly number[];
  /** Null if nodes cannot be chosen. */
  readonly onChoose: ((rank: number) => void) | null;
  readonly travelling: readonly Travelling[];
  readonly marks: readonly TypeMark[];
}

interface MarkProps extends RingProps {
  readonly group: Group;
  readonly slot: number;
  readonly x: number;
  readonly y: number;
  readonly radius: number;
}

interface GroupState {
  readonly down: number;
  readonly isPaused: boolean;
  readonly leads: boolean;
  readonly player: Player;
  readonly isApart: boolean;
}

/** What is most notable about the nodes of a group. */
function stateOf({ ranks }: Group, { nodes, states, side }: RingProps): GroupState {
  const players = ranks.map((rank) => nodes.get(rank)?.player ?? 'honest');
  const notable = players.find(isHostile);
  return {
    down: ranks.filter((rank) => states[rank]?.isUp === false).length,
    isPaused: ranks.some((rank) => states[rank]?.isPaused === true),
    leads: ranks.some((rank) => states[rank]?.isUp === true && states[rank].follows === rank),
    player: notable ?? players.find((player) => player === 'outside') ?? 'honest',
    isApart: ranks.some((rank) => side.includes(rank)),
  };
}

function isHostile(player: Player): boolean {
  return player === 'byzantine' || player === 'adversary';
}

function NodeMark(props: MarkProps) {
  const { group, slot, chosen, onChoose, x, y, radius } = props;
  const { ranks, label, first } = group;
  const state = stateOf(group, props);
  const isDown = state.down === ranks.length;
  const name = nameOf(group, state);
  const shortLabel = ranks.length === 1 ? label : String(first);
  const isNamed = radius >= CROWDED_PIXELS || slot % 2 === 0;
  const acting = onChoose === null ? SHOWN_ALONE : chosenBy(() => onChoose(first));
  const classes = [
    ...['node', state.player],
    ...(isHostile(state.player) ? ['hostile'] : []),
    ...(state.leads ? ['leads'] : []),
    ...(isDown ? ['down'] : []),
    ...(chosen !== null && ranks.includes(chosen) ? ['chosen'] : []),
    ...(state.isApart ? ['apart'] : []),
  ];
  return (
    <g class={classes.join(' ')} transform={`translate(${x} ${y})`} {...acting} aria-label={name}>
      <circle class="target" r={Math.max(13, radius)} />
      <Shape player={state.player} radius={radius} />
      {isDown ? <path class="cross" d={crossPath(0.9 * radius)} /> : null}
      {state.isPaused ? (
        <path class="pause" transform={`translate(${radius} ${radius})`} d={PAUSE} />
      ) : null}
      {state.leads ? (
        <path class="star" transform={`translate(${radius} ${-radius})`} d={STAR} />
      ) : null}
      <Label {...{ x, y, radius, label: isNamed ? shortLabel : '' }} />
    </g>
  );
}

const SHOWN_ALONE = { role: 'img' } as const;

/** A mark that is a button. */
function chosenBy(choose: () => void) {
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    choose();
  };
  return { role: 'button', tabindex: 0, onClick: choose, onKeyDown: press } as const;
}

function nameOf({ ranks, label }: Group, state: GroupState): string {
  const { down, isPaused, leads, player, isApart } = state;
  const [isOne, isDown] = [ranks.length === 1, down === ranks.length];
  return [
    `${isOne ? 'Node' : 'Nodes'} ${label}`,
    ...(leads ? ['leads'] : []),
    ...(isDown ? ['down'] : []),
    ...(isPaused ? ['paused'] : []),
    ...(!isDown && down > 0 ? [`${down} down`] : []),
    ...(player === 'honest' ? [] : [player]),
    ...(isApart ? ['to be separated'] : []),
  ].join(', ');
}

const STAR = 'M0 -10L2.4 -3.2L9.5 -3.1L3.8 1.2L5.9 8.1L0 4L-5.9 8.1L-3.8 1.2L-9.5 -3.1L-2.4 -3.2Z';

/** Two bars. */
const PAUSE = 'M-4 -5V5M4 -5V5';

function crossPath(size: number): string {
  return `M${-size} ${-size}L${size} ${size}M${size} ${-size}L${-size} ${size}`;
}

interface ShapeProps {
  readonly player: GroupState['player'];
  readonly radius: number;
}

function Shape({ player, radius }: ShapeProps) {
  const half = 0.95 * radius;
  if (isHostile(player)) {
    return <rect class="body" x={-half} y={-half} width={2 * half} height={2 * half} />;
  }
  if (player === 'outside') {
    const tip = 1.25 * radius;
    return <path class="body" d={`M0 ${-tip}L${tip} 0L0 ${tip}L${-tip} 0Z`} />;
  }
  return <circle class="body" r={radius} />;
}

interface LabelProps {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  readonly label: string;
}

/** Marks with more characters or smaller have their name outside of the circle. */
const INSIDE_PIXELS = 14;
/** If the marks are smaller, every other one has a name. */
const CROWDED_PIXELS = 11;

function Label({ x, y, radius, label }: LabelProps) {
  if (label === '') return null;
  if (radius >= INSIDE_PIXELS && label.length <= 3) return <text class="node-label">{label}</text>;
  // A word is below a large mark, where it does not leave the picture.
  const isBelow = radius >= INSIDE_PIXELS;
  const angle = isBelow ? Math.PI / 2 : Math.atan2(y - SIDE / 2, x - SIDE / 2);
  const distance = radius + 11;
  return (
    <text class="node-label outside" x={distance * Math.cos(angle)} y={distance * Math.sin(angle)}>
      {label}
    </text>
  );
}
