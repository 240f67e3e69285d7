/**
 * @module
 * What every real store has: a text under a name that is replaced only if it has not changed since it was read
 * (compare-and-set). The lease table of db-lease and kubernetes-lease and the resource with its fence are their modelled machines, whose state
 * is such a text: an operation reads the state, makes one step, and writes the next state. If another node has written
 * meanwhile, it begins again. So each step takes effect at one moment, whatever pauses the node between reading and writing.
 */

import { z } from 'zod';
import { TICKS } from '../../election/definition/flags.ts';
import type { AnyMachine } from '../../election/definition/protocol.ts';
import type { TableState } from '../../election/lease/stores/lease-table.ts';
import { createLeaseTable } from '../../election/lease/stores/lease-table.ts';
import type { ResourceState } from '../../election/lease/stores/resource.ts';
import { createResource, RESOURCE_OPERATIONS } from '../../election/lease/stores/resource.ts';
import type { Effects, Json, Message, Rank } from '../../election/machine.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import type { StoreAnswer, StoreService, StoreUse } from './live-store.ts';
import {
  contentBySchema,
  countSchema,
  countTextSchema,
  lostData,
  malformedContent,
  raisedText,
  rankSchema,
  StoreAway,
  storedJson,
  storeSelf,
} from './live-store.ts';
import { RowHistory } from './row-history.ts';

/** A text as it was read. */
export interface Cell {
  /** Null before the first write. */
  readonly text: string | null;
  /** What `swap` compares. */
  readonly version: number;
  /** Number of the last write of the store when it was read. */
  readonly revision: number;
}

/** The texts of one election. Reading and writing throw `StoreAway`. */
export interface Cells {
  /** Where a text is, in words for the user. */
  where(name: string): string;
  /** What the store says, which is not checked yet. */
  read(name: string): Promise<{ readonly [Member in keyof Cell]: unknown }>;
  /**
   * Writes the text if the cell still has this version. Returns the number of the write, or null if the version has changed.
   * The number is at least `least`, which is 0 for a store that cannot raise its numbers.
   */
  swap(name: string, version: number, text: string, least: number): Promise<unknown>;
  /** Whether the numbers of writes can be raised. */
  readonly raises: boolean;
}

/** How often a step begins again because other nodes have written. */
const SWAPS_MAX = 32;
/** The writes of 256 nodes to a resource take about 30 000. */
export const CELL_CHARACTERS_MAX = 256 * 1024;

const cellSchema = z.object({
  text: z.string().max(CELL_CHARACTERS_MAX, 'is too long').nullable(),
  version: countTextSchema,
  revision: countTextSchema,
});

/** The services that a store with cells has: the resource, the lease table if nodes write one, and the settings. */
export function cellServices(cells: Cells, use: StoreUse): StoreService[] {
  const { own, protocol, resource } = use;
  const services: StoreService[] = [];
  if (resource !== null) {
    const machine: AnyMachine = createResource(resource);
    const waits = PROTOCOLS[protocol].store !== null;
    const stored = { name: 'resource', machine, own, schema: resourceSchema(own), waits };
    services.push(serviceOf(cells, stored, RESOURCE_OPERATIONS));
  }
  if (PROTOCOLS[protocol].store?.messageTypes.includes('SWAP')) {
    // A driver passes back only states of this form.
    const machine = createLeaseTable() as unknown as AnyMachine;
    const schema = tableSchema(own);
    const history = new RowHistory(use, schema);
    const stored = { name: 'table', machine, own, schema, history, warn: use.onWarning };
    services.push(serviceOf(cells, stored, ['READ', 'SWAP']));
  }
  if (PROTOCOLS[protocol].store !== null) services.push(settingsService(cells, use));
  return services;
}

const settingsSchema = z.strictObject({ latencyMs: z.int().min(1) });

/**
 * Compares the settings of a node with the stored ones, which the first node that used the store has written. Nodes with
 * other settings would count leases by other times.
 */
function settingsService(cells: Cells, { timing }: StoreUse): StoreService {
  const where = cells.where('settings');
  const own = { latencyMs: timing.latencyTicksMax };
  return {
    where,
    operations: [],
    call: async () => null,
    async check() {
      await cells.swap('settings', 0, JSON.stringify(own), 0);
      const { text } = contentBySchema(cellSchema, await cells.read('settings'), where);
      if (text === null) return;
      const { latencyMs } = contentBySchema(settingsSchema, storedJson(text), where);
      if (latencyMs === own.latencyMs) return;
      const remedy = `give --latency ${latencyMs}ms, or stop all nodes and delete the settings`;
      const detail = `the nodes of this election run with --latency ${latencyMs}ms, not ${own.latencyMs}ms (${where}); ${remedy}`;
      throw new LabError('arguments', detail);
    },
  };
}

