/**
 * @module
 * The elections that the server keeps: a bounded number, each written to a log before it is told of,
 * so that they are there again after a restart.
 */

import { setImmediate } from 'node:timers/promises';

import { LabError } from '../../src/errors.ts';
import { charged, currentAsker, currentOwner, sees } from '../callers/asker.ts';
import type { CallerBudgets } from '../callers/caller-budgets.ts';
import { noBudgets } from '../callers/caller-budgets.ts';
import { StreamBudget } from '../callers/stream-budget.ts';
import { randomId } from '../contract/ids.ts';
import type { Lifecycle } from '../lifecycle.ts';
import type { ElectionLog, StoredElection } from '../store/election-log.ts';
import { EPHEMERAL_LOG } from '../store/election-log.ts';
import { EarnedNodes } from './earned-nodes.ts';
import type { ElectionAction, OutboxAction } from './election-action.ts';
import type { ElectionPlan } from './election-plan.ts';
import { demandShare } from './election-shares.ts';
import { bytesKept, bytesToKeep } from './election-storage.ts';
import { placesFor } from './joining-limits.ts';
import type { ActionRecord, OutboxOutcome } from './live-election.ts';
import { LiveElection, noElection } from './live-election.ts';
import { actionsUntil } from './retelling.ts';

/** Elections kept, and nodes in all of them; more are refused until one is deleted. */
export const ELECTIONS_MAX = 1_000;
export const NODES_KEPT_MAX = 25_000;

/** Actions of one election: all are carried out again after a restart. */
export const ACTIONS_MAX = 10_000;

/** Characters of the actions of all elections, as JSON: they are kept for forks and events. */
export const ACTION_CHARACTERS_MAX = 64 * 1024 * 1024;

/** Owns the elections it makes. */
export class ElectionStore {
  /** Who follows them. */
  readonly streams: StreamBudget;
  readonly #elections = new Map<string, LiveElection>();
  /** They take room, and nobody can see them yet. */
  readonly #inMaking = new Set<LiveElection>();
  readonly #log: ElectionLog;
  readonly #earned = new EarnedNodes();
  readonly #budgets: CallerBudgets;

  constructor(log: ElectionLog = EPHEMERAL_LOG, budgets: CallerBudgets = noBudgets()) {
    this.#log = log;
    this.#budgets = budgets;
    this.streams = new StreamBudget(budgets);
  }

  /** How many elections there are. */
  get kept(): number {
    return this.#elections.size;
  }

  /** All that who asks may see, in the order of their ids. */
  list(): LiveElection[] {
    return [...this.#elections.values()]
      .filter(({ request }) => sees(request.owner))
      .toSorted((one, other) => (one.id < other.id ? -1 : 1));
  }

  /**
   * Brings back what the log holds, as far as it comes before the signal. Throws LabError
   * `file.unreadable` for what makes no election.
   */
  async restore(signal?: AbortSignal): Promise<number> {
    for (const stored of this.#log.read()) {
      const election = await replay(stored, signal);
      if (election.isDeleted) break;
      this.#elections.set(stored.id, election);
      // Who asks meanwhile whether the server is ready is answered.
      await setImmediate();
    }
    return this.#elections.size;
  }

  /**
   * Makes an election and carries out what the plan asks for, when its nodes are mined. Throws LabError
   * `limit.elections`, `job.size`, `arguments` for a plan that makes no election, or OverloadError
   * `storage.unavailable` or `limit.queue`; nothing is kept then.
   */
  async create(asked: ElectionPlan): Promise<LiveElection> {
    this.#demandTime();
    this.#demandRoom(asked);
    if (asked.honest === 'earned') this.#demandCpu();
    const plan = await this.#earned.settle(asked);
    return this.#make(plan, plan.runs ? [RUN] : [], []);
  }

  /**
   * Makes a copy of an election: as it stands when what was asked for is over, or right after event
   * number `at`. Throws as `create` does, LabError `not_found`, or `arguments` for no such event.
   */
  async fork(id: string, at?: number): Promise<LiveElection> {
    const source = this.get(id);
    this.#demandTime();
    if (at === undefined) await source.settled();
    const { told } = source;
    const actions = at === undefined ? [...told.actions] : await actionsUntil(told, at);
    const plan = { ...told.plan, runs: false, origin: { election: id, at: at ?? null } };
    return this.#make(plan, actions, actions);
  }

  /** Throws LabError `not_found`, also for one that who asks may not see. */
  get(id: string): LiveElection {
    const election = this.#elections.get(id);
    if (election === undefined || !sees(election.request.owner)) throw noElection(id);
    return election;
  }

  /**
   * Stores an action and carries it out after those asked for before it. Throws as `LiveElection.act`
   * does, LabError `job.size` when the election has had its share, `not_found`, or OverloadError
   * `storage.unavailable`, which leaves the election as it was. With `ends`, an advance waits for those
   * who play nodes from outside.
   */
  async act(
    id: string,
    action: ElectionAction,
    ends: Pick<Lifecycle, 'onDrain'> | null = null,
  ): Promise<LiveElection> {
    const election = this.get(id);
    this.#demandAction(election, action);
    await election.act(action, this.#recordOf(id), ends);
    return election;
  }

  /** As `act`, for what the program outside that plays a node does. */
  async answer(id: string, action: OutboxAction): Promise<OutboxOutcome> {
    const election = this.get(id);
    this.#demandAction(election, action);
    return election.answer(action, this.#recordOf(id));
  }

  #demandAction(election: LiveElection, action: ElectionAction): void {
    this.#demandTime();
    if (election.actions >= ACTIONS_MAX) {
      const detail = `an election takes at most ${ACTIONS_MAX} actions; make another`;
      throw new LabError('job.size', detail);
    }
    if (action.type === 'join') this.#demandPlaces(1 + (election.request.newcomers ?? 0));
    const { length } = JSON.stringify(action);
    this.#demandCharacters(length);
    this.#demandStorage(election.request.owner, length);
  }

  #recordOf(id: string): ActionRecord {
    return {
      write: (action) => this.#log.acted(id, action),
      retract: (number) => this.#log.retract(number),
    };
  }

  /** Throws LabError `not_found`. */
  delete(id: string): void {
    const election = this.get(id);
    this.#log.deleted(id);
    election.delete();
    this.#elections.delete(id);
  }

  /** Ends what still goes on: nobody is left who could be told of it. */
  close(): void {
    for (const election of this.#elections.values()) election.delete();
    this.#earned.close();
    this.#log.close();
  }

  /** Makes an election, does all this to it, and stores it with those actions that are no part of its plan. */
  async #make(
    asked: ElectionPlan,
    actions: readonly ElectionAction[],
    stored: readonly ElectionAction[],
  ): Promise<LiveElection> {
    const plan = { ...asked, owner: currentOwner() };
    const { length } = JSON.stringify(actions);
    this.#demandTime();
    this.#demandStorage(plan.owner, bytesToKeep(plan, length));
    this.#demandRoom(plan);
    this.#demandCharacters(length);
    const election = charged(() => new LiveElection(randomId('e'), plan));
    this.#inMaking.add(election);
    try {
      if (plan.origin !== undefined) await repeat(election, actions);
      else for (const action of actions) await election.act(action);
      this.#log.made(election.id, plan, stored);
      this.#elections.set(election.id, election);
    } finally {
      this.#inMaking.delete(election);
    }
    return election;
  }

  /** Throws OverloadError `limit.rate` when the elections of who asks have used up their time. */
  #demandTime(): void {
    const asker = currentAsker();
    if (asker !== null) this.#budgets.demandElectionTime(asker.caller);
  }

