/**
 * @module
 * The lines beside the columns of a space-time diagram: the life of each node, cut where its state changes, and the timers
 * from their setting to their firing. Events that are not shown change the state, too.
 */

import type { Happening } from '../../engine/trace.ts';
import type { Plan } from '../../plan/plan.ts';
import type { TraceEvent } from '../../trace/events.ts';
import { leadsAfter } from '../../trace/events.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** An event with its position; null if it is not shown. */
export interface PlacedEvent {
  readonly event: TraceEvent<Happening>;
  readonly spot: Point | null;
}

/** The nodes that were down or absent at the start. */
export type Beginning = Pick<Plan, 'crashedBefore'> & Partial<Pick<Plan, 'absent'>>;

/** A timer that fired, from its setting on. */
export interface Wait {
  readonly x: number;
  readonly from: number;
  readonly to: number;
  readonly timer: string;
  readonly setAt: number;
  readonly firedAt: number;
}

export type LifeState = 'up' | 'leading' | 'paused' | 'down' | 'absent';

export interface LifeSegment {
  readonly x: number;
  readonly from: number;
  readonly to: number;
  readonly state: LifeState;
}

/** The timers that fired. One that was set by a step that is not shown has no line. */
export function waitsOf(placed: readonly PlacedEvent[]): Wait[] {
  const waits: Wait[] = [];
  const set = new Map<string, { readonly y: number | undefined; readonly t: number }>();
  for (const { event, spot } of placed) {
    const { node, record } = event;
    const { action, effects, t } = record;
    const setting = { y: spot?.y, t };
    if (action.type === 'timeout') {
      const { timer } = action;
      const from = set.get(`${node} ${timer}`);
      if (from?.y !== undefined && spot !== null) {
        const { x, y: to } = spot;
        waits.push({ x, from: from.y, to, timer, setAt: from.t, firedAt: t });
      }
      // A periodic timer is set again by its firing.
      set.set(`${node} ${timer}`, setting);
    }
    for (const effect of effects) {
      if (effect.type === 'set-timer') set.set(`${node} ${effect.timer}`, setting);
    }
  }
  return waits;
}

/** The state in which a node's line begins. */
export function firstState({ crashedBefore, absent = [] }: Beginning, rank: number): LifeState {
  if (absent.includes(rank)) return 'absent';
  return crashedBefore.includes(rank) ? 'down' : 'up';
}

/** The lifeline of one node. */
export function lifeOf(
  placed: readonly PlacedEvent[],
  node: {
    readonly rank: number;
    readonly x: number;
    readonly top: number;
    readonly bottom: number;
    readonly first: LifeState;
  },
): LifeSegment[] {
  const { x } = node;
  const segments: LifeSegment[] = [];
  let state = node.first;
  let leads = false;
  let from = node.top;
  for (const { event, spot } of placed) {
    if (event.node !== node.rank) continue;
    leads = leadsAfter(event.wasLeading, event.record, node.rank);
    const next = stateAfter(state, event, leads);
    if (next === state) continue;
    const y = spot?.y ?? from;
    if (y > from) segments.push({ x, from, to: y, state });
    from = y;
    state = next;
  }
  segments.push({ x, from, to: node.bottom, state });
  return segments;
}

function stateAfter(
  state: LifeState,
  { record }: TraceEvent<Happening>,
  leads: boolean,
): LifeState {
  const { type } = record.action;
  if (type === 'crash') return 'down';
  if (type === 'pause') return 'paused';
  const isAwake = !['paused', 'down', 'absent'].includes(state);
  if (!isAwake && !['resume', 'recover', 'enter'].includes(type)) return state;
  return leads ? 'leading' : 'up';
}
