/**
 * @module
 * This folder executes elections over virtual time. This file has the hot path: it moves messages and timers
 * and steps machines, and does not contain scripts, detectors and verdicts. Its semantics are those of
 * election/world.ts, with which tests compare it. Within a tick the order is: messages of the paused inbox,
 * deliveries in the order of sending, timers in the order of setting (the driver may turn these around). A paused node shares the branch of a node
 * that is down. The engine is the collector of effects and reuses the delivery event: a machine must keep neither.
 */

import type { Effects, Event, Json, Message, Rank } from '../../election/machine.ts';
import type { Observations } from '../../election/properties.ts';
import { createObservations, noteEpoch, noteLeads, noteYields } from '../../election/properties.ts';
import type { Cast } from '../../election/world/cast.ts';
import { fromRank, toRank } from '../../election/world/cast.ts';
import type { OutsideEffect } from '../../election/world/outside.ts';
import { carryOutOutside } from '../../election/world/outside.ts';
import { copyJson } from '../../election/world/plain-json.ts';
import type { Action } from '../../election/world/world.ts';
import { assertChoice, assertStore } from '../../election/world/world-state.ts';
import type { Choices, EngineOptions, ReportType } from './engine-options.ts';
import type { FifoLinks, Network } from './network.ts';
import { assertRoomForCopy, createFifoLinks } from './network.ts';
import type { Arrival, PausedInbox, SimulatedNode } from './simulated-node.ts';
import {
  createNodes,
  createPausedInbox,
  indexByRank,
  recipientOf,
  refreshNodes,
} from './simulated-node.ts';
import type { Timers } from './timers.ts';
import { createTimers } from './timers.ts';
import type { Recorder } from './trace.ts';
import { createRecorder } from './trace.ts';
import type { Slot, Wheel } from './wheel.ts';
import {
  createWheel,
  earliestArrival,
  pushFlight,
  readAhead,
  releaseTaken,
  slotAt,
} from './wheel.ts';

/** One election in progress. A class, since it is the collector of every step. */
export class Engine implements Effects<Message> {
  delivered = 0;
  /** Messages that were lost in the network or at a node that was down. */
  dropped = 0;
  /** Copies that the network made. */
  duplicated = 0;
  sent = 0;
  /** Virtual time in ticks, which the driver advances. */
  now = 0;
  /** Tick of the last delivery, timer or change of a node. */
  lastEventAt = 0;
  readonly wheel: Wheel;
  /** Null if every message arrives. May be replaced between two steps. */
  network: Network | null;
  readonly timers: Timers;
  readonly leaders: LeaderTracker;
  /** Starts, timers, answered choices, and what came from outside or from a detector. */
  #others = 0;
  readonly #nodes: readonly SimulatedNode[];
  readonly #delay: () => number;
  readonly #links: FifoLinks | null;
  /** Null if each pair of nodes has a link. */
  readonly #hasLink: NonNullable<Cast['hasLink']> | null;
  readonly #tally: Tally;
  readonly #meter: ((message: Message) => void) | null;
  readonly #recorder: Recorder | null;
  readonly #choices: Choices;
  /** The rank under which the store sends; null without a store. */
  readonly #store: Rank | null;
  /** Null until a node pauses. */
  #pausedInbox: PausedInbox | null = null;
  /** The node whose step is being executed. */
  #actor: SimulatedNode;
  /** Unanswered choices of the step. */
  readonly #openChoices: number[] = [];
  readonly #delivery: { type: 'deliver'; from: Rank; message: Message };

  constructor(options: EngineOptions) {
    const nodes = createNodes(options.cast, options.nodeOrder);
    const [first] = nodes;
    if (first === undefined) throw new RangeError('"nodeOrder" expected at least one rank');
    this.#nodes = indexByRank(nodes);
    this.#actor = first;
    this.#delivery = { type: 'deliver', from: first.brandedRank, message: { type: '' } };
    this.wheel = createWheel(options.latencyTicksMax);
    this.#delay = options.delay;
    this.#links = options.orderLinks ? createFifoLinks(nodes.length) : null;
    this.#hasLink = options.cast.hasLink ?? null;
    this.#tally = createTally(options.messageTypes);
    this.#meter = options.meter ?? null;
    this.#choices = options.choices ?? (() => 0);
    this.network = options.network ?? null;
    this.timers = createTimers(options.clock);
    this.leaders = createLeaderTracker(options.observer);
    this.#store = options.cast.store === null ? null : toRank(options.cast.store);
    this.#recorder = options.records && createRecorder(options.records, this.#store);
    const missing = [...options.crashedBefore, ...(options.absent ?? [])];
    for (const rank of missing) this.#takeDown(this.#nodeOf(rank));
  }

