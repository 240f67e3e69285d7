/**
 * @module
 * Merges the records of live nodes by their vector clocks into one trace of the simulator's format, and repeats each step
 * with the same machine of the model (src/election/world). A step that the model does not take is a defect.
 */

import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Json } from '../../election/machine.ts';
import type { Cast } from '../../election/world/cast.ts';
import type { EffectRecord } from '../../election/world/effect-record.ts';
import type { Action } from '../../election/world/world.ts';
import { applyTraced, createWorld } from '../../election/world/world.ts';
import type { World } from '../../election/world/world-state.ts';
import { parseBySchema } from '../../schema.ts';
import type { TraceRecord } from '../../simulation/engine/trace.ts';
import type { LiveRecord } from './node-record.ts';
import type { Network } from './peers.ts';

/** The log of one node. */
export interface LiveLog {
  readonly position: number;
  readonly records: readonly LiveRecord[];
}

/** A step that the machine of the model does not take. */
export interface Defect {
  readonly position: number;
  /** Index of the record in the log of its node. */
  readonly record: number;
  readonly reason: string;
}

export interface ReplayedLogs {
  /** The steps before the first defect, as a trace of the simulator. */
  readonly records: readonly TraceRecord[];
  readonly defect: Defect | null;
  readonly world: World;
}

const recordSchema = z.looseObject({
  t: z.number('must be a time in ms'),
  event: z.looseObject({ type: z.string('must be a type of event') }),
  effects: z.array(z.looseObject({ type: z.string('must be a type of effect') })),
  clock: z.record(z.string(), z.int('must be a count').min(0, 'must be a count')),
});

/** Reads a line of a log. Throws LabError `schema`. */
export function parseLiveRecord(line: string): LiveRecord {
  const record: unknown = parseBySchema(recordSchema, JSON.parse(line), 'record of a live node');
  return record as LiveRecord; // The model checks every event and effect, whatever it is.
}

/** One record on its way into the trace. */
interface Merging {
  readonly position: number;
  readonly index: number;
  readonly record: LiveRecord;
}

/**
 * Repeats the merged logs. The logs must contain every message that was received, so the log of each node that sent one.
 */
export function replayLogs(cast: Cast, network: Network, logs: readonly LiveLog[]): ReplayedLogs {
  const toModel = modelOf(network);
  const ids = new Map<string, number>();
  const used = new Set<string>();
  const records: TraceRecord[] = [];
  let world = createWorld(cast, []);
  let t = 0;
  const started = logs.reduce(
    (first, { records: [one] }) => Math.min(first, one?.t ?? first),
    Number.POSITIVE_INFINITY,
  );
  const append = (action: Action) => {
    const applied = applyTraced(cast, world, action);
    world = applied.world;
    const seq = records.length;
    return { ...applied, record: { seq, t, action, effects: applied.effects } };
  };
  for (const { position, index, record } of mergedRecords(logs)) {
    t = Math.max(t, Math.round(record.t - started));
    const defectOf = (reason: string): ReplayedLogs => {
      return { records, defect: { position, record: index, reason }, world };
    };
    try {
      const wanted = actionOf({ position, index, record }, { toModel, ids, used, network, world });
      if (typeof wanted === 'string') return defectOf(wanted);
      for (const action of wanted.slice(0, -1)) records.push(append(action).record);
      const last = append(wanted.at(-1) as Action); // `actionOf` returns at least one.
      const difference = differenceOf(last.effects, toModel(asJson(record.effects)));
      if (difference !== null) return defectOf(difference);
      records.push(last.record);
      noteSends(position, record, last.effects, ids);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return defectOf(`the model has no such step: ${error.message}`);
    }
  }
  return { records, defect: null, world };
}

interface Model {
  readonly toModel: (value: Json) => Json;
  /** Ids of messages in the model by sender and its own id. */
  readonly ids: Map<string, number>;
  /** Messages that were received before. */
  readonly used: Set<string>;
  readonly network: Network;
  readonly world: World;
}

/** The actions of a record, or why there are none. The last has the effects. */
function actionOf({ position, record }: Merging, model: Model): Action[] | string {
  const { event } = record;
  const node = position;
  switch (event.type) {
    case 'start':
    case 'crash':
      return [{ type: event.type, node }];
    case 'timeout':
      return [{ type: 'timeout', node, timer: event.timer }];
    case 'chosen':
      return [{ type: 'choose', node, value: event.value }];
    case 'suspect':
    case 'trust': {
      const about = model.toModel(String(event.node));
      if (typeof about !== 'number') return `${event.type}s a node that is no peer`;
      return [{ type: event.type, node, about }];
    }
    case 'recover': {
      const persisted = model.toModel(event.persisted);
      const kept = model.world.nodes[node - 1]?.persisted ?? null;
      const amnesia = persisted === null && kept !== null;
      if (amnesia || isDeepStrictEqual(persisted, kept))
        return [{ type: 'recover', node, amnesia }];
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
  event: LiveRecord['event'] & { readonly type: 'deliver' },
  { toModel, ids, used, world }: Model,
): Action[] | string {
  const from = toModel(String(event.from));
  const name = `${from}:${event.id}`;
  const id = ids.get(name);
  const shown = `message ${event.id} of node ${from}`;
  if (id === undefined) return `receives ${shown}, which was not sent`;
  if (used.has(name)) return `receives ${shown} twice`;
  const flight = world.inFlight.find((each) => each.id === id);
  if (flight?.to !== node) return `receives ${shown}, which was for another node`;
  if (!isDeepStrictEqual(plain(flight.message), toModel(asJson(event.message)))) {
    return `receives ${shown} with another content than was sent`;
  }
  used.add(name);
  return [{ type: 'deliver', message: id }];
}

function noteSends(
  position: number,
  { effects }: LiveRecord,
  made: readonly EffectRecord[],
  ids: Map<string, number>,
): void {
  for (const [index, effect] of effects.entries()) {
    const own = made[index];
    if (effect.type === 'send' && own?.type === 'send') ids.set(`${position}:${effect.id}`, own.id);
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
    return `effect ${index + 1} is ${shown(found[index])}; the model has ${shown(expected[index])}`;
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

/**
 * All records in an order in which causes are before their consequences: the sum of a clock's components grows along every
 * chain of causes.
 */
function mergedRecords(logs: readonly LiveLog[]): readonly Merging[] {
  const all = logs.flatMap(({ position, records }) =>
    records.map((record, index) => {
      const sum = Object.values(record.clock).reduce((total, each) => total + each, 0);
      return { position, index, record, sum };
    }),
  );
  return all.sort(
    (one, other) => one.sum - other.sum || one.position - other.position || one.index - other.index,
  );
}

/** Replaces the ranks of live nodes by positions, in values and in names of members. */
function modelOf({ peers }: Network): (value: Json) => Json {
  const positions = new Map(peers.map(({ rank, position }) => [String(rank), position]));
  const convert = (value: Json): Json => {
    if (typeof value === 'string') return positions.get(value) ?? value;
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) return value.map(convert);
    const members = Object.entries(value).map(([name, member]): [string, Json] => [
      String(positions.get(name) ?? name),
      convert(member),
    ]);
    return Object.fromEntries(members);
  };
  return convert;
}
