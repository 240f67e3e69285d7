/**
 * @module
 * The lines of a space-time diagram that run down with time: each node's own, cut where it crashes,
 * returns, pauses or begins to lead, and each timer's from its setting to its firing.
 */

import { fromRank } from '../../../election/world/cast.ts';

import type { Plan } from '../../plan/plan.ts';
import type { TraceEvent } from '../../trace/events.ts';
import type { Mark } from './places.ts';

/** How a run began: which nodes were down or not yet there. */
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

/** The timers that fired. */
export function waitsOf(marks: readonly Mark[]): Wait[] {
  const waits: Wait[] = [];
  const set = new Map<string, Mark>();
  for (const mark of marks) {
    const { rank, x, y } = mark;
    const { action, effects, t } = mark.event.record;
    if (action.type === 'timeout') {
      const { timer } = action;
      const from = set.get(`${rank} ${timer}`);
      const ticks = { setAt: from?.event.record.t ?? 0, firedAt: t };
      if (from !== undefined) waits.push({ x, from: from.y, to: y, timer, ...ticks });
      // A periodic timer is set again by its firing.
      set.set(`${rank} ${timer}`, mark);
    }
    for (const effect of effects) {
      if (effect.type === 'set-timer') set.set(`${rank} ${effect.timer}`, mark);
    }
  }
  return waits;
}

/** The state in which a node's line begins. */
export function firstState({ crashedBefore, absent = [] }: Beginning, rank: number): LifeState {
  if (absent.includes(rank)) return 'absent';
  return crashedBefore.includes(rank) ? 'down' : 'up';
}

/** One node's line, cut where its state changes. */
export function lifeOf(
  marks: readonly Mark[],
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
  for (const { rank, event, y } of marks) {
    if (rank !== node.rank || event.node === null) continue;
    leads = leadsAfter(leads, event);
    const next = stateAfter(state, event, leads);
    if (next === state) continue;
    if (y > from) segments.push({ x, from, to: y, state });
    from = y;
    state = next;
  }
  segments.push({ x, from, to: node.bottom, state });
  return segments;
}

/** Whether a node leads itself after an event of its own. */
export function leadsAfter(leads: boolean, { record, node }: TraceEvent): boolean {
  if (record.action.type === 'crash') return false;
  let leading = leads;
  for (const effect of record.effects) {
    if (effect.type === 'elect') leading = fromRank(effect.leader) === node;
    if (effect.type === 'step-down') leading = false;
  }
  return leading;
}

function stateAfter(state: LifeState, { record }: TraceEvent, leads: boolean): LifeState {
  const { type } = record.action;
  if (type === 'crash') return 'down';
  if (type === 'pause') return 'paused';
  const isAwake = !['paused', 'down', 'absent'].includes(state);
  if (!isAwake && !['resume', 'recover', 'enter'].includes(type)) return state;
  return leads ? 'leading' : 'up';
}
