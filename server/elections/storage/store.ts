/**
 * @module
 * This folder keeps elections: within limits, and in the data file across restarts. This file owns the
 * elections. Each is written to the log before it is reported, so that it exists after a restart.
 */

import { LabError } from '../../../src/errors.ts';
import type { SentFlight } from '../../../src/simulation/run/intervention.ts';
import type { CallerBudgets } from '../../callers/caller-budgets.ts';
import { noBudgets } from '../../callers/caller-budgets.ts';
import { StreamBudget } from '../../callers/stream-budget.ts';
import { nextTurn } from '../../callers/work-turns.ts';
import { randomId } from '../../contract/members.ts';
import type { Lifecycle } from '../../request/lifecycle.ts';
import type { Principal } from '../../request/principal.ts';
import { charged } from '../../request/principal.ts';
import type { OnFault } from '../../request/refusals.ts';
import type { ElectionAction } from '../live/action.ts';
import { assertRoomInFlight } from '../live/action.ts';
import type { ActionRecord, ActOptions, Outcome } from '../live/live-election.ts';
import {
  actionsUntil,
  assertEvent,
  LiveElection,
  noElection,
  repeat,
} from '../live/live-election.ts';
import type { ElectionPlan } from '../live/plan.ts';
import { ranksFor } from '../live/plan.ts';
import { ElectionWaits, mayWait } from '../live/waits.ts';
import type { Deed } from '../sharing/rights.ts';
import { SharedElections } from '../sharing/shared-elections.ts';
import { EarnedNodes } from './earned-nodes.ts';
import type { ElectionLog } from './log.ts';
import { EPHEMERAL_LOG } from './log.ts';
import type { RestoringElection } from './restoring-elections.ts';
import { RestoringElections, RUN } from './restoring-elections.ts';

/** Elections, and ranks of all of them. More are refused until one is deleted. Coursework has as many again. */
export const ELECTIONS_MAX = 1_000;
export const NODES_KEPT_MAX = 25_000;

/** Actions of one election, all of which are repeated after a restart. */
export const ACTIONS_MAX = 10_000;

/** Characters of the actions of all elections as JSON. They are kept for copies and replays. */
export const ACTION_CHARACTERS_MAX = 64 * 1024 * 1024;

/** What actions other than `conduct` are for. */
const DEEDS: Partial<Record<ElectionAction['type'], Deed>> = { join: 'join', outbox: 'play' };

/** The room of an election, which is reserved before it exists. */
interface Reserved extends Sized, Sharing {
  readonly request: ElectionPlan;
}

/** Owns the elections. Every look-up requires the principal on whose behalf it is done. */
export class ElectionStore {
  /** Counts the streams that follow elections. */
  readonly streams: StreamBudget;
  /** Who else may see each election. */
  readonly sharing: SharedElections;
  readonly #waits: ElectionWaits;
  readonly #elections = new Map<string, LiveElection>();
  /** Elections that take room and are not visible yet. */
  readonly #reserved = new Set<Reserved>();
  readonly #log: ElectionLog;
  readonly #earned: EarnedNodes;
  readonly #budgets: CallerBudgets;
  /** Elections from before a restart that are not restored yet. */
  readonly #restoring: RestoringElections;
  readonly #wallMs: () => number;

  /** `onFault` receives stored elections that cannot be restored. */
  constructor(
    log: ElectionLog = EPHEMERAL_LOG,
    budgets: CallerBudgets = noBudgets(),
    onFault: OnFault = () => undefined,
    sharing: SharedElections = new SharedElections(),
    wallMs: () => number = Date.now,
  ) {
    this.#wallMs = wallMs;
    const onRestored = (election: LiveElection) => void this.#elections.set(election.id, election);
    this.#restoring = new RestoringElections({ budgets, onFault, onRestored });
    this.#log = log;
    this.sharing = sharing;
    this.#budgets = budgets;
    this.#earned = new EarnedNodes({ budgets });
    this.streams = new StreamBudget(budgets);
    this.#waits = new ElectionWaits(this.streams);
  }

  /** Number of elections. */
  get kept(): number {
    return this.#elections.size + this.#restoring.pending.size;
  }

