/**
 * @module
 * The driver of one live node: the machine of a protocol with a detector and authentication around it, on the real clock.
 * It implements the contract of machines and no protocol logic. One tick is one millisecond. Each step is on disk before
 * its messages are sent.
 */

import { randomInt } from 'node:crypto';
import { performance } from 'node:perf_hooks';

import type { Keys, Refusal } from '../election/authentication/authenticated.ts';
import { REFUSALS, refusedIn } from '../election/authentication/authenticated.ts';
import { hasShortLists, withoutExcess } from '../election/authentication/message-forms.ts';
import type { AnyMachine } from '../election/definition/protocol.ts';
import type { Effects, Event, Json, Message, Rank, Self } from '../election/machine.ts';
import type { CrashPoint } from './crash-points.ts';
import type { LiveMachinePlan } from './live-machine.ts';
import { liveMachine } from './live-machine.ts';
import type { NodeLog, Numbered } from './node-log.ts';
import { HeardNumbers, numberedIn, signerIn } from './node-log.ts';
import type { LiveRecord, LiveRecorder, Stamp, StoreMark } from './node-record.ts';
import { createLiveRecorder } from './node-record.ts';
import { PEERS_MAX } from './peers.ts';

/** Longer delays would fire at once in Node. */
const DELAY_MS_MAX = 2 ** 31 - 1;

/** A timer that is set. */
interface Pending {
  readonly handle: NodeJS.Timeout | NodeJS.Immediate;
  /** On the real clock, in ms. */
  readonly dueMs: number;
  readonly ticks: number;
  readonly periodic: boolean;
}

/**
 * The timers of a live node by name, on the real clock. A timer that is set again is replaced, and one that was
 * replaced or cancelled never fires, also if it was due. Timers that are overdue together, such as after a pause,
 * fire in the order in which they were due. A periodic timer keeps its phase, but skips periods that passed while
 * the process was paused.
 */
export class NodeTimers {
  readonly #fire: (timer: string) => void;
  readonly #pending = new Map<string, Pending>();
  #isClosed = false;
  /** Ticks of this node's clock in one real millisecond. */
  rate = 1;

  constructor(fire: (timer: string) => void) {
    this.#fire = fire;
  }

