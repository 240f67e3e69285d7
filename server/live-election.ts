/**
 * @module
 * One election as the server keeps it, with its own virtual time. Actions happen one after the other,
 * in the order in which they came; a long advance is cut into slices between which other requests
 * are answered. Bounds are named, and one that is hit is told.
 */

import { setImmediate } from 'node:timers/promises';

import { LabError } from '../src/errors.ts';
import { createPopulation } from '../src/experiment/population.ts';
import type { Advance, Simulation } from '../src/simulation/simulation.ts';
import { createSimulation } from '../src/simulation/simulation.ts';
import type { Status } from '../src/simulation/status.ts';
import type { ElectionPlan } from './election-request.ts';
import { IN_FLIGHT_MAX } from './election-request.ts';
import { OverloadError } from './problem.ts';

/** Deliveries, timers and faults of one advance; the answer then says `bound: events`. */
export const EVENTS_PER_ADVANCE_MAX = 1_000_000;

/** Actions of one election that may wait for their turn. */
export const ACTIONS_WAITING_MAX = 100;

/** Where an action is written down before it happens. */
export interface ActionRecord {
  write(): number;
  retract(number: number): void;
}

const NO_RECORD: ActionRecord = { write: () => 0, retract: () => undefined };

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
  #actions = 0;
  /** Actions asked for and not yet over. */
  #waiting = 0;
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

  /** How many actions it was sent. */
  get actions(): number {
    return this.#actions;
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
   * Carries out an action after those asked for before it; throws LabError where it cannot be, or
   * OverloadError when too many wait. The record is written before the action changes anything, so
   * that a store that fails leaves the election as it was, and retracted if nothing came of it.
   */
  act(action: ElectionAction, record: ActionRecord = NO_RECORD): Promise<void> {
    if (this.#waiting >= ACTIONS_WAITING_MAX) {
      const detail = `${ACTIONS_WAITING_MAX} actions wait for this election already`;
      throw new OverloadError('limit.queue', detail, 1);
    }
    this.#waiting += 1;
    this.#actions += 1;
    const done = this.#tail
      .then(() => this.#carryOut(action, record))
      .finally(() => {
        this.#waiting -= 1;
      });
    // The next action waits for this one and does not care how it went.
    this.#tail = done.catch(() => undefined);
    return done;
  }

  /** Stops what is going on; whoever waits for it is told that the election is gone. */
  delete(): void {
    this.#isDeleted = true;
  }

  async #carryOut(action: ElectionAction, record: ActionRecord): Promise<void> {
    this.#demandKept();
    this.#demandRoom();
    const number = record.write();
    try {
      await this.#apply(action);
    } catch (error) {
      // An advance that is refused half-way has gone as far as it came.
      if (action.type !== 'advance') record.retract(number);
      throw error;
    }
    this.#isUntouched = false;
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
