/**
 * @module
 * The elections that the server keeps: a bounded number, each written to a log before it is told of,
 * so that they are there again after a restart.
 */

import { LabError } from '../src/errors.ts';
import type { ElectionLog, StoredElection } from './election-log.ts';
import { EPHEMERAL_LOG } from './election-log.ts';
import type { ElectionPlan } from './election-request.ts';
import { randomId } from './ids.ts';
import type { ElectionAction } from './live-election.ts';
import { LiveElection, noElection } from './live-election.ts';

/** Elections kept, and nodes in all of them; more are refused until one is deleted. */
export const ELECTIONS_MAX = 1_000;
export const NODES_KEPT_MAX = 25_000;

/** Actions of one election: all are carried out again after a restart. */
export const ACTIONS_MAX = 10_000;

/** Owns the elections it makes. */
export class ElectionStore {
  readonly #elections = new Map<string, LiveElection>();
  readonly #log: ElectionLog;

  constructor(log: ElectionLog = EPHEMERAL_LOG) {
    this.#log = log;
  }

  /** Brings back what the log holds. Throws LabError `file.unreadable` for what makes no election. */
  async restore(): Promise<number> {
    for (const stored of this.#log.read()) {
      this.#elections.set(stored.id, await replay(stored));
    }
    return this.#elections.size;
  }

  /**
   * Makes an election and carries out what the plan asks for. Throws LabError `limit.elections`,
   * `arguments` for a plan that makes no election, or OverloadError `storage.unavailable`; nothing is
   * kept then.
   */
  async create(plan: ElectionPlan): Promise<LiveElection> {
    this.#demandRoom(plan.options.nodes);
    const election = new LiveElection(randomId('e'), plan);
    this.#elections.set(election.id, election);
    try {
      if (plan.runs) await election.act(RUN);
      this.#log.made(election.id, plan);
    } catch (error) {
      this.#elections.delete(election.id);
      throw error;
    }
    return election;
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

  #demandRoom(nodes: number): void {
    let kept = nodes;
    for (const { plan } of this.#elections.values()) kept += plan.nodes;
    if (this.#elections.size < ELECTIONS_MAX && kept <= NODES_KEPT_MAX) return;
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
    // What was refused then is refused again, at the same point.
    for (const action of plan.runs ? [RUN, ...actions] : actions) {
      await election.act(action).catch(passRefusals);
    }
    return election;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new LabError('file.unreadable', `stored election ${id} cannot be brought back: ${why}`);
  }
}

function passRefusals(error: unknown): void {
  if (!(error instanceof LabError)) throw error;
}
