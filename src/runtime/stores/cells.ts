/**
 * @module
 * What every real store has: a text under a name that is replaced only if it has not changed since it was read
 * (compare-and-set). The lease table of db-lease and the resource with its fence are their modelled machines, whose state
 * is such a text: an operation reads the state, makes one step, and writes the next state. If another node has written
 * meanwhile, it begins again. So each step takes effect at one moment, whatever pauses the node between reading and writing.
 */

import type { AnyMachine } from '../../election/definition/protocol.ts';
import { createLeaseTable } from '../../election/lease/stores/lease-table.ts';
import { createResource, RESOURCE_OPERATIONS } from '../../election/lease/stores/resource.ts';
import type { Effects, Json, Message, Rank, Self } from '../../election/machine.ts';
import type { StoreAnswer, StoreService, StoreUse } from './live-store.ts';
import { StoreAway } from './live-store.ts';

/** A text as it was read. */
export interface Cell {
  /** Null before the first write. */
  readonly text: string | null;
  /** What `swap` compares. */
  readonly version: number;
  /** Number of the last write of the store when it was read. */
  readonly revision: number;
}

/** The texts of one election. Both throw `StoreAway`. */
export interface Cells {
  read(name: string): Promise<Cell>;
  /** Writes if the version is still this one. Returns the number of the write; null if it was not. */
  swap(name: string, version: number, text: string): Promise<number | null>;
}

/** How often a step begins again because other nodes have written. */
const SWAPS_MAX = 32;

/** The services that a store with cells has: the resource, and the lease table for db-lease. */
export function cellServices(cells: Cells, { own, protocol, resource }: StoreUse): StoreService[] {
  const services: StoreService[] = [];
  if (resource !== null) {
    const machine: AnyMachine = createResource(resource);
    services.push(serviceOf(cells, { name: 'resource', machine, own }, RESOURCE_OPERATIONS));
  }
  if (protocol === 'db-lease') {
    // A driver passes back only the states that this machine made.
    const machine = createLeaseTable() as unknown as AnyMachine;
    services.push(serviceOf(cells, { name: 'table', machine, own }, ['READ', 'SWAP']));
  }
  return services;
}

interface Stored {
  readonly name: string;
  readonly machine: AnyMachine;
  readonly own: Rank;
}

function serviceOf(cells: Cells, stored: Stored, operations: readonly string[]): StoreService {
  return { operations, call: (operation) => step(cells, stored, operation) };
}

async function step(
  cells: Cells,
  { name, machine, own }: Stored,
  message: Message,
): Promise<StoreAnswer | null> {
  const self = storeSelf(own);
  for (let attempt = 0; attempt < SWAPS_MAX; attempt += 1) {
    const { text, version, revision } = await cells.read(name);
    // A cell contains only what was written below.
    const state: Json = text === null ? machine.init(self) : (JSON.parse(text) as Json);
    const before = JSON.stringify(state);
    const sent: Message[] = [];
    machine.step(self, state, { type: 'deliver', from: own, message }, answersTo(sent));
    const [value] = sent;
    const after = JSON.stringify(state);
    if (value === undefined) return null;
    if (after === before) return { value, mark: { revision, wrote: false } };
    const written = await cells.swap(name, version, after);
    if (written !== null) return { value, mark: { revision: written, wrote: true } };
  }
  throw new StoreAway(`other nodes have written ${name} ${SWAPS_MAX} times`);
}

/** These machines read nothing of it. */
function storeSelf(rank: Rank): Self {
  const none: readonly Rank[] = [];
  return {
    rank,
    members: none,
    successors: none,
    predecessor: rank,
    ringNodes: 0,
    incumbent: null,
  };
}

/** These machines only answer. */
function answersTo(sent: Message[]): Effects<Message> {
  const refuse = (): never => {
    throw new TypeError('"effect" expected an answer');
  };
  return {
    send: (_to, message) => sent.push(message),
    ...{ setTimer: refuse, cancelTimer: refuse, choose: refuse, persist: refuse, call: refuse },
    ...{ elect: refuse, stepDown: refuse, accuse: refuse, respond: refuse },
  };
}
