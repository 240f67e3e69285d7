/**
 * @module
 * The resource that leaders work on, and its fence, which prevents harm by a leader that does not know
 * that it is deposed. C. Gray, D. Cheriton, Leases, SOSP 1989, bound how long a leader acts; M. Burrows,
 * The Chubby lock service, OSDI 2006, section 2.4, has the resource check a sequencer, which M.
 * Kleppmann, How to do distributed locking, 2016, calls a fencing token: here the epoch of the election.
 *
 * Invariants: (1) `max` and `highest` never fall; (2) `fencing-register` and `fencing-max` accept no
 * write below `max`; (3) a copy of a write, and a write that a later one of the same writer has
 * overtaken, change nothing; (4) without a bound on steps one operation with epoch 2^53−1 locks out all
 * other nodes for ever.
 */

import type { Content } from '../../client-operations.ts';
import { contentIn } from '../../client-operations.ts';
import type { Step } from '../../handlers.ts';
import { createMachine } from '../../handlers.ts';
import type { Machine, Message, Rank } from '../../machine.ts';
import { memberOf } from '../../message-members.ts';

/**
 * `unfenced` accepts every operation. `fencing-register` refuses epochs below the highest that was
 * registered, and `fencing-max` those below the highest that was registered or written.
 */
export const RESOURCE_KINDS = ['unfenced', 'fencing-register', 'fencing-max'] as const;
export type ResourceKind = (typeof RESOURCE_KINDS)[number];

export type ResourceOperation =
  /** `value` is the number of this write among those of the writer. `content` is written for a client. */
  | {
      readonly type: 'WRITE';
      readonly epoch: number;
      readonly value: number;
      readonly content?: Content;
    }
  /** Asks for the content of the last write that had one. */
  | { readonly type: 'REGISTER' | 'FETCH'; readonly epoch: number };

/**
 * `stale`: the epoch is below `max`, or the registration is not new. `step`: the epoch is further above
 * the highest one than is allowed. `malformed`: a number is missing or not exact.
 */
export const REFUSAL_REASONS = ['stale', 'step', 'malformed'] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

export type ResourceReply =
  | { readonly type: 'WRITTEN'; readonly epoch: number; readonly value: number }
  | { readonly type: 'REGISTERED'; readonly epoch: number }
  | { readonly type: 'FETCHED'; readonly epoch: number; readonly content: Content }
  | {
      readonly type: 'REFUSED';
      /** Epoch of the operation. Null if it had none. */
      readonly epoch: number | null;
      readonly reason: RefusalReason;
      readonly max: number;
    };

export const RESOURCE_OPERATIONS: readonly string[] = ['WRITE', 'REGISTER', 'FETCH'];

/** A write that was accepted. It is `late` if an operation of a higher epoch was accepted before. */
export type AcceptedWrite = {
  readonly by: Rank;
  readonly epoch: number;
  readonly value: number;
  readonly late: boolean;
};

export type ResourceState = {
  /** The lowest epoch that the fence accepts. 0 before any operation. */
  max: number;
  /** The node whose registration or write set `max`. */
  holder: Rank | null;
  /** The highest epoch of any accepted operation. An unfenced resource does not use it. */
  highest: number;
  /** Number of operations that took effect. A copy takes none. */
  accepted: number;
  refused: number;
  /** Number of late writes: accepted below `highest`, which a fence prevents. */
  lateWrites: number;
  /** By rank: the epoch and value of its last accepted write. */
  last: Record<string, readonly [epoch: number, value: number]>;
  /** The last few accepted writes, oldest first. */
  recent: AcceptedWrite[];
  /** What clients have written. Absent before the first write of one. */
  content?: Content;
};

export interface ResourceOptions {
  /**
   * How far above the highest epoch accepted so far an operation may be. Null (default) is any
   * distance. It must exceed the number of epochs that can pass without an operation.
   */
  readonly epochStepMax?: number | null | undefined;
}

/** The machine of a store: one resource, whose operations take effect one by one as they arrive. */
export function createResource(
  kind: ResourceKind,
  { epochStepMax = null }: ResourceOptions = {},
): Machine<ResourceState, Message> {
  if (epochStepMax !== null && !(Number.isSafeInteger(epochStepMax) && epochStepMax >= 1)) {
    throw new RangeError(`"epochStepMax" expected an integer of at least 1, got ${epochStepMax}`);
  }
  return createMachine<ResourceState, Message, Fence>({
    settings: { kind, epochStepMax },
    init: createState,
    on: { deliver: { WRITE: onOperation, REGISTER: onOperation, FETCH: onOperation } },
  });
}

/**
 * Whether a reply is one of a resource, with every member that it must have. Other stores beside it may
 * use the same types.
 */
