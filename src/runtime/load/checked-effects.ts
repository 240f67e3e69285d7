/**
 * @module
 * The machine of a protocol of the user. Node does not check types, so that an effect may name a rank that no node has,
 * a timer of half a tick, or data that no file can hold. Every driver would fail at it in its own way. Such an effect is
 * refused here, with the handler that has it, and so are messages that the definition does not list, too many effects,
 * and a memory of the machine's own. The lab's own protocols are used without these checks.
 */

import { inspect } from 'node:util';

import type { AnyMachine, Protocol } from '../../election/definition/protocol.ts';
import type { Effects, Event, Json, Message, Rank, Self } from '../../election/machine.ts';
import type { EffectRecord } from '../../election/world/effect-record.ts';
import { recordingEffects } from '../../election/world/effect-record.ts';
import { copyJson, unplainIn } from '../../election/world/plain-json.ts';
import { LabError } from '../../errors.ts';
import { userFrame } from './module-hooks.ts';
import { watched } from './step-watch.ts';
import { isSampled, withClock, withoutClock } from './without-clock.ts';

/** Where a machine is from. */
interface Origin {
  /** File and protocol, as errors name them. */
  readonly who: string;
  readonly protocol: Protocol;
  readonly hasStore: boolean;
  readonly isStore: boolean;
}

/** One step of a machine. */
interface CheckedStep {
  readonly origin: Origin;
  readonly self: Self;
  readonly event: Event<Message>;
  /** Ranks that are no members, but that the event or the state before the step contains. */
  readonly strangers: ReadonlySet<unknown>;
  /** Effects that it may still have. */
  effectsLeft: number;
}

/** Effects of one step. A node may send several messages to each member. */
const EFFECTS_MAX = { atLeast: 1000, forEachMember: 100 } as const;

function effectsMax({ members }: Self): number {
  return EFFECTS_MAX.atLeast + EFFECTS_MAX.forEachMember * members.length;
}

/** What is examined beside each effect by itself. */
export interface Examination {
  /** What is wrong with a message that a machine of the protocol sends; null if nothing is. */
  readonly sentProblem: (
    protocol: Protocol,
    message: Message,
    range: { self: Self },
  ) => string | null;
  /** Whether some steps are made again, to find a memory of the machine's own. */
  readonly repeatsSteps: boolean;
}

/** For callers that judge machines themselves, with better reports. */
export const NO_EXAMINATION: Examination = { sentProblem: () => null, repeatsSteps: false };

let examination = NO_EXAMINATION;

/** What is examined from now on. The forms of messages are known when all definitions are. */
export function examine(wanted: Examination): void {
  examination = wanted;
}

type AnyFunction = (...args: never[]) => unknown;

/** The same protocol, whose machines check each effect. `file` is the file as the user named it. */
export function withCheckedEffects(file: string, protocol: Protocol): Protocol {
  const { create, name, store } = protocol;
  const hasStore = store !== null;
  const who = `--load ${file}: protocol ${name}`;
  const origin = { who, protocol, hasStore, isStore: false };
  return {
    ...protocol,
    create: (...given) => checkedMachine(create(...given), origin),
    store:
      store === null
        ? null
        : {
            ...store,
            create: (...given) =>
              checkedMachine(store.create(...given), { ...origin, hasStore: false, isStore: true }),
          },
  };
}