  /** The elections that are visible to the principal. */
  list(principal: Principal): (LiveElection | RestoringElection)[] {
    return [...this.#elections.values(), ...this.#restoring.pending.values()].filter(
      (election) => this.sharing.relationTo(election, principal) !== null,
    );
  }

  /** Reads the log. Returns the number of elections. Throws LabError `file.unreadable`. */
  open(): number {
    for (const stored of this.#log.read()) this.#restoring.add(stored);
    this.sharing.open();
    return this.kept;
  }

  /** Restores the elections that are not requested, one after the other. */
  restoreAll(): Promise<void> {
    return this.#restoring.restoreAll();
  }

  /**
   * Resolves when an election is restored, at once if it is not visible to the principal. Throws
   * OverloadError `election.restoring` if that takes long, or `limit.rate`, LabError `election.damaged`.
   */
  async restore(id: string, principal: Principal, ends: Pick<Lifecycle, 'onDrain'>): Promise<void> {
    const election = this.#restoring.pending.get(id);
    if (election === undefined || this.sharing.relationTo(election, principal) === null) return;
    this.#assertTime(principal);
    await this.#restoring.restore(election, principal, ends);
  }

  /**
   * Creates an election and carries out what its plan requests, after its nodes are mined. Throws LabError
   * `limit.elections`, `job.size`, `arguments` for an impossible plan, or OverloadError
   * `storage.unavailable`, `limit.concurrent`, `limit.cpu` or `limit.queue`; nothing is kept then. The
   * signal says that the caller has disconnected.
   */
  async create(
    requested: ElectionPlan,
    principal: Principal,
    signal?: AbortSignal,
  ): Promise<LiveElection> {
    this.#assertTime(principal);
    this.#assertRoom(this.#all(), ranksOf(requested), { ...requested, owner: principal.owner });
    const plan = await this.#earned.settle(requested, principal, signal);
    const actions = plan.runs ? RUN : [];
    const reserved = this.#reserve(plan, { nodes: ranksOf(plan), actions }, principal);
    try {
      return await this.#make(reserved, { actions, stored: [] }, principal);
    } finally {
      this.#reserved.delete(reserved);
    }
  }

  /**
   * Copies an election: as it is after the actions requested so far, or directly after event number `at`,
   * which takes a replay and counts as a stream. Throws as `create` does, LabError `not_found`,
   * `election.conflict` if there is no such event, or as `StreamBudget.take`.
   */
  async fork(id: string, at: number | undefined, principal: Principal): Promise<LiveElection> {
    const source = this.get(id, principal, 'examine');
    this.#assertTime(principal);
    if (at === undefined) await this.#waits.hold(source, principal, 0, () => source.settled());
    else assertEvent(at, source.events);
    const { plan: origin, actions: all } = source.history;
    const plan = { ...origin, runs: false, origin: { election: id, at: at ?? null } };
    // The room is reserved before the replay.
    const room = { nodes: source.plan.nodes, actions: all };
    const reserved = this.#reserve(plan, room, principal);
    try {
      const actions = at === undefined ? [...all] : await this.#actionsUntil(source, at, principal);
      return await this.#make(reserved, { actions, stored: actions }, principal);
    } finally {
      this.#reserved.delete(reserved);
    }
  }

  async #actionsUntil(
    { history, plan }: LiveElection,
    at: number,
    principal: Principal,
  ): Promise<ElectionAction[]> {
    const free = this.streams.take(plan.nodes, principal);
    try {
      return await actionsUntil(history, at, principal);
    } finally {
      free();
    }
  }

  /**
   * The first messages in flight with numbers above `after`; null begins with the first. Throws LabError
   * `not_found` or OverloadError `limit.rate`.
   */
  flights(
    id: string,
    { after, count }: { readonly after: number | null; readonly count: number },
    principal: Principal,
  ): readonly SentFlight[] {
    const election = this.get(id, principal, 'examine');
    this.#assertTime(principal);
    const { simulation } = election.stage;
    return charged(principal, () =>
      simulation.flightsAfter(after ?? Number.NEGATIVE_INFINITY, count),
    );
  }

  /**
   * An election, and what the principal does with it. Throws LabError `not_found`, also if the election is not
   * visible to the principal, or `auth.access` if it may only do something else with it.
   */
  get(id: string, principal: Principal, deed: Deed = 'look'): LiveElection {
    const election = this.#elections.get(id) ?? this.#restoring.pending.get(id);
    this.sharing.assertMay(election, id, principal, deed);
    if (election instanceof LiveElection) return election;
    throw election?.refusal() ?? noElection(id);
  }

