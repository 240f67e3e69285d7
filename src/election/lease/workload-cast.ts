/**
 * @module
 * A cast whose leaders write to a resource: the workload around each node, and the resource as the store, beside the
 * store of the protocol if it has one.
 */

import type { AnyMachine } from '../definition/protocol.ts';
import { intercepted } from '../intercepted.ts';
import type { Effects, Event, Json, Machine, Message, Self } from '../machine.ts';
import type { ProtocolName } from '../registry.ts';
import { PROTOCOLS } from '../registry.ts';
import type { Cast } from '../world/cast.ts';
import { castWithStore, memoised, withNodes } from '../world/cast.ts';
import type {
  ResourceKind,
  ResourceOperation,
  ResourceReply,
  ResourceState,
} from './stores/resource.ts';
import { createResource, isResourceReply, RESOURCE_OPERATIONS } from './stores/resource.ts';
import type { Service } from './stores/services.ts';
import { createServices } from './stores/services.ts';

export interface CastWorkload {
  readonly protocol: ProtocolName;
  readonly resource: ResourceKind;
  /** Ticks between two writes of a leader. */
  readonly everyTicks: number;
  /** How far an epoch may exceed the highest epoch so far; any distance if absent. */
  readonly epochStepMax?: number | null | undefined;
}

/** The cast with the workload. Nodes that share a machine share the one around it. */
export function castWithWorkload(cast: Cast, workload: CastWorkload): Cast {
  const loaded = memoised((machine) => loadedMachine(machine, workload));
  const services = servicesOf(cast, workload.protocol, workload);
  return castWithStore(withNodes(cast, loaded), createServices(services));
}

/** The machine of a node whose leaders write to such a resource. */
export function loadedMachine(
  machine: AnyMachine,
  { resource, everyTicks }: Pick<CastWorkload, 'resource' | 'everyTicks'>,
): AnyMachine {
  const registers = resource === 'fencing-register';
  return createLeaderWorkload(machine, { everyTicks, registers });
}

/** The resource, if there is one, and the store of the protocol. */
export function servicesOf(
  cast: Cast,
  protocol: ProtocolName,
  workload: CastWorkload | null,
): Record<string, Service> {
  // No node sends a RAISE. The check of live nodes uses it to repeat that a store had lost data.
  const operations = [...PROTOCOLS[protocol].messageTypes, 'RAISE'];
  return {
    ...(workload && {
      resource: {
        machine: createResource(workload.resource, { epochStepMax: workload.epochStepMax }),
        operations: RESOURCE_OPERATIONS,
      },
    }),
    ...(cast.store !== null && { store: { machine: cast.machineOf(cast.store), operations } }),
  };
}

/** The resource in the state of the store of a cast with a workload. */
export function resourceOf(store: Json): ResourceState {
  // Such a store is one of `createServices`, which the type does not say.
  const { services } = store as unknown as { readonly services: { resource: ResourceState } };
  return services.resource;
}

/** The resource in the state of any store; null if it has none. */
export function resourceIn(store: Json): ResourceState | null {
  if (store === null || typeof store !== 'object' || !('services' in store)) return null;
  const { services } = store;
  return services !== null && typeof services === 'object' && 'resource' in services
    ? resourceOf(store)
    : null;
}

/**
 * A node's work at the resource. Its counts continue when it leads again.
 *
 * The workload of a leader: with any protocol, a leader writes to a fenced resource (resource.ts) while
 * it leads. A run then shows which node led, and also what a former leader could still do. A write that
 * is overdue after a pause happens before the lease ends that ran out in the pause: that is the zombie
 * (M. Kleppmann, How to do distributed locking, 2016).
 *
 * Invariants: (1) a node writes only from its own `elect` to its next `elect` of another node or
 * `stepDown`, and in that epoch; (2) if it registers, it writes only after the resource has confirmed
 * that; (3) no two writes of one life have the same number; (4) it does not write in an epoch that was
 * refused as stale; (5) timer 'work:write' is set exactly while it may write. One WRITE or REGISTER and
 * one answer each `everyTicks`.
 */
type Work = {
  /** The epoch in which it works. Null while it does not lead, or after it was fenced off. */
  epoch: number | null;
  /** Whether the resource has confirmed its registration, or it needs none. */
  registered: boolean;
  /** Whether a client asked for a write before the node could write. */
  asked: boolean;
  /** Number of writes sent, which is the number of the last. */
  written: number;
  /** The highest number that the resource has confirmed. 0 before any. */
  confirmed: number;
  /** Number of epochs in which it was fenced off. */
  fencedOff: number;
};

export type LeaderWorkloadState = { inner: Json; work: Work };

interface LeaderWorkloadOptions {
  /** Ticks between two writes. Fewer than a lease has, so that a write is overdue when a lease is. */
  readonly everyTicks: number;
  /** Whether a new leader registers its epoch before it writes. */
  readonly registers: boolean;
}

export const WORK_TIMER = 'work:write';

