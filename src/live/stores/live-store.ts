/**
 * @module
 * This folder connects live nodes to real stores. This file is the contract that every store fulfils: it takes the
 * operations of a modelled store (src/election/lease/stores) and answers with the same messages, in one order of steps.
 * A store that cannot be reached loses operations or answers, as a network does. The machines ask again. Others can write to
 * a store, or answer in its place: what does not have the form that nodes write counts as no answer.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { isRank } from '../../election/authentication/message-forms.ts';
import type { Flags } from '../../election/definition/flags.ts';
import type { ResourceKind } from '../../election/lease/stores/resource.ts';
import type { Message, Rank, Self } from '../../election/machine.ts';
import type { ProtocolName } from '../../election/registry.ts';
import type { Timing } from '../../election/timing.ts';
import { LabError } from '../../errors.ts';
import { printableLine } from '../../printable.ts';
import { parseBySchema } from '../../schema.ts';
import type { StoreMark } from '../node-record.ts';
import { parseExchanged } from '../transport/bounded-json.ts';

/** The answer to an operation. */
export interface StoreAnswer {
  readonly value: Message;
  readonly mark: Omit<StoreMark, 'call'>;
}

/** A store as one node has it. */
export interface LiveStore {
  /** Null if the operation has no answer, or it was lost. */
  call(operation: Message): Promise<StoreAnswer | null>;
  close(): Promise<void>;
}

/** Who uses a store, and for what. */
export interface StoreUse {
  readonly own: Rank;
  /** Elections have nothing in common. */
  readonly election: string;
  readonly protocol: ProtocolName;
  readonly timing: Timing;
  /** The variants and numbers with which the protocol runs. Its own if absent. */
  readonly flags?: Flags | undefined;
  /** The resource that leaders write to, beside the store of the protocol; null without one. */
  readonly resource: ResourceKind | null;
  /** Receives messages that answer no operation. */
  readonly onNotice: (value: Message) => void;
  /** Receives what is wrong with the content or the answers of the store, once until it is right again. */
  readonly onWarning?: ((text: string) => void) | undefined;
  /** The last answers that earlier lives of the node received. None by default. */
  readonly remembered?: readonly StoreAnswer[] | undefined;
}

/** Carries out the operations of one service. `call` and `check` throw `StoreAway` if the outcome is unknown. */
export interface StoreService {
  /** Where its data is, in words for the user. */
  readonly where: string;
  readonly operations: readonly string[];
  /** `seen` is the highest revision that the node has seen. After lost data, a service raises its numbers above it if it can. */
  call(operation: Message, seen: number): Promise<StoreAnswer | null>;
  /** Looks whether what the store has is of the form that nodes write. */
  check(): Promise<void>;
  /** Notes an answer that an earlier life of the node received. */
  recall?(value: Message): void;
}

/** The store did not answer. The operation may have taken effect. */
export class StoreAway extends Error {}

/** The store cannot serve yet: it elects a leader, or reads its data. */
export class StoreNotReady extends StoreAway {}

/** What the store has or answers is not of the form that nodes write or stores answer. */
export class StoreMalformed extends StoreAway {}

/** An answer of a store with more bytes than this is malformed. Those to 256 nodes have about 100 kB. */
export const ANSWER_BYTES_MAX = 2 ** 20;

/** Values of the JSON that a store has or answers. What nodes write has fewer. A schema takes long to say what is wrong with many. */
const VALUES_MAX = 4_096;

/** The value of a JSON text; undefined if it is none, or has more values than nodes write. */
export function storedJson(text: string): unknown {
  return parseExchanged(text, VALUES_MAX);
}

/** A number of writes, of an epoch or of a version. */
export const countSchema = z.int().min(0);
/** The same as stores write it: as a text. */
export const countTextSchema = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\d{1,16}$/)
      .transform(Number),
  ])
  .pipe(countSchema);
/** An epoch that a node can grant or write, so that the next one is exact, too. */
export const lastEpochSchema = countTextSchema.pipe(z.int().max(Number.MAX_SAFE_INTEGER - 1));

/** A rank that is written like that of the node itself. */
export function rankSchema(own: Rank): z.ZodType<Rank> {
  const range = { self: storeSelf(own) };
  return z.custom<Rank>((value) => isRank(value, range), 'must be the rank of a node');
}

/** What machines of stores know of themselves. They read nothing of it but the form of ranks. */
export function storeSelf(rank: Rank): Self {
  const none: readonly Rank[] = [];
  return {
    rank,
    members: none,
    founders: none,
    successors: none,
    predecessor: rank,
    ringNodes: 0,
    links: null,
    incumbent: null,
  };
}

