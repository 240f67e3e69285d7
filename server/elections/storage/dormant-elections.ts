/**
 * @module
 * Elections as a restart finds them: what they were made from, and how much was done to them. A server
 * is ready as soon as it knows that much. What was done to one is carried out again when somebody asks
 * for it, before those that nobody asks for; it takes its turns, so that all else is answered meanwhile.
 */

import { performance } from 'node:perf_hooks';

import { LabError } from '../../../src/errors.ts';
import type { CallerBudgets } from '../../callers/caller-budgets.ts';
import { charged, currentAsker, onBehalfOf } from '../../callers/principal.ts';
import { nextTurn } from '../../callers/work-turns.ts';
import type { Lifecycle } from '../../request/lifecycle.ts';
import { OverloadError } from '../../request/refusals.ts';
import type { OnFault } from '../../request/server-fault.ts';
import type { ElectionAction } from '../live/action.ts';
import { EVENTS_PER_ADVANCE_MAX } from '../live/action.ts';
import { placesFor } from '../live/joining-limits.ts';
import { LiveElection, noElection } from '../live/live-election.ts';
import type { ElectionPlan } from '../live/plan.ts';
import type { StoredElection } from './log.ts';

/** How long a request waits until the election that it asks for is back. */
const WAIT_MS_MAX = 5_000;
/** Requests that wait so. */
export const WAITING_MAX = 64;
/** Nobody is sent away for longer at once. */
const RETRY_S_MAX = 600;
/** What takes no time by itself is done for so long before others have their turn. */
const SLICE_MS = 4;

/** What an election that is to run at once does before all that it is sent. */
export const RUN: ElectionAction = { type: 'advance', until: 'idle' };

/** An election that is not back yet, in the form in which others are counted and listed. */
export class DormantElection {
  readonly id: string;
  readonly request: ElectionPlan;
  readonly #stored: StoredElection;
  /** While it is brought back; never rejects. */
  folding: Promise<void> | null = null;
  #live: LiveElection | null = null;
  #startedMs = 0;
  #done = 0;
  /** Advances that are over, and the part of the one that is not. */
  #advances = 0;
  #advancing: { readonly events: number; readonly leftBefore: number } | null = null;
  #isDamaged = false;
  #isDeleted = false;

  constructor(stored: StoredElection) {
    this.id = stored.id;
    this.request = { ...stored.plan, name: stored.plan.name ?? stored.id };
    this.#stored = stored;
  }

