/**
 * @module
 * The resource that leaders work on, and its fence: what keeps a leader that does not know of its own
 * end from doing harm. C. Gray, D. Cheriton, Leases, SOSP 1989, bound how long a leader acts; M. Burrows,
 * The Chubby lock service, OSDI 2006, section 2.4, has the resource check a sequencer, which M.
 * Kleppmann, How to do distributed locking, 2016, calls a fencing token: here the epoch of the election.
 *
 * Invariants: (1) `max` and `highest` never fall; (2) `fencing-register` and `fencing-max` accept no
 * write below `max`; (3) a writer's copies, and what its later writes have overtaken, change nothing;
 * (4) without a bound on steps one operation with epoch 2^53−1 locks out everybody else for ever.
 */

import type { Effects, Event, Machine, Message, Rank } from '../machine.ts';

/**
 * `unfenced` takes everything; `fencing-register` refuses what is below the highest epoch that was
 * registered, and writes do not raise it; `fencing-max` below the highest that was registered or written.
 */
export const RESOURCE_KINDS = ['unfenced', 'fencing-register', 'fencing-max'] as const;
export type ResourceKind = (typeof RESOURCE_KINDS)[number];

export type ResourceOperation =
  /** `value` counts the writer's writes. */
  | { readonly type: 'WRITE'; readonly epoch: number; readonly value: number }
  | { readonly type: 'REGISTER'; readonly epoch: number };

/**
 * `stale`: below `max`, or no new registration; `step`: further above the highest epoch than is
 * allowed; `malformed`: its numbers are none.
 */
export const REFUSAL_REASONS = ['stale', 'step', 'malformed'] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

export type ResourceReply =
  | { readonly type: 'WRITTEN'; readonly epoch: number; readonly value: number }
  | { readonly type: 'REGISTERED'; readonly epoch: number }
  | {
      readonly type: 'REFUSED';
      /** That of the operation; null where it had none. */
      readonly epoch: number | null;
      readonly reason: RefusalReason;
      readonly max: number;
    };

export const RESOURCE_OPERATIONS: readonly string[] = ['WRITE', 'REGISTER'];

/** A write that was accepted; `stale` after an operation of a higher epoch was. */
export type AcceptedWrite = {
  readonly by: Rank;
  readonly epoch: number;
  readonly value: number;
  readonly stale: boolean;
};

export type ResourceState = {
  /** What the fence lets pass; 0 before any. */
  max: number;
  /** Whose registration or write brought `max` to where it is. */
  holder: Rank | null;
  /** The highest epoch of any accepted operation, of which an unfenced resource takes no notice. */
  highest: number;
  /** Operations that took effect; what a network repeated takes none. */
  accepted: number;
  refused: number;
  /** Writes accepted below `highest`: the harm that a fence prevents. */
  staleAccepted: number;
  /** By rank: the epoch and value of its last accepted write. */
  last: Record<string, readonly [epoch: number, value: number]>;
  /** The last few accepted writes, oldest first. */
  recent: AcceptedWrite[];
};

export interface ResourceOptions {
  /**
   * How far above the highest epoch accepted so far an operation may be; null (default) is any
   * distance. It must exceed how many epochs can pass without an operation.
   */
  readonly epochStepMax?: number | null | undefined;
}

/** A store machine: one resource, whose operations take effect one by one as they arrive. */
export function createResource(
  kind: ResourceKind,
  { epochStepMax = null }: ResourceOptions = {},
): Machine<ResourceState, Message> {
  if (epochStepMax !== null && !(Number.isSafeInteger(epochStepMax) && epochStepMax >= 1)) {
    throw new RangeError(`"epochStepMax" expected an integer of at least 1, got ${epochStepMax}`);
  }
  const fence = { kind, epochStepMax };
  return {
    init: createState,
    step: (_self, state, event, effects) => step({ fence, state, effects }, event),
  };
}

/**
 * Whether a reply is one of a resource, with every field that it must have: other stores beside it may
 * use the same words.
 */
