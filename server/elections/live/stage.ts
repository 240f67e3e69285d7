/**
 * @module
 * An election as it is played: the simulation of a plan, together with those who join. The election
 * itself, its restart, its forks and every telling have one each and do the same to it, so that all
 * of them end alike. As long as nothing was done, a node that joins is there from the beginning: the
 * simulation is made anew with it.
 */

import type { Keys } from '../../../src/election/authenticated.ts';
import type { Rank } from '../../../src/election/machine.ts';
import { signatureRulesOf } from '../../../src/identity/policy.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { assertFewSigners, isSigned } from './joining-limits.ts';
import { placedOptions } from './placed-options.ts';
import type { ElectionPlan, JoinAction } from './plan.ts';
import { assertSize } from './request.ts';
import { policyOf, Roster } from './roster.ts';
import type { NodeKey } from './signing-keys.ts';
import { signingKeys } from './signing-keys.ts';

/** A few milliseconds at most, so that a long advance does not hold up other requests. */
const EVENTS_PER_SLICE = 1_000;
/** The same, where an event is a signature or two. */
const SIGNED_EVENTS_PER_SLICE = 8;

/**
 * Deliveries, timers and faults that advances of one election come to in all, a signed one counted as
 * so many: no restart has more to carry out again.
 */
export const EVENTS_PER_ELECTION_MAX = 20_000_000;
const EVENTS_PER_SIGNED_EVENT = EVENTS_PER_SLICE / SIGNED_EVENTS_PER_SLICE;

/** What a telling wants of its simulation, and an election does not. */
type Fittings = Pick<SimulationOptions, 'trace' | 'sendTimes'>;

/** One election as it is played once. */
export class Stage {
  readonly plan: ElectionPlan;
  readonly #fittings: Fittings;
  #roster: Roster;
  #hasRealKeys: boolean;
  #simulation: Simulation;
  #isUntouched = true;
  /** Of advances, as far as they are whole slices. */
  #events = 0;

  /** Throws LabError `arguments` when the plan makes no election. */
  constructor(plan: ElectionPlan, fittings: Fittings) {
    this.plan = plan;
    this.#fittings = fittings;
    this.#roster = new Roster(plan);
    this.#hasRealKeys = isSigned(plan.options.level) && plan.keys === 'real';
    this.#simulation = this.#create(this.#roster);
  }

  get simulation(): Simulation {
    return this.#simulation;
  }

  get roster(): Roster {
    return this.#roster;
  }

  /** Nothing was done to it but that nodes joined. */
  get isUntouched(): boolean {
    return this.#isUntouched;
  }

  /** Who starts when an action names nobody; undefined is every live node. */
  get initiators(): readonly number[] | undefined {
    const ranks = this.#roster.ranks();
    return this.plan.initiators?.map((rank) => ranks[rank - 1] ?? rank);
  }

  /** Deliveries, timers and faults between two of which others have their turn. */
  get eventsPerSlice(): number {
    return this.#hasRealKeys ? SIGNED_EVENTS_PER_SLICE : EVENTS_PER_SLICE;
  }

  /** How many more events advances may come to. */
  get eventsLeft(): number {
    const left = EVENTS_PER_ELECTION_MAX - this.#events;
    return this.#hasRealKeys ? Math.floor(left / EVENTS_PER_SIGNED_EVENT) : left;
  }

  /** Counts events of an advance. */
  countEvents(events: number): void {
    this.#events += this.#hasRealKeys ? events * EVENTS_PER_SIGNED_EVENT : events;
  }

  /** What each node signs and verifies with; null where keys are symbolic or there are none. */
  get keysOf(): ((rank: Rank) => Keys) | null {
    return this.#hasRealKeys ? this.#keysOf(() => this.#roster) : null;
  }

  /** Says that something was done: from now on who joins is a newcomer. */
  touch(): void {
    this.#isUntouched = false;
  }

  /** Throws LabError `id.exists`, `election.closed` or `job.size`; nothing has changed then. */
  join(action: JoinAction): void {
    if (this.#isUntouched) this.#joinEarly(action);
    else this.#joinLate(action);
  }

  #joinEarly(action: JoinAction): void {
    const before = { hasRealKeys: this.#hasRealKeys, roster: this.#roster };
    const roster = this.#roster.with(action);
    const { protocol, flags = {}, level } = this.plan.options;
    assertSize({ protocol, flags: { ...flags }, level }, roster.nodes + roster.vacancies);
    if (isSigned(level)) assertFewSigners(roster.nodes + roster.vacancies);
    try {
      this.#hasRealKeys = isSigned(level);
      this.#roster = roster;
      this.#simulation = this.#create(roster);
    } catch (error) {
      this.#hasRealKeys = before.hasRealKeys;
      this.#roster = before.roster;
      throw error;
    }
  }

  #joinLate(action: JoinAction): void {
    const rank = this.#roster.rankFor(action);
    // Its key is asked for as soon as others have heard of it.
    const at = this.#simulation.status().ticks;
    this.#roster.enter(action, rank, at);
    this.#simulation.enter(rank, { waits: action.waitMs > 0 });
  }

  #create(roster: Roster): Simulation {
    const { plan } = this;
    const options = { ...placedOptions(plan, roster), ...this.#fittings };
    if (!this.#hasRealKeys) return createSimulation(options);
    const named = { ...options, election: plan.name };
    return createSimulation(
      named,
      undefined,
      this.#keysOf(() => this.#roster),
    );
  }

  /** Whoever is asked for later may have joined since. */
  #keysOf(rosterOf: () => Roster): (rank: Rank) => Keys {
    const phantoms = new Set(placedOptions(this.plan, rosterOf()).phantoms);
    const keyOf = (rank: number): NodeKey | null => {
      return phantoms.has(rank) ? null : (rosterOf().seatOf(rank)?.key ?? null);
    };
    return signingKeys(keyOf, signatureRulesOf(policyOf(this.plan)));
  }
}
