/**
 * @module
 * The fast path of virtual time: it moves messages and timers and steps machines in place, and knows
 * nothing of scripts, detectors or verdicts. Its meaning is that of election/world.ts, against which
 * it is tested; its order within a tick is what waited for a paused node, deliveries in send order,
 * then timers in setting order. A network that loses and copies is one branch a message, and a paused
 * node shares the branch of one that is down, so that runs without them pay nothing for them. The
 * collector of effects is the engine itself and its delivery event is used again, so a machine must
 * keep neither.
 */

import type { Cast } from '../../election/cast.ts';
import { fromRank, toRank } from '../../election/cast.ts';
import { copyJson } from '../../election/copy-json.ts';
import type { Effects, Event, Json, Message, Rank } from '../../election/machine.ts';
import type { OutsideEffect } from '../../election/outside.ts';
import { carryOutOutside } from '../../election/outside.ts';
import type { Action } from '../../election/world.ts';
import { assertChoice, assertStore } from '../../election/world-state.ts';
import type { Choices } from './choices.ts';
import { firstChoice } from './choices.ts';
import type { EngineOptions, ReportType } from './engine-options.ts';
import type { LeaderTracker } from './following.ts';
import { createLeaderTracker } from './following.ts';
import type { FifoLinks } from './links.ts';
import { createFifoLinks } from './links.ts';
import type { Network } from './network.ts';
import { assertRoomForCopy } from './network.ts';
import type { Arrival, PausedInbox } from './paused-inbox.ts';
import { createPausedInbox } from './paused-inbox.ts';
import type { Recorder } from './recorder.ts';
import { createRecorder } from './recorder.ts';
import type { SimulatedNode } from './simulated-node.ts';
import { createNodes, indexByRank, refreshNodes } from './simulated-node.ts';
import type { Tally } from './tally.ts';
import { countType, createTally, tallied } from './tally.ts';
import type { Timers } from './timers.ts';
import { createTimers } from './timers.ts';
import type { Slot, Wheel } from './wheel.ts';
import { createWheel, earliestArrival, pushFlight, releaseTaken, slotAt } from './wheel.ts';

/** One running election. A class, since it is the collector of every step and lives as long. */
export class Engine implements Effects<Message> {
  /** Virtual time in ticks; the driver moves it. */
  now = 0;
  /** Time of the last delivery, timer or change of a node that was carried out. */
  lastEventAt = 0;
  delivered = 0;
  dropped = 0;
  /** Copies that the network made. */
  duplicated = 0;
  sent = 0;
  readonly wheel: Wheel;
  /** Null where every message arrives; may be laid anew between two steps. */
  network: Network | null;
  readonly timers: Timers;
  readonly leaders: LeaderTracker;
  readonly #nodes: readonly SimulatedNode[];
  readonly #delay: () => number;
  readonly #links: FifoLinks | null;
  readonly #tally: Tally;
  readonly #recorder: Recorder | null;
  readonly #choices: Choices;
  /** As whom the store sends; null without one. */
  readonly #store: Rank | null;
  /** Null until somebody pauses. */
  #pausedInbox: PausedInbox | null = null;
  /** Whose step it is. */
  #actor: SimulatedNode;
  /** Choices that the running step has asked for. */
  readonly #openChoices: number[] = [];
  readonly #delivery: { type: 'deliver'; from: Rank; message: Message };