  /**
   * Stores an action and carries it out after those requested before it. Throws as `LiveElection.act` does,
   * LabError `election.conflict` if the election has too many actions, `not_found`, or OverloadError
   * `storage.unavailable`, which leaves the election as it was, or as `StreamBudget.wait`. With `ends`, an
   * advance waits for programs outside.
   */
  async act(
    id: string,
    action: ElectionAction,
    { principal, ends }: Omit<ActOptions, 'record'>,
  ): Promise<Outcome> {
    const election = this.get(id, principal, DEEDS[action.type] ?? 'conduct');
    this.#assertAction(election, action, principal);
    const record: ActionRecord = {
      write: (done) => this.#log.acted(id, done, principal.keyed),
      retract: (number) => this.#log.retract(number, principal.keyed),
    };
    const act = () => election.act(action, { principal, record, ends });
    if (election.isLetIn(action)) return act();
    const waits = action.type === 'advance' && ends != null && mayWait(election.plan);
    return this.#waits.hold(election, principal, waits ? 1 : 0, act);
  }

  #assertAction(election: LiveElection, action: ElectionAction, principal: Principal): void {
    this.#assertTime(principal);
    if (election.actions >= ACTIONS_MAX) {
      const detail = `an election takes at most ${ACTIONS_MAX} actions; make another`;
      throw new LabError('election.conflict', detail);
    }
    const { owner, newcomers = 0 } = election.request;
    const all = this.#all();
    if (action.type === 'join') assertRanks(sameRoom(all, election.request), 1 + newcomers);
    const { length } = JSON.stringify(action);
    if (action.type === 'outbox' && principal.participant !== null) {
      assertParticipant(election.writtenBy(action.node), length);
    }
    this.#assertCharacters(all, owner, length);
    this.#assertStorage(all, owner, length);
  }

  /** Throws LabError `not_found`, or `election.conflict` while an action on it is being carried out. */
  delete(id: string, principal: Principal): void {
    const restoring = this.#restoring.pending.get(id);
    this.sharing.assertMay(restoring ?? this.#elections.get(id), id, principal, 'conduct');
    if (this.#elections.get(id)?.isActing === true) {
      const detail = 'an action on it is being carried out; DELETE it when the action is over';
      throw new LabError('election.conflict', detail);
    }
    this.#log.deleted(id);
    this.#restoring.delete(id);
    this.#elections.get(id)?.delete();
    this.#elections.delete(id);
    this.sharing.forget(id);
  }

  /** Stops all actions and closes the log. */
  close(): void {
    for (const election of this.#elections.values()) election.delete();
    this.#restoring.close();
    void this.#earned.close();
    this.#log.close();
  }

  /** Reserves the room of an election. Throws as `create` does. */
  #reserve(
    plan: ElectionPlan,
    { nodes, actions }: { readonly nodes: number; readonly actions: readonly ElectionAction[] },
    principal: Principal,
  ): Reserved {
    const { owner } = principal;
    const request = { ...plan, owner, createdMs: this.#wallMs() };
    const actionCharacters = JSON.stringify(actions).length;
    this.#assertTime(principal);
    const all = this.#all();
    this.#assertStorage(all, owner, bytesToKeep(request, actionCharacters));
    this.#assertRoom(all, nodes, request);
    this.#assertCharacters(all, owner, actionCharacters);
    const reserved = { request, plan: { nodes }, actionCharacters };
    this.#reserved.add(reserved);
    return reserved;
  }

  /** Creates an election, carries out the actions, and stores those that are not part of its plan. */
  async #make(
    { request: plan }: Reserved,
    { actions, stored }: Readonly<Record<'actions' | 'stored', readonly ElectionAction[]>>,
    principal: Principal,
  ): Promise<LiveElection> {
    await nextTurn('act', principal);
    const election = new LiveElection(randomId('e'), plan, principal);
    if (plan.origin === undefined) {
      for (const action of actions) await election.act(action, { principal });
      assertRoomInFlight(election.stage.simulation);
    } else {
      await repeat(election, actions, principal);
    }
    this.#log.created(election.id, plan, stored, principal.keyed);
    this.#elections.set(election.id, election);
    return election;
  }

  /** Throws OverloadError `limit.rate` if the elections of the caller have used up their time. */
  #assertTime({ caller }: Principal): void {
    this.#budgets.assertElectionTime(caller);
  }

  /** Throws LabError `limit.storage` if the owner would keep too much. */
  #assertStorage(all: readonly Reserved[], owner: string | undefined, more: number): void {
    this.#budgets.assertStorage(bytesKept(all, owner) + more);
  }

  /** Throws LabError `limit.elections` if the actions would exceed the owner's share. */
  #assertCharacters(all: readonly Reserved[], owner: string | undefined, more: number): void {
    const { callers } = this.#budgets;
    assertCharacters(all, owner, { most: ACTION_CHARACTERS_MAX, more, callers });
  }

  /** Everything that takes room. */
  #all(): readonly Reserved[] {
    return [...this.#elections.values(), ...this.#restoring.pending.values(), ...this.#reserved];
  }

  /** Throws LabError `limit.elections` if the room for elections of this kind, or the owner's share of it, is used up. */
  #assertRoom(everything: readonly Reserved[], ranks: number, plan: Roomed): void {
    const all = sameRoom(everything, plan);
    if (all.length >= ELECTIONS_MAX) throw full();
    assertRanks(all, ranks);
    const room = { elections: ELECTIONS_MAX, nodes: NODES_KEPT_MAX };
    assertShare(all, plan.owner, room, this.#budgets.callers);
  }
}

