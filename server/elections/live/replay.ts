/**
 * @module
 * What happened in an election, told from the beginning: its actions are folded once more, with a
 * trace, at the pace of whoever listens. The election itself records nothing, so that one that nobody
 * watches costs nothing, and a slow listener holds up nobody and fills no buffer.
 */

import { LabError } from '../../../src/errors.ts';
import type { Advance, Simulation } from '../../../src/simulation/run/simulation.ts';
import { charged } from '../../callers/principal.ts';
import { nextTurn } from '../../callers/work-turns.ts';
import type { ElectionAction } from './action.ts';
import { assertRoomInFlight, carryOut, EVENTS_PER_ADVANCE_MAX } from './action.ts';
import type { ElectionPlan } from './plan.ts';
import { Stage } from './stage.ts';

/** What is told: the actions may become more while it is. */
export interface Told {
  readonly plan: ElectionPlan;
  /** All of them, the first start included. */
  readonly actions: readonly ElectionAction[];
}

/** One telling. Owns a simulation of its own. */
export class Replay {
  readonly #told: Told;
  /** Made when it is first needed: many may begin to listen at the same moment. */
  #stage: Stage | null = null;
  #next = 0;
  #course: Iterator<void, unknown, void> | null = null;

  constructor(told: Told) {
    this.#told = told;
  }

  /** The election as far as it was told; another one when somebody joins at the beginning. */
  get simulation(): Simulation {
    return this.stage.simulation;
  }

  get stage(): Stage {
    this.#stage ??= charged(() => new Stage(this.#told.plan, { trace: true }));
    return this.#stage;
  }

  /** Whether something was done that has not been told. */
  get isBehind(): boolean {
    return this.#course !== null || this.#next < this.#told.actions.length;
  }

  /** How many actions were told, or are being told. */
  get actions(): number {
    return this.#next;
  }

  /** Goes on by one slice, when it is its turn. */
  async step(): Promise<void> {
    await nextTurn('tell');
    const isFirst = this.#stage === null;
    const { stage } = this;
    if (isFirst) return;
    const action = this.#told.actions[this.#next];
    if (this.#course === null && action !== undefined) {
      this.#next += 1;
      this.#course = carryOut(stage, action);
    }
    if (this.#course !== null && isOver(this.#course)) this.#course = null;
  }
}

/** Whether that was the last step. An advance that was refused on its way is refused there again. */
function isOver(course: Iterator<void, unknown, void>): boolean {
  try {
    return course.next().done === true;
  } catch (error) {
    if (error instanceof LabError) return true;
    throw error;
  }
}

/**
 * The whole election as it stands, with its records; refused with LabError `job.size` beyond so many.
 * Others have their turn between slices.
 */
export async function retold(told: Told, recordsMax: number): Promise<Simulation> {
  const replay = new Replay({ ...told, actions: [...told.actions] });
  while (replay.isBehind) {
    await replay.step();
    if (replay.simulation.records().length > recordsMax) {
      const detail = `more than ${recordsMax} events, which is the most that is written so; follow its events instead`;
      throw new LabError('job.size', detail);
    }
  }
  return replay.simulation;
}

/**
 * The actions after which event number `at` has just happened, with whatever happened in the same
 * step. Throws LabError `arguments` when there is no such event yet.
 */
export async function actionsUntil(told: Told, at: number): Promise<ElectionAction[]> {
  const actions = [...told.actions];
  await nextTurn('act');
  const stage = charged(() => new Stage(told.plan, { trace: true }));
  let count = 0;
  const isReached = () => {
    count += stage.simulation.takeRecords().length;
    return count > at;
  };
  for (const [index, action] of actions.entries()) {
    await nextTurn('act');
    const before = actions.slice(0, index);
    if (action.type === 'advance') {
      const events = await eventsUntil(stage, action, isReached);
      if (events !== null) return [...before, { ...action, events }];
    } else {
      isOver(carryOut(stage, action));
      if (isReached()) return [...before, action];
    }
  }
  throw new LabError('arguments', `at: there are ${count} events so far, numbered from 0`);
}

/** Advances event by event; answers after how many it was reached, null where it was not. */
async function eventsUntil(
  stage: Stage,
  { until, events = EVENTS_PER_ADVANCE_MAX }: Advance,
  isReached: () => boolean,
): Promise<number | null> {
  const { simulation, eventsPerSlice } = stage;
  stage.touch();
  try {
    for (let done = 0; ; ) {
      const slice = Math.min(events - done, eventsPerSlice);
      const { reachedAfter, isOver } = charged(() =>
        sliceUntil(simulation, { until, events: slice }, isReached),
      );
      if (reachedAfter !== null) return done + reachedAfter;
      done += slice;
      if (isOver || done >= events) return null;
      await nextTurn('act');
      assertRoomInFlight(simulation);
    }
  } catch (error) {
    // It was refused here when it was done, too, and others may have come after it.
    if (error instanceof LabError) return null;
    throw error;
  }
}

function sliceUntil(
  simulation: Simulation,
  { until, events }: Advance & { readonly events: number },
  isReached: () => boolean,
): { readonly reachedAfter: number | null; readonly isOver: boolean } {
  for (let done = 1; done <= events; done += 1) {
    const bound = simulation.advance({ until, events: 1 });
    if (isReached()) return { reachedAfter: done, isOver: false };
    if (bound !== 'events') return { reachedAfter: null, isOver: true };
  }
  return { reachedAfter: null, isOver: false };
}
