/**
 * @module
 * This folder runs elections. This file advances one election over virtual time, step by step. Faults come from
 * a script, a schedule or from outside. A failure detector costs no messages: it reports `suspect` T = 2Δ + 1
 * ticks after a crash, and `trust` at a return, before the first step of the returned node. (After a later report
 * a Bully leader would lead beside the returned one.)
 *
 * Order within a tick: faults and starts, suspicions, missed reports of a resumed node, deliveries in send
 * order, timers in setting order, 0-tick timers. Idle: nothing in flight, no fault ahead, only periodic timers
 * set, and leaders unchanged for one longest period.
 */

import type { ResourceState } from '../../election/lease/stores/resource.ts';
import type { Json } from '../../election/machine.ts';
import type { NodeView } from '../../election/properties.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import type { Cast } from '../../election/world/cast.ts';
import { fromRank } from '../../election/world/cast.ts';
import { castWithout } from '../../election/world/membership.ts';
import { LabError } from '../../errors.ts';
import { createRandom } from '../../random.ts';
import type { CastHooks, CastParts } from '../cast/planned-cast.ts';
import { createPlannedCast, resourceOf } from '../cast/planned-cast.ts';
import type { Detection, DetectionLog } from '../detection/detection.ts';
import { createDetectionLog } from '../detection/detection.ts';
import { createPlannedDetector } from '../detection/oracle-detector.ts';
import type { Reachability } from '../detection/perfect-detector.ts';
import { createChoices } from '../engine/choices.ts';
import { Engine } from '../engine/engine.ts';
import type { EngineOptions } from '../engine/engine-options.ts';
import type { Network } from '../engine/network.ts';
import { createNetwork } from '../engine/network.ts';
import { createSendTimes } from '../engine/send-times.ts';
import type { TraceRecord } from '../engine/trace.ts';
import { traceLines } from '../engine/trace.ts';
import { createClock } from '../faults/clock.ts';
import { createDelay } from '../faults/latency.ts';
import { EMPTY_SCHEDULE, faultyTicksMax } from '../faults/schedule.ts';
import type { TimedIncident } from '../faults/timeline.ts';
import { timelineOf } from '../faults/timeline.ts';
import { assertInteger, assertRanks } from '../plan/assertions.ts';
import { assertRecoverable, planSimulation } from '../plan/options.ts';
import { hasOutsideNodes } from '../plan/outside-nodes.ts';
import type { Plan, SimulationOptions } from '../plan/plan.ts';
import { TICKS_LIMIT } from '../plan/time-limits.ts';
import { headerOf } from '../trace/header.ts';
import type { Audit } from './audit.ts';
import { createAudit } from './audit.ts';
import {
  applyIncident,
  crash,
  createScript,
  deliverReport,
  liveRanks,
  recover,
  start,
  wake,
} from './environment.ts';
import type { Inboxes } from './inboxes.ts';
import { createInboxes } from './inboxes.ts';
import type { Intervened, Intervention } from './intervention.ts';
import { createLiveCuts, interventionIn } from './intervention.ts';
import type { OutsidePlay } from './outside-play.ts';
import { outsidePlayIn } from './outside-play.ts';
import type { Bound, Run, Status } from './status.ts';
import { deadlineOf, isIdle, statusOf, viewNodes } from './status.ts';

export interface Advance {
  /**
   * Until the run is at rest (or `plan.untilTicks` after the last start or intervention), or until this tick
   * is over. An advance ends earlier if a node from outside must answer.
   */
  readonly until: 'idle' | number;
  /** Maximum number of deliveries, timers and faults. */
  readonly events?: number | undefined;
}

export interface Simulation extends Intervention, OutsidePlay {
  readonly plan: Plan;
  /** Starts an election at these nodes, by default all live ones, at the present tick. */
  start(ranks?: readonly number[]): void;
  crash(rank: number): void;
  recover(rank: number): void;
  advance(advance: Advance): Bound;
  /** O(nodes). */
  status(): Status;
  /** What of the status takes no look at every node. */
  progress(): Pick<Status, 'ticks' | 'messages' | 'inFlight'>;
  /** Every node by rank: whether it is up, and its leader. */
  nodes(): NodeView[];
  /** A copy of the state of a node; null while it is down. */
  stateOf(rank: number): Json;
  /** The leaders over time; null unless the options asked for an audit. */
  audit(): Audit | null;
  /** Quality of failure detection; null without an audit, or after too many reports. */
  detection(): Detection | null;
  /** The resource of the leader workload; null without one. */
  resource(): ResourceState | null;
  /** Records that were not taken; empty unless the options asked for a trace. */
  records(): readonly TraceRecord[];
  /** Removes and returns the records, so that a long run does not keep them. */
  takeRecords(): TraceRecord[];
  /** The trace as JSON lines. */
  traceLines(): Iterable<string>;
}

/**
 * A simulation at tick 0 before any start. `machineOf` replaces the protocol's own machine, for its variants;
 * `keysOf` replaces symbolic keys. Throws LabError `arguments`.
 */
