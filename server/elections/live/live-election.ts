/**
 * @module
 * This folder runs one election in virtual time: its plan, its nodes, its actions and its replays. In this
 * file: an election as the server keeps it. Its actions are carried out one after the other, in the order
 * in which they were requested. A long advance is cut into slices, and other requests are answered between
 * two slices.
 */

import type { Json } from '../../../src/election/machine.ts';
import type { NodeView } from '../../../src/election/properties.ts';
import { LabError } from '../../../src/errors.ts';
import type { InboxView } from '../../../src/simulation/run/inboxes.ts';
import type { SentFlight } from '../../../src/simulation/run/intervention.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import type { Status } from '../../../src/simulation/run/status.ts';
import { charged } from '../../callers/principal.ts';
import { nextTurn } from '../../callers/work-turns.ts';
import type { Lifecycle } from '../../request/lifecycle.ts';
import { OverloadError } from '../../request/refusals.ts';
import type { AdvanceAction, ElectionAction, OutboxAction, Rest } from './action.ts';
import { assertRoomInFlight, bounded, carryOut, isHeavy } from './action.ts';
import { ActionTurns } from './action-turns.ts';
import { OutboxNumbers } from './outbox-numbers.ts';
import type { ProofRules } from './outside-proof.ts';
import { goesOnAfterS, OutsideWait } from './outside-wait.ts';
import type { ElectionPlan } from './plan.ts';
import type { Told } from './replay.ts';
import type { Roster } from './roster.ts';
import { Stage } from './stage.ts';

/** Actions of one election that may wait for their turn. */
export const ACTIONS_WAITING_MAX = 100;

/** Where an action is written down before it happens. */
export interface ActionRecord {
  write(action: ElectionAction): number;
  retract(number: number): void;
}

const NO_RECORD: ActionRecord = { write: () => 0, retract: () => undefined };

/** Tells when nobody is to be waited for any more. */
type Ends = Pick<Lifecycle, 'onDrain'>;

/** What is done while an advance waits for somebody outside. */
interface Waiting {
  readonly wait: OutsideWait;
  readonly record: ActionRecord;
}

/** What an outbox came to: a duplicate has no effect but that it answers. */
export type OutboxOutcome = 'accepted' | 'duplicate';

/** One election as the server keeps it. */
export class LiveElection {
  readonly id: string;
  /** What it was made from. */
  readonly request: ElectionPlan;
  readonly #stage: Stage;
  /** What was done to it: all that was not refused, and every advance. */
  readonly #done: ElectionAction[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #hearers = new Set<() => void>();
  readonly #turns = new ActionTurns<ElectionAction>();
  readonly #numbers = new OutboxNumbers();
  #isDeleted = false;
  #actions = 0;
  #actionCharacters = 0;
  /** Actions asked for and not yet over. */
  #waiting = 0;
  /** Of the advance that goes on, once it has stood still. */
  #standing: OutsideWait | null = null;
  /** How many events there were after so many actions, since somebody was told all of them. */
  #counted: { readonly actions: number; readonly events: number } | null = null;

