/**
 * @module
 * This folder runs one election in virtual time: its plan, its nodes, its actions and its replays. This file
 * is an election as the server keeps it. Actions are carried out in the order in which they were requested.
 * A long action is cut into slices, and other requests are answered between two slices.
 */

import { LabError } from '../../../src/errors.ts';
import type { Parts } from '../../../src/simulation/run/parts.ts';
import { whole } from '../../../src/simulation/run/parts.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import type { Status } from '../../../src/simulation/run/status.ts';
import { nextTurn, slice, TURN_MS } from '../../callers/work-turns.ts';
import { faultAt } from '../../contract/faults.ts';
import type { Lifecycle } from '../../request/lifecycle.ts';
import type { Principal } from '../../request/principal.ts';
import { charged } from '../../request/principal.ts';
import { OverloadError } from '../../request/refusals.ts';
import type { AdvanceAction, ElectionAction, OutboxAction } from './action.ts';
import { assertRoomInFlight, bounded, carryOut, isHeavy } from './action.ts';
import type { Addressed } from './injection.ts';
import { judging } from './injection.ts';
import type { ProofRules } from './outside-proof.ts';
import { OutboxNumbers } from './outside-proof.ts';
import type { ElectionPlan } from './plan.ts';
import { Stage } from './stage.ts';
import { ActionTurns, continuesAfterS, OutsideWait } from './waits.ts';

/** Actions of one election that may wait for their turn. */
export const ACTIONS_WAITING_MAX = 100;

/** Stores an action before it is carried out. */
export interface ActionRecord {
  write(action: ElectionAction): number;
  retract(number: number): void;
}

const NO_RECORD: ActionRecord = { write: () => 0, retract: () => undefined };

/** What an action is carried out with. */
export interface ActOptions {
  readonly principal: Principal;
  /** Absent for an action that was recorded before, or that belongs to the plan. */
  readonly record?: ActionRecord | undefined;
  /** If given, an advance waits for programs outside until draining begins. */
  readonly ends?: Pick<Lifecycle, 'onDrain'> | null | undefined;
}

/** The result of an action. A duplicate outbox has no effect, except that events are answered. */
export type Outcome = 'accepted' | 'duplicate';

/** Outboxes of one node. */
export interface Written {
  readonly actions: number;
  readonly characters: number;
}

/** One election as the server keeps it. */
export class LiveElection {
  readonly id: string;
  readonly request: ElectionPlan;
  /** For reading only. */
  readonly stage: Stage;
  /** Every advance, and every other action that was not refused. */
  readonly #done: ElectionAction[] = [];
  readonly #changeListeners = new Set<() => void>();
  readonly #eventListeners = new Set<() => void>();
  readonly #turns = new ActionTurns<ElectionAction, Outcome>();
  readonly #numbers = new OutboxNumbers();
  #isDeleted = false;
  /** Number of actions that were requested, and of those that are not over. */
  #actions = 0;
  #waiting = 0;
  #actionCharacters = 0;
  /** Number and characters of the outboxes of each node. */
  readonly #outboxes = new Map<number, Written>();
  /** The wait of the current advance; null if it does not wait. */
  #wait: OutsideWait | null = null;

  /** Throws LabError `arguments` if the plan is not possible. */
  constructor(id: string, plan: ElectionPlan, principal: Principal) {
    this.id = id;
    // A copy keeps the name that its signatures contain.
    this.request = { ...plan, name: plan.name ?? id };
    this.stage = charged(principal, () => new Stage(this.request, { sendTimes: true }));
  }

  get plan(): Simulation['plan'] {
    return this.stage.simulation.plan;
  }

  /** The name that signatures for this election contain now. */
  get name(): string {
    return this.stage.simulation.electionName();
  }

  get isDeleted(): boolean {
    return this.#isDeleted;
  }

  /** Whether it is idle after all requested actions. */
  get isConcluded(): boolean {
    return this.#waiting === 0 && !this.stage.isUntouched && this.status().idle;
  }

  get actions(): number {
    return this.#actions;
  }

  /** Approximate size of the actions as JSON, in characters. */
  get actionCharacters(): number {
    return this.#actionCharacters;
  }

  /** What a node has written into its outbox so far. */
  writtenBy(rank: number): Written {
    return this.#outboxes.get(rank) ?? { actions: 0, characters: 0 };
  }

