/**
 * @module
 * This folder keeps elections: within limits, and in the data file across restarts. This file owns the
 * elections. Each is written to the log before it is reported, so that it exists after a restart.
 */

import { LabError } from '../../../src/errors.ts';
import type { SentFlight } from '../../../src/simulation/run/intervention.ts';
import type { CallerBudgets } from '../../callers/caller-budgets.ts';
import { noBudgets } from '../../callers/caller-budgets.ts';
import { charged, currentAsker, currentOwner, sees } from '../../callers/principal.ts';
import { StreamBudget } from '../../callers/stream-budget.ts';
import { nextTurn } from '../../callers/work-turns.ts';
import { randomId } from '../../contract/ids.ts';
import type { Lifecycle } from '../../request/lifecycle.ts';
import type { OnFault } from '../../request/server-fault.ts';
import type { ElectionAction, OutboxAction } from '../live/action.ts';
import { assertRoomInFlight } from '../live/action.ts';
import { placesFor } from '../live/joining-limits.ts';
import type { ActionRecord, OutboxOutcome } from '../live/live-election.ts';
import { LiveElection, noElection } from '../live/live-election.ts';
import type { ElectionPlan } from '../live/plan.ts';
import { actionsUntil } from '../live/replay.ts';
import type { DormantElection } from './dormant-elections.ts';
import { DormantElections, RUN, repeat } from './dormant-elections.ts';
import { EarnedNodes } from './earned-nodes.ts';
import type { ElectionLog } from './log.ts';
import { EPHEMERAL_LOG } from './log.ts';
import type { Placed } from './shares.ts';
import { assertCharacters, assertShare } from './shares.ts';
import type { Kept } from './storage.ts';
import { bytesKept, bytesToKeep } from './storage.ts';
import { ElectionWaits } from './waits.ts';

/** Elections kept, and nodes in all of them; more are refused until one is deleted. */
export const ELECTIONS_MAX = 1_000;
export const NODES_KEPT_MAX = 25_000;

/** Actions of one election: all are carried out again after a restart. */
export const ACTIONS_MAX = 10_000;

/** Characters of the actions of all elections, as JSON: they are kept for forks and events. */
export const ACTION_CHARACTERS_MAX = 64 * 1024 * 1024;

/** What an election takes, also before it is there. */
interface Place extends Kept, Placed {
  readonly request: ElectionPlan;
}

/** Owns the elections it makes. */
export class ElectionStore {
  /** Who follows them. */
  readonly streams: StreamBudget;
  readonly #waits: ElectionWaits;
  readonly #elections = new Map<string, LiveElection>();
  /** They take room, and nobody can see them yet. */
  readonly #inMaking = new Set<Place>();
  readonly #log: ElectionLog;
  readonly #earned: EarnedNodes;
  readonly #budgets: CallerBudgets;
  /** Those of before a restart that are not back yet. */
  readonly #dormant: DormantElections;

  /** `onFault` learns of what is stored and cannot be brought back. */
  constructor(
    log: ElectionLog = EPHEMERAL_LOG,
    budgets: CallerBudgets = noBudgets(),
    onFault: OnFault = () => undefined,
  ) {
    const onAwake = (election: LiveElection) => void this.#elections.set(election.id, election);
    this.#dormant = new DormantElections({ budgets, onFault, onAwake });
    this.#log = log;
    this.#budgets = budgets;
    this.#earned = new EarnedNodes({ budgets });
    this.streams = new StreamBudget(budgets);
    this.#waits = new ElectionWaits(this.streams);
  }

  /** How many elections there are. */
  get kept(): number {
    return this.#elections.size + this.#dormant.size;
  }

