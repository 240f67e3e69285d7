/**
 * @module
 * Repeats the merged steps of live nodes with the same machines in the model (src/election/world), which makes a trace of
 * the simulator's format. A step that the model does not take is a defect. A node without a log, and a Byzantine node,
 * whose steps are not those of the protocol, are in the trace with what the others received of them.
 */

import { isDeepStrictEqual } from 'node:util';

import { CLIENT_MESSAGES } from '../../election/clients/clients.ts';
import type { Json, Message, Rank } from '../../election/machine.ts';
import { memberOf } from '../../election/message-members.ts';
import type { Cast } from '../../election/world/cast.ts';
import type { EffectRecord } from '../../election/world/effect-record.ts';
import type { Action } from '../../election/world/world.ts';
import { apply, applyTraced, createWorld } from '../../election/world/world.ts';
import type { Flight, World } from '../../election/world/world-state.ts';
import type { TraceRecord } from '../../simulation/engine/trace.ts';
import type { LiveEvent, LiveLog, LiveRecord } from '../node-record.ts';
import type { MergedStep, StoreStep } from './merged-steps.ts';
import { answeredCalls, mergedSteps, sentName } from './merged-steps.ts';
import type { ModelNetwork } from './model-network.ts';
import { Members, ranksTaken, toModelOf } from './model-network.ts';
import type { MessageRules } from './received.ts';
import { asJson, plain, Received, SEALED } from './received.ts';

/** A step that the machine of the model does not take. */
export interface Defect {
  readonly position: number;
  /** Index of the record in the log of its node. */
  readonly record: number;
  /** What the node has done, as the end of a sentence that begins with "it". */
  readonly reason: string;
}

export interface ReplayedLogs {
  /** The steps before the first defect, as a trace of the simulator. */
  readonly records: readonly TraceRecord[];
  readonly defect: Defect | null;
  /** Why the steps after these could not be repeated, which is no defect; null if all were. */
  readonly unchecked: string | null;
  /** Messages that came in the name of a node that did not send them. */
  readonly forged: number;
  /** At the end, without the messages in flight between nodes. */
  readonly world: World;
  /** The time 0 of the records, in ms since 1970: that of the first step of an honest node. */
  readonly startedMs: number;
}

/**
 * Repeats the merged logs. What a node without a log sent is taken as it was received. A write without an answer can have
 * taken effect before the next leader registered, which only a later answer shows: the logs are then repeated with this write
 * at that place.
 */
export function replayLogs(
  cast: Cast,
  network: ModelNetwork,
  logs: readonly LiveLog[],
  rules: MessageRules = SEALED,
): ReplayedLogs {
  const early = new Map<string, string>();
  for (;;) {
    const replay = new Replay(cast, network, logs, rules, early);
    const replayed = replayedBy(replay, logs, rules);
    const { missed } = replay;
    if (missed === null || early.has(missed.before) || early.size >= EARLY_WRITES_MAX)
      return replayed;
    early.set(missed.before, missed.write);
  }
}

/** How many writes can have their place changed. A run has at most one for each leader that lost the store. */
const EARLY_WRITES_MAX = 32;

function replayedBy(replay: Replay, logs: readonly LiveLog[], rules: MessageRules): ReplayedLogs {
  for (const step of mergedSteps(logs, replay.positionOf)) {
    if (rules.excess !== null && replay.namesUnknown(step))
      return { ...replay.result(), defect: null, unchecked: rules.excess };
    const reason = replay.takes(step);
    if (reason === null) continue;
    const full = endBefore(logs, step.t, rules);
    if (full !== null) return { ...replay.result(), defect: null, unchecked: full };
    const { position, index } = step;
    const isOfStore = step.type === 'store' || step.record.event.type === 'reply';
    if (isOfStore && replay.isStoreUnknown) {
      const unchecked = `node ${rules.numberOf(position)} ${reason}; what the nodes without a log asked the store is not known`;
      return { ...replay.result(), defect: null, unchecked };
    }
    return { ...replay.result(), defect: { position, record: index, reason }, unchecked: null };
  }
  const full = endBefore(logs, Number.POSITIVE_INFINITY, rules);
  return { ...replay.result(), defect: null, unchecked: full };
}

/** Why what a node did after this time is not known: its log is full, or only its first part was read; null if all is known. */
function endBefore(logs: readonly LiveLog[], t: number, { numberOf }: MessageRules): string | null {
  const ended = logs.find(
    ({ isFull, isCut, records }) => (isFull || isCut) === true && (records.at(-1)?.t ?? 0) <= t,
  );
  if (ended === undefined) return null;
  const node = numberOf(ended.position);
  return ended.isCut === true
    ? `the logs together are too long for a check, which takes the first ${ended.records.length} records of node ${node}`
    : `the log of node ${node} is full, so that its later steps are not known`;
}