function checkedMachine(machine: AnyMachine, origin: Origin): AnyMachine {
  // The machine is the user's, and may be anything.
  const { init, step }: Partial<AnyMachine> = machine ?? {};
  if (typeof init !== 'function' || typeof step !== 'function') {
    const detail = `"create" must return a machine with init and step, got ${shown(machine)}`;
    throw new LabError('arguments', `${origin.who}: ${detail}`);
  }
  const counts = new Map<string, number>();
  const repeated = new RepeatedSteps(machine);
  return {
    init: (self) => watched(`${origin.who}: init`, () => machine.init(self)),
    step(self, state, event, effects) {
      const kind = kindOf(event);
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      const isSample = isSampled(count);
      const sample = isSample && examination.repeatsSteps ? copyOfStep(self, state, event) : null;
      const strangers = new Set<unknown>();
      addStrangers(strangers, self, [event, state]);
      const checked = { origin, self, event, strangers, effectsLeft: effectsMax(self) };
      const step = () => machine.step(self, state, event, checkedEffects(checked, effects));
      const call = `${origin.who}: the handler of ${kind}`;
      try {
        watched(call, () => (isSample ? withoutClock('the machine', step) : step()));
      } catch (error) {
        // Such an error is reported with its line.
        if (error instanceof LabError || (error instanceof Error && userFrame(error))) throw error;
        refuse(checked, `throws ${thrownText(error)}`, null);
      }
      const unplain = unplainIn(state, 'state');
      if (unplain !== null) refuse(checked, `leaves ${cannotHold(unplain, state)}`, null);
      if (sample === null) return;
      refuseMemory(
        checked,
        watched(call, () => repeated.difference(kind, sample)),
      );
    },
  };
}

function refuseMemory(step: CheckedStep, difference: readonly [string, string] | null): void {
  if (difference === null) return;
  const [one, other] = difference.map(shown);
  const said = `does ${one} and then ${other} for one state and event`;
  refuse(step, `${said}: it must be a function of both, without memory outside of its state`, null);
}

/** The type of an event, with that of its message or the name of its timer. */
function kindOf(event: Event<Message>): string {
  if (event.type === 'deliver') return `deliver ${event.message.type}`;
  return event.type === 'timeout' ? `timeout ${event.timer}` : event.type;
}

/** Adds the numbers and words in a value that are no ranks of members. */
function addStrangers(strangers: Set<unknown>, self: Self, value: unknown): void {
  if (typeof value === typeof self.rank) {
    // It has the type of a rank.
    if (!isMember(self, value as Rank)) strangers.add(value);
  } else if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) addStrangers(strangers, self, part);
  }
}

/** Members are ascending. */
function isMember({ members }: Self, rank: Rank): boolean {
  let [low, high] = [0, members.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const member = members[middle];
    if (member === rank) return true;
    if (member !== undefined && member < rank) low = middle + 1;
    else high = middle;
  }
  return false;
}

/** The collector, behind checks. Each refuses what its caller, a handler of the user, has given. */
function checkedEffects(step: CheckedStep, effects: Effects<Message>): Effects<Message> {
  const checked: Effects<Message> = {
    send(to, message) {
      checkMessage(step, 'sends', message, checked.send);
      const what = (): string => `sends ${JSON.stringify(message)} to ${shown(to)}`;
      checkRank(step, to, { what, remedy: 'send to a rank of self.members', at: checked.send });
      checkForm(step, message, checked.send);
      // The lab may sign it, which draws random numbers.
      withClock(() => effects.send(to, message));
    },
    setTimer(timer, ticks, periodic) {
      const at = checked.setTimer;
      checkTimer(step, 'sets', timer, at);
      const set = `sets timer ${shown(timer)} to ${shown(ticks)} ticks`;
      if (typeof periodic !== 'boolean') {
        refuse(step, `${set}, periodic ${shown(periodic)}: "periodic" is true or false`, at);
      }
      if (!isWhole(ticks, periodic ? 1 : 0)) {
        refuse(step, `${set}: expected a whole number from 0 on, or from 1 on if periodic`, at);
      }
      effects.setTimer(timer, ticks, periodic);
    },
    cancelTimer(timer) {
      checkTimer(step, 'cancels', timer, checked.cancelTimer);
      effects.cancelTimer(timer);
    },
    choose(below) {
      spend(step, 'draws a number', checked.choose);
      if (!isWhole(below, 1)) {
        const what = `chooses below ${shown(below)}: expected a whole number from 1 on`;
        refuse(step, what, checked.choose);
      }
      effects.choose(below);
    },
    persist(fields) {
      checkJson(step, 'persists', fields, checked.persist);
      effects.persist(fields);
    },
    call(operation) {
      if (!step.origin.hasStore) {
        const what = 'calls a store, and the protocol has none: state it as "store"';
        refuse(step, what, checked.call);
      }
      checkMessage(step, 'calls the store with', operation, checked.call);
      checkForm(step, operation, checked.call);
      effects.call(operation);
    },
    elect(leader, epoch) {
      spend(step, 'elects a leader', checked.elect);
      const what = (): string => `elects ${shown(leader)}`;
      checkRank(step, leader, { what, remedy: 'elect a rank of self.members', at: checked.elect });
      if (!isWhole(epoch, 0)) {
        const wrong = `elects ${leader} in epoch ${shown(epoch)}: expected a whole number from 0 on`;
        refuse(step, wrong, checked.elect);
      }
      effects.elect(leader, epoch);
    },
    stepDown: () => effects.stepDown(),
    accuse(evidence) {
      checkJson(step, 'accuses with', evidence, checked.accuse);
      effects.accuse(evidence);
    },
    respond(value) {
      checkJson(step, 'responds with', value, checked.respond);
      effects.respond(value);
    },
  };
  return checked;
}