  set(timer: string, ticks: number, periodic: boolean): void {
    this.cancel(timer);
    if (!this.#isClosed) this.#arm(timer, ticks, periodic, performance.now() + ticks / this.rate);
  }

  cancel(timer: string): void {
    stop(this.#pending.get(timer)?.handle);
    this.#pending.delete(timer);
  }

  /** The clock jumps by this time in ms, back if they are below 0: all timers are due earlier by as much. */
  jump(ms: number): void {
    for (const [timer, { ticks, periodic, dueMs }] of [...this.#pending]) {
      this.cancel(timer);
      this.#arm(timer, ticks, periodic, dueMs - ms / this.rate);
    }
  }

  /** Calls the function after what happens now, unless the node has ended. */
  soon(act: () => void): void {
    setImmediate(() => {
      if (!this.#isClosed) act();
    });
  }

  close(): void {
    this.#isClosed = true;
    for (const timer of [...this.#pending.keys()]) this.cancel(timer);
  }

  #arm(timer: string, ticks: number, periodic: boolean, dueMs: number): void {
    const act = () => this.#wake(timer, dueMs);
    const delayMs = Math.min(Math.max(1, Math.ceil(dueMs - performance.now())), DELAY_MS_MAX);
    const handle = ticks === 0 ? setImmediate(act) : setTimeout(act, delayMs);
    this.#pending.set(timer, { handle, dueMs, ticks, periodic });
  }

  /** Fires what was due before this timer, and then this timer, unless one of them has cancelled it. */
  #wake(timer: string, dueMs: number): void {
    const own = this.#pending.get(timer);
    for (;;) {
      let first: string | null = null;
      let least = dueMs;
      for (const [name, pending] of this.#pending) {
        if (pending.ticks === 0 || pending.dueMs >= least) continue;
        first = name;
        least = pending.dueMs;
      }
      if (first === null) break;
      this.#expire(first);
    }
    if (own !== undefined && this.#pending.get(timer) === own) this.#expire(timer);
  }

  #expire(timer: string): void {
    const pending = this.#pending.get(timer);
    this.cancel(timer);
    if (pending === undefined) return;
    const { ticks, periodic, dueMs } = pending;
    if (periodic) this.#arm(timer, ticks, true, nextDue(dueMs, ticks / this.rate));
    this.#fire(timer);
  }
}

function nextDue(dueMs: number, periodMs: number): number {
  const next = dueMs + periodMs;
  const now = performance.now();
  return next > now ? next : now + periodMs;
}

function stop(handle: NodeJS.Timeout | NodeJS.Immediate | undefined): void {
  if (handle === undefined) return;
  if ('hasRef' in handle && 'refresh' in handle) clearTimeout(handle);
  // What has no `refresh` is an Immediate.
  else clearImmediate(handle as NodeJS.Immediate);
}

/** What a node needs from its process. */
export interface NodeHooks {
  readonly keysOf: (rank: Rank) => Keys;
  readonly send: (to: Rank, message: Message, stamp: Stamp | null) => void;
  /** Calls the store. `id` is that of the record. */
  readonly call: (operation: Message, id: number) => void;
  readonly onLeader: (leader: Rank | null, epoch: number) => void;
  /** Receives each record when it is on disk. */
  readonly onRecord: (record: LiveRecord) => void;
  /** Ends the process at once. */
  readonly die: () => void;
}

/** The leader that a node follows. */
export interface Following {
  readonly leader: Rank | null;
  readonly epoch: number;
  /** Real time in ms since 1970. */
  readonly since: number;
}

/** A message that made a node do something, and what is called with the number of messages that it sent to others for it. */
interface Cause {
  /** Who signed it, or says to be its sender. Over plain HTTP others can name any sender. */
  readonly from: Rank;
  readonly onSent: (messages: number) => void;
}

/** What a step puts on disk, and whether it calls the store. */
interface Saved {
  fields?: Json;
  calls: boolean;
}

/** Why a node refuses a message, in the order of the checks. */
export const NODE_REFUSALS = ['flood', ...REFUSALS] as const;
type NodeRefusal = (typeof NODE_REFUSALS)[number];

const NONE_REFUSED = { sender: 0, malformed: 0, replay: 0, signature: 0, candidacy: 0 };

interface LivePlan extends LiveMachinePlan {
  readonly dieAt?: CrashPoint | undefined;
}

export class LiveNode {
  received = 0;
  following: Following;
  readonly suspects = new Set<Rank>();
  /** Where it dies in its next step that persists something or calls the store; null if it lives on. */
  dieAt: CrashPoint | null = null;
  readonly #diesLater: CrashPoint | null;
  readonly #log: NodeLog;
  readonly #hooks: NodeHooks;
  readonly #recorder: LiveRecorder;
  readonly #machine: AnyMachine;
  readonly #protocol: LiveMachinePlan['protocol'];
  readonly #timers = new NodeTimers((timer) => this.#expire(timer));
  /** The causes of timers that a message has set, and that expire at once. */
  readonly #causes = new Map<string, Cause>();
  readonly #state: Json;
  #self: Self;
  /** The names of the nodes that it knows. */
  #names: ReadonlySet<string>;
  #now = 0;
  /** What the clock of the node showed at a real time, both in ms. */
  #set = { real: 0, shown: 0 };
  /** Messages that its machine has not seen. */
  readonly #unseen = { flood: 0, ...NONE_REFUSED };
  /** Null below L3, where messages have no numbers. */
  #heard: HeardNumbers | null;

  /** With `dieAt`, it dies there after it has begun. */
  constructor(plan: LivePlan, self: Self, log: NodeLog, hooks: NodeHooks) {
    this.#diesLater = plan.dieAt ?? null;
    this.#self = self;
    this.#names = namesIn(self);
    this.#protocol = plan.protocol;
    this.#log = log;
    this.#hooks = hooks;
    this.#heard = plan.level === 'L3' ? new HeardNumbers(log.heard) : null;
    this.#recorder = createLiveRecorder(plan.rank, log.recorder, {
      now: Date.now,
      bounded: (message) => withoutExcess(plan.protocol, message),
      isMember: (name) => this.#names.has(name),
    });
    this.#machine = liveMachine(plan, {
      keysOf: hooks.keysOf,
      record: (machine) => this.#recorder.around(machine),
      clock: () => this.#clock(),
      onReport: (type, about) => {
        if (type === 'suspect') this.suspects.add(about);
        else this.suspects.delete(about);
      },
    });
    this.#state = this.#machine.init(self);
    this.following = { leader: self.incumbent, epoch: 0, since: Date.now() };
  }