/** The world of the model while the steps are repeated. */
class Replay {
  readonly #model: Model;
  readonly #flights: Flights;
  readonly #received: Received;
  readonly #answered: ReadonlySet<string>;
  /** Calls that were answered, by their id in the model. */
  readonly #sure = new Set<number>();
  /** The message in flight with the answer to a call, by the name of the call. */
  readonly #answers = new Map<string, number>();
  readonly #records: TraceRecord[] = [];
  readonly #started: number;
  /** Whether a node without a log can have called the store. */
  readonly isStoreUnknown: boolean;
  /** The write without an answer that explains the last answer if it took effect before this call. */
  missed: { readonly before: string; readonly write: string } | null = null;
  /** Writes without an answer that take effect before a call, by its name. */
  readonly #early: ReadonlyMap<string, string>;
  /** The answered calls since the last accepted write, each with the messages that were sent before its answer. */
  #sinceWrite: { readonly name: string; readonly sent: number }[] = [];
  #t = 0;

  constructor(
    cast: Cast,
    network: ModelNetwork,
    logs: readonly LiveLog[],
    rules: MessageRules,
    early: ReadonlyMap<string, string>,
  ) {
    this.#early = early;
    const { peers } = network;
    const positions = (nodes: ModelNetwork['peers']) => nodes.map(({ position }) => position);
    const members = peers.filter(({ isPhantom }) => isPhantom !== true);
    const joined = members.filter(({ isFounder }) => !isFounder);
    const absent = positions(peers.filter(({ isFounder }) => !isFounder));
    const honest = logs.filter(({ isByzantine }) => !isByzantine);
    const checked = new Set(honest.map(({ position }) => position));
    const model: Model = {
      cast,
      toModel: toModelOf(network, cast.store),
      numberOf: rules.numberOf,
      members: new Members(cast, positions(joined)),
      isMember: (position) => members.some((each) => each.position === position),
      isNewcomer: (position) => joined.some((each) => each.position === position),
      world: createWorld(cast, [], absent),
    };
    this.#model = model;
    this.#flights = new Flights(cast);
    this.isStoreUnknown = cast.store !== null && logs.length < members.length;
    this.#answered = answeredCalls(logs);
    this.#started = Math.min(...honest.flatMap(({ records: [first] }) => first?.t ?? []));
    const receiving = {
      cast,
      rules,
      toModel: model.toModel,
      append: this.#append,
      flightOf: (id: number | undefined) => this.#flights.of(id),
      copies: () => model.world.duplicated,
      isChecked: (position: number) => checked.has(position),
      enter: (position: number) => enter(position, model, this.#append),
    };
    this.#received = new Received(receiving, honest, ({ from }) => this.positionOf(from));
  }

  readonly positionOf = (rank: Rank): number | null => {
    const position = this.#model.toModel(String(rank));
    return typeof position === 'number' ? position : null;
  };

  /** Whether it receives a message with a rank that the model has not. */
  namesUnknown(step: MergedStep): boolean {
    const { cast, toModel } = this.#model;
    if (step.type === 'store' || cast.protocol === undefined) return false;
    const { event } = step.record;
    if (event.type !== 'deliver') return false;
    const ranks = ranksTaken(cast.protocol, event);
    return ranks.some((rank) => typeof rank === 'string' && typeof toModel(rank) !== 'number');
  }

  result(): Omit<ReplayedLogs, 'defect' | 'unchecked'> {
    const { forged } = this.#received;
    const startedMs = this.#started;
    return { records: this.#records, world: this.#model.world, forged, startedMs };
  }

  /** Repeats a step. Returns why the model does not take it; null if it does. */
  takes(step: MergedStep): string | null {
    const before = this.#records.length;
    const reason = this.#reasonAgainst(step);
    if (reason !== null) this.#records.splice(before);
    return reason;
  }

  #reasonAgainst(step: MergedStep): string | null {
    try {
      return step.type === 'store' ? this.#storeStep(step) : this.#nodeStep(step);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return `has a step that the model does not have: ${error.message}`;
    }
  }

  readonly #append = (action: Action): readonly EffectRecord[] => {
    const model = this.#model;
    const before = this.#flights.before(model.world, action);
    const applied = applyTraced(model.members.castFor(action, before), before, action);
    model.world = this.#flights.after(applied.world, action);
    this.#records.push({ seq: this.#records.length, t: this.#t, action, effects: applied.effects });
    return applied.effects;
  };

