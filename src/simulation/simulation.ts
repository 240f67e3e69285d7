/**
 * @module
 * One election over virtual time, advanced step by step. Faults come from a script or from outside.
 * A perfect failure detector stands beside it and costs no messages: every live node is told
 * `suspect` T = 2Δ + 1 ticks after a crash, and `trust` at a return, before the returned node's own
 * first step. (Told later, a standing Bully leader would lead beside the returned one.)
 *
 * Within a tick: faults and starts, deliveries in send order, timers in setting order, 0-tick timers.
 * Idle: nothing in flight, no scripted fault ahead, only periodic timers set, and whom nodes follow
 * unchanged for one longest period.
 */

import type { Cast } from '../election/cast.ts';
import { createCast } from '../election/cast.ts';
import type { Json } from '../election/machine.ts';
import type { NodeView, Verdict } from '../election/properties.ts';
import { judge } from '../election/properties.ts';
import type { AlgorithmName } from '../election/registry.ts';
import { ALGORITHMS } from '../election/registry.ts';
import { answerTicks } from '../election/timing.ts';
import { LabError } from '../errors.ts';
import { createRandom } from '../random.ts';

import { Engine } from './engine.ts';
import { createDelay, latencyText } from './latency.ts';
import type { Plan, SimulationOptions } from './options.ts';
import { demandInteger, demandPlace, demandRanks, planSimulation, TICKS_LIMIT } from './options.ts';
import type { Script } from './script.ts';
import { createScript } from './script.ts';
import type { TraceHeader, TraceRecord } from './trace.ts';
import { traceLines } from './trace.ts';

/** Why an advance ended: at rest, at its tick, or after as many events as it was allowed. */
export type Bound = 'idle' | 'until' | 'events';

export interface Advance {
  /**
   * At rest (or `plan.untilTicks` after the last start, crash or return from outside), or everything
   * up to and including this tick has happened.
   */
  readonly until: 'idle' | number;
  /** At most so many deliveries, timers and faults. */
  readonly events?: number | undefined;
}

export interface Status {
  readonly algorithm: AlgorithmName;
  readonly nodes: number;
  /** Virtual time, and the time of the last delivery, timer or fault. */
  readonly ticks: number;
  readonly lastEventTicks: number;
  readonly idle: boolean;
  /** Why the last advance ended; null before the first. */
  readonly bound: Bound | null;
  /** The one live node that leads itself; null when none or several do. */
  readonly leader: number | null;
  /** Whether every live node follows the same live leader. */
  readonly agreed: boolean;
  /** Sends by message type, and `total`. */
  readonly messages: Readonly<Record<string, number>>;
  readonly inFlight: number;
  readonly verdict: Verdict;
}

export interface Simulation {
  readonly plan: Plan;
  /** Starts an election at these nodes, by default all live ones as seated, at the present tick. */
  start(ranks?: readonly number[]): void;
  crash(rank: number): void;
  recover(rank: number): void;
  advance(advance: Advance): Bound;
  /** O(nodes). */
  status(): Status;
  /** Every node by rank: whether it is up and whom it follows. */
  nodes(): NodeView[];
  /** A copy of a node's state, null while it is down. */
  stateOf(rank: number): Json;
  /** What has been recorded; empty unless the options asked for a trace. */
  records(): readonly TraceRecord[];
  /** The trace as JSON lines. */
  traceLines(): Iterable<string>;
}

/**
 * A simulation at time 0 in which nobody has started. `machineOf` replaces the protocol's own machine,
 * for its variants and for nodes that cheat. Throws LabError `arguments`.
 */
export function createSimulation(
  options: SimulationOptions,
  machineOf?: Cast['machineOf'],
): Simulation {
  const plan = planSimulation(options);
  const records: TraceRecord[] | null = plan.trace ? [] : null;
  const engine = createEngine(plan, records, machineOf);
  const script = createScript(plan.faults);
  const run: Run = { plan, engine, script, stirredAt: null };
  let bound: Bound | null = null;
  return {
    plan,
    start(ranks) {
      if (ranks !== undefined) demandRanks('start', ranks, plan.nodes);
      happenDue(run, Number.POSITIVE_INFINITY);
      const starting = ranks ?? liveRanks(run);
      for (const rank of starting) demandUp(run, rank, true);
      for (const rank of starting) engine.start(rank);
      run.stirredAt = engine.now;
    },
    crash(rank) {
      demandRanks('crash', [rank], plan.nodes);
      demandUp(run, rank, true);
      crash(run, rank);
      run.stirredAt = engine.now;
    },
    recover(rank) {
      demandRanks('recover', [rank], plan.nodes);
      demandUp(run, rank, false);
      demandPlace(plan, rank);
      recover(run, rank);
      run.stirredAt = engine.now;
    },
    advance(request) {
      bound = advance(run, request);
      engine.assertConserved();
      return bound;
    },
    status: () => statusOf(run, bound),
    nodes: () => viewNodes(run),
    stateOf: engine.stateOf.bind(engine),
    records: () => records ?? [],
    traceLines: () => traceLines(headerOf(plan), records ?? []),
  };
}