/** Counts an effect. A step with more than a driver can carry out is a loop that does not end soon. */
function spend(step: CheckedStep, does: string, at: AnyFunction): void {
  step.effectsLeft -= 1;
  if (step.effectsLeft >= 0) return;
  const most = effectsMax(step.self);
  refuse(step, `${does} after ${most} effects of one step: a step has at most ${most}`, at);
}

function checkForm(step: CheckedStep, message: Message, at: AnyFunction): void {
  const { origin, self } = step;
  const problem = examination.sentProblem(origin.protocol, message, { self });
  if (problem !== null) refuse(step, `sends ${JSON.stringify(message)}, ${problem}`, at);
}

function checkRank(
  step: CheckedStep,
  rank: Rank,
  { what, remedy, at }: { what: () => string; remedy: string; at: AnyFunction },
): void {
  const { self, strangers } = step;
  const isRank = typeof rank === typeof self.rank && (isMember(self, rank) || strangers.has(rank));
  if (isRank && (typeof rank === 'string' || isWhole(rank, 1))) return;
  refuse(step, `${what()}, which is no node: ${remedy}`, at);
}

function checkMessage(step: CheckedStep, does: string, message: unknown, at: AnyFunction): void {
  checkJson(step, does, message, at);
  const isObject = typeof message === 'object' && message !== null && !Array.isArray(message);
  if (isObject && 'type' in message && typeof message.type === 'string') return;
  refuse(step, `${does} ${shown(message)}: a message is an object with a string "type"`, at);
}

function checkJson(step: CheckedStep, does: string, value: unknown, at: AnyFunction): void {
  spend(step, `${does} a value`, at);
  const unplain = unplainIn(value, 'value');
  if (unplain !== null) refuse(step, `${does} ${cannotHold(unplain, value)}`, at);
}

function cannotHold(path: string, value: unknown): string {
  const part = path.length > PATH_CHARACTERS_MAX ? `${path.slice(0, PATH_CHARACTERS_MAX)}…` : path;
  const plain = 'null, true, false, finite numbers, strings, lists and objects of these';
  return `${shown(value)}, of which JSON cannot hold ${part}: use only ${plain}`;
}

function checkTimer(step: CheckedStep, does: string, timer: unknown, at: AnyFunction): void {
  spend(step, `${does} a timer`, at);
  if (typeof timer === 'string' && timer !== '') return;
  refuse(step, `${does} timer ${shown(timer)}: its name must be a string that is not empty`, at);
}

function isWhole(value: unknown, least: number): boolean {
  return Number.isSafeInteger(value) && Number(value) >= least;
}

