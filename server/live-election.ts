/**
 * @module
 * One election as the server keeps it, with its own virtual time. Actions happen one after the other,
 * in the order in which they came; a long advance is cut into slices between which other requests
 * are answered. Bounds are named, and one that is hit is told.
 */

import { setImmediate } from 'node:timers/promises';

import { LabError } from '../src/errors.ts';
import { createPopulation } from '../src/experiment/population.ts';
import type { Advance, Simulation, Status } from '../src/simulation/simulation.ts';
import { createSimulation } from '../src/simulation/simulation.ts';
import type { ElectionPlan } from './election-request.ts';

/**
 * Messages in flight in one election, about 54 bytes each. An election that exceeds it can only be
 * deleted. (Bully among 500 nodes that all start sends 125 000 at once, and with latencies that
 * differ a thousandfold it had 2.7 million in flight.)
 */
export const IN_FLIGHT_MAX = 150_000;
/** Deliveries, timers and faults of one advance; the answer then says `bound: events`. */
export const EVENTS_PER_ADVANCE_MAX = 1_000_000;

/** What can be done to an election. */
export type ElectionAction =
  | { readonly type: 'start'; readonly nodes?: readonly number[] | undefined }
  | { readonly type: 'crash' | 'recover'; readonly rank: number }
  | ({ readonly type: 'advance' } & Advance);

/** One election as the server keeps it. */
export class LiveElection {
  readonly id: string;
  readonly #simulation: Simulation;
  readonly #initiators: ElectionPlan['initiators'];
  #nodeIds: readonly string[] | null = null;
  #isDeleted = false;
  #isUntouched = true;
  /** Settles when the last action that was asked for is over. */
  #tail: Promise<void> = Promise.resolve();

  /** Throws LabError `arguments` when the plan makes no election. */
  constructor(id: string, plan: ElectionPlan) {
    this.id = id;
    this.#simulation = createSimulation(plan.options);
    this.#initiators = plan.initiators;
    if (plan.runs) this.#simulation.start(plan.initiators);
  }

  get plan(): Simulation['plan'] {
    return this.#simulation.plan;
  }

  /** Nothing was done to it since it was made. */
  get isUntouched(): boolean {
    return this.#isUntouched;
  }

  status(): Status {
    return this.#simulation.status();
  }

  nodeIdOf(rank: number): string {
    const { nodes, seed } = this.plan;
    this.#nodeIds ??= createPopulation({ nodes, seed }).nodeIds;
    const nodeId = this.#nodeIds[rank - 1];
    if (nodeId === undefined) throw new RangeError(`"rank" expected 1..${nodes}, got ${rank}`);
    return nodeId;
  }

  /**
   * Carries out an action after those asked for before it; throws LabError where it cannot be.
   * `record` is called once for an action that left a mark, before the next one begins.
   */
  act(action: ElectionAction, record: () => void = () => undefined): Promise<void> {
    const done = this.#tail.then(() => this.#carryOut(action, record));
    // The next action waits for this one and does not care how it went.
    this.#tail = done.catch(() => undefined);
    return done;
  }

  /** Stops what is going on; whoever waits for it is told that the election is gone. */
  delete(): void {
    this.#isDeleted = true;
  }

  async #carryOut(action: ElectionAction, record: () => void): Promise<void> {
    this.#demandKept();
    this.#demandRoom();
    // An advance that is refused half-way has gone as far as it came.
    let isMarked = action.type === 'advance';
    try {
      await this.#apply(action);
      isMarked = true;
    } finally {
      if (isMarked && !this.#isDeleted) {
        this.#isUntouched = false;
        record();
      }
    }
  }

  async #apply(action: ElectionAction): Promise<void> {
    switch (action.type) {
      case 'start':
        return this.#simulation.start(action.nodes ?? this.#initiators);
      case 'crash':
        return this.#simulation.crash(action.rank);
      case 'recover':
        return this.#simulation.recover(action.rank);
      case 'advance':
        return this.#advance(action);
      default:
        return action satisfies never;
    }
  }

  async #advance({ until, events = EVENTS_PER_ADVANCE_MAX }: Advance): Promise<void> {
    let left = events;
    for (;;) {
      const slice = Math.min(left, EVENTS_PER_SLICE);
      if (this.#simulation.advance({ until, events: slice }) !== 'events') return;
      this.#isUntouched = false;
      left -= slice;
      if (left <= 0) return;
      await setImmediate();
      this.#demandKept();
      this.#demandRoom();
    }
  }

  #demandKept(): void {
    if (this.#isDeleted) throw noElection(this.id);
  }

  #demandRoom(): void {
    const { inFlight } = this.status();
    if (inFlight <= IN_FLIGHT_MAX) return;
    const detail =
      `${inFlight} messages are in flight, more than the ${IN_FLIGHT_MAX} this server keeps; ` +
      'delete the election and make a smaller one';
    throw new LabError('job.size', detail);
  }
}

export function noElection(id: string): LabError {
  return new LabError('not_found', `there is no election ${id}`);
}

/** A few milliseconds at most, so that a long advance does not hold up other requests. */
const EVENTS_PER_SLICE = 1_000;