  #nodeStep({ position, record }: MergedStep & { readonly type: 'node' }): string | null {
    this.#t = Math.max(this.#t, Math.round(record.t - this.#started));
    const { event } = record;
    const model = this.#model;
    // A newcomer may learn of another one before it starts.
    if (event.type === 'start' || event.type === 'join') enter(position, model, this.#append);
    if (event.type === 'join') {
      const joining = Number(model.toModel(String(event.node)));
      enter(joining, model, this.#append);
      model.members.note(position, joining);
    }
    if (event.type === 'recover') this.#received.noteReturn(position);
    const wanted = this.#actionOf(position, event);
    if (typeof wanted === 'string') return wanted;
    const effects = this.#append(wanted);
    const difference = differenceOf(effects, model.toModel(asJson(record.effects)));
    if (difference === null) this.#noteSends(position, record, effects);
    return difference;
  }

  #actionOf(position: number, event: LiveEvent): Action | string {
    if (event.type === 'reply') return this.#replyOf(position, event);
    if (event.type === 'deliver') return this.#received.actionOf(position, event);
    return actionOf(position, event, this.#model);
  }

  #storeStep({ position, mark, value }: StoreStep): string | null {
    if (mark.raised !== undefined) this.#raise(position, mark.raised);
    const name = sentName(position, mark.call);
    const call = this.#received.idOf(name);
    if (call === undefined) return `receives an answer to call ${mark.call}, which it did not make`;
    const early = this.#early.get(name);
    const write = early === undefined ? undefined : this.#received.idOf(early);
    if (write !== undefined) this.#append({ type: 'deliver', message: write });
    const answer = this.#sayAs(position, call, asJson(value));
    if (typeof answer === 'string') {
      this.missed = this.#missedWrite(value);
      return answer;
    }
    if (value.type === 'WRITTEN') this.#sinceWrite = [];
    else this.#sinceWrite.push({ name, sent: this.#model.world.sent });
    this.#answers.set(name, answer);
    return null;
  }

  /** The write without an answer whose content the resource has, although its fence refuses the write by now. */
  #missedWrite(value: Message): Replay['missed'] {
    if (value.type !== 'FETCHED') return null;
    const isIt = ({ id, message }: Flight) =>
      message.type === 'WRITE' &&
      !this.#sure.has(id) &&
      memberOf(message, 'content') === memberOf(value, 'content');
    const found = this.#model.world.inFlight.find(isIt);
    if (found === undefined) return null;
    const write = this.#received.nameOf(found.id);
    const before = this.#sinceWrite.find(({ sent }) => sent > found.id)?.name;
    return write === undefined || before === undefined ? null : { before, write };
  }

  /** The store had lost data, and the driver of the node had it go on above what was lost. The model lost nothing. */
  #raise(node: number, operation: Message): void {
    const { cast, toModel } = this.#model;
    // A value with the ranks of the model has the members of the operation.
    const message = toModel(asJson(operation)) as unknown as Message;
    const effects = [{ type: 'send', to: cast.store ?? 0, message }] as const;
    const [called] = this.#append({ type: 'inject', node, effects });
    if (called !== undefined && 'id' in called)
      this.#append({ type: 'deliver', message: called.id });
  }

  /** Lets the modelled store say the same. Returns the message in flight, or what it says instead. */
  #sayAs(node: number, call: number | null, value: Json): number | string {
    const { cast, world, toModel } = this.#model;
    const word = { node, call, value: toModel(value) };
    const found = storeStepsTo(cast, world, word, (id) => !this.#sure.has(id));
    if (typeof found === 'string') return found;
    for (const action of found.actions) this.#append(action);
    return found.answer;
  }

  #replyOf(node: number, event: LiveEvent & { readonly type: 'reply' }): Action | string {
    const { mark, value } = event;
    if (mark === null && value.type === 'ASK') return this.#askedBy(node, value);
    const message =
      mark === null
        ? this.#sayAs(node, null, asJson(value))
        : (this.#answers.get(sentName(node, mark.call)) ?? 'receives an answer twice');
    return typeof message === 'string' ? message : { type: 'deliver', message };
  }

  /** Clients are outside of the model, which takes their questions as they arrived. */
  #askedBy(to: number, message: Message): Action | string {
    const { store } = this.#model.cast;
    if (store === null) return 'receives the question of a client, and there are no clients';
    const effects = [{ type: 'send', to, message }] as const;
    const [asked] = this.#append({ type: 'inject', node: store, effects });
    return asked?.type === 'send'
      ? { type: 'deliver', message: asked.id }
      : 'receives a question that the model does not send';
  }

  #noteSends(position: number, { effects }: LiveRecord, made: readonly EffectRecord[]): void {
    for (const [index, effect] of effects.entries()) {
      const own = made[index];
      if (effect.type !== 'send' && effect.type !== 'call') continue;
      if (own?.type !== effect.type) continue;
      const name = sentName(position, effect.id);
      this.#received.noteSent(name, own.id);
      if (!this.#received.isAwaited(name)) this.#flights.forget(own.id);
      if (this.#answered.has(name)) this.#sure.add(own.id);
    }
  }
}