  /** All that who asks may see, in the order of their ids. */
  list(): (LiveElection | DormantElection)[] {
    return [...this.#elections.values(), ...this.#dormant.values()]
      .filter(({ request }) => sees(request.owner))
      .toSorted((one, other) => (one.id < other.id ? -1 : 1));
  }

  /**
   * Learns what the log holds; what was done to each election is carried out again when it is awakened.
   * Answers how many there are. Throws LabError `file.unreadable` for a file that cannot be read.
   */
  restore(): number {
    for (const stored of this.#log.read()) this.#dormant.add(stored);
    return this.kept;
  }

  /** Brings back one after the other of those that nobody asks for; resolves when all are. */
  awakenAll(): Promise<void> {
    return this.#dormant.awakenAll();
  }

  /**
   * Resolves when an election can be asked for, at once for one that is no concern of who asks. Throws
   * OverloadError `election.restoring` when it takes long to bring it back, or `limit.rate`, LabError
   * `election.damaged` when it cannot be.
   */
  async awaken(id: string, ends: Pick<Lifecycle, 'onDrain'>): Promise<void> {
    const dormant = this.#dormant.get(id);
    if (dormant === undefined || !sees(dormant.request.owner)) return;
    this.#assertTime();
    await this.#dormant.awaken(dormant, ends);
  }

  /**
   * Makes an election and carries out what the plan asks for, when its nodes are mined. Throws LabError
   * `limit.elections`, `job.size`, `arguments` for a plan that makes no election, or OverloadError
   * `storage.unavailable`, `limit.concurrent`, `limit.cpu` or `limit.queue`; nothing is kept then. The
   * signal says that nobody waits for it: then no more is mined for it.
   */
  async create(asked: ElectionPlan, signal?: AbortSignal): Promise<LiveElection> {
    this.#assertTime();
    this.#assertRoom(nodesOf(asked));
    const plan = await this.#earned.settle(asked, signal);
    const actions = plan.runs ? [RUN] : [];
    const place = this.#reserve(plan, nodesOf(plan), lengthOf(actions));
    try {
      return await this.#make(place, actions, []);
    } finally {
      this.#inMaking.delete(place);
    }
  }

  /**
   * Makes a copy of an election: as it stands when what was asked for is over, or right after event
   * number `at`, for which it is told once and counts as a stream meanwhile. Throws as `create` does,
   * LabError `not_found`, `arguments` for no such event, or as `StreamBudget.take`.
   */
  async fork(id: string, at?: number): Promise<LiveElection> {
    const source = this.get(id);
    this.#assertTime();
    if (at === undefined) await this.#waits.settled(source);
    const { told } = source;
    const plan = { ...told.plan, runs: false, origin: { election: id, at: at ?? null } };
    // Its room is there before anything is done for it.
    const place = this.#reserve(plan, source.plan.nodes, lengthOf(told.actions));
    try {
      const actions = at === undefined ? [...told.actions] : await this.#actionsUntil(source, at);
      return await this.#make(place, actions, actions);
    } finally {
      this.#inMaking.delete(place);
    }
  }

  async #actionsUntil({ told, plan }: LiveElection, at: number): Promise<ElectionAction[]> {
    const free = this.streams.take(plan.nodes);
    try {
      return await actionsUntil(told, at);
    } finally {
      free();
    }
  }

  /**
   * The first messages on their way in an election with numbers above `after`, as null all. Throws
   * LabError `not_found` or OverloadError `limit.rate`.
   */
  flights(id: string, after: number | null, count: number): readonly SentFlight[] {
    const election = this.get(id);
    this.#assertTime();
    return election.flightsAfter(after ?? Number.NEGATIVE_INFINITY, count);
  }

  /** Throws LabError `not_found`, also for one that who asks may not see. */
  get(id: string): LiveElection {
    const election = this.#elections.get(id);
    if (election !== undefined && sees(election.request.owner)) return election;
    const dormant = this.#dormant.get(id);
    if (dormant !== undefined && sees(dormant.request.owner)) throw dormant.refusal();
    throw noElection(id);
  }

  /**
   * Stores an action and carries it out after those asked for before it. Throws as `LiveElection.act`
   * does, LabError `election.conflict` when the election has had its share, `not_found`, or OverloadError
   * `storage.unavailable`, which leaves the election as it was, or as `StreamBudget.wait`. With `ends`,
   * an advance waits for those who play nodes from outside.
   */
  async act(
    id: string,
    action: ElectionAction,
    ends: Pick<Lifecycle, 'onDrain'> | null = null,
  ): Promise<LiveElection> {
    const election = this.get(id);
    this.#assertAction(election, action);
    const record = this.#recordOf(id);
    await this.#waits.act(election, { action, ends }, () => election.act(action, record, ends));
    return election;
  }

  /** As `act`, for what the program outside that plays a node does. */
  async answer(id: string, action: OutboxAction): Promise<OutboxOutcome> {
    const election = this.get(id);
    this.#assertAction(election, action);
    return election.answer(action, this.#recordOf(id));
  }

  #assertAction(election: LiveElection, action: ElectionAction): void {
    this.#assertTime();
    if (election.actions >= ACTIONS_MAX) {
      const detail = `an election takes at most ${ACTIONS_MAX} actions; make another`;
      throw new LabError('election.conflict', detail);
    }
    if (action.type === 'join') this.#assertPlaces(1 + (election.request.newcomers ?? 0));
    const { length } = JSON.stringify(action);
    this.#assertCharacters(election.request.owner, length);
    this.#assertStorage(election.request.owner, length);
  }

  #recordOf(id: string): ActionRecord {
    return {
      write: (action) => this.#log.acted(id, action),
      retract: (number) => this.#log.retract(number),
    };
  }