export function createSimulation(
  options: SimulationOptions,
  machineOf?: Cast['machineOf'],
  keysOf?: CastParts['keysOf'],
): Simulation {
  const plan = planSimulation(options);
  const records: TraceRecord[] | null = plan.trace ? [] : null;
  const intervened = createRun(plan, records, { machineOf, keysOf });
  const { run } = intervened;
  const { engine, environment } = run;
  let bound: Bound | null = null;
  return {
    plan,
    ...interventionIn(intervened),
    ...outsidePlayIn(run),
    start(ranks) {
      if (ranks !== undefined) assertRanks('start', ranks, plan.nodes);
      happenDue(run, Number.POSITIVE_INFINITY);
      const starting = ranks ?? liveRanks(environment);
      for (const rank of starting) assertUp(run, rank, true);
      start(environment, starting);
      if (plan.detector !== null && run.lastIntervention === null) {
        // Nodes that do not start the election run a detector, too.
        const others = liveRanks(environment).filter((rank) => !starting.includes(rank));
        wake(environment, others);
      }
      run.lastIntervention = engine.now;
    },
    crash(rank) {
      assertRanks('crash', [rank], plan.nodes);
      assertUp(run, rank, true);
      crash(environment, rank);
      run.lastIntervention = engine.now;
    },
    recover(rank) {
      assertRanks('recover', [rank], plan.nodes);
      assertUp(run, rank, false);
      assertRecoverable(plan, rank, 'election.conflict');
      assertJoined(run, rank);
      recover(environment, rank, false);
      run.lastIntervention = engine.now;
    },
    advance(request) {
      bound = advance(run, request);
      assertConserved(engine);
      return bound;
    },
    status: () => statusOf(run, bound),
    progress: () => ({ ticks: engine.now, messages: engine.messages(), inFlight: engine.inFlight }),
    nodes: () => viewNodes(run),
    stateOf: engine.stateOf.bind(engine),
    audit: () => run.audit,
    detection: () => run.detectionLog?.detection(engine.now, engine.messages()) ?? null,
    resource: () => (plan.workload && plan.store ? resourceOf(engine.stateOf(plan.store)) : null),
    records: () => records ?? [],
    takeRecords: () => records?.splice(0) ?? [],
    traceLines: () => traceLines(headerOf(plan), records ?? []),
  };
}

function createRun(plan: Plan, records: TraceRecord[] | null, parts: CastParts): Intervened {
  const { nodeOrder } = plan;
  const audit = plan.audit ? createAudit(plan) : null;
  const detectionLog = plan.audit ? createDetectionLog(plan.nodes) : null;
  // The hooks are called only after the engine exists.
  const inboxes = hasOutsideNodes(plan) ? createInboxes((rank) => engine.isUp(rank)) : null;
  for (const { rank, waits } of plan.outside) inboxes?.open(rank, waits);
  const watch: CastHooks = {
    clock: () => engine.now,
    inbox: (rank, event) => inboxes?.note(rank, engine.now, event),
    note: ({ at, by, about, type }) =>
      detectionLog?.note({ at, by: fromRank(by), about: fromRank(about), type }),
  };
  const cast = createPlannedCast(plan, watch, parts);
  const network = createPlannedNetwork(plan, plan.store ?? plan.nodes);
  const observer = audit && detectionLog ? observing(audit, detectionLog) : undefined;
  const draw = createDelay(plan.latency, createRandom(plan.seed, 'latency'));
  const engine = createEngine(plan, { cast, network, records, observer, delay: draw });
  const absent = new Set(plan.absent);
  const incidents = incidentsOf(plan);
  const reachability = createReachability(engine, nodeOrder, absent);
  const detector = createPlannedDetector(plan, reachability, incidents);
  const onReport = detectionLog?.note ?? null;
  const environment = { cast, engine, detector, nodeOrder, absent, deferred: new Map(), onReport };
  const run: Run = {
    plan,
    engine,
    environment,
    script: createScript(incidents),
    inboxes,
    lastIntervention: null,
    answersUntil: 0,
    audit,
    detectionLog,
    sendTimes: plan.sendTimes ? createSendTimes() : null,
    isUnderCuts: false,
    agreement: null,
  };
  const endpoints = plan.store ?? plan.nodes;
  const links = { delay: draw, endpoints, orderLinks: ordersLinks(plan) };
  return { run, cuts: createLiveCuts(plan.nodes), links };
}

function observing(audit: Audit, watching: DetectionLog): EngineOptions['observer'] {
  return (now, view) => {
    audit.observe(now, view);
    watching.observe(now, view);
  };
}

/** Scripted and scheduled incidents, by tick. */
function incidentsOf({ faults, schedule, nodes, seed }: Plan): TimedIncident[] {
  const scripted = faults.map(({ type, rank, at }): TimedIncident => {
    return { at, incident: type === 'crash' ? { type, rank } : { type, rank, amnesia: false } };
  });
  const timeline = schedule === null ? [] : timelineOf(schedule, nodes, seed);
  return [...scripted, ...timeline].toSorted((left, right) => left.at - right.at);
}

/** The network; null if every message arrives. */
function createPlannedNetwork(plan: Plan, endpoints: number): Network | null {
  if (plan.schedule === null && plan.links === null) return null;
  return createNetwork({ ...plan, endpoints, schedule: plan.schedule ?? EMPTY_SCHEDULE });
}

