/**
 * @module
 * Elections from before a restart. The server is ready as soon as their plans and the sizes of their actions
 * are known. The actions of an election are repeated when it is first requested, and before those of others.
 */

import { performance } from 'node:perf_hooks';
import { LabError } from '../../../src/errors.ts';
import type { CallerBudgets } from '../../callers/caller-budgets.ts';
import { nextTurn } from '../../callers/work-turns.ts';
import type { Lifecycle } from '../../request/lifecycle.ts';
import type { Principal } from '../../request/principal.ts';
import { SERVER } from '../../request/principal.ts';
import type { OnFault } from '../../request/refusals.ts';
import { OverloadError } from '../../request/refusals.ts';
import type { ElectionAction } from '../live/action.ts';
import { EVENTS_PER_ADVANCE_MAX } from '../live/action.ts';
import { LiveElection, noElection, repeat } from '../live/live-election.ts';
import type { ElectionPlan } from '../live/plan.ts';
import { ranksFor } from '../live/plan.ts';
import type { StoredElection } from './log.ts';

/** How long a request waits for its election, in ms. */
const WAIT_MS_MAX = 5_000;
/** Requests that wait at the same time. */
export const WAITING_MAX = 64;
/** Longest Retry-After. */
const RETRY_S_MAX = 600;
/** Short actions are repeated for this long before other work has its turn. */
const SLICE_MS = 4;

/** The actions of an election that runs when it is created. */
export const RUN: readonly ElectionAction[] = [
  { type: 'start' },
  { type: 'advance', until: 'idle' },
];

/** An election that is not restored yet, with the members by which elections are counted and listed. */
export class RestoringElection {
  readonly id: string;
  readonly request: ElectionPlan;
  readonly #stored: StoredElection;
  /** Settles when it was restored; never rejects. Null before that begins. */
  restoring: Promise<void> | null = null;
  #live: LiveElection | null = null;
  #startedMs = 0;
  #done = 0;
  /** Number of advances that were begun, and the current one. */
  #advances = 0;
  #advance: { readonly events: number; readonly leftBefore: number } | null = null;
  #isDamaged = false;
  #isDeleted = false;

  constructor(stored: StoredElection) {
    this.id = stored.id;
    this.request = { ...stored.plan, name: stored.plan.name ?? stored.id };
    this.#stored = stored;
  }