  constructor(options: EngineOptions) {
    const seats = createNodes(options.cast, options.nodeOrder);
    const [first] = seats;
    if (first === undefined)
      throw new RangeError('"nodeOrder" expected at least one rank, got none');
    this.#nodes = indexByRank(seats);
    this.#actor = first;
    this.#delivery = { type: 'deliver', from: first.brandedRank, message: { type: '' } };
    this.wheel = createWheel(options.latencyTicksMax);
    this.#delay = options.delay;
    this.#links = options.orderLinks ? createFifoLinks(seats.length) : null;
    this.#tally = createTally(options.messageTypes);
    this.#choices = options.choices ?? firstChoice;
    this.network = options.network ?? null;
    this.timers = createTimers(options.clock);
    this.leaders = createLeaderTracker(options.observer);
    const { store } = options.cast;
    this.#store = store === null ? null : toRank(store);
    this.#recorder = options.records && createRecorder(options.records, this.#store);
    const missing = [...options.crashedBefore, ...(options.absent ?? [])];
    for (const rank of missing) this.#takeDown(this.#nodeOf(rank));
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

  /** Whom a node follows, itself when it leads; null for nobody and for a node that is down. */
  leaderOf(rank: number): number | null {
    return this.#nodeOf(rank).leader || null;
  }

  /** A copy of a node's state; null while it is down. */
  stateOf(rank: number): Json {
    return copyJson(this.#nodeOf(rank).state);
  }

  /** Sends so far by message type, those of the protocol first, and `total`. */
  messages(): Record<string, number> {
    return { ...tallied(this.#tally), total: this.sent };
  }

  /** The earliest tick, now or later, at which a message or a timer is due; Infinity for none. */
  earliest(): number {
    if (this.#pausedInbox?.isDue === true) return this.now;
    return Math.min(earliestArrival(this.wheel, this.now), this.timers.earliest());
  }

  start(rank: number): void {
    this.#recorder?.open(this.now, { type: 'start', node: rank });
    this.#step(this.#nodeOf(rank), { type: 'start' });
  }

  /** A detector's word to one live node about another. */
  report(type: ReportType, words: { readonly to: number; readonly about: number }): void {
    const seat = this.#open({ type, node: words.to, about: words.about });
    this.#step(seat, { type, node: toRank(words.about) });
  }

  /** What waited for a paused node is lost with it. */
  crash(rank: number): void {
    const seat = this.#open({ type: 'crash', node: rank });
    this.#takeDown(seat);
    this.timers.cancelAll(rank);
    for (const { id } of this.#pausedInbox?.discard(seat) ?? []) this.drop(id);
  }

  pause(rank: number): void {
    const seat = this.#open({ type: 'pause', node: rank });
    seat.mode = 'paused';
    this.#pausedInbox ??= createPausedInbox();
    this.#pausedInbox.open(seat);
    this.timers.pause(rank);
  }

  resume(rank: number): void {
    const seat = this.#open({ type: 'resume', node: rank });
    seat.mode = 'awake';
    this.#pausedInbox?.release(seat);
    this.timers.resume(rank);
  }

  /** An absent node becomes a member; `cast` is the one with it. Telling and starting come next. */
  enter(rank: number, cast: Cast): void {
    const seat = this.#open({ type: 'enter', node: rank });
    refreshNodes(cast, this.#nodes);
    this.#bringUp(seat);
    const { incumbent } = seat.self;
    this.leaders.follow(this.now, seat, incumbent === null ? 0 : fromRank(incumbent), 0);
  }

  recover(rank: number, amnesia = false): void {
    const seat = this.#open({ type: 'recover', node: rank, amnesia });
    this.#bringUp(seat);
    if (amnesia) seat.persisted = null;
    this.#step(seat, { type: 'recover', persisted: seat.persisted });
  }

  /** What somebody outside does as a node, or says in its name. */
  inject(node: number, effects: readonly OutsideEffect[]): void {
    this.#actor = this.#open({ type: 'inject', node, effects });
    const store = this.#store === null ? null : fromRank(this.#store);
    for (const effect of effects) carryOutOutside(this, effect, store);
  }

  /** Delivers what is due now, at most `eventsMax` messages; answers how many. */
  deliverDue(eventsMax: number): number {
    const late = this.#pausedInbox?.handOver(eventsMax, (arrival) => this.arrive(arrival)) ?? 0;
    const slot = slotAt(this.wheel, this.now);
    if (slot === null) return late;
    const first = slot.next;
    while (slot.next < slot.count && slot.next - first < eventsMax - late) {
      slot.next += 1;
      this.#deliver(slot, slot.next - 1);
    }
    const events = slot.next - first;
    releaseTaken(this.wheel, this.now, events);
    if (events > 0) this.lastEventAt = this.now;
    return events + late;
  }

  /** Fires the timers that are due now, at most `eventsMax`; answers how many. */
  fireDue(eventsMax: number): number {
    let events = 0;
    while (events < eventsMax) {
      const due = this.timers.take(this.now);
      if (due === null) break;
      this.#recorder?.open(this.now, { type: 'timeout', node: due.node, timer: due.timer });
      this.#step(this.#nodeOf(due.node), { type: 'timeout', timer: due.timer });
      events += 1;
    }
    if (events > 0) this.lastEventAt = this.now;
    return events;
  }

  /** Hands over a message that has left the wheel. */
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

  /** Loses a message that has left the wheel, or never came onto it. */
  drop(id: number): void {
    this.dropped += 1;
    this.#recorder?.aside(this.now, { type: 'drop', message: id });
  }

  send(to: Rank, message: Message): void {
    const from = this.#actor;
    const next = from.successor;
    const target = next !== null && from.successorRank === to ? next : this.#nodeOf(fromRank(to));
    if (this.network !== null) {
      this.#sendOver(this.network, target, message);
      return;
    }
    let at = this.now + this.#delay();
    if (this.#links !== null) {
      if (target === next) {
        if (at < from.successorArrival) at = from.successorArrival;
        else from.successorArrival = at;
      } else {
        at = this.#links(from.rank, target.rank, at);
      }
    }
    const id = this.sent;
    this.sent = id + 1;
    countType(this.#tally, message.type);
    pushFlight(this.wheel, at, id, from.brandedRank, target, message);
    if (this.#recorder !== null) this.#recorder.send(id, target.brandedRank, message);
  }

  /** What is sent to the store is a call. */
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

  /** A message has come to a node that is paused, for which it waits, or down, where it is lost. */
  #refuse(arrival: Arrival): void {
    if (this.#pausedInbox?.keep(arrival) === true) return;
    this.#recorder?.open(this.now, { type: 'deliver', message: arrival.id }, true);
    this.dropped += 1;
  }

  /** Sends over a network that may lose, copy and reorder. */
  #sendOver(network: Network, target: SimulatedNode, message: Message): void {
    const { rank, brandedRank } = this.#actor;
    const id = this.sent;
    this.sent = id + 1;
    countType(this.#tally, message.type);
    if (this.#recorder !== null) this.#recorder.send(id, target.brandedRank, message);
    const fate = network.route(this.now, rank, target.rank);
    if (fate.lost) this.drop(id);
    else pushFlight(this.wheel, fate.at, id, brandedRank, target, message);
    if (fate.lost || fate.copyAt === 0) return;
    assertRoomForCopy(this.inFlight, message);
    this.duplicated += 1;
    this.#recorder?.aside(this.now, { type: 'duplicate', message: id });
    pushFlight(this.wheel, fate.copyAt, -this.duplicated, brandedRank, target, message);
  }

  #step(seat: SimulatedNode, event: Event<Message>): void {
    this.#actor = seat;
    seat.machine.step(seat.self, seat.state, event, this);
    if (this.#openChoices.length > 0) this.#answerChoices(seat);
  }

  /** A choice takes no time: the node that asked is told before anything else happens. */
  #answerChoices(seat: SimulatedNode): void {
    for (
      let below = this.#openChoices.shift();
      below !== undefined;
      below = this.#openChoices.shift()
    ) {
      const value = this.#choices(seat.rank, below);
      this.#recorder?.open(this.now, { type: 'choose', node: seat.rank, value });
      seat.machine.step(seat.self, seat.state, { type: 'chosen', value }, this);
    }
  }

  #takeDown(seat: SimulatedNode): void {
    this.leaders.follow(this.now, seat, 0, 0);
    seat.mode = 'down';
    seat.state = null;
    this.leaders.observe(this.now, seat);
  }

  #bringUp(seat: SimulatedNode): void {
    seat.mode = 'awake';
    seat.state = seat.machine.init(seat.self);
    this.leaders.observe(this.now, seat);
  }

  /** Records what happens to a node; answers its seat. */
  #open(action: Action & { readonly node: number }): SimulatedNode {
    this.lastEventAt = this.now;
    this.#recorder?.open(this.now, action);
    return this.#nodeOf(action.node);
  }

  #nodeOf(rank: number): SimulatedNode {
    const seat = this.#nodes[rank - 1];
    if (seat === undefined) throw new RangeError(`"rank" expected a member, got ${rank}`);
    return seat;
  }
}