interface Model {
  readonly cast: Cast;
  readonly toModel: (value: Json) => Json;
  readonly numberOf: (position: number) => number;
  readonly members: Members;
  readonly isMember: (position: number) => boolean;
  /** Whether it is a member but no founder. */
  readonly isNewcomer: (position: number) => boolean;
  world: World;
}

/** The first record that concerns a newcomer brings it into the model. A phantom never enters. */
function enter(
  node: number,
  { world, isMember }: Model,
  append: (action: Action) => unknown,
): void {
  if (isMember(node) && world.absent.includes(node)) append({ type: 'enter', node });
}

/** The action of a record, or why there is none. */
function actionOf(node: number, event: LiveEvent, model: Model): Action | string {
  switch (event.type) {
    case 'start':
    case 'crash':
      return { type: event.type, node };
    case 'timeout':
      return { type: 'timeout', node, timer: String(model.toModel(event.timer)) };
    case 'chosen':
      return { type: 'choose', node, value: event.value };
    case 'suspect':
    case 'trust':
    case 'leave':
    case 'join': {
      const about = model.toModel(String(event.node));
      if (typeof about !== 'number' || !model.isMember(about)) {
        return `has a ${event.type} of a node that is no peer`;
      }
      if (event.type === 'join' && (about === node || !model.isNewcomer(about))) {
        return `has a join of ${about === node ? 'itself' : `node ${model.numberOf(about)}, which is a founder`}`;
      }
      return { type: event.type, node, about };
    }
    case 'recover': {
      const persisted = model.toModel(event.persisted);
      const kept = model.world.nodes[node - 1]?.persisted ?? null;
      const amnesia = persisted === null && kept !== null;
      if (amnesia || isDeepStrictEqual(persisted, kept)) return { type: 'recover', node, amnesia };
      return `returns with ${JSON.stringify(persisted)}, but had persisted ${JSON.stringify(kept)}`;
    }
    default:
      return `has an event of the type ${event.type}, which live nodes do not have`;
  }
}

/** What is different in the effects of a step, ids aside; null if nothing is. */
function differenceOf(model: readonly EffectRecord[], live: Json): string | null {
  const expected = model.map(withoutId);
  const found = Array.isArray(live) ? live.map(withoutId) : [];
  const length = Math.max(expected.length, found.length);
  for (let index = 0; index < length; index += 1) {
    if (isDeepStrictEqual(expected[index], found[index])) continue;
    const shown = (effect: unknown) => (effect === undefined ? 'nothing' : JSON.stringify(effect));
    return `has ${shown(found[index])} as effect ${index + 1}; the model has ${shown(expected[index])}`;
  }
  return null;
}

function withoutId(effect: unknown): unknown {
  if (typeof effect !== 'object' || effect === null) return effect;
  return plain(Object.fromEntries(Object.entries(effect).filter(([name]) => name !== 'id')));
}

/**
 * The messages in flight between the nodes of the model, outside of its world. The model copies all that a world has
 * in flight in every step. A message that no log has as received would be copied until the end.
 */
class Flights {
  readonly #store: Cast['store'];
  readonly #flights = new Map<number, Flight>();

  constructor({ store }: Pick<Cast, 'store'>) {
    this.#store = store;
  }

  of(id: number | undefined): Flight | undefined {
    return id === undefined ? undefined : this.#flights.get(id);
  }

  /** The world as an action needs it: with the message that the action is about. */
  before(world: World, action: Action): World {
    const flight = 'message' in action ? this.#flights.get(action.message) : undefined;
    return flight === undefined ? world : { ...world, inFlight: [...world.inFlight, flight] };
  }