function createReachability(
  engine: Engine,
  nodeOrder: readonly number[],
  absent: ReadonlySet<number>,
): Reachability {
  return {
    ranks: () => nodeOrder.filter((rank) => !absent.has(rank)),
    isUp: (rank) => engine.isUp(rank),
    isReachable: (from, to) =>
      !engine.isPaused(from) && engine.network?.isCut(engine.now, from, to) !== true,
  };
}

function createEngine(
  plan: Plan,
  parts: {
    readonly cast: Cast;
    readonly network: Network | null;
    readonly delay: () => number;
    readonly records: TraceRecord[] | null;
    readonly observer: EngineOptions['observer'];
  },
): Engine {
  const { protocol, timing, crashedBefore, absent, schedule, seed } = plan;
  return new Engine({
    cast: castWithout(parts.cast, absent),
    nodeOrder: plan.nodeOrder,
    crashedBefore,
    absent,
    latencyTicksMax: faultyTicksMax(schedule ?? EMPTY_SCHEDULE, timing.latencyTicksMax),
    choices: createChoices(seed),
    delay: parts.delay,
    network: parts.network,
    clock: schedule === null ? null : createClock(schedule),
    orderLinks: ordersLinks(plan),
    messageTypes: PROTOCOLS[protocol].messageTypes,
    records: parts.records,
    observer: parts.observer,
  });
}

/** With a constant latency links are in order without it. */
function ordersLinks({ fifo, latency }: Plan): boolean {
  return fifo && latency.type !== 'constant';
}

function advance(run: Run, request: Advance): Bound {
  const { engine, script, environment, inboxes } = run;
  const untilIdle = request.until === 'idle';
  const limit = request.until === 'idle' ? patience(run) : request.until;
  if (!untilIdle) assertInteger('until', limit, { min: engine.now, max: TICKS_LIMIT });
  let eventsLeft = request.events ?? Number.POSITIVE_INFINITY;
  if (request.events !== undefined)
    assertInteger('events', eventsLeft, { min: 0, max: TICKS_LIMIT });
  for (;;) {
    if (inboxes?.isAwaiting() === true) return 'outside';
    if (untilIdle && isIdle(run)) return 'idle';
    const at = Math.min(engine.earliest(), script.earliest(), environment.detector.earliest());
    if (at > limit) {
      moveTo(run, limit);
      return isIdle(run) ? 'idle' : 'until';
    }
    if (eventsLeft <= 0) return 'events';
    moveTo(run, at);
    if (inboxes !== null) {
      eventsLeft -= eachDue(run, inboxes, eventsLeft);
      continue;
    }
    eventsLeft -= happenDue(run, eventsLeft);
    eventsLeft -= engine.deliverDue(eventsLeft);
    eventsLeft -= engine.fireDue(eventsLeft);
  }
}

/** Executes due events one by one until a node from outside must answer. Returns their number. */
function eachDue(run: Run, inboxes: Inboxes, eventsMax: number): number {
  const { engine } = run;
  let events = 0;
  while (events < eventsMax && !inboxes.isAwaiting()) {
    const one = happenDue(run, 1) || engine.deliverDue(1) || engine.fireDue(1);
    if (one === 0) break;
    events += one;
  }
  return events;
}

function moveTo({ engine, sendTimes }: Run, tick: number): void {
  engine.now = Math.max(engine.now, tick);
  sendTimes?.note(engine.now, engine.sent);
}

/** The last tick of an advance to `idle`. */
function patience({ plan, lastIntervention }: Run): number {
  return Math.min(
    deadlineOf(plan) ?? Number.POSITIVE_INFINITY,
    (lastIntervention ?? 0) + plan.untilTicks,
  );
}

/** Carries out at most `eventsMax` incidents and suspicions that are due now. Returns their number. */
function happenDue({ engine, script, environment }: Run, eventsMax: number): number {
  let events = 0;
  for (; events < eventsMax; events += 1) {
    const incident = script.take(engine.now);
    if (incident !== null) {
      applyIncident(environment, incident);
      continue;
    }
    const report = environment.detector.take(engine.now);
    if (report === null) break;
    deliverReport(environment, report);
  }
  return events;
}

function assertUp({ engine }: Run, rank: number, up: boolean): void {
  if (engine.isUp(rank) === up) return;
  throw new LabError('election.conflict', `node ${rank} is ${up ? 'down' : 'up'} at ${engine.now}`);
}

function assertJoined({ environment, engine }: Run, rank: number): void {
  if (!environment.absent.has(rank)) return;
  throw new LabError('election.conflict', `node ${rank} has not joined at ${engine.now}`);
}

/** Throws RangeError if a message is unaccounted for, which is a bug. */
function assertConserved(engine: Engine): void {
  const { sent, duplicated, delivered, dropped, inFlight } = engine;
  const accounted = delivered + dropped + inFlight;
  const made = sent + duplicated;
  if (accounted === made) return;
  throw new RangeError(`"accounted" expected ${made} messages made, got ${accounted}`);
}