/** `at` is the effect, whose caller is named with its line; null if there is none. */
function refuse({ origin, self, event }: CheckedStep, what: string, at: AnyFunction | null): never {
  const node = origin.isStore ? 'the store' : `node ${self.rank}`;
  const caller = new Error('effect');
  if (at !== null) Error.captureStackTrace(caller, at);
  const line = at === null ? null : userFrame(caller);
  const where = `handler of ${handlerOf(event)}${line === null ? '' : `, ${line}`}`;
  throw new LabError('arguments', `${origin.who}: ${node} ${what} (${where})`);
}

function handlerOf(event: Event<Message>): string {
  if (event.type === 'deliver') return `deliver ${event.message.type}`;
  if (event.type === 'reply') return `reply ${event.value.type}`;
  return event.type === 'timeout' ? `timeout ${event.timer}` : event.type;
}

/** An error that a file of the user throws, with its line if that is known. */
export function thrownText(error: unknown): string {
  if (!(error instanceof Error)) return shown(error);
  const frame = userFrame(error);
  return `${error.name}: ${error.message}${frame === null ? '' : ` (${frame})`}`;
}

/** A value of the user, on one line. */
export function shown(value: unknown): string {
  const text = inspect(value, { depth: 1, breakLength: Number.POSITIVE_INFINITY });
  return text.length <= SHOWN_CHARACTERS_MAX ? text : `${text.slice(0, SHOWN_CHARACTERS_MAX)}…`;
}

const SHOWN_CHARACTERS_MAX = 200;
const PATH_CHARACTERS_MAX = 40;

/**
 * A step before it is made. Whether a machine of the user does the same for the same state and event. A machine with
 * a memory of its own, in a closure or in a variable of its file, gives other results to each driver, and a check
 * that computes each step once is wrong. The first step of each kind is repeated whenever a step of the kind is a
 * sample, and so is that step.
 */
interface StepCopy {
  readonly self: Self;
  readonly state: Json;
  readonly event: Event<Message>;
}

/** Members of a node whose first steps are kept. */
const MEMBERS_MAX = 1000;

/** A step that can be repeated; null if its state is no plain data, which is refused elsewhere. */
function copyOfStep(self: Self, state: Json, event: Event<Message>): StepCopy | null {
  if (unplainIn(state, 'state') !== null || unplainIn(event, 'event') !== null) return null;
  return { self, state: copyJson(state), event: copyJson(event) };
}

class RepeatedSteps {
  readonly #machine: AnyMachine;
  /** The first step of each kind, and what it did. */
  readonly #first = new Map<string, { readonly step: StepCopy; readonly done: string }>();

  constructor(machine: AnyMachine) {
    this.#machine = machine;
  }

  /** Repeats a step that has just been made. Returns two different things that one step did; null if there are none. */
  difference(kind: string, step: StepCopy): readonly [string, string] | null {
    const now = { step, done: this.#repeat(step) };
    const first = this.#first.get(kind);
    for (const kept of first === undefined ? [now] : [first, now]) {
      const repeated = this.#repeat(kept.step);
      if (repeated !== kept.done) return [kept.done, repeated];
    }
    if (first === undefined && step.self.members.length <= MEMBERS_MAX) {
      this.#first.set(kind, { ...now, step: unchanging(step) });
    }
    return null;
  }

  #repeat({ self, state, event }: StepCopy): string {
    const after = copyJson(state);
    const effects: EffectRecord[] = [];
    try {
      this.#machine.step(self, after, copyJson(event), recordingEffects(effects));
    } catch (error) {
      return `throws ${String(error)}`;
    }
    return JSON.stringify({ state: after, effects });
  }
}

/** What a node knows of itself may change with the membership. */
function unchanging({ self, ...step }: StepCopy): StepCopy {
  const { rank, members, founders, successors, predecessor, ringNodes, links, incumbent } = self;
  const copies = {
    members: [...members],
    founders: [...founders],
    successors: [...successors],
  };
  const known = links && { ...links, neighbours: [...links.neighbours] };
  return { ...step, self: { rank, ...copies, predecessor, ringNodes, links: known, incumbent } };
}
