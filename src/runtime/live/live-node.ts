/**
 * @module
 * The driver of one live node: the machine of a protocol with a detector and authentication around it, on the real clock.
 * It implements the contract of machines and no protocol logic. One tick is one millisecond. Each step is on disk before
 * its messages are sent.
 */

import { randomInt } from 'node:crypto';
import type { Keys, Level, Refusal } from '../../election/authentication/authenticated.ts';
import { createAuthenticated } from '../../election/authentication/authenticated.ts';
import type { AnyMachine } from '../../election/definition/protocol.ts';
import { createDetecting } from '../../election/detectors/detecting.ts';
import type { DetectorSpec } from '../../election/detectors/registry.ts';
import { createDetector } from '../../election/detectors/registry.ts';
import type { Effects, Event, Json, Machine, Message, Rank, Self } from '../../election/machine.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import type { Timing } from '../../election/timing.ts';
import type { NodeLog } from './node-log.ts';
import type { LiveRecorder, Stamp } from './node-record.ts';
import { createLiveRecorder } from './node-record.ts';
import { NodeTimers } from './node-timers.ts';

/** What a node does. */
export interface NodePlan {
  readonly protocol: ProtocolName;
  readonly timing: Timing;
  readonly level: Level;
  readonly election: string;
  readonly detector: DetectorSpec;
  readonly self: Self;
}

/** What a node needs from its process. */
export interface NodeHooks {
  readonly keysOf: (rank: Rank) => Keys;
  readonly send: (to: Rank, message: Message, stamp: Stamp | null) => void;
  readonly onLeader: (leader: Rank | null, epoch: number) => void;
}

/** The leader that a node follows. */
export interface Following {
  readonly leader: Rank | null;
  readonly epoch: number;
  /** Real time in ms since 1970. */
  readonly since: number;
}

export class LiveNode {
  readonly refused: Record<Refusal, number>;
  received = 0;
  following: Following;
  readonly suspects = new Set<Rank>();
  readonly #plan: NodePlan;
  readonly #log: NodeLog;
  readonly #hooks: NodeHooks;
  readonly #recorder: LiveRecorder;
  readonly #machine: Machine<Json, Message>;
  readonly #timers = new NodeTimers((timer) => this.#step({ type: 'timeout', timer }));
  readonly #state: Json;
  #now = 0;
  /** What the clock of the node showed at a real time, both in ms. */
  #set = { real: 0, shown: 0 };
  #refusal: Refusal | null = null;

  constructor(plan: NodePlan, log: NodeLog, hooks: NodeHooks) {
    this.#plan = plan;
    this.#log = log;
    this.#hooks = hooks;
    this.refused = { sender: 0, malformed: 0, replay: 0, signature: 0, candidacy: 0 };
    this.#recorder = createLiveRecorder(plan.self.rank, log.recorder, Date.now);
    this.#machine = this.#machineOf();
    this.#state = this.#machine.init(plan.self);
    this.following = { leader: plan.self.incumbent, epoch: 0, since: Date.now() };
  }

  /** Starts the node; a node that was up before returns with what it persisted, or with amnesia. */
  begin(amnesia: boolean): void {
    if (this.#log.lives === 0) {
      this.#step({ type: 'start' });
      return;
    }
    this.#recorder.crashed();
    this.#step({ type: 'recover', persisted: amnesia ? null : this.#log.persisted });
  }

  /** Delivers a message of a peer. Returns why it was refused; null if the machine received it. */
  receive(from: Rank, message: Message, stamp: Stamp | null): Refusal | null {
    this.received += 1;
    const known = this.#log.recorder.clock[String(this.#plan.self.rank)] ?? 0;
    const claimed = stamp?.clock[String(this.#plan.self.rank)] ?? 0;
    if (claimed > known) {
      this.refused.malformed += 1;
      return 'malformed';
    }
    this.#refusal = null;
    this.#recorder.receiving(stamp);
    this.#step({ type: 'deliver', from, message });
    return this.#refusal;
  }

  /** Makes the clock and the timers of the node run at this rate from now on; timers that are set keep their time. */
  skew(rate: number): void {
    this.#set = { real: Date.now(), shown: this.#clock() };
    this.#timers.rate = rate;
  }

  close(): void {
    this.#timers.close();
  }

  #machineOf(): Machine<Json, Message> {
    const { protocol, timing, level, election, detector } = this.#plan;
    const recorded = this.#recorder.around(PROTOCOLS[protocol].create(timing, {}));
    const own = createDetector(detector, timing);
    const clock = () => this.#clock();
    const watched: AnyMachine =
      own === null
        ? recorded
        : erased(
            createDetecting(recorded, own, clock, ({ type, about }) => {
              if (type === 'suspect') this.suspects.add(about);
              else this.suspects.delete(about);
            }),
          );
    const onRefusal = (reason: Refusal) => {
      this.#refusal = reason;
      this.refused[reason] += 1;
    };
    const { keysOf } = this.#hooks;
    return erased(createAuthenticated(watched, { level, protocol, election, keysOf, onRefusal }));
  }

  /** The clock of the node in ms. It never goes back: a detector's counts continue over restarts. */
  #clock(): number {
    const { real, shown } = this.#set;
    const now = Math.round(shown + (Date.now() - real) * this.#timers.rate);
    this.#now = Math.max(this.#now, now);
    return this.#now;
  }

  #step(event: Event<Message>): void {
    const after: (() => void)[] = [];
    const saved: { fields?: Json } = {};
    const { self } = this.#plan;
    this.#machine.step(self, this.#state, event, this.#collector(after, saved));
    const records = this.#recorder.take();
    if (records.length > 0 || saved.fields !== undefined) {
      this.#log.append(records, this.#recorder.state, saved.fields);
    }
    for (const carryOut of after) carryOut();
  }

  /** Effects are carried out, in order, when the step is on disk. */
  #collector(after: (() => void)[], saved: { fields?: Json }): Effects<Message> {
    return {
      send: (to, message) => {
        const stamp = this.#recorder.stampOf();
        after.push(() => this.#hooks.send(to, message, stamp));
      },
      setTimer: (timer, ticks, periodic) => {
        after.push(() => this.#timers.set(timer, ticks, periodic));
      },
      cancelTimer: (timer) => {
        after.push(() => this.#timers.cancel(timer));
      },
      choose: (below) => {
        const value = randomInt(below);
        after.push(() => this.#timers.soon(() => this.#step({ type: 'chosen', value })));
      },
      persist: (fields) => {
        saved.fields = fields;
      },
      call: () => {
        throw new TypeError('"call" expected a protocol with a store, got one without');
      },
      elect: (leader, epoch) => {
        after.push(() => this.#follow(leader, epoch));
      },
      stepDown: () => {
        after.push(() => this.#follow(null, this.following.epoch));
      },
      accuse: () => undefined,
      respond: () => undefined,
    };
  }

  #follow(leader: Rank | null, epoch: number): void {
    const { following } = this;
    if (following.leader === leader && following.epoch === epoch) return;
    this.following = { leader, epoch, since: Date.now() };
    this.#hooks.onLeader(leader, epoch);
  }
}

/** A machine whose state only it reads. */
function erased<State>(machine: Machine<State, Message>): Machine<Json, Message> {
  // The driver passes back only the states that this machine made.
  return machine as unknown as Machine<Json, Message>;
}
