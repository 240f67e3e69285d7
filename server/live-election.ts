/**
 * @module
 * One election as the server keeps it, with its own virtual time. Actions happen one after the other,
 * in the order in which they came; a long advance is cut into slices between which other requests
 * are answered. Bounds are named, and one that is hit is told.
 */

import { setImmediate } from 'node:timers/promises';

import { LabError } from '../src/errors.ts';
import { createPopulation } from '../src/experiment/population.ts';
import type { SentFlight } from '../src/simulation/intervention.ts';
import type { Simulation } from '../src/simulation/simulation.ts';
import { createSimulation } from '../src/simulation/simulation.ts';
import type { Status } from '../src/simulation/status.ts';
import type { ElectionAction } from './election-action.ts';
import { carryOut, demandRoomInFlight } from './election-action.ts';
import type { ElectionPlan } from './election-request.ts';
import { OverloadError } from './problem.ts';
import type { Told } from './retelling.ts';

/** Actions of one election that may wait for their turn. */
export const ACTIONS_WAITING_MAX = 100;

/** Where an action is written down before it happens. */
export interface ActionRecord {
  write(): number;
  retract(number: number): void;
}

const NO_RECORD: ActionRecord = { write: () => 0, retract: () => undefined };

/** One election as the server keeps it. */
export class LiveElection {
  readonly id: string;
  /** What it was made from. */
  readonly request: ElectionPlan;
  readonly #simulation: Simulation;
  /** What was done to it: all that was not refused, and every advance. */
  readonly #done: ElectionAction[] = [];
  readonly #listeners = new Set<() => void>();
  #nodeIds: readonly string[] | null = null;
  #isDeleted = false;
  #isUntouched = true;
  #actions = 0;
  #actionCharacters = 0;
  /** Actions asked for and not yet over. */
  #waiting = 0;
  /** Settles when the last action that was asked for is over. */
  #tail: Promise<void> = Promise.resolve();

  /** Throws LabError `arguments` when the plan makes no election. */
  constructor(id: string, plan: ElectionPlan) {
    this.id = id;
    this.request = plan;
    this.#simulation = createSimulation({ ...plan.options, sendTimes: true });
    if (!plan.runs) return;
    this.#simulation.start(plan.initiators);
    this.#done.push({ type: 'start' });
  }

  get plan(): Simulation['plan'] {
    return this.#simulation.plan;
  }

  /** Nothing was done to it since it was made. */
  get isUntouched(): boolean {
    return this.#isUntouched;
  }

  get isDeleted(): boolean {
    return this.#isDeleted;
  }

  /** Everything that was done has come to rest, and nothing more was asked for. */
  get isConcluded(): boolean {
    return this.#waiting === 0 && !this.#isUntouched && this.status().idle;
  }

  /** How many actions it was sent. */
  get actions(): number {
    return this.#actions;
  }

  /** How long everything that was done is as JSON, about. */
  get actionCharacters(): number {
    return this.#actionCharacters;
  }

  /** What to tell of it; the list grows while it goes on. */
  get told(): Told {
    return { plan: this.request, actions: this.#done };
  }

  /** How many wait for something to happen. */
  get listeners(): number {
    return this.#listeners.size;
  }

  status(): Status {
    return this.#simulation.status();
  }

  /** Messages on their way, by number. */
  flights(): readonly SentFlight[] {
    return this.#simulation.flights();
  }

  nodeIdOf(rank: number): string {
    const { nodes, seed } = this.plan;
    this.#nodeIds ??= createPopulation({ nodes, seed }).nodeIds;
    const nodeId = this.#nodeIds[rank - 1];
    if (nodeId === undefined) throw new RangeError(`"rank" expected 1..${nodes}, got ${rank}`);
    return nodeId;
  }

  /** Calls back whenever an action begins or ends, and when it is deleted, until taken away. */
  onChange(listener: () => void): () => void {
    const registered = () => listener();
    this.#listeners.add(registered);
    return () => void this.#listeners.delete(registered);
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
        this.#changed();
      });
    // The next action waits for this one and does not care how it went.
    this.#tail = done.catch(() => undefined);
    return done;
  }

  /** Resolves when all that was asked for so far is over; throws LabError when it was deleted. */
  async settled(): Promise<void> {
    await this.#tail;
    this.#demandKept();
  }

  /** Stops what is going on; whoever waits for it is told that the election is gone. */
  delete(): void {
    this.#isDeleted = true;
    this.#changed();
  }

  async #carryOut(action: ElectionAction, record: ActionRecord): Promise<void> {
    this.#demandKept();
    demandRoomInFlight(this.#simulation);
    const number = record.write();
    const course = carryOut(this.#simulation, action, this.request.initiators);
    if (action.type === 'advance') {
      // One that is refused half-way has gone as far as it came.
      this.#note(action);
      this.#changed();
      await this.#advance(course);
    } else {
      try {
        course.next();
      } catch (error) {
        record.retract(number);
        throw error;
      }
      this.#note(action);
    }
    this.#isUntouched = false;
  }

  async #advance(course: Iterator<void, void, void>): Promise<void> {
    while (course.next().done !== true) {
      this.#isUntouched = false;
      await setImmediate();
      this.#demandKept();
    }
  }

  #note(action: ElectionAction): void {
    this.#done.push(action);
    this.#actionCharacters += JSON.stringify(action).length;
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }

  #demandKept(): void {
    if (this.#isDeleted) throw noElection(this.id);
  }
}

export function noElection(id: string): LabError {
  return new LabError('not_found', `there is no election ${id}`);
}
