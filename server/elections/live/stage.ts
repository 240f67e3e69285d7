/**
 * @module
 * The simulation of a plan with the nodes that join it. The election, its restoring, its copies and its
 * replays each have a stage and carry out the same actions on it, so that all of them end in the same state.
 * A node that joins before the first action is part of the simulation from the beginning: the simulation is
 * created again with it.
 */

import type { Keys } from '../../../src/election/authentication/authenticated.ts';
import type { Rank } from '../../../src/election/machine.ts';
import { fromRank } from '../../../src/election/world/cast.ts';
import { LabError } from '../../../src/errors.ts';
import { signatureRulesOf } from '../../../src/identity/policy.ts';
import type { NodeKey } from '../../../src/runtime/openssl/signing-keys.ts';
import { signingKeys } from '../../../src/runtime/openssl/signing-keys.ts';
import { mapRanks } from '../../../src/simulation/faults/schedule.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import { isSigned } from '../../../src/simulation/request/remote-limits.ts';
import type { Parts } from '../../../src/simulation/run/parts.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import type { ElectionPlan, JoinAction } from './plan.ts';
import { assertFewSigners } from './plan.ts';
import { machinesOf } from './ready-made.ts';
import { assertSize } from './request.ts';
import { policyOf, Roster } from './roster.ts';

/** Events of an advance after which the messages in flight are counted. */
const EVENTS_PER_SLICE = 1_000;
/** The same with real keys. */
const SIGNED_EVENTS_PER_SLICE = 8;
/** Nodes with real keys whose events count as a signed event. More nodes sign more messages in an event. */
const SIGNERS_PER_EVENT = 16;
/** Events in one part of an advance: at most some milliseconds if each of them sends to 500 nodes. */
const EVENTS_PER_PART = 16;

/**
 * Deliveries, timers and faults of all advances of an election. A signed event counts as several. This
 * limits the work of a restart.
 */
export const EVENTS_PER_ELECTION_MAX = 20_000_000;
const EVENTS_PER_SIGNED_EVENT = EVENTS_PER_SLICE / SIGNED_EVENTS_PER_SLICE;

/** Options of a replay or of an election that its plan does not contain. */
interface StageOptions extends Pick<SimulationOptions, 'trace' | 'sendTimes'> {
  /** Whether an advance pauses after each event instead of each slice. */
  readonly isSingle?: boolean;
}

/** A plan with its simulation and its roster. */
export class Stage {
  readonly plan: ElectionPlan;
  readonly isSingle: boolean;
  readonly #recording: Pick<SimulationOptions, 'trace' | 'sendTimes'>;
  #roster: Roster;
  #hasRealKeys: boolean;
  #simulation: Simulation;
  #isUntouched = true;
  /** Number of events of advances, as far as they are whole slices. */
  #events = 0;