  /** Number of records that a trace of the run so far has, also without a trace. */
  get events(): number {
    return this.delivered + this.dropped + this.duplicated + this.#others;
  }

  get inFlight(): number {
    return this.wheel.inFlight + (this.#pausedInbox?.count ?? 0);
  }

  isUp(rank: number): boolean {
    return this.#nodeOf(rank).mode !== 'down';
  }

  isPaused(rank: number): boolean {
    return this.#nodeOf(rank).mode === 'paused';
  }

  /** The rank that a node follows, its own if it leads; null for none and for a node that is down. */
  leaderOf(rank: number): number | null {
    return this.#nodeOf(rank).leader || null;
  }

  /** The machine of a node and its state, for reading only. */
  nodeOf(rank: number): Pick<SimulatedNode, 'machine' | 'self' | 'state'> {
    return this.#nodeOf(rank);
  }

  /** Messages sent so far by type, those of the protocol first, and `total`. */
  messages(): Record<string, number> {
    return { ...tallied(this.#tally), total: this.sent };
  }

  /** The earliest tick from now on at which a message or a timer is due; Infinity for none. */
  earliest(): number {
    if (this.#pausedInbox?.isDue === true) return this.now;
    return Math.min(earliestArrival(this.wheel, this.now), this.timers.earliest());
  }

  start(rank: number): void {
    this.#others += 1;
    this.#recorder?.open(this.now, { type: 'start', node: rank });
    this.#step(this.#nodeOf(rank), { type: 'start' });
  }

  /** Reports a suspicion, its end, or a join to one live node, or to the store that its last write is lost. */
  report(type: ReportType, { to, about }: { readonly to: number; readonly about: number }): void {
    const node = this.#open({ type, node: to, about });
    this.#step(node, { type, node: toRank(about) });
  }

  /** A crashed node loses the messages of its paused inbox. */
  crash(rank: number): void {
    const node = this.#open({ type: 'crash', node: rank });
    this.#takeDown(node);
    this.timers.cancelAll(rank);
    for (const { id } of this.#pausedInbox?.discard(node) ?? []) this.drop(id);
  }

  pause(rank: number): void {
    const node = this.#open({ type: 'pause', node: rank });
    node.mode = 'paused';
    this.#pausedInbox ??= createPausedInbox();
    this.#pausedInbox.open(node);
    this.timers.pause(rank);
  }

  resume(rank: number): void {
    const node = this.#open({ type: 'resume', node: rank });
    node.mode = 'awake';
    this.#pausedInbox?.release(node);
    this.timers.resume(rank);
  }

  /** The clock of a node jumps, which no node notices: only its timers change. */
  jump(rank: number, ticks: number): void {
    this.timers.jump(this.now, rank, ticks);
  }

  /** Makes an absent node a member. `cast` contains it. The caller reports the join and starts the node. */
  enter(rank: number, cast: Cast): void {
    const node = this.#open({ type: 'enter', node: rank });
    refreshNodes(cast, this.#nodes);
    this.#bringUp(node);
    const { incumbent } = node.self;
    this.leaders.follow(this.now, node, incumbent === null ? 0 : fromRank(incumbent), 0);
  }

  recover(rank: number, amnesia = false): void {
    const node = this.#open({ type: 'recover', node: rank, amnesia });
    this.#bringUp(node);
    if (amnesia) node.persisted = null;
    this.#step(node, { type: 'recover', persisted: node.persisted });
  }

  /** Performs effects in the name of a node, which come from outside. */
  inject(rank: number, effects: readonly OutsideEffect[]): void {
    this.#actor = this.#open({ type: 'inject', node: rank, effects });
    const store = this.#store === null ? null : fromRank(this.#store);
    for (const effect of effects) carryOutOutside(this, effect, store);
  }

  /** Delivers at most `eventsMax` messages that are due now. Returns their number. */
  deliverDue(eventsMax: number): number {
    const late = this.#pausedInbox?.deliver(eventsMax, (arrival) => this.arrive(arrival)) ?? 0;
    const slot = slotAt(this.wheel, this.now);
    if (slot === null) return late;
    const first = slot.next;
    while (slot.next < slot.count && slot.next - first < eventsMax - late) {
      readAhead(slot, first);
      slot.next += 1;
      this.#deliver(slot, slot.next - 1);
    }
    const events = slot.next - first;
    releaseTaken(this.wheel, this.now, events);
    if (events > 0) this.lastEventAt = this.now;
    return events + late;
  }

  /** Fires at most `eventsMax` timers that are due now. Returns their number. */
  fireDue(eventsMax: number): number {
    let events = 0;
    for (; events < eventsMax; events += 1) {
      const due = this.timers.take(this.now);
      if (due === null) break;
      this.#others += 1;
      const { node, timer } = due;
      this.#recorder?.open(this.now, { type: 'timeout', node, timer });
      this.#step(this.#nodeOf(node), { type: 'timeout', timer });
    }
    if (events > 0) this.lastEventAt = this.now;
    return events;
  }

  /** Delivers a message that has left the wheel. */
  arrive(arrival: Arrival): void {
    const { id, from, to, message } = arrival;
    this.lastEventAt = this.now;
    if (to.mode !== 'awake') {
      this.#refuse(arrival);
      return;
    }
    this.#recorder?.open(this.now, { type: 'deliver', message: id });
    this.#handOver(to, from, message);
  }

  /** Loses a message that has left the wheel, or that never entered it. */
  drop(id: number): void {
    this.dropped += 1;
    this.#recorder?.aside(this.now, { type: 'drop', message: id });
  }

  send(to: Rank, message: Message): void {
    const from = this.#actor;
    const target = recipientOf(this.#nodes, from, to, message);
    if (this.#hasLink?.(from.rank, target.rank) === false && to !== this.#store) {
      this.drop(this.#count(target, message));
      return;
    }
    if (this.network !== null) {
      this.#sendOver(this.network, target, message);
      return;
    }
    let at = this.now + this.#delay();
    if (this.#links !== null) {
      if (target === from.successor) {
        if (at < from.successorArrival) at = from.successorArrival;
        else from.successorArrival = at;
      } else {
        at = this.#links(from.rank, target.rank, at);
      }
    }
    const id = this.sent;
    this.sent = id + 1;
    countType(this.#tally, message.type);
    if (this.#meter !== null) this.#meter(message);
    pushFlight(this.wheel, at, id, from.brandedRank, target, message);
    if (this.#recorder !== null) this.#recorder.send(id, target.brandedRank, message);
  }

  /** A call is a message to the store. */
  call(operation: Message): void {
    this.send(assertStore(this.#store), operation);
  }

  setTimer(timer: string, ticks: number, periodic: boolean): void {
    this.timers.set(this.now, { node: this.#actor.rank, timer, ticks, periodic });
    this.#recorder?.effect({ type: 'set-timer', timer, ticks, periodic });
  }

  cancelTimer(timer: string): void {
    this.timers.cancel(this.#actor.rank, timer);
    this.#recorder?.effect({ type: 'cancel-timer', timer });
  }

  persist(fields: Json): void {
    this.#actor.persisted = copyJson(fields);
    this.#recorder?.effect({ type: 'persist', fields: this.#actor.persisted });
  }

  elect(leader: Rank, epoch: number): void {
    this.leaders.follow(this.now, this.#actor, fromRank(leader), epoch);
    this.#recorder?.effect({ type: 'elect', leader, epoch });
  }

  stepDown(): void {
    this.leaders.follow(this.now, this.#actor, 0, 0);
    this.#recorder?.effect({ type: 'step-down' });
  }

  accuse(evidence: Json): void {
    this.#recorder?.effect({ type: 'accuse', evidence });
  }

  respond(value: Json): void {
    this.#recorder?.effect({ type: 'respond', value });
  }

  choose(below: number): void {
    this.#openChoices.push(assertChoice(below));
    this.#recorder?.effect({ type: 'choose', below });
  }

  #deliver(slot: Slot, index: number): void {
    const to = slot.tos[index];
    const from = slot.froms[index];
    const message = slot.messages[index];
    if (to === undefined || from === undefined || message === undefined) {
      throw new RangeError(`"index" expected one of ${slot.count} messages, got ${index}`);
    }
    if (to.mode !== 'awake') {
      this.#refuse({ id: slot.ids[index] ?? 0, from, to, message });
      return;
    }
    if (this.#recorder !== null) {
      this.#recorder.open(this.now, { type: 'deliver', message: slot.ids[index] ?? 0 });
    }
    this.#handOver(to, from, message);
  }

  #handOver(to: SimulatedNode, from: Rank, message: Message): void {
    this.delivered += 1;
    if (from === this.#store) {
      this.#step(to, { type: 'reply', value: message });
      return;
    }
    this.#delivery.from = from;
    this.#delivery.message = message;
    this.#step(to, this.#delivery);
  }

  /** Keeps a message to a paused node, and loses a message to a node that is down. */
  #refuse(arrival: Arrival): void {
    if (this.#pausedInbox?.keep(arrival) === true) return;
    this.#recorder?.open(this.now, { type: 'deliver', message: arrival.id }, true);
    this.dropped += 1;
  }

  /** Sends over a network that may lose, copy and reorder messages. */
  #sendOver(network: Network, target: SimulatedNode, message: Message): void {
    const { rank, brandedRank } = this.#actor;
    const id = this.#count(target, message);
    const fate = network.route(this.now, rank, target.rank);
    if (fate.lost) this.drop(id);
    else pushFlight(this.wheel, fate.at, id, brandedRank, target, message);
    if (fate.lost || fate.copyAt === 0) return;
    assertRoomForCopy(this.inFlight, message);
    this.duplicated += 1;
    this.#recorder?.aside(this.now, { type: 'duplicate', message: id });
    pushFlight(this.wheel, fate.copyAt, -this.duplicated, brandedRank, target, message);
  }

  /** Counts and records a message that is sent. Returns its id. */
  #count(target: SimulatedNode, message: Message): number {
    const id = this.sent;
    this.sent = id + 1;
    countType(this.#tally, message.type);
    if (this.#meter !== null) this.#meter(message);
    if (this.#recorder !== null) this.#recorder.send(id, target.brandedRank, message);
    return id;
  }

  #step(node: SimulatedNode, event: Event<Message>): void {
    this.#actor = node;
    node.machine.step(node.self, node.state, event, this);
    if (this.#openChoices.length > 0) this.#answerChoices(node);
  }

  /** A choice takes no time: the node gets the answer before every other event. */
  #answerChoices(node: SimulatedNode): void {
    for (;;) {
      const below = this.#openChoices.shift();
      if (below === undefined) return;
      this.#others += 1;
      const value = this.#choices(node.rank, below);
      this.#recorder?.open(this.now, { type: 'choose', node: node.rank, value });
      node.machine.step(node.self, node.state, { type: 'chosen', value }, this);
    }
  }

  #takeDown(node: SimulatedNode): void {
    // The audit distinguishes a leader that crashes from one that steps down.
    node.mode = 'down';
    this.leaders.follow(this.now, node, 0, 0);
    node.state = null;
    this.leaders.observe(this.now, node);
  }

  #bringUp(node: SimulatedNode): void {
    node.mode = 'awake';
    node.state = node.machine.init(node.self);
    this.leaders.observe(this.now, node);
  }

  /** Records an action of a node. Returns the node. */
  #open(action: Action & { readonly node: number }): SimulatedNode {
    this.#others += 1;
    this.lastEventAt = this.now;
    this.#recorder?.open(this.now, action);
    return this.#nodeOf(action.node);
  }

  #nodeOf(rank: number): SimulatedNode {
    const node = this.#nodes[rank - 1];
    if (node === undefined) throw new RangeError(`"rank" expected a member, got ${rank}`);
    return node;
  }
}

/**
 * The number of messages sent of each type. A protocol has few types, so that a linear search is faster than a map.
 */
interface Tally {
  readonly names: string[];
  readonly counts: number[];
}

/** A tally in which these types come first, with 0 each. */
function createTally(types: readonly string[]): Tally {
  return { names: [...types], counts: types.map(() => 0) };
}

function countType({ names, counts }: Tally, type: string): void {
  let index = 0;
  while (index < names.length && names[index] !== type) index += 1;
  if (index === names.length) {
    names.push(type);
    counts.push(0);
  }
  counts[index] = (counts[index] ?? 0) + 1;
}

/** The counts by type. */
function tallied({ names, counts }: Tally): Record<string, number> {
  return Object.fromEntries(names.map((name, index) => [name, counts[index] ?? 0]));
}

/**
 * Records the leader of each node while a run goes on: for the properties that judge the run, and for an observer.
 */
interface LeaderTracker {
  readonly observations: Observations;
  /** Tick at which a node last changed its leader. */
  readonly changedAt: number;
  /** Number of changes, including nodes that went down or came up. */
  readonly changes: number;
  /** From `now` on a node follows `leader` (0 for none) in `epoch` (0 for none). */
  follow(now: number, node: SimulatedNode, leader: number, epoch: number): void;
  /** Notes that a node has gone down or come up. */
  observe(now: number, node: SimulatedNode): void;
}

function createLeaderTracker(observer: EngineOptions['observer']): LeaderTracker {
  const observations = createObservations();
  let changedAt = 0;
  let changes = 0;
  const observe = (now: number, { rank, mode, leader, epoch }: SimulatedNode) => {
    changes += 1;
    observer?.(now, { rank, up: mode !== 'down', leader: leader || null, epoch });
  };
  return {
    observations,
    get changedAt() {
      return changedAt;
    },
    get changes() {
      return changes;
    },
    follow(now, node, leader, epoch) {
      const { rank, leader: before } = node;
      if (before === leader && node.epoch === epoch) return;
      node.epoch = epoch;
      if (before !== leader) {
        node.leader = leader;
        changedAt = now;
        if (before === rank) noteYields(observations, rank);
        if (leader === rank) noteLeads(observations, { rank, moment: now });
      }
      if (leader === rank) noteEpoch(observations, { rank, epoch, moment: now });
      observe(now, node);
    },
    observe,
  };
}