  /** The plan and the actions of the election. The list grows with the election. */
  get history(): History {
    return { plan: this.request, actions: this.#done };
  }

  /** Number of events so far, as a stream of them numbers them. */
  get events(): number {
    return this.stage.simulation.events();
  }

  get listeners(): number {
    return this.#changeListeners.size + this.#eventListeners.size;
  }

  status(): Status {
    return this.stage.simulation.status();
  }

  /** What programs that play nodes must prove. */
  get proofRules(): ProofRules {
    return { plan: this.plan, election: this.name, earlier: this.stage.simulation.earlierNames() };
  }

  /** Throws LabError `message.equivocation` if a message has the number of another one. */
  assertNumbers(action: OutboxAction): void {
    this.#numbers.sift(this.proofRules, action);
  }

  /** Calls back when an action begins or ends and when it is deleted, until the returned call. */
  onChange(listener: () => void): () => void {
    return listen(this.#changeListeners, listener);
  }

  /** Calls back when nodes may have received events and on every change, until the returned call. */
  onEvents(listener: () => void): () => void {
    return listen(this.#eventListeners, listener);
  }

  /**
   * Carries out an action after those requested before it; an outbox earlier if the election waits for it.
   * Throws LabError if it is not possible, or OverloadError if too many wait. The action is recorded before it
   * changes anything, so that a store that fails leaves the election as it was. A refused action is retracted.
   */
  async act(action: ElectionAction, options: ActOptions): Promise<Outcome> {
    // An action that others wait for need not wait.
    if (this.#waiting >= ACTIONS_WAITING_MAX && !this.isLetIn(action)) {
      const detail = `${ACTIONS_WAITING_MAX} actions wait for this election already`;
      throw new OverloadError('limit.queue', detail, continuesAfterS(this.plan, this.#wait));
    }
    this.#waiting += 1;
    this.#actions += 1;
    try {
      return await this.#turns.queue(action, () => this.#actNow(action, options));
    } finally {
      this.#waiting -= 1;
      this.#changed();
    }
  }

  /** Which recipients of a message can process it, as they are now. */
  judge(message: Addressed, principal: Principal) {
    return this.#inTurns(judging(this.stage.simulation, message), principal);
  }

  /** Whether an action is being carried out or waits for its turn. */
  get isActing(): boolean {
    return this.#waiting > 0;
  }

  /** Resolves when all actions requested so far are over. Throws LabError if it was deleted. */
  async settled(): Promise<void> {
    await this.#turns.settled();
    this.#assertKept();
  }

  /** Stops its actions. Requests that wait for it are refused. */
  delete(): void {
    this.#isDeleted = true;
    this.#changed();
  }

  /** Whether the action is by a node that the election waits for, or removes that node. */
  isLetIn(action: ElectionAction): boolean {
    if (action.type === 'outbox') return true;
    return action.type === 'crash' && this.status().awaiting.includes(action.rank);
  }

  async #actNow(action: ElectionAction, options: ActOptions): Promise<Outcome> {
    if (action.type === 'outbox') return this.#answer(action, options);
    if (isHeavy(action)) await nextTurn('act', options.principal);
    if (action.type === 'advance') {
      await this.#advance(action, options).finally(() => (this.#wait = null));
    } else if (isHeavy(action) && this.#wait === null) {
      await this.#inTurns(this.#beginning(action, options), options.principal);
    } else this.#carryOut(action, options);
    return 'accepted';
  }

  #carryOut(action: ElectionAction, options: ActOptions): void {
    charged(options.principal, () => whole(this.#beginning(action, options)));
  }

  /** Records an action and carries it out. One that is refused in its first part is retracted. */
  *#beginning(action: ElectionAction, { record = NO_RECORD }: ActOptions): Parts {
    this.#assertKept();
    assertRoomInFlight(this.stage.simulation);
    const number = record.write(action);
    const course = carryOut(this.stage, action);
    let step: IteratorResult<void, unknown>;
    try {
      step = course.next();
    } catch (error) {
      record.retract(number);
      throw error;
    }
    this.#note(action);
    for (; step.done !== true; step = course.next()) yield;
  }

  /** Does long work in slices, between which other requests are answered. */
  async #inTurns<Result>(work: Parts<Result>, principal: Principal): Promise<Result> {
    for (;;) {
      const step = slice(work, principal);
      if (step.done === true) return step.value;
      this.#notifyEvents();
      await nextTurn('act', principal);
      this.#assertKept();
    }
  }

  /** Carries out the part of an outbox that is new. */
  #answer(action: OutboxAction, options: ActOptions): Outcome {
    const { isDuplicate, fresh, numbered } = this.#numbers.sift(this.proofRules, action);
    const isMore = (fresh.through ?? 0) > this.stage.simulation.inbox(fresh.node).answered;
    if (!isDuplicate || isMore) this.#carryOut(fresh, options);
    for (const each of numbered) this.#numbers.note(each);
    return isDuplicate ? 'duplicate' : 'accepted';
  }

  async #advance(action: AdvanceAction, options: ActOptions): Promise<void> {
    const wait = new OutsideWait((rank) => this.stage.roster.nodeAt(rank)?.joined?.waitMs ?? 0);
    for (let next = this.#begun(action, options); ; ) {
      const rest = await this.#inTurns(carryOut(this.stage, next), options.principal);
      if (rest === null || options.ends == null) return;
      try {
        if (!(await this.#waitForPrograms(wait, options))) return;
        next = this.#begun({ type: 'advance', ...rest }, options);
        this.#actions += 1;
      } catch (error) {
        this.#assertKept();
        // The advance so far remains. The next request is refused with the reason.
        if (error instanceof LabError) return;
        throw error;
      }
    }
  }

  /** Records an advance with the number of events that is left for it; a recorded one has its bound already. */
  #begun(action: AdvanceAction, { record }: ActOptions): AdvanceAction {
    this.#assertKept();
    assertRoomInFlight(this.stage.simulation);
    const next = record === undefined ? action : bounded(action, this.stage.eventsLeft);
    record?.write(next);
    this.#note(next);
    this.#changed();
    return next;
  }

  /** Waits until the election awaits no program; false if the waiting ended before. */
  async #waitForPrograms(wait: OutsideWait, options: ActOptions): Promise<boolean> {
    let isDraining = false;
    const offDrain = options.ends?.onDrain(() => {
      isDraining = true;
      wait.wake();
    });
    const offChange = this.onChange(wait.wake);
    this.#turns.onQueued(wait.wake);
    wait.begin();
    this.#wait = wait;
    try {
      this.#changed();
      for (;;) {
        this.#turns.letIn((action) => this.isLetIn(action));
        this.#assertKept();
        const { awaiting } = this.status();
        if (awaiting.length === 0) return true;
        if (isDraining || wait.isOver) return false;
        const late = wait.late(awaiting);
        for (const node of late) this.#carryOut({ type: 'lapse', node }, options);
        if (late.length === 0) await wait.pause();
      }
    } finally {
      this.#turns.onQueued(null);
      offChange();
      offDrain?.();
    }
  }

  #note(action: ElectionAction): void {
    const { length } = JSON.stringify(action);
    this.#done.push(action);
    this.#actionCharacters += length;
    if (action.type !== 'outbox') return;
    const { actions, characters } = this.writtenBy(action.node);
    this.#outboxes.set(action.node, { actions: actions + 1, characters: characters + length });
  }

  #changed(): void {
    for (const listener of this.#changeListeners) listener();
    this.#notifyEvents();
  }

  #notifyEvents(): void {
    for (const listener of this.#eventListeners) listener();
  }

  #assertKept(): void {
    if (this.#isDeleted) throw noElection(this.id);
  }
}

/** Repeats recorded actions. An action that was refused then is refused again. */
export async function repeat(
  election: LiveElection,
  actions: readonly ElectionAction[],
  principal: Principal,
): Promise<void> {
  for (const action of actions) {
    await election.act(action, { principal }).catch((error: unknown) => {
      if (!(error instanceof LabError)) throw error;
    });
  }
}

function listen(listeners: Set<() => void>, listener: () => void): () => void {
  const registered = () => listener();
  listeners.add(registered);
  return () => void listeners.delete(registered);
}

export function noElection(id: string): LabError {
  return new LabError('not_found', `there is no election ${id}`);
}

/**
 * What an election is replayed from. The list of actions may grow during the replay. Replays of an election: its
 * actions are carried out once more from the beginning, with a trace, at the pace of the caller. The election itself
 * records no trace, so that one without followers costs nothing, and a slow follower delays no other and fills no
 * buffer.
 */
interface History {
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
