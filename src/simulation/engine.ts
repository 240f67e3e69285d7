/**
 * @module
 * The fast path of virtual time: it moves messages and timers and steps machines in place, and knows
 * nothing of scripts, detectors or verdicts. Its meaning is that of election/world.ts, against which
 * it is tested; its order within a tick is deliveries in send order, then timers in setting order.
 * The collector of effects is the engine itself and its delivery event is used again, so a machine
 * must keep neither.
 */

import type { Cast } from '../election/cast.ts';
import { fromRank, toRank } from '../election/cast.ts';
import type { EffectRecord } from '../election/effect-record.ts';
import type { Effects, Event, Json, Message, Rank } from '../election/machine.ts';
import { createObservations, noteLeads, noteYields } from '../election/properties.ts';
import type { Action } from '../election/world.ts';
import { copyJson } from '../election/world.ts';
import { LabError } from '../errors.ts';

import type { FifoLinks } from './links.ts';
import { createFifoLinks } from './links.ts';
import { TRACE_RECORDS_LIMIT } from './options.ts';
import type { Seat } from './seat.ts';
import { createSeats, indexSeats } from './seat.ts';
import type { Timers } from './timers.ts';
import { createTimers } from './timers.ts';
import type { TraceRecord } from './trace.ts';
import type { Slot, Wheel } from './wheel.ts';
import { createWheel, earliestArrival, pushFlight, releaseTaken, slotAt } from './wheel.ts';

export interface EngineOptions {
  readonly cast: Cast;
  /** Every rank once: in which order nodes lie in memory. */
  readonly seating: readonly number[];
  readonly crashedBefore: readonly number[];
  readonly latencyTicksMax: number;
  /** Draws one message's latency. */
  readonly delay: () => number;
  /** Whether links must be kept in order, which a constant latency does by itself. */
  readonly orderLinks: boolean;
  readonly messageTypes: readonly string[];
  /** Where to record every action, or null. */
  readonly records: TraceRecord[] | null;
}

/** One running election. A class, since it is the collector of every step and lives as long. */
export class Engine implements Effects<Message> {
  /** Virtual time in ticks; the driver moves it. */
  now = 0;
  /** Time of the last delivery, timer or change of a node that was carried out. */
  lastEventAt = 0;
  /** Time at which some node last changed whom it follows. */
  leaderChangedAt = 0;
  delivered = 0;
  dropped = 0;
  readonly observations = createObservations();
  readonly timers: Timers = createTimers();
  readonly #seats: readonly Seat[];
  readonly #wheel: Wheel;
  readonly #delay: () => number;
  readonly #links: FifoLinks | null;
  readonly #typeNames: string[];
  readonly #typeCounts: number[];
  readonly #records: TraceRecord[] | null;
  /** Whose step it is. */
  #actor: Seat;
  #sent = 0;
  #effects: EffectRecord[] | null = null;
  readonly #delivery: { type: 'deliver'; from: Rank; message: Message };

  constructor(options: EngineOptions) {
    const seats = createSeats(options.cast, options.seating);
    const [first] = seats;
    if (first === undefined) throw new RangeError('"seating" expected at least one rank, got none');
    this.#seats = indexSeats(seats);
    this.#actor = first;
    this.#delivery = { type: 'deliver', from: first.rank, message: { type: '' } };
    this.#wheel = createWheel(options.latencyTicksMax);
    this.#delay = options.delay;
    this.#links = options.orderLinks ? createFifoLinks(seats.length) : null;
    this.#typeNames = [...options.messageTypes];
    this.#typeCounts = this.#typeNames.map(() => 0);
    this.#records = options.records;
    for (const rank of options.crashedBefore) this.#takeDown(this.#seatOf(rank));
  }

  get inFlight(): number {
    return this.#wheel.inFlight;
  }

  isUp(rank: number): boolean {
    return this.#seatOf(rank).up;
  }

  /** Whom a node follows, itself when it leads; null for nobody and for a node that is down. */
  leaderOf(rank: number): number | null {
    return this.#seatOf(rank).leader || null;
  }

  /** A copy of a node's state; null while it is down. */
  stateOf(rank: number): Json {
    return copyJson(this.#seatOf(rank).state);
  }

  /** Sends so far by message type, those of the protocol first, and `total`. */
  messages(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const [index, name] of this.#typeNames.entries()) {
      counts[name] = this.#typeCounts[index] ?? 0;
    }
    counts.total = this.#sent;
    return counts;
  }

