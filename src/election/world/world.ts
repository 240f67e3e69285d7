/**
 * @module
 * This folder contains what drivers of machines need: the reference semantics, casts and records of
 * effects.
 * The reference semantics of an election, without time: a world is plain JSON data, `enabled` lists
 * what may happen next, `apply` makes one thing happen and leaves the old world untouched. A run is a
 * cast and a list of actions; replay, fork and counterexample are the same fold. A node that is down
 * has lost its timers and its state but for what it persisted, and what reaches it is dropped. A node
 * that is paused has lost nothing: until it resumes, its timers and its messages wait. What a store
 * sends to a node is its reply.
 */

import type { Effects, Event, Message } from '../machine.ts';
import type { Cast } from './cast.ts';
import { fromRank, toRank } from './cast.ts';
import type { EffectRecord } from './effect-record.ts';
import { castWithout } from './membership.ts';
import type { OutsideEffect } from './outside.ts';
import { carryOutOutside } from './outside.ts';
import { copyJson } from './plain-json.ts';
import type { Draft, Flight, PendingChoice, World, WorldNode } from './world-state.ts';
import {
  assertAwake,
  assertChoice,
  assertListed,
  assertRecipient,
  assertStore,
  assertUnlisted,
  draftOf,
  isImmediate,
  nodeOf,
  takeFlight,
  without,
} from './world-state.ts';

export type Action =
  | { readonly type: 'start'; readonly node: number }
  | { readonly type: 'deliver'; readonly message: number }
  | { readonly type: 'drop' | 'duplicate'; readonly message: number }
  | { readonly type: 'timeout'; readonly node: number; readonly timer: string }
  /** The oldest choice that the node waits for falls on `value`. */
  | { readonly type: 'choose'; readonly node: number; readonly value: number }
  | { readonly type: 'crash' | 'pause' | 'resume'; readonly node: number }
  | { readonly type: 'recover'; readonly node: number; readonly amnesia: boolean }
  /** An absent node becomes a member and is up. Its start and the `join` of the others come next. */
  | { readonly type: 'enter'; readonly node: number }
  | {
      readonly type: 'suspect' | 'trust' | 'join' | 'leave';
      readonly node: number;
      readonly about: number;
    }
  /** An outsider acts for a node, or sends a message in its name, whatever machine the node runs. */
  | {
      readonly type: 'inject';
      readonly node: number;
      readonly effects: readonly OutsideEffect[];
    };

/**
 * What happens to the links. It changes no world: the driver loses the messages that are sent between the sides. A
 * store is on a side, too. One partition ends before the next begins.
 */
export type LinkEvent = ({ readonly type: 'partition' } & Separation) | { readonly type: 'heal' };

export type Separation = {
  /** Nodes that are on no side are reached by all, and a node that is on two sides by both. */
  readonly sides: readonly (readonly number[])[];
  /** Only what the first side sends to the second is lost. */
  readonly isOneWay?: true;
};

/** Why a message is lost when it is sent: a partition separates the nodes, or they have no link. */
export type Obstacle = 'partition' | 'no-link';

/**
 * Under synchronous timing a timer fires only when nothing is in flight, and one that has to wait only when no timer of
 * 0 ticks is set. Else timers fire at any moment.
 */
export type TimingModel = 'synchronous' | 'asynchronous';

/** The world before anything has happened; `crashedBefore` are down in it, `absent` not yet there. */
export function createWorld(
  cast: Cast,
  crashedBefore: readonly number[],
  absent: readonly number[] = [],
): World {
  const dead = new Set([...crashedBefore, ...absent]);
  const present = castWithout(cast, absent);
  const nodes = Array.from({ length: cast.store ?? cast.nodes }, (_, index) =>
    dead.has(index + 1) ? NOT_UP : freshNode(present, index + 1),
  );
  const counts = { sent: 0, duplicated: 0, delivered: 0, dropped: 0, sentByType: {} };
  return { nodes, inFlight: [], ...counts, paused: [], absent, choices: [] };
}