  /** What of its simulation is known: at most so many places. */
  get plan(): { readonly nodes: number } {
    const { options, newcomers = 0 } = this.request;
    return { nodes: placesFor(options.nodes + this.#stored.size.joins, newcomers) };
  }

  /** How many nodes there are, those that joined included. */
  get nodes(): number {
    const { nodes, phantoms = [] } = this.request.options;
    return nodes - phantoms.length + this.#stored.size.joins;
  }

  get actionCharacters(): number {
    return this.#stored.size.characters;
  }

  get isDamaged(): boolean {
    return this.#isDamaged;
  }

  /** Ends bringing it back. */
  delete(): void {
    this.#isDeleted = true;
    this.#live?.delete();
  }

  /**
   * The election as it was; null when it was deleted before. Throws LabError `file.unreadable`, or
   * whatever else is wrong with what was stored.
   */
  async fold(onBehalf: <T>(work: () => T) => T): Promise<LiveElection | null> {
    this.#startedMs = performance.now();
    try {
      const { plan, actions } = this.#stored;
      const live = onBehalf(() => charged(() => new LiveElection(this.id, plan)));
      this.#live = live;
      const course = inOrder(plan, actions);
      for (let next = course.next(), sinceMs = performance.now(); next.done !== true; ) {
        const action = next.value;
        this.#begin(live, action);
        await onBehalf(() => repeat(live, [action]));
        if (this.#isDeleted) return null;
        this.#end();
        if (performance.now() - sinceMs > SLICE_MS) {
          await onBehalf(() => nextTurn('act'));
          if (this.#isDeleted) return null;
          sinceMs = performance.now();
        }
        next = course.next();
      }
      return this.#isDeleted ? null : live;
    } catch (error) {
      if (this.#isDeleted) return null;
      this.#isDamaged = true;
      throw error;
    }
  }

  #begin(live: LiveElection, action: ElectionAction): void {
    if (action.type !== 'advance') return;
    const { events = EVENTS_PER_ADVANCE_MAX } = action;
    this.#advancing = { events, leftBefore: live.stage.eventsLeft };
  }

  #end(): void {
    this.#done += 1;
    if (this.#advancing !== null) this.#advances += 1;
    this.#advancing = null;
  }

  /** As long for each advance that is left as for those that are over: nobody knows before what one takes. */
  get retryAfterS(): number {
    const takenS = (performance.now() - this.#startedMs) / 1000;
    const all = this.#stored.size.advances + (this.request.runs ? 1 : 0);
    const done = this.#advances + this.#partDone();
    const leftS = done === 0 ? takenS : (takenS * Math.max(0, all - done)) / done;
    return Math.min(RETRY_S_MAX, Math.max(1, Math.ceil(leftS)));
  }

  #partDone(): number {
    if (this.#advancing === null || this.#live === null) return 0;
    const { events, leftBefore } = this.#advancing;
    return (leftBefore - this.#live.stage.eventsLeft) / events;
  }

  /** Why a request for it is refused now. */
  refusal(): LabError {
    if (this.#isDeleted) return noElection(this.id);
    if (this.#isDamaged) {
      const detail = `election ${this.id} cannot be brought back: what is stored of it is damaged`;
      return new LabError('election.damaged', detail);
    }
    const detail = `${this.#done} of ${this.#stored.size.actions} actions of election ${this.id} are carried out again`;
    return new OverloadError('election.restoring', detail, this.retryAfterS);
  }
}

function* inOrder(
  plan: ElectionPlan,
  actions: Iterable<ElectionAction>,
): Generator<ElectionAction, void, undefined> {
  if (plan.runs) yield RUN;
  yield* actions;
}

/** Does to an election what was done to it before: what was refused then is refused again, at the same point. */
export async function repeat(
  election: LiveElection,
  actions: readonly ElectionAction[],
): Promise<void> {
  for (const action of actions) await election.act(action).catch(passRefusals);
}

function passRefusals(error: unknown): void {
  if (!(error instanceof LabError)) throw error;
}

export interface DormantOptions {
  readonly budgets: CallerBudgets;
  readonly onFault: OnFault;
  /** Takes an election that is back. */
  readonly onAwake: (election: LiveElection) => void;
}

/** Owns elections until they are back. */
export class DormantElections {
  readonly #options: DormantOptions;
  readonly #dormant = new Map<string, DormantElection>();
  #waiting = 0;

  constructor(options: DormantOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#dormant.size;
  }

  /** In the order in which they were made. */
  values(): Iterable<DormantElection> {
    return this.#dormant.values();
  }

  get(id: string): DormantElection | undefined {
    return this.#dormant.get(id);
  }

  add(stored: StoredElection): void {
    this.#dormant.set(stored.id, new DormantElection(stored));
  }

  delete(id: string): void {
    this.#dormant.get(id)?.delete();
    this.#dormant.delete(id);
  }

  /** Brings all back, one after the other; those that are damaged are told of and stay. */
  async awakenAll(): Promise<void> {
    for (const dormant of [...this.#dormant.values()]) await this.#folded(dormant);
  }

  /**
   * Brings one back before its turn, at the cost of its owner. Throws OverloadError
   * `election.restoring` when that takes long or many wait, LabError `election.damaged` or `not_found`.
   */
  async awaken(dormant: DormantElection, ends: Pick<Lifecycle, 'onDrain'>): Promise<void> {
    const folded = this.#folded(dormant);
    if (this.#waiting >= WAITING_MAX) throw dormant.refusal();
    this.#waiting += 1;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, WAIT_MS_MAX);
    const offDrain = ends.onDrain(resolve);
    try {
      await Promise.race([folded, promise]);
    } finally {
      this.#waiting -= 1;
      clearTimeout(timer);
      offDrain();
    }
    const isBack = !dormant.isDamaged && this.#dormant.get(dormant.id) !== dormant;
    if (!isBack) throw dormant.refusal();
  }

  /** Ends what is being brought back. */
  close(): void {
    for (const dormant of this.#dormant.values()) dormant.delete();
    this.#dormant.clear();
  }

  #folded(dormant: DormantElection): Promise<void> {
    if (dormant.isDamaged || this.#dormant.get(dormant.id) !== dormant) return Promise.resolve();
    dormant.folding ??= this.#fold(dormant);
    return dormant.folding;
  }

  async #fold(dormant: DormantElection): Promise<void> {
    try {
      const live = await dormant.fold(this.#onBehalfOfOwner(dormant.request.owner));
      if (live === null) return;
      this.#dormant.delete(dormant.id);
      this.#options.onAwake(live);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const detail = `stored election ${dormant.id} cannot be brought back: ${why}`;
      this.#options.onFault({ id: dormant.id, error: new LabError('file.unreadable', detail) });
    }
  }

  /** Nobody's where nobody asks: a restart is no doing of the owner's. */
  #onBehalfOfOwner(owner: string | undefined): <T>(work: () => T) => T {
    const asker = currentAsker();
    if (asker === null) return (work) => work();
    const { budgets } = this.#options;
    const caller = owner ?? asker.caller;
    const holder = owner ?? asker.holder;
    // It goes on all the same: those who wait for it may be others.
    const waitMs = () => 0;
    const charge = (ms: number) => budgets.chargeElectionTime(caller, ms);
    return (work) => onBehalfOf({ ...asker, caller, holder, waitMs, charge }, work);
  }
}