export function isResourceReply(reply: Message): reply is ResourceReply {
  const { epoch, value, max, reason } = fieldsOf(reply);
  switch (reply.type) {
    case 'WRITTEN':
      return isCount(epoch) && isCount(value);
    case 'REGISTERED':
      return isCount(epoch);
    case 'REFUSED':
      return (
        (epoch === null || isCount(epoch)) &&
        isCount(max) &&
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

interface Step {
  readonly fence: Fence;
  readonly state: ResourceState;
  readonly effects: Effects<Message>;
}

function createState(): ResourceState {
  const counts = { accepted: 0, refused: 0, staleAccepted: 0 };
  return { max: 0, holder: null, highest: 0, ...counts, last: {}, recent: [] };
}

function step(context: Step, event: Event<Message>): void {
  switch (event.type) {
    case 'deliver':
      onOperation(context, event.from, event.message);
      break;
    case 'start':
    case 'timeout':
    case 'suspect':
    case 'trust':
    case 'join':
    case 'leave':
    case 'recover':
    case 'chosen':
    case 'reply':
    case 'request':
      break;
    default:
      event satisfies never;
  }
}

function onOperation(context: Step, from: Rank, message: Message): void {
  if (!RESOURCE_OPERATIONS.includes(message.type)) return;
  const operation = operationOf(message);
  const { state } = context;
  const reason = operation === null ? 'malformed' : refusalOf(context, from, operation);
  if (reason !== null) {
    state.refused += 1;
    const { max } = state;
    answer(context, from, { type: 'REFUSED', epoch: operation?.epoch ?? null, reason, max });
  } else if (operation?.type === 'WRITE') {
    write(context, from, operation);
  } else if (operation?.type === 'REGISTER') {
    register(context, from, operation.epoch);
  }
}

/** Why an operation is not accepted; null when it is. */
function refusalOf(
  { fence, state }: Step,
  from: Rank,
  { type, epoch }: ResourceOperation,
): RefusalReason | null {
  const { max, holder, highest } = state;
  // The bound counts from what was accepted, so that nobody is kept out by what was refused.
  if (fence.epochStepMax !== null && epoch - highest > fence.epochStepMax) return 'step';
  if (fence.kind === 'unfenced' || epoch > max) return null;
  // The holder repeats a registration whose answer was lost.
  const isAllowed = epoch === max && (type === 'WRITE' || holder === from);
  return isAllowed ? null : 'stale';
}

function write(
  context: Step,
  from: Rank,
  { epoch, value }: ResourceOperation & { readonly type: 'WRITE' },
): void {
  const { fence, state } = context;
  if (!isRepeated(state.last[String(from)], epoch, value)) {
    const stale = epoch < state.highest;
    state.accepted += 1;
    if (stale) state.staleAccepted += 1;
    state.last[String(from)] = [epoch, value];
    state.recent.push({ by: from, epoch, value, stale });
    if (state.recent.length > RECENT_WRITES) state.recent.shift();
    if (fence.kind === 'fencing-max') raise(state, from, epoch);
    state.highest = Math.max(state.highest, epoch);
  }
  answer(context, from, { type: 'WRITTEN', epoch, value });
}

/** How many accepted writes are remembered. */
const RECENT_WRITES = 16;

/**
 * A copy, or overtaken by the same writer's later write, before which it may as well have been. That a
 * writer counts on takes that it leads no epoch in two lives. In epoch 0 elections are not numbered,
 * and whoever has been down begins to count again there.
 */
function isRepeated(
  last: readonly [epoch: number, value: number] | undefined,
  epoch: number,
  value: number,
): boolean {
  if (last === undefined || epoch === 0) return false;
  return epoch < last[0] || (epoch === last[0] && value <= last[1]);
}

function register(context: Step, from: Rank, epoch: number): void {
  const { state } = context;
  if (epoch > state.max) state.accepted += 1;
  raise(state, from, epoch);
  state.highest = Math.max(state.highest, epoch);
  answer(context, from, { type: 'REGISTERED', epoch });
}

function raise(state: ResourceState, from: Rank, epoch: number): void {
  if (epoch <= state.max) return;
  state.max = epoch;
  state.holder = from;
}

function answer({ effects }: Step, to: Rank, reply: ResourceReply): void {
  effects.send(to, reply);
}

/** The operation that a message is; null where its numbers are not whole, or none. */
function operationOf(message: Message): ResourceOperation | null {
  const { epoch, value } = fieldsOf(message);
  if (!isCount(epoch)) return null;
  if (message.type === 'REGISTER') return { type: 'REGISTER', epoch };
  return isCount(value) ? { type: 'WRITE', epoch, value } : null;
}

/** Whatever somebody sent, which need not be what its type promises. */
function fieldsOf(message: Message): Readonly<Record<string, unknown>> {
  return { ...message };
}

/** Beyond 2^53−1 whole numbers run together, and two epochs could be one. */
function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