interface Run {
  readonly plan: Plan;
  readonly engine: Engine;
  readonly script: Script;
  /** When something was last done from outside; null before that. */
  stirredAt: number | null;
}

function createEngine(
  plan: Plan,
  records: TraceRecord[] | null,
  machineOf?: Cast['machineOf'],
): Engine {
  const { algorithm, timing, ring, crashedBefore } = plan;
  return new Engine({
    cast: createCast({ algorithm, timing, ring, crashedBefore }, machineOf),
    seating: plan.seating,
    crashedBefore,
    latencyTicksMax: timing.latencyTicksMax,
    delay: createDelay(plan.latency, createRandom(plan.seed, 'latency')),
    orderLinks: plan.fifo && plan.latency.type !== 'constant',
    messageTypes: ALGORITHMS[algorithm].messageTypes,
    records,
  });
}

function advance(run: Run, request: Advance): Bound {
  const { engine, script, plan } = run;
  const untilIdle = request.until === 'idle';
  const limit = request.until === 'idle' ? (run.stirredAt ?? 0) + plan.untilTicks : request.until;
  if (!untilIdle) demandInteger('until', limit, { min: engine.now, max: TICKS_LIMIT });
  let eventsLeft = request.events ?? Number.POSITIVE_INFINITY;
  if (request.events !== undefined)
    demandInteger('events', eventsLeft, { min: 0, max: TICKS_LIMIT });
  for (;;) {
    if (untilIdle && isIdle(run)) return 'idle';
    const at = Math.min(engine.earliest(), script.earliest());
    if (at > limit) {
      engine.now = Math.max(engine.now, limit);
      return isIdle(run) ? 'idle' : 'until';
    }
    if (eventsLeft <= 0) return 'events';
    engine.now = Math.max(engine.now, at);
    eventsLeft -= happenDue(run, eventsLeft);
    eventsLeft -= engine.deliverDue(eventsLeft);
    eventsLeft -= engine.fireDue(eventsLeft);
  }
}

/** Carries out the incidents that are due now, at most `eventsMax`; answers how many. */
function happenDue(run: Run, eventsMax: number): number {
  let events = 0;
  while (events < eventsMax) {
    const incident = run.script.take(run.engine.now);
    if (incident === null) break;
    events += 1;
    if (incident.type === 'suspect') tell(run, 'suspect', incident.rank);
    // Somebody outside the script may have been there first.
    else if (incident.type === 'crash' && run.engine.isUp(incident.rank)) crash(run, incident.rank);
    else if (incident.type === 'recover' && !run.engine.isUp(incident.rank)) {
      recover(run, incident.rank);
    }
  }
  return events;
}

function crash({ engine, script, plan }: Run, rank: number): void {
  engine.crash(rank);
  script.suspectLater(rank, engine.now + answerTicks(plan.timing));
}

function recover(run: Run, rank: number): void {
  run.script.forgetSuspicion(rank);
  tell(run, 'trust', rank);
  run.engine.recover(rank);
}

function tell(run: Run, type: 'suspect' | 'trust', about: number): void {
  for (const rank of liveRanks(run)) run.engine.report(type, { to: rank, about });
}

function isIdle({ engine, script }: Run): boolean {
  const { timers } = engine;
  if (engine.inFlight > 0 || timers.oneShots() > 0) return false;
  if (script.earliest() < Number.POSITIVE_INFINITY) return false;
  return engine.now - engine.leaderChangedAt >= timers.longestPeriodTicks();
}

function statusOf(run: Run, bound: Bound | null): Status {
  const { engine, plan } = run;
  const nodes = viewNodes(run);
  const leaders = nodes.filter(({ rank, leader }) => leader === rank);
  const leader = leaders.length === 1 ? (leaders[0]?.rank ?? null) : null;
  const idle = isIdle(run);
  return {
    algorithm: plan.algorithm,
    nodes: plan.nodes,
    ticks: engine.now,
    lastEventTicks: engine.lastEventAt,
    idle,
    bound,
    leader,
    agreed: leader !== null && nodes.every((node) => !node.up || node.leader === leader),
    messages: engine.messages(),
    inFlight: engine.inFlight,
    // What nobody has started is idle, but has not come to rest.
    verdict: judge(engine.observations, nodes, idle && run.stirredAt !== null),
  };
}

function viewNodes({ engine, plan }: Run): NodeView[] {
  return Array.from({ length: plan.nodes }, (_, index) => ({
    rank: index + 1,
    up: engine.isUp(index + 1),
    leader: engine.leaderOf(index + 1),
  }));
}

function liveRanks({ engine, plan }: Run): number[] {
  return plan.seating.filter((rank) => engine.isUp(rank));
}

function demandUp({ engine }: Run, rank: number, up: boolean): void {
  if (engine.isUp(rank) === up) return;
  throw new LabError('arguments', `node ${rank} is ${up ? 'down' : 'up'} at ${engine.now}`);
}

function headerOf(plan: Plan): TraceHeader {
  const { timing: _timing, seating: _seating, latency, faults, ...rest } = plan;
  return {
    trace: 'usurp/trace/v1',
    options: {
      ...rest,
      latency: latencyText(latency),
      faults: faults.map((fault) => ({ ...fault })),
    },
  };
}
