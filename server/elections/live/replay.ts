/**
 * @module
 * Replays of an election: its actions are carried out once more from the beginning, with a trace, at the pace
 * of the caller. The election itself records no trace, so that one without followers costs nothing, and a
 * slow follower delays no other and fills no buffer.
 */

import { LabError } from '../../../src/errors.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { nextTurn, slice, TURN_MS } from '../../callers/work-turns.ts';
import { faultAt } from '../../contract/faults.ts';
import type { Principal } from '../../request/principal.ts';
import { charged } from '../../request/principal.ts';
import type { ElectionAction } from './action.ts';
import { carryOut } from './action.ts';
import type { ElectionPlan } from './plan.ts';
import { Stage } from './stage.ts';

/** What an election is replayed from. The list of actions may grow during the replay. */
export interface History {
  readonly plan: ElectionPlan;
  /** All actions, including the first start. */
  readonly actions: readonly ElectionAction[];
}

/** One replay, for one principal. Owns a simulation. */
export class Replay {
  readonly #history: History;
  readonly #principal: Principal;
  /** Created in the first step, because many replays may begin at the same moment. */
  #stage: Stage | null = null;
  #next = 0;
  #course: Iterator<void, unknown, void> | null = null;

  constructor(history: History, principal: Principal) {
    this.#history = history;
    this.#principal = principal;
  }

  /** The simulation so far. It is replaced when a node joins at the beginning. */
  get simulation(): Simulation {
    return this.#stageNow().simulation;
  }

  /** Whether actions are left. */
  get isBehind(): boolean {
    return this.#course !== null || this.#next < this.#history.actions.length;
  }

  /** Replays one slice when it is the principal's turn. */
  async step(): Promise<void> {
    await nextTurn('replay', this.#principal);
    const isFirst = this.#stage === null;
    const stage = this.#stageNow();
    if (isFirst) return;
    const action = this.#history.actions[this.#next];
    if (this.#course === null && action !== undefined) {
      this.#next += 1;
      this.#course = carryOut(stage, action);
    }
    const course = this.#course;
    if (course !== null && isOver(() => slice(course, this.#principal))) this.#course = null;
  }

  #stageNow(): Stage {
    this.#stage ??= charged(this.#principal, () => new Stage(this.#history.plan, { trace: true }));
    return this.#stage;
  }
}

/** Whether that was the last part. An action that was refused midway is refused again at that point. */
function isOver(next: () => IteratorResult<void, unknown>): boolean {
  try {
    return next().done === true;
  } catch (error) {
    if (error instanceof LabError) return true;
    throw error;
  }
}

/** The present simulation with its trace. Throws LabError `job.size` if it has too many records. */
export async function replayed(
  history: History,
  recordsMax: number,
  principal: Principal,
): Promise<Simulation> {
  const replay = new Replay({ ...history, actions: [...history.actions] }, principal);
  while (replay.isBehind) {
    await replay.step();
    assertFewEvents(replay.simulation.records().length, recordsMax);
  }
  return replay.simulation;
}

/** Throws LabError `job.size` if a trace has more events than one of its form may have. */
export function assertFewEvents(events: number, max: number): void {
  if (events <= max) return;
  const detail = `more than ${max} events, which is the limit of this form; follow its events instead`;
  throw new LabError('job.size', detail);
}

/** Throws LabError `election.conflict` if an election with this number of events has no event number `at`. */
export function assertEvent(at: number, events: number): void {
  if (at < events) return;
  const detail = `there are ${events} events so far, numbered from 0`;
  throw faultAt('election.conflict', '/at', detail);
}

/** The actions up to event number `at`, which exists, including everything in the same step. */
export async function actionsUntil(
  history: History,
  at: number,
  principal: Principal,
): Promise<ElectionAction[]> {
  const actions = [...history.actions];
  await nextTurn('act', principal);
  const stage = charged(principal, () => new Stage(history.plan, { trace: true, isSingle: true }));
  let count = 0;
  let sinceMs = performance.now();
  for (const [index, action] of actions.entries()) {
    const course = carryOut(stage, action);
    for (let isLast = false, events = 1; !isLast; events += 1) {
      isLast = charged(principal, () => isOver(() => course.next()));
      count += stage.simulation.takeRecords().length;
      if (count > at) {
        const last = action.type === 'advance' ? { ...action, events } : action;
        return [...actions.slice(0, index), last];
      }
      if (performance.now() - sinceMs < TURN_MS) continue;
      await nextTurn('act', principal);
      sinceMs = performance.now();
    }
  }
  throw new RangeError(`"at" expected one of ${count} events, got ${at}`);
}
