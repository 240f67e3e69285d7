/**
 * @module
 * The elections that the server keeps: a bounded number, each written to a log before it is told of,
 * so that they are there again after a restart.
 */

import { setImmediate } from 'node:timers/promises';

import { LabError } from '../src/errors.ts';
import type { ElectionAction } from './election-action.ts';
import type { ElectionLog, StoredElection } from './election-log.ts';
import { EPHEMERAL_LOG } from './election-log.ts';
import type { ElectionPlan } from './election-request.ts';
import { randomId } from './ids.ts';
import { LiveElection, noElection } from './live-election.ts';
import { actionsUntil } from './retelling.ts';
import { StreamBudget } from './stream-budget.ts';

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
  readonly streams = new StreamBudget();
  readonly #elections = new Map<string, LiveElection>();
  /** They take room, and nobody can see them yet. */
  readonly #inMaking = new Set<LiveElection>();
  readonly #log: ElectionLog;

  constructor(log: ElectionLog = EPHEMERAL_LOG) {
    this.#log = log;
  }

  /** How many elections there are. */
  get kept(): number {
    return this.#elections.size;
  }

  /** All of them, in the order of their ids. */
  list(): LiveElection[] {
    return [...this.#elections.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1));
  }

  /** Brings back what the log holds. Throws LabError `file.unreadable` for what makes no election. */
  async restore(): Promise<number> {
    for (const stored of this.#log.read()) {
      this.#elections.set(stored.id, await replay(stored));
      // Who asks meanwhile whether the server is ready is answered.
      await setImmediate();
    }
    return this.#elections.size;
  }

  /**
   * Makes an election and carries out what the plan asks for. Throws LabError `limit.elections`,
   * `arguments` for a plan that makes no election, or OverloadError `storage.unavailable`; nothing is
   * kept then.
   */
  async create(plan: ElectionPlan): Promise<LiveElection> {
    return this.#make(plan, plan.runs ? [RUN] : [], []);
  }

  /**
   * Makes a copy of an election: as it stands when what was asked for is over, or right after event
   * number `at`. Throws as `create` does, LabError `not_found`, or `arguments` for no such event.
   */
  async fork(id: string, at?: number): Promise<LiveElection> {
    const source = this.get(id);
    if (at === undefined) await source.settled();
    const { told } = source;
    const actions = at === undefined ? [...told.actions] : await actionsUntil(told, at);
    const plan = { ...told.plan, runs: false, origin: { election: id, at: at ?? null } };
    return this.#make(plan, actions, actions);
  }

  /** Throws LabError `not_found`. */
  get(id: string): LiveElection {
    const election = this.#elections.get(id);
    if (election === undefined) throw noElection(id);
    return election;
  }

  /**
   * Stores an action and carries it out after those asked for before it. Throws as `LiveElection.act`
   * does, LabError `job.size` when the election has had its share, `not_found`, or OverloadError
   * `storage.unavailable`, which leaves the election as it was.
   */
  async act(id: string, action: ElectionAction): Promise<LiveElection> {
    const election = this.get(id);
    if (election.actions >= ACTIONS_MAX) {
      const detail = `an election takes at most ${ACTIONS_MAX} actions; make another`;
      throw new LabError('job.size', detail);
    }
    this.#demandCharacters(JSON.stringify(action).length);
    await election.act(action, {
      write: () => this.#log.acted(id, action),
      retract: (number) => this.#log.retract(number),
    });
    return election;
  }

  /** Throws LabError `not_found`. */
  delete(id: string): void {
    const election = this.get(id);
    this.#log.deleted(id);
    election.delete();
    this.#elections.delete(id);
  }

  close(): void {
    this.#log.close();
  }

  /** Makes an election, does all this to it, and stores it with those actions that are no part of its plan. */
  async #make(
    plan: ElectionPlan,
    actions: readonly ElectionAction[],
    stored: readonly ElectionAction[],
  ): Promise<LiveElection> {
    this.#demandRoom(plan.options.nodes);
    this.#demandCharacters(JSON.stringify(actions).length);
    const election = new LiveElection(randomId('e'), plan);
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

  #demandCharacters(more: number): void {
    let kept = more;
    for (const { actionCharacters } of this.#elections.values()) kept += actionCharacters;
    if (kept <= ACTION_CHARACTERS_MAX) return;
    const detail = `the actions of all elections take at most ${ACTION_CHARACTERS_MAX} characters; DELETE an election that is not needed`;
    throw new LabError('limit.elections', detail);
  }

  #demandRoom(nodes: number): void {
    const all = [...this.#elections.values(), ...this.#inMaking];
    let kept = nodes;
    for (const { plan } of all) kept += plan.nodes;
    if (all.length < ELECTIONS_MAX && kept <= NODES_KEPT_MAX) return;
    const detail =
      `at most ${ELECTIONS_MAX} elections with ${NODES_KEPT_MAX} nodes together are kept; ` +
      'DELETE one that is not needed';
    throw new LabError('limit.elections', detail);
  }
}

const RUN: ElectionAction = { type: 'advance', until: 'idle' };

async function replay({ id, plan, actions }: StoredElection): Promise<LiveElection> {
  try {
    const election = new LiveElection(id, plan);
    await repeat(election, plan.runs ? [RUN, ...actions] : actions);
    return election;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new LabError('file.unreadable', `stored election ${id} cannot be brought back: ${why}`);
  }
}

/** What was refused then is refused again, at the same point. */
async function repeat(election: LiveElection, actions: readonly ElectionAction[]): Promise<void> {
  for (const action of actions) await election.act(action).catch(passRefusals);
}

function passRefusals(error: unknown): void {
  if (!(error instanceof LabError)) throw error;
}
