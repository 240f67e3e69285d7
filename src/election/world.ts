/**
 * @module
 * The reference semantics of an election, without time: a world is plain JSON data, `enabled` lists
 * what may happen next, `apply` makes one thing happen and leaves the old world untouched. A run is a
 * cast and a list of actions; replay, fork and counterexample are the same fold. A node that is down
 * has lost its timers and its state but for what it persisted, and what reaches it is dropped.
 */

import type { Cast } from './cast.ts';
import { fromRank, toRank } from './cast.ts';
import type { EffectRecord } from './effect-record.ts';
import type { Effects, Event, Json, Message } from './machine.ts';

/** A message in flight. `id` is the number of sends before it in the whole election. */
export interface Flight {
  readonly id: number;
  readonly from: number;
  readonly to: number;
  readonly message: Message;
}

export interface PendingTimer {
  readonly timer: string;
  readonly ticks: number;
  readonly periodic: boolean;
}

export interface WorldNode {
  readonly up: boolean;
  /** Null while the node is down. */
  readonly state: Json;
  /** In the order they were set. */
  readonly timers: readonly PendingTimer[];
  readonly persisted: Json;
  /** Whom it follows; itself when it leads. */
  readonly leader: number | null;
}

export interface World {
  /** Index rank − 1. */
  readonly nodes: readonly WorldNode[];
  /** In the order they were sent. */
  readonly inFlight: readonly Flight[];
  readonly sent: number;
  readonly delivered: number;
  readonly dropped: number;
  /** Sends by message type. */
  readonly sentByType: Readonly<Record<string, number>>;
}

export type Action =
  | { readonly type: 'start'; readonly node: number }
  | { readonly type: 'deliver'; readonly message: number }
  | { readonly type: 'drop'; readonly message: number }
  | { readonly type: 'timeout'; readonly node: number; readonly timer: string }
  | { readonly type: 'crash'; readonly node: number }
  | { readonly type: 'recover'; readonly node: number; readonly amnesia: boolean }
  | { readonly type: 'suspect' | 'trust'; readonly node: number; readonly about: number };

/** Under synchronous timing a timer fires only when nothing is in flight, else at any moment. */
export type TimingModel = 'synchronous' | 'asynchronous';

/** The world before anything has happened; `crashedBefore` are down in it. */
export function createWorld(cast: Cast, crashedBefore: readonly number[]): World {
  const dead = new Set(crashedBefore);
  const nodes = Array.from({ length: cast.nodes }, (_, index): WorldNode => {
    const rank = index + 1;
    const self = cast.selfOf(rank);
    const up = !dead.has(rank);
    return {
      up,
      state: up ? cast.machineOf(rank).init(self) : null,
      timers: [],
      persisted: null,
      leader: up && self.incumbent !== null ? fromRank(self.incumbent) : null,
    };
  });
  return { nodes, inFlight: [], sent: 0, delivered: 0, dropped: 0, sentByType: {} };
}

/**
 * What the protocol and its network may do next, deliveries in send order, then timers by rank and
 * setting order. Starts, crashes, returns, losses and a detector's words are an environment's choice
 * and always possible where `apply` takes them; they are not listed.
 */
export function enabled(world: World, timing: TimingModel): Action[] {
  const deliveries = world.inFlight.map(({ id }): Action => ({ type: 'deliver', message: id }));
  if (timing === 'synchronous' && deliveries.length > 0) return deliveries;
  const timeouts = world.nodes.flatMap((node, index) =>
    node.timers.map(({ timer }): Action => ({ type: 'timeout', node: index + 1, timer })),
  );
  return [...deliveries, ...timeouts];
}

/** The world after one action. Throws RangeError for an action that is impossible in this world. */
export function apply(cast: Cast, world: World, action: Action): World {
  return applyTraced(cast, world, action).world;
}

/** As `apply`, and the effects that the action had, in order. */
export function applyTraced(
  cast: Cast,
  world: World,
  action: Action,
): { readonly world: World; readonly effects: readonly EffectRecord[] } {
  const next = draftOf(world);
  const effects: EffectRecord[] = [];
  change(cast, next, action, effects);
  return { world: next, effects };
}

/** A world of our own, one level of which may be written to; what it holds is replaced, not changed. */
type Draft = {
  -readonly [Key in keyof World]: World[Key] extends readonly (infer Item)[] ? Item[] : World[Key];
};

function draftOf(world: World): Draft {
  return { ...world, nodes: [...world.nodes], inFlight: [...world.inFlight] };
}