  /** Throws OverloadError `limit.cpu` when what was mined for who asks has used up its share. */
  #demandCpu(): void {
    const asker = currentAsker();
    if (asker !== null) this.#budgets.demandCpu(asker.caller, { seconds: 0, threads: 1 });
  }

  /** Throws LabError `limit.storage` when the owner would keep more than one may. */
  #demandStorage(owner: string | undefined, more: number): void {
    const all = [...this.#elections.values(), ...this.#inMaking];
    this.#budgets.demandStorage(bytesKept(all, owner) + more);
  }

  #demandCharacters(more: number): void {
    let kept = more;
    for (const { actionCharacters } of this.#elections.values()) kept += actionCharacters;
    if (kept <= ACTION_CHARACTERS_MAX) return;
    const detail = `the actions of all elections take at most ${ACTION_CHARACTERS_MAX} characters; DELETE an election that is not needed`;
    throw new LabError('limit.elections', detail);
  }

  #demandRoom({ options, newcomers = 0 }: ElectionPlan): void {
    const elections = this.#elections.size + this.#inMaking.size;
    if (elections >= ELECTIONS_MAX) throw this.#full();
    this.#demandPlaces(placesFor(options.nodes, newcomers));
    const all = [...this.#elections.values(), ...this.#inMaking];
    demandShare(all, currentOwner(), { elections: ELECTIONS_MAX, nodes: NODES_KEPT_MAX });
  }

  #demandPlaces(more: number): void {
    let kept = more;
    for (const { plan } of this.#elections.values()) kept += plan.nodes;
    for (const { plan } of this.#inMaking) kept += plan.nodes;
    if (kept > NODES_KEPT_MAX) throw this.#full();
  }

  #full(): LabError {
    const detail =
      `at most ${ELECTIONS_MAX} elections with ${NODES_KEPT_MAX} nodes together are kept; ` +
      'DELETE one that is not needed';
    return new LabError('limit.elections', detail);
  }
}

const RUN: ElectionAction = { type: 'advance', until: 'idle' };

/** An election that is deleted, when the signal comes before it is brought back. */
async function replay(
  { id, plan, actions }: StoredElection,
  signal?: AbortSignal,
): Promise<LiveElection> {
  let stop: () => void = () => undefined;
  try {
    const election = new LiveElection(id, plan);
    stop = () => election.delete();
    signal?.addEventListener('abort', stop);
    if (signal?.aborted) stop();
    await repeat(election, plan.runs ? [RUN, ...actions] : actions);
    return election;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new LabError('file.unreadable', `stored election ${id} cannot be brought back: ${why}`);
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/** What was refused then is refused again, at the same point. */
async function repeat(election: LiveElection, actions: readonly ElectionAction[]): Promise<void> {
  for (const action of actions) await election.act(action).catch(passRefusals);
}

function passRefusals(error: unknown): void {
  if (!(error instanceof LabError)) throw error;
}