  /** The earliest tick, now or later, at which a message or a timer is due; Infinity for none. */
  earliest(): number {
    return Math.min(earliestArrival(this.#wheel, this.now), this.timers.earliest());
  }

  /** Every message sent was delivered, dropped or is in flight; anything else is a bug here. */
  assertConserved(): void {
    const accounted = this.delivered + this.dropped + this.inFlight;
    if (accounted === this.#sent) return;
    throw new RangeError(`"accounted" expected ${this.#sent} messages sent, got ${accounted}`);
  }

  start(rank: number): void {
    this.#record({ type: 'start', node: rank });
    this.#step(this.#seatOf(rank), { type: 'start' });
  }

  /** A detector's word to one live node about another. */
  report(type: 'suspect' | 'trust', words: { readonly to: number; readonly about: number }): void {
    this.lastEventAt = this.now;
    this.#record({ type, node: words.to, about: words.about });
    this.#step(this.#seatOf(words.to), { type, node: toRank(words.about) });
  }

  crash(rank: number): void {
    this.lastEventAt = this.now;
    this.#record({ type: 'crash', node: rank });
    this.#takeDown(this.#seatOf(rank));
    this.timers.cancelAll(rank);
  }

  recover(rank: number): void {
    const seat = this.#seatOf(rank);
    this.lastEventAt = this.now;
    this.#record({ type: 'recover', node: rank, amnesia: false });
    seat.up = true;
    seat.state = seat.machine.init(seat.self);
    this.#step(seat, { type: 'recover', persisted: seat.persisted });
  }

  /** Delivers what is due now, at most `eventsMax` messages; answers how many. */
  deliverDue(eventsMax: number): number {
    const slot = slotAt(this.#wheel, this.now);
    if (slot === null) return 0;
    const first = slot.next;
    while (slot.next < slot.count && slot.next - first < eventsMax) {
      slot.next += 1;
      this.#deliver(slot, slot.next - 1);
    }
    const events = slot.next - first;
    releaseTaken(this.#wheel, this.now, events);
    if (events > 0) this.lastEventAt = this.now;
    return events;
  }

  /** Fires the timers that are due now, at most `eventsMax`; answers how many. */
  fireDue(eventsMax: number): number {
    let events = 0;
    while (events < eventsMax) {
      const due = this.timers.take(this.now);
      if (due === null) break;
      this.#record({ type: 'timeout', node: due.node, timer: due.timer });
      this.#step(this.#seatOf(due.node), { type: 'timeout', timer: due.timer });
      events += 1;
    }
    if (events > 0) this.lastEventAt = this.now;
    return events;
  }

  send(to: Rank, message: Message): void {
    const from = this.#actor;
    const next = from.successor;
    const target = next !== null && from.successorRank === to ? next : this.#seatOf(fromRank(to));
    let at = this.now + this.#delay();
    if (this.#links !== null) {
      if (target === next) {
        if (at < from.successorArrival) at = from.successorArrival;
        else from.successorArrival = at;
      } else {
        at = this.#links(from.position, target.position, at);
      }
    }
    const id = this.#sent;
    this.#sent = id + 1;
    this.#count(message.type);
    pushFlight(this.#wheel, at, id, from.rank, target, message);
    if (this.#effects !== null) this.#effects.push({ type: 'send', id, to, message });
  }

  setTimer(timer: string, ticks: number, periodic: boolean): void {
    this.timers.set(this.now, { node: this.#actor.position, timer, ticks, periodic });
    this.#effects?.push({ type: 'set-timer', timer, ticks, periodic });
  }

  cancelTimer(timer: string): void {
    this.timers.cancel(this.#actor.position, timer);
    this.#effects?.push({ type: 'cancel-timer', timer });
  }

  persist(fields: Json): void {
    this.#actor.persisted = copyJson(fields);
    this.#effects?.push({ type: 'persist', fields: this.#actor.persisted });
  }

  elect(leader: Rank, epoch: number): void {
    this.#follow(this.#actor, fromRank(leader));
    this.#effects?.push({ type: 'elect', leader, epoch });
  }

  stepDown(): void {
    this.#follow(this.#actor, 0);
    this.#effects?.push({ type: 'step-down' });
  }

  accuse(evidence: Json): void {
    this.#effects?.push({ type: 'accuse', evidence });
  }

  respond(value: Json): void {
    this.#effects?.push({ type: 'respond', value });
  }

  choose(): void {
    throw new TypeError('"effect" expected one that the simulator carries out, got choose');
  }

  call(): void {
    throw new TypeError('"effect" expected one that the simulator carries out, got call');
  }

  #deliver(slot: Slot, index: number): void {
    const to = slot.tos[index];
    const from = slot.froms[index];
    const message = slot.messages[index];
    if (to === undefined || from === undefined || message === undefined) {
      throw new RangeError(`"index" expected one of ${slot.count} messages, got ${index}`);
    }
    if (this.#records !== null) {
      this.#record({ type: 'deliver', message: slot.ids[index] ?? 0 }, !to.up);
    }
    if (!to.up) {
      this.dropped += 1;
      return;
    }
    this.delivered += 1;
    this.#delivery.from = from;
    this.#delivery.message = message;
    this.#step(to, this.#delivery);
  }

  #step(seat: Seat, event: Event<Message>): void {
    this.#actor = seat;
    seat.machine.step(seat.self, seat.state, event, this);
  }

  /** Opens the record of an action; the effects that follow are its effects. */
  #record(action: Action, dropped = false): void {
    const records = this.#records;
    if (records === null) return;
    if (records.length >= TRACE_RECORDS_LIMIT) {
      const detail = `a trace holds ${TRACE_RECORDS_LIMIT} actions at most; elect among fewer nodes`;
      throw new LabError('job.size', detail);
    }
    const effects: EffectRecord[] = [];
    const record = { seq: records.length, t: this.now, action, effects };
    records.push(dropped ? { ...record, dropped } : record);
    this.#effects = effects;
  }

  #count(type: string): void {
    let index = 0;
    while (index < this.#typeNames.length && this.#typeNames[index] !== type) index += 1;
    if (index === this.#typeNames.length) {
      this.#typeNames.push(type);
      this.#typeCounts.push(0);
    }
    this.#typeCounts[index] = (this.#typeCounts[index] ?? 0) + 1;
  }

  #takeDown(seat: Seat): void {
    this.#follow(seat, 0);
    seat.up = false;
    seat.state = null;
  }

  #follow(seat: Seat, leader: number): void {
    const before = seat.leader;
    if (before === leader) return;
    seat.leader = leader;
    this.leaderChangedAt = this.now;
    const rank = seat.position;
    if (before === rank) noteYields(this.observations, rank);
    if (leader === rank) noteLeads(this.observations, { rank, moment: this.now });
  }

  #seatOf(rank: number): Seat {
    const seat = this.#seats[rank - 1];
    if (seat === undefined) throw new RangeError(`"rank" expected a member, got ${rank}`);
    return seat;
  }
}