const NOT_UP: WorldNode = { up: false, state: null, timers: [], persisted: null, leader: null };

function freshNode(cast: Cast, rank: number): WorldNode {
  const self = cast.selfOf(rank);
  const leader = self.incumbent === null ? null : fromRank(self.incumbent);
  return { up: true, state: cast.machineOf(rank).init(self), timers: [], persisted: null, leader };
}

/**
 * What the protocol and its network may do next, deliveries in send order, then timers by rank and
 * setting order; nothing of a paused node. Starts, crashes, returns, pauses, losses, copies, joins
 * and reports of a detector are choices of the environment. `apply` accepts them, but they are not
 * listed. A choice takes no time: while one is open, its values are all that is listed.
 */
export function enabled(world: World, timing: TimingModel): Action[] {
  const { inFlight, nodes, paused } = world;
  const choice = world.choices.find(({ node }) => !paused.includes(node));
  if (choice !== undefined) return valuesOf(choice);
  const moving = paused.length === 0 ? inFlight : inFlight.filter(({ to }) => !paused.includes(to));
  const deliveries = moving.map(({ id }): Action => ({ type: 'deliver', message: id }));
  if (timing === 'synchronous' && deliveries.length > 0) return deliveries;
  const timers = nodes.flatMap((node, index) =>
    paused.includes(index + 1) ? [] : node.timers.map((each) => ({ ...each, node: index + 1 })),
  );
  const firstTimers = timing === 'synchronous' ? timers.filter(isImmediate) : [];
  const firing = firstTimers.length > 0 ? firstTimers : timers;
  const timeouts = firing.map(({ node, timer }): Action => ({ type: 'timeout', node, timer }));
  return [...deliveries, ...timeouts];
}

function valuesOf({ node, below }: PendingChoice): Action[] {
  return Array.from({ length: below }, (_, value): Action => ({ type: 'choose', node, value }));
}

/** The world after one action. Throws RangeError for an action that is impossible in this world. */
export function apply(cast: Cast, world: World, action: Action): World {
  return applyTraced(cast, world, action).world;
}

/** Like `apply`, with the effects of the action in order. */
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
    case 'duplicate':
      duplicate(draft, action.message);
      break;
    case 'timeout':
      expire(cast, draft, action, effects);
      break;
    case 'choose':
      choose(cast, draft, action, effects);
      break;
    case 'crash': {
      const { persisted } = nodeOf(draft, action.node, true);
      draft.nodes[action.node - 1] = { ...NOT_UP, persisted };
      draft.paused = without(draft.paused, action.node);
      draft.choices = draft.choices.filter(({ node }) => node !== action.node);
      break;
    }
    case 'pause':
      assertAwake(draft, action.node);
      draft.paused.push(action.node);
      break;
    case 'resume':
      assertListed(draft.paused, action.node);
      draft.paused = without(draft.paused, action.node);
      break;
    case 'recover':
      assertUnlisted(draft.absent, action.node);
      recover(cast, draft, action, effects);
      break;
    case 'enter':
      assertListed(draft.absent, action.node);
      draft.absent = without(draft.absent, action.node);
      draft.nodes[action.node - 1] = freshNode(castWithout(cast, draft.absent), action.node);
      break;
    case 'suspect':
    case 'trust':
    case 'join':
    case 'leave': {
      const event = { type: action.type, node: cast.selfOf(action.about).rank };
      stepNode(cast, draft, { node: action.node, event, effects });
      break;
    }
    case 'inject':
      inject(cast, draft, action, effects);
      break;
    default:
      action satisfies never;
  }
}