type Roomed = Pick<ElectionPlan, 'owner' | 'instance' | 'origin'>;

/**
 * The elections that share a room with one of this plan. Those of the instances of exercises have a room of their own,
 * as large as that of all others, so that no other election can stop coursework. A copy of one is not coursework.
 */
function sameRoom(all: readonly Reserved[], plan: Roomed): readonly Reserved[] {
  return all.filter(({ request }) => isCoursework(request) === isCoursework(plan));
}

function isCoursework({ instance, origin }: Roomed): boolean {
  return instance !== undefined && origin === undefined;
}

/** Throws LabError `limit.elections` if all elections would have too many ranks. */
function assertRanks(all: readonly Reserved[], more: number): void {
  let kept = more;
  for (const { plan } of all) kept += plan.nodes;
  if (kept > NODES_KEPT_MAX) throw full();
}

function full(): LabError {
  const detail =
    `at most ${ELECTIONS_MAX} elections with ${NODES_KEPT_MAX} nodes together are kept; ` +
    'DELETE one that is not needed';
  return new LabError('limit.elections', detail);
}

function ranksOf({ options, newcomers = 0 }: ElectionPlan): number {
  return ranksFor(options.nodes, newcomers);
}

/**
 * The part of an election that takes room. The room that elections take, and how owners share it. Three quarters are
 * first come, first served. The rest is for owners that have less than an equal share, so that no owner can exclude
 * the others. The weights of elections are above the measured sizes in memory and in the file, so that nothing has
 * to be walked.
 */
export interface Sharing {
  readonly request: Pick<ElectionPlan, 'owner'>;
  readonly plan: { readonly nodes: number };
  readonly actionCharacters: number;
}

/** The room of a server. */
interface Room {
  readonly elections: number;
  readonly nodes: number;
}

/** Part of the room that is first come, first served. */
const UNSHARED = 0.75;

/**
 * Throws LabError `limit.elections` if little room is left and the owner has its share. Elections without an
 * owner are not shared. Each of the known `callers` has a part of the rest reserved.
 */
export function assertShare(
  all: readonly Sharing[],
  owner: string | undefined,
  { elections, nodes }: Room,
  callers = 0,
): void {
  if (owner === undefined) return;
  const kept = sumOf(all, nodesOf);
  const isSpent = (size: Size, total: number, most: number) =>
    isShareSpent({ all, size, total }, owner, { most, callers, more: 0 });
  if (!isSpent(() => 1, all.length, elections) && !isSpent(nodesOf, kept, nodes)) return;
  const detail =
    `${all.length} elections with ${kept} nodes are kept; the room that is left is for owners that ` +
    `have less than an equal share of ${elections} and ${nodes}; DELETE one that is not needed`;
  throw new LabError('limit.elections', detail);
}

