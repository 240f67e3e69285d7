/**
 * @module
 * The world at an address of a check, for people and programs: its nodes, its messages, its properties, and what may
 * happen next.
 */

import type { CheckResult } from '../../checking/check.ts';
import type { TracedAction } from '../../checking/traces/trace.ts';
import type { Offer, Walk } from '../../checking/traces/walk.ts';
import type { Happening } from '../../simulation/engine/trace.ts';
import { REPETITION } from '../../simulation/report/space-time/layout.ts';
import { describeEvent } from '../../simulation/trace/describe.ts';
import type { TraceEvent } from '../../simulation/trace/events.ts';
import { TraceReader, traceEvents } from '../../simulation/trace/events.ts';
import { recordsOf } from './counterexample.ts';

const NETWORK = 'network';

/** One action in words. */
export interface ActionLine {
  /** From 1. */
  readonly number: number;
  readonly actor: string;
  readonly text: string;
}

/** Each action in words. `store` is the rank of the store. */
export function actionLines(actions: readonly TracedAction[], store: number | null): ActionLine[] {
  return Array.from(traceEvents(recordsOf(actions)), (event) => lineOf(event, store));
}

function lineOf(event: TraceEvent<Happening>, store: number | null): ActionLine {
  const { node, record } = event;
  const actor = node === null ? NETWORK : node === store ? 'store' : `node ${node}`;
  return { number: record.seq + 1, actor, text: describeEvent(event, store) };
}

/** One line for each action: its number, the node, what happened, and what the node did. */
export function traceLinesOf(
  actions: readonly TracedAction[],
  store: number | null,
  { cycleFrom, rises }: Pick<Extract<CheckResult, { type: 'violated' }>, 'cycleFrom' | 'rises'>,
): string[] {
  const higher = rises.map(({ counter, by }) => `, each time with ${counter} higher by ${by}`);
  return actionLines(actions, store).flatMap(({ number, actor, text }) => {
    const line = `${String(number).padStart(4)}  ${actor.padEnd(8)}${text}`;
    return number - 1 === cycleFrom ? [`${REPETITION}${higher.join('')}:`, line] : [line];
  });
}

/** What the last step of a walk did; null in the first world. */
export function lastStepText(walk: Walk): string | null {
  const lines = actionLines(walk.actions, walk.store);
  const last = lines.slice(lines.length - walk.lastActions);
  return last.length === 0 ? null : last.map(sentenceOf).join('; ');
}

/** An action as one sentence. What happens to messages and links has no actor. */
export function sentenceOf({ actor, text }: ActionLine): string {
  return actor === NETWORK ? text : `${actor} ${text}`;
}

/** The present world of a walk as JSON data. */
export function walkedWorld(walk: Walk): WalkedWorld {
  const parts = worldParts(walk);
  for (;;) {
    const { done, value } = parts.next();
    if (done === true) return value;
  }
}

/** The same in parts between which other work can be done: one for each possible action. */
export function* worldParts(walk: Walk) {
  const { world } = walk;
  const actions: { readonly index: number; readonly isFault: boolean; readonly text: string }[] =
    [];
  const before = new TraceReader();
  for (const record of recordsOf(walk.actions)) before.read(record);
  for (const offer of walk.offers()) {
    const text = offerText(walk, offer, new TraceReader(before));
    actions.push({ index: actions.length, isFault: offer.isFault, text });
    yield;
  }
  return {
    address: walk.address,
    isAtRest: walk.isAtRest,
    nodes: world.nodes.map(({ up, leader, state, persisted, timers }, index) => ({
      rank: index + 1,
      up,
      isPaused: world.paused.includes(index + 1),
      leader,
      timers: timers.map(({ timer }) => timer),
      state,
      persisted,
    })),
    partition: walk.partition?.sides ?? null,
    isOneWay: walk.partition?.isOneWay === true,
    inFlight: world.inFlight.map(({ from, to, message }) => ({ from, to, message })),
    properties: walk.judge().map(({ property, holds, breach }) => ({
      name: property.name,
      kind: property.kind,
      description: property.description,
      holds,
      breach,
    })),
    actions,
  };
}

export type WalkedWorld =
  ReturnType<typeof worldParts> extends Generator<void, infer World> ? World : never;

/** What an action would do, in one line. `reader` has read what happened before. */
function offerText(walk: Walk, offer: Offer, reader: TraceReader): string {
  const lines = recordsOf(offer.actions).map((record) => lineOf(reader.read(record), walk.store));
  return lines.map(sentenceOf).join('; ');
}