  /** Messages that were refused, by reason. */
  get refused(): Readonly<Record<NodeRefusal, number>> {
    const seen = refusedIn(this.#state) ?? NONE_REFUSED;
    const refused = { ...this.#unseen };
    for (const reason of REFUSALS) refused[reason] += seen[reason];
    return refused;
  }

  /** Refused messages that the machine has not seen, by reason. */
  get unseen(): Readonly<Record<NodeRefusal, number>> {
    return { ...this.#unseen };
  }

  /** Counts a message that its machine is not to see. Returns the reason. */
  refuse<Reason extends NodeRefusal>(reason: Reason): Reason {
    this.#unseen[reason] += 1;
    return reason;
  }

  /** Starts the node; a node that was up before returns with what it persisted, or with amnesia. */
  begin(amnesia: boolean): void {
    if (this.#log.lives === 0) this.#step({ type: 'start' });
    else {
      this.#recorder.crashed();
      if (amnesia && this.#heard !== null) this.#heard = new HeardNumbers({});
      this.#step({ type: 'recover', persisted: amnesia ? null : this.#log.persisted });
    }
    this.dieAt = this.#diesLater;
  }

  /**
   * Delivers a message of a peer. Returns why it was refused; null if the machine received it. `onSent` receives how many
   * messages to others the node sends because of it.
   */
  receive(
    from: Rank,
    message: Message,
    stamp: Stamp | null,
    onSent: Cause['onSent'] = () => undefined,
  ): Refusal | null {
    this.received += 1;
    // Points and partitions are those of the stated sender.
    if (this.#heard !== null && signerIn(from, message) !== from) return this.refuse('sender');
    // All of a message that is taken is stored, and each entry of a table is looked up.
    const limits = { ranks: this.#self.members.length, tables: PEERS_MAX };
    if (!hasShortLists(this.#protocol, message, limits)) return this.refuse('malformed');
    const numbered = this.#heard === null ? null : numberedIn(from, message);
    if (numbered !== null && this.#heard?.isOld(numbered) === true) return this.refuse('replay');
    const { refused: before } = this;
    this.#recorder.receiving(stamp);
    let refusal: Refusal | null = null;
    const heardIn = () => {
      const { refused } = this;
      refusal = REFUSALS.find((reason) => refused[reason] > before[reason]) ?? null;
      const isNew = refusal === null && numbered !== null && this.#heard?.note(numbered) === true;
      return isNew ? numbered : null;
    };
    const cause = { from: signerIn(from, message) ?? from, onSent };
    this.#step({ type: 'deliver', from, message }, { heardIn, cause });
    return refusal;
  }

  /** Whether only this node can have sent this message, which was taken: it is signed, and counts once. */
  hasProved(from: Rank, message: Message): boolean {
    return this.#heard !== null && numberedIn(from, message)?.by === from;
  }

  /** Delivers a message of the store. */
  answer(value: Message, mark: StoreMark | null): void {
    this.#recorder.answering(mark);
    this.#step({ type: 'reply', value });
  }

  /** A node has joined. `self` is what this node knows of itself from now on. */
  join(node: Rank, self: Self): void {
    this.#self = self;
    this.#names = namesIn(self);
    this.#step({ type: 'join', node });
  }

  /** A node is to leave. Only protocols with `votersIn` act on it. */
  leave(rank: string): void {
    const node = this.#self.members.find((member) => member === rank);
    if (node !== undefined) this.#step({ type: 'leave', node });
  }

  /** Makes the clock and the timers of the node run at this rate from now on; timers that are set keep their time. */
  skew(rate: number): void {
    this.#set = { real: Date.now(), shown: this.#clock() };
    this.#timers.rate = rate;
  }

  /** Makes the clock of the node jump by this time in ms. A clock that jumps back stands still until it is where it was. */
  jump(ms: number): void {
    this.#set = { real: Date.now(), shown: this.#clock() + ms };
    this.#timers.jump(ms);
  }

  close(): void {
    this.#timers.close();
  }

  /** The clock of the node in ms. It never goes back: a detector's counts continue over restarts. */
  #clock(): number {
    const { real, shown } = this.#set;
    const now = Math.round(shown + (Date.now() - real) * this.#timers.rate);
    this.#now = Math.max(this.#now, now);
    return this.#now;
  }

  #expire(timer: string): void {
    const cause = this.#causes.get(timer) ?? null;
    this.#causes.delete(timer);
    this.#step({ type: 'timeout', timer }, { cause });
  }

  /** `heardIn` returns the number that the step has counted. */
  #step(
    event: Event<Message>,
    {
      heardIn = () => null,
      cause = null,
    }: { readonly heardIn?: () => Numbered | null; readonly cause?: Cause | null } = {},
  ): void {
    const after: (() => void)[] = [];
    const saved: Saved = { calls: false };
    let sent = 0;
    const effects = this.#collector(after, saved);
    this.#machine.step(this.#self, this.#state, event, {
      ...effects,
      send: (to, message) => {
        if (to !== cause?.from) sent += 1;
        effects.send(to, message);
      },
      setTimer: (timer, ticks, periodic) => {
        if (cause !== null && ticks === 0) this.#causes.set(timer, cause);
        else this.#causes.delete(timer);
        effects.setTimer(timer, ticks, periodic);
      },
    });
    if (sent > 0) cause?.onSent(sent);
    const records = this.#recorder.take();
    const { fields: persisted } = saved;
    const heard = heardIn();
    const pass = (point: CrashPoint) => {
      if (this.dieAt === point && (persisted !== undefined || saved.calls)) this.#hooks.die();
    };
    pass('before-persist');
    if (records.length > 0 || persisted !== undefined || heard !== null) {
      this.#log.append({ records, recorder: this.#recorder.state, persisted, heard });
    }
    pass('after-persist');
    for (const record of records) this.#hooks.onRecord(record);
    for (const carryOut of after) carryOut();
  }

  /** Effects are carried out, in order, when the step is on disk. */
  #collector(after: (() => void)[], saved: Saved): Effects<Message> {
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
      call: (operation) => {
        saved.calls = true;
        const id = this.#recorder.stampOf()?.id ?? -1;
        after.push(() => this.#hooks.call(operation, id));
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

function namesIn({ rank, members }: Self): ReadonlySet<string> {
  return new Set([rank, ...members].map(String));
}