/** Parses what a store has. `where` names it. Throws `StoreMalformed`. */
export function contentBySchema<S extends z.ZodType>(
  schema: S,
  json: unknown,
  where: string,
): z.output<S> {
  try {
    return parseBySchema(schema, json, 'text that nodes write');
  } catch (error) {
    throw error instanceof LabError ? malformedContent(where, error.message) : error;
  }
}

/** The error for what is at this place of a store. */
export function malformedContent(where: string, why: string): StoreMalformed {
  const remedy = 'write back what the nodes had written, or stop all nodes and delete it';
  return new StoreMalformed(`${where}: ${why}; ${remedy}`);
}

/** The error for an answer that this store does not give. */
export function malformedAnswer(store: string, why: string): StoreMalformed {
  const remedy = 'correct the address, or start the store again';
  return new StoreMalformed(`${store} answers as no such store does: ${why}; ${remedy}`);
}

/**
 * Returns the error for a store whose state is older than one of its earlier answers. The store has been emptied, or has an
 * older copy of its data. An answer that is only late is no reason for this error: the callers compare an answer only with
 * answers that the node had received before it called the operation.
 */
export function lostData(where: string): StoreMalformed {
  const remedy =
    'stop all nodes, and give the store its newest data back or begin another election';
  return new StoreMalformed(
    `${where}: the store has lost data that it had confirmed, so that epochs could come twice; ${remedy}`,
  );
}

/** Returns the warning about a store that has lost data and stays in use. */
export function raisedText(where: string, epoch: number): string {
  return `${where}: the store had lost data that it had confirmed; epochs go on above ${epoch}, the time in ms, which is above those that were lost; let the store keep its data on disk, and look at what leaders have written`;
}

/** Returns a number above all numbers that the store has given. These grow by less than one in each millisecond. */
export function numberAbove(...seen: readonly number[]): number {
  return Math.max(Date.now(), ...seen) + 1;
}

/** How long a node waits at its start for a store that cannot serve yet. etcd itself waits 7 s for a majority. */
const START_MS_MAX = 10_000;
const START_RETRY_MS = 100;

/** Calls a store at the start of a node, again while it cannot serve yet. Throws what `call` throws. */
export async function onceReady<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  const lastMs = performance.now() + START_MS_MAX;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof StoreNotReady) || performance.now() > lastMs) throw error;
    }
    await delay(START_RETRY_MS);
  }
}

/** Operations of one node that wait for a store. More are lost. */
export const STORE_WAITING_MAX = 256;

/**
 * A store with these services. Operations of no service have no effect. Throws LabError `storage.unavailable` if what the
 * store has is not of the form that nodes write.
 */
export async function storeOfServices(
  given: readonly StoreService[],
  { onWarning = () => undefined, remembered = [] }: Pick<StoreUse, 'onWarning' | 'remembered'>,
  close: () => Promise<void>,
): Promise<LiveStore> {
  try {
    for (const service of given) await onceReady(() => service.check());
  } catch (error) {
    await close();
    if (!(error instanceof StoreAway)) throw error;
    const detail = `the store cannot be used: ${printableLine(error.message)}`;
    throw new LabError('storage.unavailable', detail);
  }
  for (const { value } of remembered) for (const service of given) service.recall?.(value);
  let seen = Math.max(0, ...remembered.map(({ mark }) => mark.revision));
  const services = given.map((service) => warning(service, onWarning));
  let waiting = 0;
  return {
    async call(operation) {
      const service = services.find(({ operations }) => operations.includes(operation.type));
      if (service === undefined || waiting >= STORE_WAITING_MAX) return null;
      waiting += 1;
      try {
        const answer = await service.call(operation, seen);
        seen = Math.max(seen, answer?.mark.revision ?? 0);
        return answer;
      } finally {
        waiting -= 1;
      }
    },
    close,
  };
}

/** Warnings of one service. Who writes to a store could cause many. */
const WARNINGS_MAX = 8;

/** The service without `StoreAway`: an operation that throws it has no answer. */
function warning(
  service: StoreService,
  onWarning: (text: string) => void,
): Pick<StoreService, 'operations' | 'call'> {
  let isMalformed = false;
  let warnings = 0;
  return {
    operations: service.operations,
    async call(operation, seen) {
      try {
        const answer = await service.call(operation, seen);
        if (answer !== null && answer.mark.revision < seen) throw lostData(service.where);
        isMalformed = false;
        return answer;
      } catch (error) {
        if (!(error instanceof StoreAway)) throw error;
        if (error instanceof StoreMalformed && !isMalformed) {
          isMalformed = true;
          warnings += 1;
          const text = `the store counts as away: ${printableLine(error.message)}`;
          if (warnings <= WARNINGS_MAX) onWarning(text);
        }
        return null;
      }
    },
  };
}