/** Works like `assertShare`, for `more` characters of actions, of which there is room for `most`. */
export function assertCharacters(
  all: readonly Sharing[],
  owner: string | undefined,
  share: Share,
): void {
  const { most, more } = share;
  const size: Size = ({ actionCharacters }) => actionCharacters;
  const total = sumOf(all, size);
  const isFull = total + more > most;
  if (!isFull && (owner === undefined || !isShareSpent({ all, size, total }, owner, share))) return;
  const detail =
    `the actions of all elections take at most ${most} characters, of which the last are for owners ` +
    'that have less than an equal share; DELETE an election that is not needed';
  throw new LabError('limit.elections', detail);
}

interface Share {
  /** The whole room. */
  readonly most: number;
  /** The room that is requested. */
  readonly more: number;
  /** Least number of callers that share it. */
  readonly callers: number;
}

type Size = (election: Sharing) => number;

interface Kept {
  readonly all: readonly Sharing[];
  readonly size: Size;
  /** The sum of their sizes. */
  readonly total: number;
}

/**
 * Whether the request exceeds the owner's share and others may need the room. What each owner takes is added up
 * only if little room is left.
 */
function isShareSpent(kept: Kept, owner: string, { most, more, callers }: Share): boolean {
  const all = kept.total + more;
  if (all < most * UNSHARED) return false;
  const taken = takenBy(kept.all, kept.size);
  const owners = taken.size + (taken.has(owner) ? 0 : 1);
  const known = Math.max(callers, owners);
  const own = (taken.get(owner) ?? 0) + more;
  // The reserved parts of the others that they do not use yet.
  const sure = (most * (1 - UNSHARED)) / known;
  const others = [...taken].filter(([name]) => name !== owner);
  const owed = others.reduce((rest, [, size]) => rest - Math.min(size, sure), (known - 1) * sure);
  return own >= most / owners || (own >= sure && all + owed >= most);
}

/**
 * What one participant of a shared election may write, so that no participant uses up the actions of the
 * election or the storage of its owner.
 */
const PARTICIPANT_ACTIONS_MAX = 200;
const PARTICIPANT_CHARACTERS_MAX = 256 * 1024;

/** Throws LabError `limit.storage` if a participant has written its share. */
function assertParticipant(
  { actions, characters }: { readonly actions: number; readonly characters: number },
  more: number,
): void {
  const isSpent = characters + more > PARTICIPANT_CHARACTERS_MAX;
  if (actions < PARTICIPANT_ACTIONS_MAX && !isSpent) return;
  const detail = `a participant answers at most ${PARTICIPANT_ACTIONS_MAX} times, with ${PARTICIPANT_CHARACTERS_MAX} characters in all; answer several events together`;
  throw new LabError('limit.storage', detail);
}

function takenBy(all: readonly Sharing[], size: Size): Map<string | undefined, number> {
  const taken = new Map<string | undefined, number>();
  for (const election of all) {
    const { owner } = election.request;
    taken.set(owner, (taken.get(owner) ?? 0) + size(election));
  }
  return taken;
}

function nodesOf({ plan }: Sharing): number {
  return plan.nodes;
}

function sumOf<Each>(all: readonly Each[], size: (each: Each) => number): number {
  let total = 0;
  for (const each of all) total += size(each);
  return total;
}

/** Bytes of each election and of each of its nodes. Raft with 5 nodes took 56 KiB, Bully with 100 took 506. */
const ELECTION_BYTES = 32 * 1024;

const NODE_BYTES = 6 * 1024;

/** The part of an election that determines its size. */
interface Sized {
  readonly request: Pick<ElectionPlan, 'owner' | 'options'>;
  readonly actionCharacters: number;
}

/** Bytes of an election with actions of this length. */
function bytesToKeep({ options }: Sized['request'], actionCharacters: number): number {
  return ELECTION_BYTES + options.nodes * NODE_BYTES + actionCharacters;
}

/** Bytes of all elections of an owner; `undefined` owns those without an owner. */
function bytesKept(elections: readonly Sized[], owner: string | undefined): number {
  return sumOf(elections, ({ request, actionCharacters }) =>
    request.owner === owner ? bytesToKeep(request, actionCharacters) : 0,
  );
}
