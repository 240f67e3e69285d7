/**
 * @module
 * The world at an address of a check, for people and programs: its nodes, its messages, its properties, and what may
 * happen next.
 */

import type { TracedAction } from '../../checking/traces/trace.ts';
import type { Offer, Walk } from '../../checking/traces/walk.ts';
import { describeEvent } from '../../simulation/trace/describe.ts';
import { traceEvents } from '../../simulation/trace/events.ts';
import { recordsOf } from './counterexample.ts';

/** One action in words. */
export interface ActionLine {
  /** From 1. */
  readonly number: number;
  readonly actor: string;
  readonly text: string;
}

/** Each action in words. `store` is the rank of the store. */
export function actionLines(actions: readonly TracedAction[], store: number | null): ActionLine[] {
  return [...traceEvents(recordsOf(actions))].map((event) => ({
    number: event.record.seq + 1,
    actor: event.node === null ? 'network' : event.node === store ? 'store' : `node ${event.node}`,
    text: describeEvent(event, store),
  }));
}

/** The present world of a walk as JSON data. */
export function walkedWorld(walk: Walk) {
  const { world } = walk;
  return {
    address: walk.address,
    isAtRest: walk.isAtRest,
    nodes: world.nodes.map(({ up, leader, state, persisted, timers }, index) => ({
      rank: index + 1,
      ...{ up, isPaused: world.paused.includes(index + 1), leader },
      timers: timers.map(({ timer }) => timer),
      ...{ state, persisted },
    })),
    inFlight: world.inFlight.map(({ from, to, message }) => ({ from, to, message })),
    properties: walk.judge().map(({ property: { name, kind }, holds, breach }) => ({
      ...{ name, kind, holds, breach },
    })),
    actions: walk.offers().map((offer, index) => ({
      index,
      isFault: offer.isFault,
      text: offerText(walk, offer),
    })),
  };
}

export type WalkedWorld = ReturnType<typeof walkedWorld>;

/** What an action would do, in one line. */
function offerText(walk: Walk, offer: Offer): string {
  const lines = actionLines([...walk.actions, ...offer.actions], walk.store);
  const added = lines.slice(walk.actions.length).map(({ actor, text }) => `${actor} ${text}`);
  if (added.length > 0) return added.join('; ');
  if (offer.cut === null) throw new RangeError('"offer" expected an action');
  return offer.cut.length === 0
    ? 'the partition ends'
    : cutText(offer.cut, walk.world.nodes.length);
}

function cutText(side: readonly number[], endpoints: number): string {
  const others = Array.from({ length: endpoints }, (_, index) => index + 1).filter(
    (rank) => !side.includes(rank),
  );
  return `a partition separates ${others.join(', ')} from ${side.join(', ')}`;
}
