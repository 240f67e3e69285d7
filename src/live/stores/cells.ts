/**
 * @module
 * What every real store has: a text under a name that is replaced only if it has not changed since it was read
 * (compare-and-set). The lease table of db-lease and the resource with its fence are their modelled machines, whose state
 * is such a text: an operation reads the state, makes one step, and writes the next state. If another node has written
 * meanwhile, it begins again. So each step takes effect at one moment, whatever pauses the node between reading and writing.
 */

import { z } from 'zod';
import type { AnyMachine } from '../../election/definition/protocol.ts';
import type { TableState } from '../../election/lease/stores/lease-table.ts';
import { createLeaseTable } from '../../election/lease/stores/lease-table.ts';
import type { ResourceState } from '../../election/lease/stores/resource.ts';
import { createResource, RESOURCE_OPERATIONS } from '../../election/lease/stores/resource.ts';
import type { Effects, Json, Message, Rank } from '../../election/machine.ts';
import type { StoreAnswer, StoreService, StoreUse } from './live-store.ts';
import {
  contentBySchema,
  countSchema,
  countTextSchema,
  malformedContent,
  rankSchema,
  StoreAway,
  storedJson,
  storeSelf,
} from './live-store.ts';

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
  /** Writes if the version is still this one. Returns the number of the write; null if it was not. */
  swap(name: string, version: number, text: string): Promise<unknown>;
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

/** The services that a store with cells has: the resource, and the lease table for db-lease. */
export function cellServices(cells: Cells, { own, protocol, resource }: StoreUse): StoreService[] {
  const services: StoreService[] = [];
  if (resource !== null) {
    const machine: AnyMachine = createResource(resource);
    const stored = { name: 'resource', machine, own, schema: resourceSchema(own) };
    services.push(serviceOf(cells, stored, RESOURCE_OPERATIONS));
  }
  if (protocol === 'db-lease') {
    // A driver passes back only states of this form.
    const machine = createLeaseTable() as unknown as AnyMachine;
    const stored = { name: 'table', machine, own, schema: tableSchema(own) };
    services.push(serviceOf(cells, stored, ['READ', 'SWAP']));
  }
  return services;
}

function tableSchema(own: Rank): z.ZodType<TableState> {
  const count = countSchema;
  const holder = rankSchema(own);
  const row = z.strictObject({ holder, version: count, epoch: count, request: count });
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
  });
}

interface Stored {
  readonly name: string;
  readonly machine: AnyMachine;
  readonly own: Rank;
  /** The form of its states. */
  readonly schema: z.ZodType<Json>;
}

function serviceOf(cells: Cells, stored: Stored, operations: readonly string[]): StoreService {
  return {
    operations,
    call: (operation) => step(cells, stored, operation),
    async check() {
      await readState(cells, stored);
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

async function step(cells: Cells, stored: Stored, message: Message): Promise<StoreAnswer | null> {
  const { name, machine, own, schema } = stored;
  for (let attempt = 0; attempt < SWAPS_MAX; attempt += 1) {
    const { state, version, revision } = await readState(cells, stored);
    const before = JSON.stringify(state);
    const sent: Message[] = [];
    const deliver = { type: 'deliver', from: own, message } as const;
    machine.step(storeSelf(own), state, deliver, answersTo(sent));
    const [value] = sent;
    const after = JSON.stringify(state);
    if (value === undefined) return null;
    if (after === before) return { value, mark: { revision, wrote: false } };
    const where = cells.where(name);
    // Numbers can have reached their end, if others write to the store.
    contentBySchema(schema, state, where);
    const written = await cells.swap(name, version, after);
    if (written !== null) {
      return {
        value,
        mark: { revision: contentBySchema(countTextSchema, written, where), wrote: true },
      };
    }
  }
  throw new StoreAway(`other nodes have written ${name} ${SWAPS_MAX} times`);
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