  /** Throws LabError `arguments` if the plan is not possible. */
  constructor(plan: ElectionPlan, { isSingle = false, ...recording }: StageOptions = {}) {
    this.plan = plan;
    this.isSingle = isSingle;
    this.#recording = recording;
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

  /** Whether no action but joining was carried out. */
  get isUntouched(): boolean {
    return this.#isUntouched;
  }

  /** The nodes that a start without ranks starts; `undefined` is every live node. */
  get initiators(): readonly number[] | undefined {
    const ranks = this.#roster.requestedRanks();
    return this.plan.initiators?.map((rank) => ranks[rank - 1] ?? rank);
  }

  /** Events after which an advance may end early. */
  get eventsPerSlice(): number {
    return this.#hasRealKeys ? SIGNED_EVENTS_PER_SLICE : EVENTS_PER_SLICE;
  }

  /** Events between two moments at which other work may be done. A signed event seals a message to each node. */
  get eventsPerPart(): number {
    return isSigned(this.plan.options.level) ? 1 : EVENTS_PER_PART;
  }

  /** Number of events that advances may still have. */
  get eventsLeft(): number {
    const left = EVENTS_PER_ELECTION_MAX - this.#events;
    return Math.floor(left / this.#eventWeight);
  }

  countEvents(events: number): void {
    this.#events += events * this.#eventWeight;
  }

  /** Plain events that one of its events counts as. */
  get #eventWeight(): number {
    if (!this.#hasRealKeys) return 1;
    const most = this.#roster.size + this.#roster.vacancies;
    return EVENTS_PER_SIGNED_EVENT * Math.max(1, Math.ceil(most / SIGNERS_PER_EVENT));
  }

  /** The keys of each node; null if they are symbolic or there are none. */
  get keysOf(): ((rank: Rank) => Keys) | null {
    return this.#hasRealKeys ? this.#realKeys() : null;
  }

  /** Says that an action is carried out. Nodes that join from now on are newcomers. */
  touch(): void {
    this.#isUntouched = false;
  }

  /** Number of nodes that may still join. */
  get vacancies(): number {
    if (!this.#isUntouched) return this.#roster.vacancies;
    let more = this.#roster.vacancies;
    while (this.#fits(more + 1)) more += 1;
    return more;
  }

  /** Whether this number of further nodes may join before the first action, newcomers included. */
  #fits(more: number): boolean {
    try {
      this.#roster.assertRanksFor(more - this.#roster.vacancies);
      this.#assertSize(this.#roster.size + more);
      return true;
    } catch (error) {
      if (error instanceof LabError) return false;
      throw error;
    }
  }

  /** Throws LabError `job.size` if the election may not have this number of nodes. */
  #assertSize(nodes: number): void {
    const { protocol, flags = {}, level } = this.plan.options;
    assertSize({ protocol, flags: { ...flags }, level }, nodes);
    if (isSigned(level)) assertFewSigners(nodes);
  }

  /** Throws LabError `id.exists`, `election.closed` or `job.size` first; nothing has changed then. */
  *joining(action: JoinAction): Parts {
    if (this.#isUntouched) this.#joinEarly(action);
    else yield* this.#joinLate(action);
  }

  #joinEarly(action: JoinAction): void {
    const roster = this.#roster.with(action);
    this.#assertSize(roster.size + roster.vacancies);
    const before = { hasRealKeys: this.#hasRealKeys, roster: this.#roster };
    try {
      this.#hasRealKeys = isSigned(this.plan.options.level);
      this.#roster = roster;
      this.#simulation = this.#create(roster);
    } catch (error) {
      this.#hasRealKeys = before.hasRealKeys;
      this.#roster = before.roster;
      throw error;
    }
  }

  *#joinLate(action: JoinAction): Parts {
    const rank = this.#roster.rankFor(action);
    const at = this.#simulation.status().ticks;
    // Its key must be known before other nodes learn of it.
    this.#roster.enter(action, rank, at);
    yield* this.#simulation.entering(rank, { waits: action.waitMs > 0 });
  }

  #create(roster: Roster): Simulation {
    const { plan } = this;
    const options = { ...rankedOptions(plan, roster), ...this.#recording };
    const machineOf = machinesOf(plan);
    if (!this.#hasRealKeys) return createSimulation(options, machineOf);
    const named = { ...options, election: plan.name };
    return createSimulation(named, machineOf, this.#realKeys());
  }

  /** The keys by rank. A node may join between two look-ups. */
  #realKeys(): (rank: Rank) => Keys {
    const phantoms = new Set(rankedOptions(this.plan, this.#roster).phantoms);
    const keyOf = (rank: Rank): NodeKey | null => {
      const position = fromRank(rank);
      return phantoms.has(position) ? null : (this.#roster.nodeAt(position)?.key ?? null);
    };
    return signingKeys(keyOf, signatureRulesOf(policyOf(this.plan)));
  }
}

type RankOf = (requested: number) => number;

/** The options of the plan, with the nodes of the roster. */
export function rankedOptions({ options }: ElectionPlan, roster: Roster): SimulationOptions {
  if (roster.isPlain) return options;
  const ranks = roster.requestedRanks();
  const rankOf: RankOf = (requested) => ranks[requested - 1] ?? requested;
  const { attributes, ring, crashedBefore, faults, schedule, byzantine, phantoms } = options;
  const outside = roster.nodes.flatMap(({ rank, joined }) => {
    return joined === null ? [] : [{ rank, waits: joined.waitMs > 0 }];
  });
  return {
    ...options,
    nodes: roster.rankCount,
    attributes: attributes && attributesAt(attributes, ranks, roster.rankCount),
    ring: typeof ring === 'object' ? ringWith(ring.map(rankOf), roster.rankCount) : ring,
    crashedBefore: crashedBefore?.map(rankOf),
    faults: faults?.map((fault) => ({ ...fault, rank: rankOf(fault.rank) })),
    schedule: schedule && {
      ...schedule,
      faults: schedule.faults.map((fault) => mapRanks(fault, rankOf)),
    },
    byzantine: byzantine?.map((each) => ({ ...each, rank: rankOf(each.rank) })),
    phantoms: phantoms?.map(rankOf),
    outside,
    openings: roster.vacantRanks,
  };
}

/** The attributes by rank; 0 for nodes that are played from outside. */
function attributesAt(
  attributes: readonly number[],
  ranks: readonly number[],
  rankCount: number,
): readonly number[] {
  const all = Array.from({ length: rankCount }, () => 0);
  for (const [index, rank] of ranks.entries()) all[rank - 1] = attributes[index] ?? 0;
  return all;
}

/** The requested ring, with all other ranks after its last node. */
function ringWith(ring: readonly number[], rankCount: number): readonly number[] {
  const named = new Set(ring);
  const all = Array.from({ length: rankCount }, (_, index) => index + 1);
  return [...ring, ...all.filter((rank) => !named.has(rank))];
}