  /** What is known of its simulation: the largest possible number of ranks. */
  get plan(): { readonly nodes: number } {
    const { options, newcomers = 0 } = this.request;
    return { nodes: ranksFor(options.nodes + this.#stored.size.joins, newcomers) };
  }

  /** Number of nodes, with those that joined. */
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

  /** Stops the restoring. */
  delete(): void {
    this.#isDeleted = true;
    this.#live?.delete();
  }

  /**
   * Repeats its actions for a principal. Resolves to the election, or to null if it was deleted. Throws
   * LabError `file.unreadable`, or another error if the stored data is damaged.
   */
  async fold(principal: Principal): Promise<LiveElection | null> {
    this.#startedMs = performance.now();
    try {
      const { plan, actions } = this.#stored;
      const live = new LiveElection(this.id, plan, principal);
      this.#live = live;
      let sinceMs = performance.now();
      for (const action of withRun(plan, actions)) {
        await this.#repeat(live, action, principal);
        if (!this.#isDeleted && performance.now() - sinceMs > SLICE_MS) {
          await nextTurn('act', principal);
          sinceMs = performance.now();
        }
        if (this.#isDeleted) break;
      }
      return this.#isDeleted ? null : live;
    } catch (error) {
      if (this.#isDeleted) return null;
      this.#isDamaged = true;
      throw error;
    }
  }

  async #repeat(live: LiveElection, action: ElectionAction, principal: Principal): Promise<void> {
    if (action.type === 'advance') {
      const { events = EVENTS_PER_ADVANCE_MAX } = action;
      this.#advance = { events, leftBefore: live.stage.eventsLeft };
      this.#advances += 1;
    }
    await repeat(live, [action], principal);
    this.#done += 1;
    this.#advance = null;
  }

  /** Estimated time, if each advance that is left takes as long as those that are over. */
  get retryAfterS(): number {
    const takenS = (performance.now() - this.#startedMs) / 1000;
    const all = this.#stored.size.advances + (this.request.runs ? 1 : 0);
    const done = this.#advances - this.#partLeft();
    const leftS = done === 0 ? takenS : (takenS * Math.max(0, all - done)) / done;
    return Math.min(RETRY_S_MAX, Math.max(1, Math.ceil(leftS)));
  }

  #partLeft(): number {
    if (this.#advance === null || this.#live === null) return 0;
    const { events, leftBefore } = this.#advance;
    return 1 - (leftBefore - this.#live.stage.eventsLeft) / events;
  }

  /** Why a request for it is refused now. */
  refusal(): LabError {
    if (this.#isDeleted) return noElection(this.id);
    if (this.#isDamaged) {
      const detail = `election ${this.id} cannot be restored: its stored data is damaged`;
      return new LabError('election.damaged', detail);
    }
    const detail = `${this.#done} of ${this.#stored.size.actions} actions of election ${this.id} are restored`;
    return new OverloadError('election.restoring', detail, this.retryAfterS);
  }
}

function* withRun(
  plan: ElectionPlan,
  actions: Iterable<ElectionAction>,
): Generator<ElectionAction, void, undefined> {
  if (plan.runs) yield* RUN;
  yield* actions;
}

export interface RestoringOptions {
  readonly budgets: CallerBudgets;
  readonly onFault: OnFault;
  /** Receives an election that is restored. */
  readonly onRestored: (election: LiveElection) => void;
}

/** Owns elections until they are restored. */
export class RestoringElections {
  readonly #options: RestoringOptions;
  readonly #elections = new Map<string, RestoringElection>();
  #waiting = 0;

  constructor(options: RestoringOptions) {
    this.#options = options;
  }

  /** Elections that are not restored, in the order of their creation. */
  get pending(): ReadonlyMap<string, RestoringElection> {
    return this.#elections;
  }

  add(stored: StoredElection): void {
    this.#elections.set(stored.id, new RestoringElection(stored));
  }

  delete(id: string): void {
    this.#elections.get(id)?.delete();
    this.#elections.delete(id);
  }

  /** Restores all, one after the other. Those that are damaged are reported and stay. */
  async restoreAll(): Promise<void> {
    for (const election of [...this.#elections.values()]) await this.#restored(election, SERVER);
  }

  /**
   * Restores an election before the others and charges its owner. Throws OverloadError
   * `election.restoring` if that takes long or many requests wait, LabError `election.damaged` or
   * `not_found`.
   */
  async restore(
    election: RestoringElection,
    principal: Principal,
    ends: Pick<Lifecycle, 'onDrain'>,
  ): Promise<void> {
    const restored = this.#restored(election, principal);
    if (this.#waiting >= WAITING_MAX) throw election.refusal();
    this.#waiting += 1;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, WAIT_MS_MAX);
    const offDrain = ends.onDrain(resolve);
    try {
      await Promise.race([restored, promise]);
    } finally {
      this.#waiting -= 1;
      clearTimeout(timer);
      offDrain();
    }
    const isRestored = !election.isDamaged && this.#elections.get(election.id) !== election;
    if (!isRestored) throw election.refusal();
  }

  /** Stops the restoring. */
  close(): void {
    for (const election of this.#elections.values()) election.delete();
    this.#elections.clear();
  }

  async #restored(election: RestoringElection, principal: Principal): Promise<void> {
    if (election.isDamaged || this.#elections.get(election.id) !== election) return;
    election.restoring ??= this.#restore(election, this.#paying(election, principal));
    await election.restoring;
  }

  async #restore(election: RestoringElection, principal: Principal): Promise<void> {
    try {
      const live = await election.fold(principal);
      if (live === null) return;
      this.#elections.delete(election.id);
      this.#options.onRestored(live);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const detail = `stored election ${election.id} cannot be restored: ${why}`;
      const fault = new LabError('file.unreadable', detail);
      this.#options.onFault({ id: election.id, error: fault });
    }
  }

  /** The principal that pays: the owner if the election was requested, else the server. */
  #paying({ request }: RestoringElection, principal: Principal): Principal {
    if (principal === SERVER) return SERVER;
    const caller = request.owner ?? principal.caller;
    const charge = (ms: number) => this.#options.budgets.chargeElectionTime(caller, ms);
    // It does not pause, because other callers may wait for the election.
    return { ...SERVER, caller, charge };
  }
}