function deliver(cast: Cast, draft: Draft, id: number, effects: EffectRecord[]): void {
  const { from, to, message } = takeFlight(draft, id);
  assertUnlisted(draft.paused, to);
  if (draft.nodes[to - 1]?.up !== true) {
    draft.dropped += 1;
    return;
  }
  draft.delivered += 1;
  const event: Event<Message> =
    from === cast.store
      ? { type: 'reply', value: message }
      : { type: 'deliver', from: toRank(from), message };
  stepNode(cast, draft, { node: to, event, effects });
}

function duplicate(draft: Draft, id: number): void {
  const flight = draft.inFlight.find((each) => each.id === id);
  if (flight === undefined) throw new RangeError(`"message" expected one in flight, got ${id}`);
  draft.duplicated += 1;
  draft.inFlight.push({ ...flight, id: -draft.duplicated });
}

function expire(
  cast: Cast,
  draft: Draft,
  action: Action & { readonly type: 'timeout' },
  effects: EffectRecord[],
): void {
  const node = assertAwake(draft, action.node);
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

function choose(
  cast: Cast,
  draft: Draft,
  action: Action & { readonly type: 'choose' },
  effects: EffectRecord[],
): void {
  const { node, value } = action;
  const choice = draft.choices.find((pending) => pending.node === node);
  if (choice === undefined || !Number.isSafeInteger(value) || value < 0 || value >= choice.below) {
    const wanted = choice === undefined ? 'no choice' : `0..${choice.below - 1}`;
    throw new RangeError(`"value" expected ${wanted} at node ${node}, got ${value}`);
  }
  draft.choices = draft.choices.filter((pending) => pending !== choice);
  stepNode(cast, draft, { node, event: { type: 'chosen', value }, effects });
}

function recover(
  cast: Cast,
  draft: Draft,
  action: Action & { readonly type: 'recover' },
  effects: EffectRecord[],
): void {
  const node = nodeOf(draft, action.node, false);
  const persisted = action.amnesia ? null : node.persisted;
  const self = castWithout(cast, draft.absent).selfOf(action.node);
  const state = cast.machineOf(action.node).init(self);
  draft.nodes[action.node - 1] = { up: true, state, timers: [], persisted, leader: null };
  const event = { type: 'recover', persisted } as const;
  stepNode(cast, draft, { node: action.node, event, effects });
}

/** A message can be sent in any node's name. All other actions need a node that is up and not paused. */
function inject(
  cast: Cast,
  draft: Draft,
  action: Action & { readonly type: 'inject' },
  effects: EffectRecord[],
): void {
  const before = draft.nodes[action.node - 1];
  if (before === undefined) {
    throw new RangeError(`"node" expected 1..${draft.nodes.length}, got ${action.node}`);
  }
  if (action.effects.some(({ type }) => type !== 'send')) assertAwake(draft, action.node);
  const node = { ...before };
  const { protocol, store } = cast;
  const collector = createCollector(draft, node, { protocol, from: action.node, store, effects });
  for (const effect of action.effects) carryOutOutside(collector, effect, cast.store);
  draft.nodes[action.node - 1] = node;
}

/** One step of one machine, on a copy of its state, its effects carried out in the draft. */
function stepNode(
  cast: Cast,
  draft: Draft,
  task: { readonly node: number; readonly event: Event<Message>; readonly effects: EffectRecord[] },
): void {
  const before = assertAwake(draft, task.node);
  const self = castWithout(cast, draft.absent).selfOf(task.node);
  const node = { ...before, state: copyJson(before.state) };
  const { protocol, store } = cast;
  const log = { protocol, from: task.node, store, effects: task.effects };
  const collector = createCollector(draft, node, log);
  cast.machineOf(task.node).step(self, node.state, task.event, collector);
  draft.nodes[task.node - 1] = node;
}

/** A node that the draft owns. */
type NodeDraft = { -readonly [Key in keyof WorldNode]: WorldNode[Key] };

/** The collector of one step of `node`. `store` is the rank of the store that it can call. */
function createCollector(
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