function tableSchema(own: Rank): z.ZodType<TableState> {
  const count = countSchema;
  const holder = rankSchema(own);
  const leaseTicks = z.int().min(1).max(TICKS.max);
  const row = z.strictObject({ holder, version: count, epoch: count, request: count, leaseTicks });
  return z.strictObject({ row: row.nullable() });
}

function resourceSchema(own: Rank): z.ZodType<ResourceState> {
  const count = countSchema;
  const rank = rankSchema(own);
  return z.strictObject({
    max: count,
    holder: rank.nullable(),
    highest: count,
    accepted: count,
    refused: count,
    lateWrites: count,
    last: z.record(z.string(), z.tuple([count, count])),
    recent: z.array(z.strictObject({ by: rank, epoch: count, value: count, late: z.boolean() })),
    content: count.nullable().exactOptional(),
  });
}

interface Stored {
  readonly name: string;
  readonly machine: AnyMachine;
  readonly own: Rank;
  /** The form of its states. */
  readonly schema: z.ZodType<Json>;
  /** What the node has seen of the data. Absent for a service whose lost data nothing can replace. */
  readonly history?: RowHistory;
  readonly warn?: StoreUse['onWarning'];
  /** Whether the protocol has a store of its own beside this service, which notices lost data, too. */
  readonly waits?: boolean;
}

function serviceOf(cells: Cells, stored: Stored, operations: readonly string[]): StoreService {
  return {
    where: cells.where(stored.name),
    operations,
    call: (operation, seen) => step(cells, stored, { operation, seen }),
    async check() {
      await readState(cells, stored);
    },
    recall: ({ type, ...state }) => {
      if (type === 'ROW') stored.history?.note(state);
    },
  };
}

/** The state with the version and the revision of its cell. */
async function readState(cells: Cells, { name, machine, own, schema }: Stored) {
  const where = cells.where(name);
  const { text, ...numbers } = contentBySchema(cellSchema, await cells.read(name), where);
  if (text === null) return { state: machine.init(storeSelf(own)), ...numbers };
  const json = storedJson(text);
  if (json === undefined)
    throw malformedContent(where, 'this is not the text that nodes write: it is no such JSON');
  return { state: contentBySchema(schema, json, where), ...numbers };
}

interface Called {
  readonly operation: Message;
  /** The highest revision that the node had seen before the call. */
  readonly seen: number;
}

async function step(cells: Cells, stored: Stored, called: Called): Promise<StoreAnswer | null> {
  const { name, schema, history } = stored;
  const where = cells.where(name);
  for (let attempt = 0; attempt < SWAPS_MAX; attempt += 1) {
    const known = history?.last ?? null;
    const { state, version, revision } = await readState(cells, stored);
    // Only the lease table has a history, and its schema has checked the form of the state.
    const table = state as TableState;
    const isBehind = revision < called.seen || history?.canFollow(known, table) === false;
    const raised = isBehind
      ? (cells.raises ? history : undefined)?.raise(known, table, Math.max(revision, called.seen))
      : null;
    // A resource waits until a node has raised the numbers of the store.
    if (raised === undefined && cells.raises && stored.waits === true)
      throw new StoreAway(`${where} has lost data`);
    if (raised === undefined) throw lostData(where);
    const before = JSON.stringify(state);
    const value = answerOf(stored, state, raised ?? called.operation);
    if (value === null) return null;
    const after = JSON.stringify(state);
    if (after === before) {
      history?.note(state);
      return { value, mark: { revision, wrote: false, ...history?.raised } };
    }
    // Numbers can have reached their end, if others write to the store.
    contentBySchema(schema, state, where);
    const written = await cells.swap(name, version, after, raised?.row.version ?? 0);
    if (written === null) continue;
    const mark = { revision: contentBySchema(countTextSchema, written, where), wrote: true };
    history?.note(state);
    if (raised !== null) stored.warn?.(raisedText(where, raised.row.version));
    return { value, mark: { ...mark, ...history?.raised } };
  }
  throw new StoreAway(`other nodes have written ${name} ${SWAPS_MAX} times`);
}

/** Applies an operation to the machine of a service, which changes `state`. Returns its answer, or null if it has none. */
function answerOf({ machine, own }: Stored, state: Json, message: Message): Message | null {
  const sent: Message[] = [];
  machine.step(storeSelf(own), state, { type: 'deliver', from: own, message }, answersTo(sent));
  return sent[0] ?? null;
}

/** These machines only answer. */
function answersTo(sent: Message[]): Effects<Message> {
  const refuse = (): never => {
    throw new TypeError('"effect" expected an answer');
  };
  return {
    send: (_to, message) => sent.push(message),
    setTimer: refuse,
    cancelTimer: refuse,
    choose: refuse,
    persist: refuse,
    call: refuse,
    elect: refuse,
    stepDown: refuse,
    accuse: refuse,
    respond: refuse,
  };
}