export function isResourceReply(reply: Message): reply is ResourceReply {
  const [epoch, reason] = [memberOf(reply, 'epoch'), memberOf(reply, 'reason')];
  switch (reply.type) {
    case 'WRITTEN':
      return isCount(epoch) && isCount(memberOf(reply, 'value'));
    case 'REGISTERED':
      return isCount(epoch);
    case 'FETCHED':
      return isCount(epoch) && contentIn(memberOf(reply, 'content')) !== undefined;
    case 'REFUSED':
      return (
        (epoch === null || isCount(epoch)) &&
        isCount(memberOf(reply, 'max')) &&
        REFUSAL_REASONS.some((each) => each === reason)
      );
    default:
      return false;
  }
}

interface Fence {
  readonly kind: ResourceKind;
  readonly epochStepMax: number | null;
}

type Own = Step<ResourceState, Message, Fence>;

function createState(): ResourceState {
  const counts = { accepted: 0, refused: 0, lateWrites: 0 };
  return { max: 0, holder: null, highest: 0, ...counts, last: {}, recent: [] };
}

function onOperation(step: Own, message: Message, from: Rank): void {
  const operation = operationOf(message);
  const { state } = step;
  const reason = operation === null ? 'malformed' : refusalOf(step, from, operation);
  if (reason !== null) {
    state.refused += 1;
    const { max } = state;
    answer(step, from, { type: 'REFUSED', epoch: operation?.epoch ?? null, reason, max });
  } else if (operation?.type === 'WRITE') {
    write(step, from, operation);
  } else if (operation?.type === 'REGISTER') {
    register(step, from, operation.epoch);
  } else if (operation !== null) {
    answer(step, from, {
      type: 'FETCHED',
      epoch: operation.epoch,
      content: state.content ?? null,
    });
  }
}

/** Why an operation is not accepted. Null if it is. */
function refusalOf(
  { settings: fence, state }: Own,
  from: Rank,
  { type, epoch }: ResourceOperation,
): RefusalReason | null {
  const { max, holder, highest } = state;
  // The bound counts from accepted operations, so that a refused one locks out no node.
  if (fence.epochStepMax !== null && epoch - highest > fence.epochStepMax) return 'step';
  if (fence.kind === 'unfenced' || epoch > max) return null;
  // The holder repeats a registration whose answer was lost.
  const isAllowed = epoch === max && (type !== 'REGISTER' || holder === from);
  return isAllowed ? null : 'stale';
}

function write(
  step: Own,
  from: Rank,
  { epoch, value, content }: ResourceOperation & { readonly type: 'WRITE' },
): void {
  const { settings, state } = step;
  if (!isRepeated(state.last[String(from)], epoch, value)) {
    const late = epoch < state.highest;
    state.accepted += 1;
    if (late) state.lateWrites += 1;
    if (content !== undefined) state.content = content;
    state.last[String(from)] = [epoch, value];
    state.recent.push({ by: from, epoch, value, late });
    if (state.recent.length > RECENT_WRITES) state.recent.shift();
    if (settings.kind === 'fencing-max') raise(state, from, epoch);
    state.highest = Math.max(state.highest, epoch);
  }
  answer(step, from, { type: 'WRITTEN', epoch, value });
}

/** Number of accepted writes that are kept. */
const RECENT_WRITES = 16;

/**
 * Whether a write is a copy, or overtaken by a later write of the same writer, which has the same effect.
 * This requires that a writer leads no epoch in two lives. In epoch 0 elections are not numbered, and a
 * node that was down begins to count again.
 */
function isRepeated(
  last: readonly [epoch: number, value: number] | undefined,
  epoch: number,
  value: number,
): boolean {
  if (last === undefined || epoch === 0) return false;
  return epoch < last[0] || (epoch === last[0] && value <= last[1]);
}

function register(step: Own, from: Rank, epoch: number): void {
  const { state } = step;
  if (epoch > state.max) state.accepted += 1;
  raise(state, from, epoch);
  state.highest = Math.max(state.highest, epoch);
  answer(step, from, { type: 'REGISTERED', epoch });
}

function raise(state: ResourceState, from: Rank, epoch: number): void {
  if (epoch <= state.max) return;
  state.max = epoch;
  state.holder = from;
}

function answer({ effects }: Own, to: Rank, reply: ResourceReply): void {
  effects.send(to, reply);
}

/** The operation in a message. Null if a number is missing or not exact. */
function operationOf(message: Message): ResourceOperation | null {
  const [epoch, value] = [memberOf(message, 'epoch'), memberOf(message, 'value')];
  if (!isCount(epoch)) return null;
  if (message.type === 'REGISTER' || message.type === 'FETCH') return { type: message.type, epoch };
  if (!isCount(value)) return null;
  const content = contentIn(memberOf(message, 'content'));
  return { type: 'WRITE', epoch, value, ...(content !== undefined && { content }) };
}

/** Numbers above 2^53−1 are not exact, so that two epochs could be equal. */
function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