/** The machine of every node, around the protocol's own. Its store must take a resource's operations. */
export function createLeaderWorkload(
  machine: AnyMachine,
  options: LeaderWorkloadOptions,
): Machine<LeaderWorkloadState, Message> {
  const { everyTicks } = options;
  if (!(Number.isSafeInteger(everyTicks) && everyTicks >= 1)) {
    throw new RangeError(`"everyTicks" expected an integer of at least 1, got ${everyTicks}`);
  }
  return {
    init: (self) => ({ inner: machine.init(self), work: idle() }),
    step: (self, state, event, effects) => {
      step({ machine, options, self, state, effects }, event);
    },
  };
}

function idle(): Work {
  return { epoch: null, registered: false, asked: false, written: 0, confirmed: 0, fencedOff: 0 };
}

interface Step {
  readonly machine: AnyMachine;
  readonly options: LeaderWorkloadOptions;
  readonly self: Self;
  readonly state: LeaderWorkloadState;
  readonly effects: Effects<Message>;
}

function step(context: Step, event: Event<Message>): void {
  const { work } = context.state;
  switch (event.type) {
    case 'timeout':
      if (event.timer === WORK_TIMER) proceed(context);
      else stepInner(context, event);
      break;
    case 'reply':
      if (isResourceReply(event.value)) onReply(context, event.value);
      else stepInner(context, event);
      break;
    case 'request':
      if (work.epoch === null) stepInner(context, event);
      else if (work.registered) write(context, work.epoch);
      else work.asked = true;
      break;
    case 'start':
    case 'deliver':
    case 'suspect':
    case 'trust':
    case 'join':
    case 'leave':
    case 'recover':
    case 'chosen':
      stepInner(context, event);
      break;
    default:
      event satisfies never;
  }
}

function stepInner(context: Step, event: Event<Message>): void {
  const { machine, self, state } = context;
  machine.step(self, state.inner, event, watched(context));
}

/** The collector of the inner machine's step, which also learns whether this node leads. */
function watched(context: Step): Effects<Message> {
  const { self, effects } = context;
  return intercepted(effects, {
    elect(leader, epoch) {
      effects.elect(leader, epoch);
      if (leader === self.rank) begin(context, epoch);
      else end(context);
    },
    stepDown() {
      effects.stepDown();
      end(context);
    },
  });
}

/** The node leads. In the same epoch its work continues. */
function begin(context: Step, epoch: number): void {
  const { state, options, effects } = context;
  const { work } = state;
  if (work.epoch === epoch) return;
  work.epoch = epoch;
  work.registered = !options.registers;
  work.asked = false;
  effects.setTimer(WORK_TIMER, options.everyTicks, true);
  if (options.registers) call(context, { type: 'REGISTER', epoch });
}

function end({ state, effects }: Step): void {
  if (state.work.epoch === null) return;
  state.work.epoch = null;
  effects.cancelTimer(WORK_TIMER);
}

/** At each end of the timer. A registration that is not confirmed is repeated. */
function proceed(context: Step): void {
  const { epoch, registered } = context.state.work;
  if (epoch === null) return;
  if (registered) write(context, epoch);
  else call(context, { type: 'REGISTER', epoch });
}

function write(context: Step, epoch: number): void {
  const { work } = context.state;
  work.written += 1;
  call(context, { type: 'WRITE', epoch, value: work.written });
}

/** Answers may arrive late and twice. Those about another epoch than the present are ignored. */
function onReply(context: Step, reply: ResourceReply): void {
  const { work } = context.state;
  switch (reply.type) {
    case 'WRITTEN':
      work.confirmed = Math.max(work.confirmed, reply.value);
      break;
    case 'FETCHED':
      break;
    case 'REGISTERED':
      if (reply.epoch !== work.epoch || work.registered) break;
      work.registered = true;
      if (work.asked) write(context, reply.epoch);
      work.asked = false;
      break;
    case 'REFUSED':
      if (reply.epoch !== work.epoch || work.epoch === null || reply.reason !== 'stale') break;
      work.fencedOff += 1;
      end(context);
      break;
    default:
      reply satisfies never;
  }
}

function call({ effects }: Step, operation: ResourceOperation): void {
  effects.call(operation);
}

/**
 * A driver notes who leads. Ranks are numbers or names. Which leaders have been replaced, by the order in which
 * nodes took the lead, whatever they or the resource know of it. A write of a replaced leader is a *stale write*. A
 * fence refuses it only if the resource has also accepted an operation of a later leader before: then it is a *late
 * write* (stores/resource.ts).
 */
export class ReplacedLeaders<Node> {
  /** The highest epoch that each node has led. */
  readonly #epochs = new Map<Node, number>();
  /** The nodes that lead now, in the order in which they took the lead. */
  readonly #leading = new Set<Node>();

  /** The node leads; epoch 0 is that of elections without numbers. */
  leads(node: Node, epoch: number): void {
    this.#leading.add(node);
    this.#epochs.set(node, Math.max(epoch, this.#epochs.get(node) ?? 0));
  }

  /** The node leads no longer: it follows another, stepped down, or is down. */
  yields(node: Node): void {
    this.#leading.delete(node);
  }

  /**
   * Whether another node has replaced this one as the leader of an epoch: it has led a higher epoch. In elections
   * without numbers: it leads now, and took the lead last.
   */
  hasReplaced(node: Node, epoch: number): boolean {
    if (epoch === 0) return ![undefined, node].includes([...this.#leading].at(-1));
    return [...this.#epochs].some(([other, led]) => other !== node && led > epoch);
  }
}