function change(cast: Cast, draft: Draft, action: Action, effects: EffectRecord[]): void {
  switch (action.type) {
    case 'start':
      stepNode(cast, draft, { node: action.node, event: { type: 'start' }, effects });
      break;
    case 'deliver':
      deliver(cast, draft, action.message, effects);
      break;
    case 'drop':
      takeFlight(draft, action.message);
      draft.dropped += 1;
      break;
    case 'timeout':
      expire(cast, draft, action, effects);
      break;
    case 'crash':
      draft.nodes[action.node - 1] = {
        ...nodeOf(draft, action.node, true),
        up: false,
        state: null,
        timers: [],
        leader: null,
      };
      break;
    case 'recover':
      recover(cast, draft, action, effects);
      break;
    case 'suspect':
    case 'trust': {
      const event = { type: action.type, node: cast.selfOf(action.about).rank };
      stepNode(cast, draft, { node: action.node, event, effects });
      break;
    }
    default:
      action satisfies never;
  }
}

function deliver(cast: Cast, draft: Draft, id: number, effects: EffectRecord[]): void {
  const { from, to, message } = takeFlight(draft, id);
  if (draft.nodes[to - 1]?.up !== true) {
    draft.dropped += 1;
    return;
  }
  draft.delivered += 1;
  const event = { type: 'deliver', from: toRank(from), message } as const;
  stepNode(cast, draft, { node: to, event, effects });
}

function expire(
  cast: Cast,
  draft: Draft,
  action: Action & { readonly type: 'timeout' },
  effects: EffectRecord[],
): void {
  const node = nodeOf(draft, action.node, true);
  const pending = node.timers.find(({ timer }) => timer === action.timer);
  if (pending === undefined) {
    throw new RangeError(`"timer" expected one that node ${action.node} set, got ${action.timer}`);
  }
  const others = node.timers.filter((timer) => timer !== pending);
  const timers = pending.periodic ? [...others, pending] : others;
  draft.nodes[action.node - 1] = { ...node, timers };
  const event = { type: 'timeout', timer: action.timer } as const;
  stepNode(cast, draft, { node: action.node, event, effects });
}

function recover(
  cast: Cast,
  draft: Draft,
  action: Action & { readonly type: 'recover' },
  effects: EffectRecord[],
): void {
  const node = nodeOf(draft, action.node, false);
  const persisted = action.amnesia ? null : node.persisted;
  const state = cast.machineOf(action.node).init(cast.selfOf(action.node));
  draft.nodes[action.node - 1] = { up: true, state, timers: [], persisted, leader: null };
  const event = { type: 'recover', persisted } as const;
  stepNode(cast, draft, { node: action.node, event, effects });
}

/** One step of one machine, on a copy of its state, its effects carried out in the draft. */
function stepNode(
  cast: Cast,
  draft: Draft,
  task: { readonly node: number; readonly event: Event<Message>; readonly effects: EffectRecord[] },
): void {
  const before = nodeOf(draft, task.node, true);
  const node = { ...before, state: copyJson(before.state) };
  const collector = createCollector(draft, node, { from: task.node, effects: task.effects });
  cast.machineOf(task.node).step(cast.selfOf(task.node), node.state, task.event, collector);
  draft.nodes[task.node - 1] = node;
}

type NodeDraft = { -readonly [Key in keyof WorldNode]: WorldNode[Key] };

function createCollector(
  draft: Draft,
  node: NodeDraft,
  log: { readonly from: number; readonly effects: EffectRecord[] },
): Effects<Message> {
  const { from, effects } = log;
  const without = (timer: string) => node.timers.filter((pending) => pending.timer !== timer);
  return {
    send(to, message) {
      const id = draft.sent;
      draft.sent += 1;
      const ofType = draft.sentByType[message.type] ?? 0;
      draft.sentByType = { ...draft.sentByType, [message.type]: ofType + 1 };
      draft.inFlight.push({ id, from, to: fromRank(to), message });
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
      // What is on disk does not change with the state it was taken from.
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
    choose: refuseEffect,
    call: refuseEffect,
  };
}

/** No protocol of this lab asks for these yet; carrying out half of an effect would hide it. */
function refuseEffect(): never {
  throw new TypeError('"effect" expected one that a world carries out, got choose or call');
}

function takeFlight(draft: Draft, id: number): Flight {
  const index = draft.inFlight.findIndex((flight) => flight.id === id);
  const flight = draft.inFlight[index];
  if (flight === undefined) throw new RangeError(`"message" expected one in flight, got ${id}`);
  draft.inFlight.splice(index, 1);
  return flight;
}

function nodeOf(world: World | Draft, rank: number, up: boolean): WorldNode {
  const node = world.nodes[rank - 1];
  if (node?.up === up) return node;
  throw new RangeError(`"node" expected one that is ${up ? 'up' : 'down'}, got ${rank}`);
}

/** A copy that shares nothing with `value`. */
export function copyJson(value: Json): Json {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(copyJson);
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, copyJson(entry)]));
}
