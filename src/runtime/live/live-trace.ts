/**
 * @module
 * Merges the records of live nodes by their vector clocks into one trace of the simulator's format, and repeats each step
 * with the same machine of the model (src/election/world). A step that the model does not take is a defect.
 */

import { isDeepStrictEqual } from 'node:util';
import type { Json, Message, Rank } from '../../election/machine.ts';
import type { Cast } from '../../election/world/cast.ts';
import type { EffectRecord } from '../../election/world/effect-record.ts';
import { castWithout } from '../../election/world/membership.ts';
import type { Action } from '../../election/world/world.ts';
import { applyTraced, createWorld } from '../../election/world/world.ts';
import type { World } from '../../election/world/world-state.ts';
import type { TraceRecord } from '../../simulation/engine/trace.ts';
import type { StoreStep } from './merged-steps.ts';
import { answeredCalls, mergedSteps, sentName } from './merged-steps.ts';
import type { LiveEvent, LiveLog, LiveRecord } from './node-record.ts';
import { STORE_RANK } from './node-record.ts';
import type { Network } from './peers.ts';
import { ranksAsNumbers } from './rank-names.ts';
import { storeStepsTo } from './store-replay.ts';

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
  readonly world: World;
}

/**
 * Repeats the merged logs. The logs must contain every message that was received, so the log of each node that sent one.
 */
export function replayLogs(cast: Cast, network: Network, logs: readonly LiveLog[]): ReplayedLogs {
  const replay = new Replay(cast, network, logs);
  for (const step of mergedSteps(logs, replay.positionOf)) {
    const reason = replay.takes(step);
    if (reason === null) continue;
    const { position, index } = step;
    return { ...replay.result(), defect: { position, record: index, reason } };
  }
  return { ...replay.result(), defect: null };
}

type MergedStep = ReturnType<typeof mergedSteps> extends Generator<infer Step> ? Step : never;

/** The world of the model while the steps are repeated. */
class Replay {
  readonly #model: Model;
  readonly #answered: ReadonlySet<string>;
  /** Calls that were answered, by their id in the model. */
  readonly #sure = new Set<number>();
  /** The message in flight with the answer to a call, by the name of the call. */
  readonly #answers = new Map<string, number>();
  readonly #records: TraceRecord[] = [];
  readonly #started: number;
  #t = 0;

  constructor(cast: Cast, network: Network, logs: readonly LiveLog[]) {
    const joined = network.peers.filter(({ isFounder }) => !isFounder);
    const absent = joined.map(({ position }) => position);
    this.#model = {
      ...{ cast, toModel: modelOf(network, cast.store), ids: new Map(), used: new Set() },
      members: new Members(cast, absent),
      byzantine: new Set(logs.flatMap((log) => (log.isByzantine ? log.position : []))),
      world: createWorld(cast, [], absent),
    };
    this.#answered = answeredCalls(logs);
    this.#started = logs.reduce(
      (first, { records: [one] }) => Math.min(first, one?.t ?? first),
      Number.POSITIVE_INFINITY,
    );
  }

  readonly positionOf = (rank: Rank): number | null => {
    const position = this.#model.toModel(String(rank));
    return typeof position === 'number' ? position : null;
  };

  result(): Omit<ReplayedLogs, 'defect'> {
    return { records: this.#records, world: this.#model.world };
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
    const applied = applyTraced(model.members.castFor(action, model.world), model.world, action);
    model.world = applied.world;
    this.#records.push({
      ...{ seq: this.#records.length, t: this.#t, action, effects: applied.effects },
    });
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
    if (event.type === 'deliver') injectForeign(position, event, model, this.#append);
    const wanted =
      event.type === 'reply' ? this.#replyOf(position, event) : actionOf(position, event, model);
    if (typeof wanted === 'string') return wanted;
    const effects = this.#append(wanted);
    const difference = differenceOf(effects, model.toModel(asJson(record.effects)));
    if (difference === null) this.#noteSends(position, record, effects);
    return difference;
  }

  #storeStep({ position, mark, value }: StoreStep): string | null {
    const name = sentName(position, mark.call);
    const call = this.#model.ids.get(name);
    if (call === undefined) return `receives an answer to call ${mark.call}, which it did not make`;
    const answer = this.#sayAs(position, call, asJson(value));
    if (typeof answer === 'string') return answer;
    this.#answers.set(name, answer);
    return null;
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
    const message =
      mark === null
        ? this.#sayAs(node, null, asJson(value))
        : (this.#answers.get(sentName(node, mark.call)) ?? 'receives an answer twice');
    return typeof message === 'string' ? message : { type: 'deliver', message };
  }

  #noteSends(position: number, { effects }: LiveRecord, made: readonly EffectRecord[]): void {
    for (const [index, effect] of effects.entries()) {
      const own = made[index];
      if (effect.type !== 'send' && effect.type !== 'call') continue;
      if (own?.type !== effect.type) continue;
      const name = sentName(position, effect.id);
      this.#model.ids.set(name, own.id);
      if (this.#answered.has(name)) this.#sure.add(own.id);
    }
  }
}