  /** Throws LabError `arguments` when the plan makes no election. */
  constructor(id: string, plan: ElectionPlan) {
    this.id = id;
    // A copy goes on under the name that the signatures in it are for.
    this.request = { ...plan, name: plan.name ?? id };
    this.#stage = new Stage(this.request, { sendTimes: true });
    if (!plan.runs) return;
    const start = { type: 'start' } as const;
    carryOut(this.#stage, start).next();
    this.#done.push(start);
  }

  get plan(): Simulation['plan'] {
    return this.#stage.simulation.plan;
  }

  /** Nothing was done to it since it was made, but that nodes joined. */
  get isUntouched(): boolean {
    return this.#stage.isUntouched;
  }

  get isDeleted(): boolean {
    return this.#isDeleted;
  }

  /** Everything that was done has come to rest, and nothing more was asked for. */
  get isConcluded(): boolean {
    return this.#waiting === 0 && !this.#stage.isUntouched && this.status().idle;
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

  /** How many events all that was done has had; null where nobody has counted them. */
  get events(): number | null {
    return this.#counted?.actions === this.#done.length ? this.#counted.events : null;
  }

  /** Keeps how many events the first so many actions had, so that nobody has to count them again. */
  noteEvents(actions: number, events: number): void {
    this.#counted = { actions, events };
  }

  /** How many wait for something to happen. */
  get listeners(): number {
    return this.#listeners.size + this.#hearers.size;
  }

  status(): Status {
    return this.#stage.simulation.status();
  }

  /** Messages on their way, by number. */
  flights(): readonly SentFlight[] {
    return this.#stage.simulation.flights();
  }

  /** The first `count` messages on their way whose number is above `after`. */
  flightsAfter(after: number, count: number): readonly SentFlight[] {
    return charged(() => this.#stage.simulation.flightsAfter(after, count));
  }

  /** Who is in it. */
  get roster(): Roster {
    return this.#stage.roster;
  }

  /** What signatures that are for one election are for at present. */
  get name(): string {
    return this.#stage.simulation.electionName();
  }

  /** What nodes sign and verify with; null where keys are symbolic or there are none. */
  get keysOf(): Stage['keysOf'] {
    return this.#stage.keysOf;
  }

  /** Every place by rank: whether somebody is up there, and whom it follows. */
  nodes(): readonly NodeView[] {
    return this.#stage.simulation.nodes();
  }

  stateOf(rank: number): Json {
    return this.#stage.simulation.stateOf(rank);
  }

  /** Null for a place that nobody has had yet. */
  nodeIdOf(rank: number): string | null {
    // The first time it draws keys for all nodes, some half a millisecond each.
    return charged(() => this.#stage.roster.seatOf(rank)?.nodeId ?? null);
  }

  /** What a node that is played from outside was told. Throws LabError `arguments` for another. */
  inbox(rank: number): InboxView {
    return this.#stage.simulation.inbox(rank);
  }

  /** What those who play nodes from outside have to prove. */
  get proofRules(): ProofRules {
    return { plan: this.plan, election: this.name, earlier: this.#stage.simulation.earlierNames() };
  }

  /** Throws LabError `message.equivocation` where a message has a number that another one had. */
  assertNumbers(action: OutboxAction): void {
    this.#numbers.sift(this.proofRules, action);
  }

  /** Calls back whenever an action begins or ends, and when it is deleted, until taken away. */
  onChange(listener: () => void): () => void {
    const registered = () => listener();
    this.#listeners.add(registered);
    return () => void this.#listeners.delete(registered);
  }

  /** Calls back whenever nodes may have heard something, as well as on every change. */
  onHeard(listener: () => void): () => void {
    const registered = () => listener();
    this.#hearers.add(registered);
    return () => void this.#hearers.delete(registered);
  }

  /**
   * Carries out an action after those asked for before it; throws LabError where it cannot be, or
   * OverloadError when too many wait. The record is written before the action changes anything, so
   * that a store that fails leaves the election as it was, and retracted if nothing came of it. With
   * `ends`, an advance waits for those who play nodes from outside.
   */
  act(
    action: ElectionAction,
    record: ActionRecord = NO_RECORD,
    ends: Ends | null = null,
  ): Promise<void> {
    return this.#queue(action, async () => {
      if (isHeavy(action)) await nextTurn('act');
      if (action.type === 'advance') {
        await this.#advance(action, record, ends).finally(() => (this.#standing = null));
      } else if (action.type === 'outbox') this.#answer(action, record);
      else this.#happen(action, record);
    });
  }

  /**
   * As `act`, for what the program outside that plays a node does: before its turn where the election
   * waits for it. Throws LabError `message.equivocation` as well.
   */
  async answer(action: OutboxAction, record: ActionRecord = NO_RECORD): Promise<OutboxOutcome> {
    let outcome: OutboxOutcome = 'accepted';
    await this.#queue(action, async () => {
      outcome = this.#answer(action, record);
    });
    return outcome;
  }

  /** To be looked at alone. */
  get stage(): Stage {
    return this.#stage;
  }

  /** Resolves when all that was asked for so far is over; throws LabError when it was deleted. */
  async settled(): Promise<void> {
    await this.#turns.settled();
    this.#assertKept();
  }

  /** Stops what is going on; whoever waits for it is told that the election is gone. */
  delete(): void {
    this.#isDeleted = true;
    this.#changed();
  }

  async #queue(action: ElectionAction, work: () => Promise<void>): Promise<void> {
    // What others wait for has no need to wait.
    if (this.#waiting >= ACTIONS_WAITING_MAX && !this.isLetIn(action)) {
      const detail = `${ACTIONS_WAITING_MAX} actions wait for this election already`;
      throw new OverloadError('limit.queue', detail, goesOnAfterS(this.plan, this.#standing));
    }
    this.#waiting += 1;
    this.#actions += 1;
    try {
      await this.#turns.queue(action, work);
    } finally {
      this.#waiting -= 1;
      this.#changed();
    }
  }

  #happen(action: ElectionAction, record: ActionRecord): void {
    this.#assertKept();
    assertRoomInFlight(this.#stage.simulation);
    const number = record.write(action);
    try {
      carryOut(this.#stage, action).next();
    } catch (error) {
      record.retract(number);
      throw error;
    }
    this.#note(action);
  }

  /** Carries out what is new in it. */
  #answer(action: OutboxAction, record: ActionRecord): OutboxOutcome {
    const { isDuplicate, fresh, numbered } = this.#numbers.sift(this.proofRules, action);
    const isMore = (fresh.through ?? 0) > this.inbox(fresh.node).answered;
    if (!isDuplicate || isMore) this.#happen(fresh, record);
    for (const each of numbered) this.#numbers.note(each);
    return isDuplicate ? 'duplicate' : 'accepted';
  }

  async #advance(action: AdvanceAction, record: ActionRecord, ends: Ends | null): Promise<void> {
    const waiting = {
      wait: new OutsideWait((rank) => this.roster.seatOf(rank)?.joined?.waitMs ?? 0),
      record,
    };
    for (let next = this.#begun(action, record); ; ) {
      const rest = await this.#pass(carryOut(this.#stage, next));
      if (rest === null || ends === null) return;
      try {
        if (!(await this.#standStill(waiting, ends))) return;
        next = this.#begun({ type: 'advance', ...rest }, record);
        this.#actions += 1;
      } catch (error) {
        this.#assertKept();
        // What went before has happened, and is told; who asks for more learns why there is none.
        if (error instanceof LabError) return;
        throw error;
      }
    }
  }

  /** An advance that is written down, with the bound that is left for it. */
  #begun(action: AdvanceAction, record: ActionRecord): AdvanceAction {
    this.#assertKept();
    assertRoomInFlight(this.#stage.simulation);
    // What is carried out again was bounded when it was written down.
    const next = record === NO_RECORD ? action : bounded(action, this.#stage.eventsLeft);
    record.write(next);
    this.#note(next);
    this.#changed();
    return next;
  }

  /** Lets time pass. */
  async #pass(course: Iterator<void, Rest, void>): Promise<Rest> {
    for (;;) {
      const { done, value } = course.next();
      if (done === true) return value;
      this.#heard();
      await nextTurn('act');
      this.#assertKept();
    }
  }

  /** Waits until nobody is awaited any more; false where the waiting ended before. */
  async #standStill({ wait, record }: Waiting, ends: Ends): Promise<boolean> {
    let isEnding = false;
    const offDrain = ends.onDrain(() => {
      isEnding = true;
      wait.wake();
    });
    const offChange = this.onChange(wait.wake);
    this.#turns.onQueued(wait.wake);
    wait.begin();
    this.#standing = wait;
    try {
      this.#changed();
      for (;;) {
        this.#turns.letIn((action) => this.isLetIn(action));
        this.#assertKept();
        const { awaiting } = this.#stage.simulation.status();
        if (awaiting.length === 0) return true;
        if (isEnding || wait.isOver) return false;
        const late = wait.late(awaiting);
        for (const node of late) this.#happen({ type: 'lapse', node }, record);
        if (late.length === 0) await wait.pause();
      }
    } finally {
      this.#turns.onQueued(null);
      offChange();
      offDrain();
    }
  }

  /** What comes from one who is awaited, or takes it out of the election. */
  isLetIn(action: ElectionAction): boolean {
    if (action.type === 'outbox') return true;
    return (
      action.type === 'crash' && this.#stage.simulation.status().awaiting.includes(action.rank)
    );
  }

  #note(action: ElectionAction): void {
    this.#done.push(action);
    this.#actionCharacters += JSON.stringify(action).length;
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
    this.#heard();
  }

  #heard(): void {
    for (const hearer of this.#hearers) hearer();
  }

  #assertKept(): void {
    if (this.#isDeleted) throw noElection(this.id);
  }
}

export function noElection(id: string): LabError {
  return new LabError('not_found', `there is no election ${id}`);
}