  /** Throws LabError `not_found`. */
  delete(id: string): void {
    const dormant = this.#dormant.get(id);
    const { request } = dormant ?? this.get(id);
    if (!sees(request.owner)) throw noElection(id);
    this.#log.deleted(id);
    this.#dormant.delete(id);
    this.#elections.get(id)?.delete();
    this.#elections.delete(id);
  }

  /** Ends what still goes on: nobody is left who could be told of it. */
  close(): void {
    for (const election of this.#elections.values()) election.delete();
    this.#dormant.close();
    void this.#earned.close();
    this.#log.close();
  }

  /** Takes the room for an election, until it is given back. Throws as `create` does. */
  #reserve(asked: ElectionPlan, nodes: number, actionCharacters: number): Place {
    const request = { ...asked, owner: currentOwner() };
    this.#assertTime();
    this.#assertStorage(request.owner, bytesToKeep(request, actionCharacters));
    this.#assertRoom(nodes);
    this.#assertCharacters(request.owner, actionCharacters);
    const place = { request, plan: { nodes }, actionCharacters };
    this.#inMaking.add(place);
    return place;
  }

  /** Makes an election, does all this to it, and stores it with those actions that are no part of its plan. */
  async #make(
    { request: plan }: Place,
    actions: readonly ElectionAction[],
    stored: readonly ElectionAction[],
  ): Promise<LiveElection> {
    await nextTurn('act');
    const election = charged(() => new LiveElection(randomId('e'), plan));
    if (plan.origin !== undefined) await repeat(election, actions);
    else for (const action of actions) await election.act(action);
    if (plan.origin === undefined) assertRoomInFlight(election.stage.simulation);
    this.#log.made(election.id, plan, stored);
    this.#elections.set(election.id, election);
    return election;
  }

  /** Throws OverloadError `limit.rate` when the elections of who asks have used up their time. */
  #assertTime(): void {
    const asker = currentAsker();
    if (asker !== null) this.#budgets.assertElectionTime(asker.caller);
  }

  /** Throws LabError `limit.storage` when the owner would keep more than one may. */
  #assertStorage(owner: string | undefined, more: number): void {
    this.#budgets.assertStorage(bytesKept(this.#all(), owner) + more);
  }

  /** Throws LabError `limit.elections` when that much more is beyond what is left for the owner. */
  #assertCharacters(owner: string | undefined, more: number): void {
    const { callers } = this.#budgets;
    assertCharacters(this.#all(), owner, { most: ACTION_CHARACTERS_MAX, more, callers });
  }

  /** What takes room, also that of which nothing was done yet. */
  #all(): Place[] {
    return [...this.#elections.values(), ...this.#dormant.values(), ...this.#inMaking];
  }

  #assertRoom(nodes: number): void {
    const elections = this.kept + this.#inMaking.size;
    if (elections >= ELECTIONS_MAX) throw this.#full();
    this.#assertPlaces(nodes);
    const room = { elections: ELECTIONS_MAX, nodes: NODES_KEPT_MAX };
    assertShare(this.#all(), currentOwner(), room, this.#budgets.callers);
  }

  #assertPlaces(more: number): void {
    let kept = more;
    for (const { plan } of this.#elections.values()) kept += plan.nodes;
    for (const { plan } of this.#dormant.values()) kept += plan.nodes;
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

function nodesOf({ options, newcomers = 0 }: ElectionPlan): number {
  return placesFor(options.nodes, newcomers);
}

function lengthOf(actions: readonly ElectionAction[]): number {
  return JSON.stringify(actions).length;
}
