/**
 * @module
 * One election over virtual time, advanced step by step. Faults come from a script, a schedule or
 * from outside. A failure detector stands beside it and costs no messages: it says `suspect` T = 2Δ + 1
 * ticks after a crash, and `trust` at a return, before the returned node's own first step. (Told
 * later, a standing Bully leader would lead beside the returned one.)
 *
 * Within a tick: faults and starts, suspicions, what a resumed node missed, deliveries in send order,
 * timers in setting order, 0-tick timers. Idle: nothing in flight, no fault ahead, only periodic
 * timers set, and whom nodes follow unchanged for one longest period.
 */

import type { Cast } from '../election/cast.ts';
import { createCast } from '../election/cast.ts';
import type { Json } from '../election/machine.ts';
import { castWithout } from '../election/membership.ts';
import type { NodeView, Verdict } from '../election/properties.ts';
import { judge } from '../election/properties.ts';
import type { AlgorithmName } from '../election/registry.ts';
import { ALGORITHMS } from '../election/registry.ts';
import { answerTicks } from '../election/timing.ts';
import { LabError } from '../errors.ts';
import { createRandom } from '../random.ts';

import { createChoices } from './choices.ts';
import type { Audibility } from './detector.ts';
import { createCrashDetector, createLinkDetector } from './detector.ts';
import { Engine } from './engine.ts';
import type { Environment } from './environment.ts';
import { crash, happen, liveRanks, recover, say, start } from './environment.ts';
import { createClock } from './faults/clock.ts';
import type { Network } from './faults/network.ts';
import { createNetwork, faultyTicksMax } from './faults/network.ts';
import { EMPTY_SCHEDULE } from './faults/schedule.ts';
import type { TimedIncident } from './faults/timeline.ts';
import { timelineOf } from './faults/timeline.ts';
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
  const run = createRun(plan, records, machineOf);
  const { engine, environment } = run;
  let bound: Bound | null = null;
  return {
    plan,
    start(ranks) {
      if (ranks !== undefined) demandRanks('start', ranks, plan.nodes);
      happenDue(run, Number.POSITIVE_INFINITY);
      const starting = ranks ?? liveRanks(environment);
      for (const rank of starting) demandUp(run, rank, true);
      start(environment, starting);
      run.stirredAt = engine.now;
    },
    crash(rank) {
      demandRanks('crash', [rank], plan.nodes);
      demandUp(run, rank, true);
      crash(environment, rank);
      run.stirredAt = engine.now;
    },
    recover(rank) {
      demandRanks('recover', [rank], plan.nodes);
      demandUp(run, rank, false);
      demandPlace(plan, rank);
      demandJoined(run, rank);
      recover(environment, rank, false);
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
  readonly environment: Environment;
  readonly script: Script;
  /** When something was last done from outside; null before that. */
  stirredAt: number | null;
  /** After how many changes all were last asked whether they agree, and whether they did. */
  agreement: { readonly changes: number; readonly isAgreed: boolean } | null;
}

function createRun(plan: Plan, records: TraceRecord[] | null, machineOf?: Cast['machineOf']): Run {
  const { schedule, nodes, seed, seating } = plan;
  const cast = createCast(plan, machineOf);
  const network = createPlannedNetwork(plan, cast.store ?? plan.nodes);
  const engine = createEngine(plan, { cast, network, records });
  const absent = new Set(plan.absent);
  const T = answerTicks(plan.timing);
  const detector =
    schedule?.detector === 'links'
      ? createLinkDetector(
          T,
          createAudibility(engine, network, seating, absent),
          plan.crashedBefore,
        )
      : createCrashDetector(T);
  const environment = { cast, engine, detector, seating, absent, untold: new Map() };
  const scripted = plan.faults.map(({ type, rank, at }): TimedIncident => {
    return { at, incident: type === 'crash' ? { type, rank } : { type, rank, amnesia: false } };
  });
  const timeline = schedule === null ? [] : timelineOf(schedule, nodes, seed);
  const incidents = [...scripted, ...timeline].toSorted((left, right) => left.at - right.at);
  return {
    plan,
    engine,
    environment,
    script: createScript(incidents),
    stirredAt: null,
    agreement: null,
  };
}

/** The network, where messages draw for themselves; null where all of them arrive. */
function createPlannedNetwork(plan: Plan, places: number): Network | null {
  if (plan.schedule === null && plan.links === null) return null;
  return createNetwork({ ...plan, places, schedule: plan.schedule ?? EMPTY_SCHEDULE });
}

function createAudibility(
  engine: Engine,
  network: Network | null,
  seating: readonly number[],
  absent: ReadonlySet<number>,
): Audibility {
  return {
    ranks: () => seating.filter((rank) => !absent.has(rank)),
    isUp: (rank) => engine.isUp(rank),
    isHeard: (about, by) =>
      !engine.isPaused(about) && network?.isCut(engine.now, about, by) !== true,
  };
}

function createEngine(
  plan: Plan,
  parts: {
    readonly cast: Cast;
    readonly network: Network | null;
    readonly records: TraceRecord[] | null;
  },
): Engine {
  const { algorithm, timing, crashedBefore, absent, schedule, seed } = plan;
  return new Engine({
    cast: castWithout(parts.cast, absent),
    seating: plan.seating,
    crashedBefore,
    absent,
    latencyTicksMax: faultyTicksMax(schedule ?? EMPTY_SCHEDULE, timing.latencyTicksMax),
    choices: createChoices(seed),
    delay: createDelay(plan.latency, createRandom(seed, 'latency')),
    network: parts.network,
    clock: schedule === null ? null : createClock(schedule),
    orderLinks: plan.fifo && plan.latency.type !== 'constant',
    messageTypes: ALGORITHMS[algorithm].messageTypes,
    records: parts.records,
  });
}

function advance(run: Run, request: Advance): Bound {
  const { engine, script, environment } = run;
  const untilIdle = request.until === 'idle';
  const limit = request.until === 'idle' ? patience(run) : request.until;
  if (!untilIdle) demandInteger('until', limit, { min: engine.now, max: TICKS_LIMIT });
  let eventsLeft = request.events ?? Number.POSITIVE_INFINITY;
  if (request.events !== undefined)
    demandInteger('events', eventsLeft, { min: 0, max: TICKS_LIMIT });
  for (;;) {
    if (untilIdle && isIdle(run)) return 'idle';
    const at = Math.min(engine.earliest(), script.earliest(), environment.detector.earliest());
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

/** The last tick of an advance to `idle`. */
function patience({ plan, stirredAt }: Run): number {
  return Math.min(deadlineOf(plan) ?? Number.POSITIVE_INFINITY, (stirredAt ?? 0) + plan.untilTicks);
}

/** The tick at which liveness is judged, of a schedule with a calm. */
function deadlineOf({ schedule }: Plan): number | null {
  const calm = schedule?.calm ?? null;
  return calm === null ? null : calm.at + calm.ticks;
}

/** Carries out the incidents and suspicions that are due now, at most `eventsMax`; answers how many. */
function happenDue({ engine, script, environment }: Run, eventsMax: number): number {
  let events = 0;
  for (; events < eventsMax; events += 1) {
    const incident = script.take(engine.now);
    if (incident !== null) {
      happen(environment, incident);
      continue;
    }
    const word = environment.detector.take(engine.now);
    if (word === null) break;
    say(environment, word);
  }
  return events;
}

function isIdle(run: Run): boolean {
  const { engine, script, environment, plan } = run;
  const { timers } = engine;
  if (plan.steadyTicks === null && (engine.inFlight > 0 || timers.oneShots() > 0)) return false;
  const ahead = Math.min(script.earliest(), environment.detector.earliest());
  if (ahead < Number.POSITIVE_INFINITY) return false;
  if (plan.steadyTicks !== null) return isSteady(run, plan.steadyTicks);
  return engine.now - engine.following.changedAt >= timers.longestPeriodTicks();
}

/** Whether every live node has followed the same live leader for so long. */
function isSteady(run: Run, steadyTicks: number): boolean {
  const { now, following } = run.engine;
  if (now - Math.max(following.changedAt, run.stirredAt ?? 0) < steadyTicks) return false;
  // Asked at every event: what has not changed since the last time is not looked at again.
  if (run.agreement?.changes !== following.changes) {
    const isAgreed = agreedLeader(viewNodes(run)) !== null;
    run.agreement = { changes: following.changes, isAgreed };
  }
  return run.agreement.isAgreed;
}

/** The live leader whom every live node follows; null without one. */
function agreedLeader(nodes: readonly NodeView[]): number | null {
  const leader = nodes.find(({ up }) => up)?.leader ?? null;
  if (leader === null || nodes[leader - 1]?.up !== true) return null;
  return nodes.every((node) => !node.up || node.leader === leader) ? leader : null;
}

function statusOf(run: Run, bound: Bound | null): Status {
  const { engine, plan } = run;
  const nodes = viewNodes(run);
  const leaders = nodes.filter(({ rank, leader }) => leader === rank);
  const leader = leaders.length === 1 ? (leaders[0]?.rank ?? null) : null;
  const idle = isIdle(run);
  const isOver = idle || engine.now >= (deadlineOf(plan) ?? Number.POSITIVE_INFINITY);
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
    verdict: judge(engine.following.observations, nodes, isOver && run.stirredAt !== null, {
      elects: ALGORITHMS[plan.algorithm].elects,
      attributes: plan.attributes,
      unique: ALGORITHMS[plan.algorithm].unique,
    }),
  };
}

function viewNodes({ engine, plan }: Run): NodeView[] {
  return Array.from({ length: plan.nodes }, (_, index) => ({
    rank: index + 1,
    up: engine.isUp(index + 1),
    leader: engine.leaderOf(index + 1),
  }));
}

function demandUp({ engine }: Run, rank: number, up: boolean): void {
  if (engine.isUp(rank) === up) return;
  throw new LabError('arguments', `node ${rank} is ${up ? 'down' : 'up'} at ${engine.now}`);
}

function demandJoined({ environment, engine }: Run, rank: number): void {
  if (!environment.absent.has(rank)) return;
  throw new LabError('arguments', `node ${rank} has not joined at ${engine.now}`);
}

function headerOf(plan: Plan): TraceHeader {
  const { algorithm, nodes, ring, fifo, seed, crashedBefore, untilTicks, trace } = plan;
  const { latency, faults, links, schedule, flags, attributes } = plan;
  return {
    trace: 'usurp/trace/v1',
    options: {
      ...{ algorithm, nodes, ring, fifo, seed, crashedBefore, untilTicks, trace },
      latency: latencyText(latency),
      faults,
      ...(Object.keys(flags).length === 0 ? {} : { flags }),
      ...(attributes === null ? {} : { attributes }),
      ...(links === null ? {} : { links }),
      ...(schedule === null ? {} : { schedule }),
    },
  };
}
