/**
 * @module
 * Figure 2 of Raft (D. Ongaro and J. Ousterhout, USENIX ATC 2014) without the log, written anew for tests: it shares
 * no code with the machine, the engine and the wheel of the simulator. Events of a tick are sorted by their kind and
 * then by the order in which they were caused, or drawn.
 */

import type { Random } from '../../../src/random.ts';

export interface Figure2 {
  readonly servers: number;
  readonly latencyTicks: number;
  readonly electionTicks: number;
  readonly spreadTicks: number;
  readonly heartbeatTicks: number;
  /** Links that lose every message. */
  readonly lost: readonly (readonly [number, number])[];
  /** Servers that never run. */
  readonly dead: readonly number[];
  /** The server that leads at tick 0 in term 1; null for none. */
  readonly leader: number | null;
  readonly first: 'messages' | 'timers';
  readonly ties: 'in order' | 'drawn';
  readonly untilTicks: number;
  /** Ends the run when the first server leads. */
  readonly untilLed?: true;
}

export interface Figure2Run {
  /** The first tick at which a server leads; Infinity if none does. */
  readonly ledAt: number;
  readonly splitTicks: number;
  /** How often a server came to lead, without the one at tick 0. */
  readonly changes: number;
}

interface Server {
  term: number;
  voted: number | null;
  readonly votes: Set<number>;
  leads: boolean;
  /** Numbers of the timers that are set; 0 for none. */
  election: number;
  heartbeat: number;
}

interface Due {
  readonly kind: 'messages' | 'timers';
  readonly order: number;
  readonly act: () => void;
}

/** Runs the servers 0 .. servers - 1 from tick 0 on. */
export function runFigure2(given: Figure2, random: Random): Figure2Run {
  return new Servers(given, random).run();
}

class Servers {
  readonly #given: Figure2;
  readonly #random: Random;
  readonly #servers: Server[];
  readonly #due = new Map<number, Due[]>();
  #now = 0;
  #count = 0;
  #changes = 0;

  constructor(given: Figure2, random: Random) {
    this.#given = given;
    this.#random = random;
    const [term, voted] = given.leader === null ? [0, null] : [1, given.leader];
    this.#servers = Array.from({ length: given.servers }, () => {
      return { term, voted, votes: new Set<number>(), leads: false, election: 0, heartbeat: 0 };
    });
  }

  run(): Figure2Run {
    const { leader, untilTicks, untilLed } = this.#given;
    for (const id of this.#others(leader ?? -1)) this.#wait(id);
    if (leader !== null) this.#lead(leader);
    this.#changes = 0;
    let ledAt = Number.POSITIVE_INFINITY;
    let splitTicks = 0;
    for (; this.#now < untilTicks; this.#now += 1) {
      for (let next = this.#take(); next !== undefined; next = this.#take()) next.act();
      const leaders = this.#servers.filter(({ leads }) => leads).length;
      if (leaders > 0) ledAt = Math.min(ledAt, this.#now);
      if (leaders > 1) splitTicks += 1;
      if (untilLed && leaders > 0) break;
    }
    return { ledAt, splitTicks, changes: this.#changes };
  }

  #take(): Due | undefined {
    const due = this.#due.get(this.#now) ?? [];
    const isFirst = ({ kind }: Due) => (kind === this.#given.first ? 0 : 1);
    due.sort((left, right) => isFirst(left) - isFirst(right) || left.order - right.order);
    return due.shift();
  }

  #others(id: number): number[] {
    const { servers, dead } = this.#given;
    const ids = Array.from({ length: servers }, (_, each) => each);
    return ids.filter((each) => each !== id && !dead.includes(each));
  }

  #at(ticks: number, kind: Due['kind'], act: () => void): number {
    this.#count += 1;
    const order = this.#given.ties === 'drawn' ? this.#random.below(2 ** 30) : this.#count;
    const tick = this.#now + ticks;
    this.#due.set(tick, [...(this.#due.get(tick) ?? []), { kind, order, act }]);
    return this.#count;
  }

  #send(from: number, to: number, act: () => void): void {
    const { lost, latencyTicks } = this.#given;
    if (lost.some((link) => link.includes(from) && link.includes(to))) return;
    this.#at(latencyTicks, 'messages', act);
  }

  #of(id: number): Server {
    const server = this.#servers[id];
    if (server === undefined) throw new RangeError(`"id" expected a server, got ${id}`);
    return server;
  }

  #wait(id: number): void {
    const ticks = this.#given.electionTicks + this.#random.below(this.#given.spreadTicks);
    const timer = this.#at(ticks, 'timers', () => {
      if (this.#of(id).election === timer) this.#stand(id);
    });
    this.#of(id).election = timer;
  }

  #adopt(id: number, term: number): void {
    const server = this.#of(id);
    if (term <= server.term) return;
    if (server.leads) this.#wait(id);
    Object.assign(server, { term, voted: null, leads: false, heartbeat: 0 });
  }

  #stand(id: number): void {
    const server = this.#of(id);
    const term = server.term + 1;
    Object.assign(server, { term, voted: id });
    server.votes.clear();
    server.votes.add(id);
    for (const to of this.#others(id)) this.#send(id, to, () => this.#onVote(to, id, term));
    this.#wait(id);
  }

  #onVote(id: number, candidate: number, term: number): void {
    this.#adopt(id, term);
    const server = this.#of(id);
    const granted = term === server.term && (server.voted ?? candidate) === candidate;
    if (granted) {
      server.voted = candidate;
      this.#wait(id);
    }
    const own = server.term;
    this.#send(id, candidate, () => this.#onBallot(candidate, id, own, granted));
  }

  #onBallot(id: number, voter: number, term: number, granted: boolean): void {
    this.#adopt(id, term);
    const server = this.#of(id);
    if (!granted || server.leads || term !== server.term || server.voted !== id) return;
    server.votes.add(voter);
    if (2 * server.votes.size > this.#given.servers) this.#lead(id);
  }

  #lead(id: number): void {
    this.#changes += 1;
    Object.assign(this.#of(id), { leads: true, election: 0 });
    this.#beat(id);
  }

  #beat(id: number): void {
    const { term } = this.#of(id);
    const timer = this.#at(this.#given.heartbeatTicks, 'timers', () => {
      if (this.#of(id).heartbeat === timer) this.#beat(id);
    });
    this.#of(id).heartbeat = timer;
    for (const to of this.#others(id)) this.#send(id, to, () => this.#onBeat(to, id, term));
  }

  #onBeat(id: number, leader: number, term: number): void {
    const own = this.#of(id).term;
    if (term < own) {
      this.#send(id, leader, () => this.#adopt(leader, own));
      return;
    }
    this.#adopt(id, term);
    this.#wait(id);
  }
}