  /** The world after an action, without the messages between nodes. */
  after(world: World, action: Action): World {
    if ('message' in action) this.#flights.delete(action.message);
    // No step follows from what clients receive.
    const isKept = ({ from, to, message }: Flight) =>
      from === this.#store || (to === this.#store && !CLIENT_MESSAGES.includes(message.type));
    const kept = world.inFlight.filter(isKept);
    if (kept.length === world.inFlight.length) return world;
    for (const flight of world.inFlight) if (!isKept(flight)) this.#flights.set(flight.id, flight);
    return { ...world, inFlight: kept };
  }

  /** No node receives this message. */
  forget(id: number): void {
    this.#flights.delete(id);
  }
}

/**
 * Steps of the store that may be missing before one answer. Repeats the answers of a real store with the modelled
 * one. The logs of nodes say in which order the store answered. They do not say when a lease ended, nor whether a
 * call without an answer took effect. Such a step happens in the model only if the next answer needs it.
 */
const MISSING_STEPS_MAX = 8;
/** Worlds that are looked at for one answer. */
const WORLDS_MAX = 2_000;

/** What the store said. */
interface StoreWord {
  readonly node: number;
  /** The id of the call in the model; null if it answers none. */
  readonly call: number | null;
  /** With ranks of the model. */
  readonly value: Json;
}

/** How the modelled store comes to say the same. */
interface StoreSteps {
  readonly actions: readonly Action[];
  /** The message in flight with this word. */
  readonly answer: number;
}

/**
 * The steps of the modelled store; a text if there are none, with what it says instead. `mayBeLost` is true of calls
 * without an answer in the run.
 */
function storeStepsTo(
  cast: Cast,
  world: World,
  word: StoreWord,
  mayBeLost: (call: number) => boolean,
): StoreSteps | string {
  let open: { readonly world: World; readonly actions: readonly Action[] }[] = [
    { world, actions: [] },
  ];
  let looked = 0;
  for (let missing = 0; missing <= MISSING_STEPS_MAX; missing += 1) {
    const later: typeof open = [];
    for (const reached of open) {
      const found = said(cast, reached.world, word);
      if (found !== null) return { ...found, actions: [...reached.actions, ...found.actions] };
      for (const action of missingSteps(cast, reached.world, mayBeLost)) {
        looked += 1;
        const changed = apply(cast, reached.world, action);
        if (looked < WORLDS_MAX && !isSameStore(cast, changed, reached.world)) {
          later.push({ world: changed, actions: [...reached.actions, action] });
        }
      }
    }
    open = later;
  }
  return instead(cast, world, word);
}

/** Whether the store says it without a missing step. */
function said(cast: Cast, world: World, { node, call, value }: StoreWord): StoreSteps | null {
  const actions: Action[] = call === null ? [] : [{ type: 'deliver', message: call }];
  const after = actions.reduce((reached, action) => apply(cast, reached, action), world);
  const isIt = (flight: Flight) =>
    flight.from === cast.store &&
    flight.to === node &&
    (call === null || flight.id >= world.sent) &&
    isDeepStrictEqual(JSON.parse(JSON.stringify(flight.message)), value);
  const flight = after.inFlight.find(isIt);
  return flight === undefined ? null : { actions, answer: flight.id };
}

/** Ends of leases and sessions, and calls that may have taken effect, equal ones once. */
function missingSteps(
  { store }: Cast,
  { nodes, inFlight }: World,
  mayBeLost: (call: number) => boolean,
): Action[] {
  if (store === null) return [];
  const ends = (nodes[store - 1]?.timers ?? []).map(({ timer }): Action => {
    return { type: 'timeout', node: store, timer };
  });
  const lost = new Map<string, Action>();
  for (const { id, from, to, message } of inFlight) {
    if (to !== store || !mayBeLost(id)) continue;
    const name = JSON.stringify([from, message]);
    if (!lost.has(name)) lost.set(name, { type: 'deliver', message: id });
  }
  return [...ends, ...lost.values()];
}

/** Without a change of its state nor a message, a step of the store explains nothing. */
function isSameStore({ store }: Cast, one: World, other: World): boolean {
  const [own, before] = [one.nodes[(store ?? 0) - 1], other.nodes[(store ?? 0) - 1]];
  return isDeepStrictEqual(own?.state, before?.state);
}

function instead(cast: Cast, world: World, { node, call, value }: StoreWord): string {
  const shown = `has ${JSON.stringify(value)} from the store`;
  if (call === null) return `${shown}, which the modelled store does not say`;
  const after = apply(cast, world, { type: 'deliver', message: call });
  const own = after.inFlight.find(
    ({ id, from, to }) => id >= world.sent && from === cast.store && to === node,
  );
  return `${shown}; the modelled store has ${own === undefined ? 'no answer' : JSON.stringify(own.message)}`;
}