interface Model {
  readonly cast: Cast;
  readonly toModel: (value: Json) => Json;
  /** Ids of messages in the model by sender and its own id. */
  readonly ids: Map<string, number>;
  /** Messages that were received before. */
  readonly used: Set<string>;
  readonly members: Members;
  readonly byzantine: ReadonlySet<number>;
  world: World;
}

/** The first record that concerns a newcomer brings it into the model. */
function enter(node: number, { world }: Model, append: (action: Action) => unknown): void {
  if (world.absent.includes(node)) append({ type: 'enter', node });
}

/** A message of a Byzantine node is sent in the model when it is received. */
function injectForeign(
  position: number,
  event: LiveEvent & { readonly type: 'deliver' },
  model: Model,
  append: (action: Action) => readonly EffectRecord[],
): void {
  const { toModel, ids, byzantine } = model;
  const from = Number(toModel(String(event.from)));
  if (!byzantine.has(from)) return;
  enter(from, model, append);
  const message = toModel(asJson(event.message)) as unknown as Message; // The node has received it as one.
  const effects = append({
    ...{ type: 'inject', node: from },
    effects: [{ type: 'send', to: position, message }],
  });
  for (const effect of effects) {
    if (effect.type === 'send') ids.set(sentName(from, event.id), effect.id);
  }
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
    case 'join': {
      const about = model.toModel(String(event.node));
      if (typeof about !== 'number') return `has a ${event.type} of a node that is no peer`;
      return { type: event.type, node, about };
    }
    case 'recover': {
      const persisted = model.toModel(event.persisted);
      const kept = model.world.nodes[node - 1]?.persisted ?? null;
      const amnesia = persisted === null && kept !== null;
      if (amnesia || isDeepStrictEqual(persisted, kept)) return { type: 'recover', node, amnesia };
      return `returns with ${JSON.stringify(persisted)}, but had persisted ${JSON.stringify(kept)}`;
    }
    case 'deliver':
      return deliveryOf(node, event, model);
    default:
      return `has an event of the type ${event.type}, which live nodes do not have`;
  }
}

function deliveryOf(
  node: number,
  event: LiveEvent & { readonly type: 'deliver' },
  { toModel, ids, used, byzantine, world }: Model,
): Action | string {
  const from = Number(toModel(String(event.from)));
  const name = sentName(from, event.id);
  const id = ids.get(name);
  const shown = `message ${event.id} of node ${from}`;
  if (id === undefined) return `receives ${shown}, which was not sent`;
  if (used.has(name) && !byzantine.has(from)) return `receives ${shown} twice`;
  const flight = world.inFlight.find((each) => each.id === id);
  if (flight?.to !== node) return `receives ${shown}, which was for another node`;
  if (!isDeepStrictEqual(plain(flight.message), toModel(asJson(event.message)))) {
    return `receives ${shown} with another content than was sent`;
  }
  used.add(name);
  return { type: 'deliver', message: id };
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

/** As it is after a log: without undefined members. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function asJson(value: unknown): Json {
  // Records were read from JSON.
  return value as Json;
}

/** Which newcomers each node knows. The model changes the membership for all nodes at once; live nodes learn one by one. */
class Members {
  readonly #cast: Cast;
  readonly #joined: readonly number[];
  readonly #known = new Map<number, Set<number>>();

  constructor(cast: Cast, joined: readonly number[]) {
    this.#cast = cast;
    this.#joined = joined;
    for (const position of joined) this.note(position, position);
  }

  note(position: number, joined: number): void {
    this.#known.set(position, (this.#known.get(position) ?? new Set()).add(joined));
  }

  /** The cast as the node that acts knows it. */
  castFor(action: Action, world: World): Cast {
    if (this.#joined.length === 0) return this.#cast;
    const acting = 'node' in action ? action.node : receiverOf(action.message, world);
    const known = this.#known.get(acting);
    const unknown = this.#joined.filter((each) => known?.has(each) !== true);
    const after = action.type === 'enter' ? [acting] : [];
    const absent = world.absent.filter((each) => !after.includes(each));
    // The model itself leaves out the absent ones.
    return castWithout(
      this.#cast,
      unknown.filter((each) => !absent.includes(each)),
    );
  }
}

function receiverOf(message: number, { inFlight }: World): number {
  return inFlight.find(({ id }) => id === message)?.to ?? 0;
}

/** Replaces the ranks of live nodes by positions. */
function modelOf({ peers }: Network, store: number | null): (value: Json) => Json {
  const positions = new Map(peers.map(({ rank, position }) => [String(rank), position]));
  if (store !== null) positions.set(String(STORE_RANK), store);
  return ranksAsNumbers((rank) => positions.get(rank));
}
