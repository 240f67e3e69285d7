/**
 * @module
 * Carries out the effects of one step in the draft of a world, and keeps a record of each.
 */

import type { Effects, Message } from '../machine.ts';
import { fromRank, toRank } from './cast.ts';
import { copyJson } from './copy-json.ts';
import type { EffectRecord } from './effect-record.ts';
import type { Draft, Flight, WorldNode } from './world-state.ts';
import { assertChoice, assertRecipient, assertStore } from './world-state.ts';

/** A node that the draft owns. */
export type NodeDraft = { -readonly [Key in keyof WorldNode]: WorldNode[Key] };

/** The collector of one step of `node`. `store` is the rank of the store that it can call. */
export function createCollector(
  draft: Draft,
  node: NodeDraft,
  log: {
    readonly protocol: string | undefined;
    readonly from: number;
    readonly store: number | null;
    readonly effects: EffectRecord[];
  },
): Effects<Message> {
  const { protocol = 'without a name', from, store, effects } = log;
  const without = (timer: string) => node.timers.filter((pending) => pending.timer !== timer);
  return {
    send(to, message) {
      const recipient = assertRecipient(to, draft, { protocol, from, message });
      const id = launch(draft, { from, to: recipient, message });
      effects.push({ type: 'send', id, to, message });
    },
    setTimer(timer, ticks, periodic) {
      node.timers = [...without(timer), { timer, ticks, periodic }];
      effects.push({ type: 'set-timer', timer, ticks, periodic });
    },
    cancelTimer(timer) {
      node.timers = without(timer);
      effects.push({ type: 'cancel-timer', timer });
    },
    persist(fields) {
      // The persisted copy must not change with the state.
      node.persisted = copyJson(fields);
      effects.push({ type: 'persist', fields: node.persisted });
    },
    elect(leader, epoch) {
      node.leader = fromRank(leader);
      effects.push({ type: 'elect', leader, epoch });
    },
    stepDown() {
      node.leader = null;
      effects.push({ type: 'step-down' });
    },
    accuse: (evidence) => effects.push({ type: 'accuse', evidence }),
    respond: (value) => effects.push({ type: 'respond', value }),
    choose(below) {
      draft.choices.push({ node: from, below: assertChoice(below) });
      effects.push({ type: 'choose', below });
    },
    call(operation) {
      const to = assertStore(store);
      const id = launch(draft, { from, to, message: operation });
      effects.push({ type: 'call', id, to: toRank(to), operation });
    },
  };
}

/** Sends a message. Returns its id. */
function launch(draft: Draft, flight: Omit<Flight, 'id'>): number {
  const id = draft.sent;
  const { type } = flight.message;
  draft.sent += 1;
  // A message from outside may be of any type, such as the name of a member of every object.
  const before = Object.hasOwn(draft.sentByType, type) ? draft.sentByType[type] : undefined;
  draft.sentByType = { ...draft.sentByType, [type]: (before ?? 0) + 1 };
  draft.inFlight.push({ id, ...flight });
  return id;
}
