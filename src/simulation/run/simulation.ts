/**
 * @module
 * This folder runs elections. This file advances one election over virtual time, step by step. Faults come from
 * a script, a schedule or from outside. A failure detector costs no messages: it reports `suspect` T = 2Δ + 1
 * ticks after a crash, and `trust` at a return, before the first step of the returned node. (After a later report
 * a Bully leader would lead beside the returned one.)
 *
 * Order within a tick: faults and starts, suspicions, missed reports of a resumed node, deliveries in send
 * order, timers in setting order, 0-tick timers; with `sameTick: timers-first` timers before deliveries. Idle: nothing in flight, no fault ahead, only periodic timers
 * set, and leaders unchanged for one longest period.
 */

import { utf8ToBytes } from '../../bytes.ts';
import type { Refusal } from '../../election/authentication/authenticated.ts';
import { clientsText } from '../../election/clients/client-form.ts';
import type { AnyMachine } from '../../election/definition/protocol.ts';
import { detectorText } from '../../election/detectors/registry.ts';
import type { ResourceState } from '../../election/lease/stores/resource.ts';
import { ReplacedLeaders, resourceIn, resourceOf } from '../../election/lease/workload-cast.ts';
import type { Json, Message } from '../../election/machine.ts';
import { memberOf } from '../../election/message-members.ts';
import type { NodeView, Verdict } from '../../election/properties.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import type { Cast } from '../../election/world/cast.ts';
import { castWithStore, fromRank } from '../../election/world/cast.ts';
import { castWithout } from '../../election/world/membership.ts';
import { copyJson } from '../../election/world/plain-json.ts';
import { LabError } from '../../errors.ts';
import { createRandom } from '../../random.ts';
import type { CastHooks, CastParts } from '../cast/planned-cast.ts';
import { createPlannedCast } from '../cast/planned-cast.ts';
import type { Detection } from '../detection/detection.ts';
import { createDetectionLog } from '../detection/detection.ts';
import { createPlannedDetector } from '../detection/oracle-detector.ts';
import type { Reachability } from '../detection/perfect-detector.ts';
import { Engine } from '../engine/engine.ts';
import type { EngineOptions, LeaderView } from '../engine/engine-options.ts';
import { createChoices, createClock } from '../engine/engine-options.ts';
import type { Network } from '../engine/network.ts';
import { createNetwork } from '../engine/network.ts';
import type { TraceHeader, TraceRecord } from '../engine/trace.ts';
import { traceLines } from '../engine/trace.ts';
import { createDelay, latencyText } from '../faults/latency.ts';
import type { ScheduledFault } from '../faults/schedule.ts';
import { EMPTY_SCHEDULE, faultyTicksMax } from '../faults/schedule.ts';
import type { TimedIncident } from '../faults/timeline.ts';
import { timelineOf } from '../faults/timeline.ts';
import { assertRanks } from '../plan/assertions.ts';
import { assertRecoverable, planSimulation } from '../plan/options.ts';
import type { Plan, SimulationOptions } from '../plan/plan.ts';
import { hasOutsideNodes, ONE_ELECTION } from '../plan/plan.ts';
import { workloadText } from '../plan/workload.ts';
import type { Advance } from './advance.ts';
import { advancing, happeningDue } from './advance.ts';
import type { Audit } from './audit.ts';
import { createAudit } from './audit.ts';
import type { ClientLog, ClientOperation } from './client-log.ts';
import { createClientLog } from './client-log.ts';
import { crash, createScript, isUpAfter, liveRanks, recover, start, wake } from './environment.ts';
import { createInboxes } from './inboxes.ts';
import type { Intervened, Intervention } from './intervention.ts';
import { createLiveCuts, interventionIn } from './intervention.ts';
import type { OutsidePlay } from './outside-play.ts';
import { outsidePlayIn } from './outside-play.ts';
import type { Parts } from './parts.ts';
import { whole } from './parts.ts';
import type { Bound, Run, Status } from './status.ts';
import { createSendTimes, overdueVerdict, patienceOf, statusOf, viewNodes } from './status.ts';

export interface Simulation extends Intervention, OutsidePlay {
  readonly plan: Plan;
  /** Starts an election at these nodes, by default all live ones, at the present tick. */
  start(ranks?: readonly number[]): void;
  starting(ranks?: readonly number[]): Parts;
  crash(rank: number): void;
  crashing(rank: number): Parts;
  recover(rank: number): void;
  recovering(rank: number): Parts;
  advance(advance: Advance): Bound;
  /** The same in parts of at most `eventsPerPart` events. Their size has no influence on the run. */
  advancing(advance: Advance, eventsPerPart: number): Parts<Bound>;
  /** O(nodes). */
  status(): Status;
  /** The last tick of an advance to `idle`; null before the first start. */
  deadline(): number | null;
  /** The verdict on a run that is not at rest at its deadline or later; null otherwise. */
  overdue(): Verdict | null;
  /** Number of records that a trace of the run so far has, also if none is made. */
  events(): number;
  /** What of the status takes no look at every node. */
  progress(): Pick<Status, 'ticks' | 'messages' | 'inFlight'>;
  /** Every node by rank: whether it is up, and its leader. */
  nodes(): readonly NodeView[];
  /** A copy of the state of a node; null while it is down. */
  stateOf(rank: number): Json;
  /** The leaders over time; null unless the options asked for an audit. */
  audit(): Audit | null;
  /** Bytes of the messages sent, as JSON without spaces; null unless the options asked for them. */
  bytes(): number | null;
  /** Quality of failure detection; null without an audit, or after too many reports. */
  detection(): Detection | null;
  /** The resource of the leader workload, and its accepted writes of replaced leaders; null without one. */
  resource(): (ResourceState & { readonly staleWrites: number }) | null;
  /** The operations of clients so far; null without clients. */
  history(): readonly ClientOperation[] | null;
  /** Records that were not taken; empty unless the options asked for a trace. */
  records(): readonly TraceRecord[];
  /** Removes and returns the records, so that a long run does not keep them. */
  takeRecords(): TraceRecord[];
  /** Why messages were refused, by the number of the record, since this was last called. Empty without a trace. */
  takeRefusals(): ReadonlyMap<number, Refusal>;
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
  let refusals = new Map<number, Refusal>();
  const refusal = (reason: Refusal) => {
    const seq = records?.at(-1)?.seq;
    if (seq !== undefined) refusals.set(seq, reason);
  };
  const intervened = createRun(plan, records, { machineOf, keysOf, refusal });
  const { run, staleWrites, clients } = intervened;
  const { engine } = run;
  let bound: Bound | null = null;
  function* advanceIn(request: Advance, eventsPerPart: number): Parts<Bound> {
    bound = yield* advancing(run, request, eventsPerPart);
    assertConserved(engine);
    return bound;
  }
  return {
    plan,
    ...interventionIn(intervened),
    ...outsidePlayIn(run),
    start: (ranks) => whole(starting(run, ranks)),
    starting: (ranks) => starting(run, ranks),
    crash: (rank) => whole(crashing(run, rank)),
    crashing: (rank) => crashing(run, rank),
    recover: (rank) => whole(recovering(run, rank)),
    recovering: (rank) => recovering(run, rank),
    advance: (request) => whole(advanceIn(request, Number.POSITIVE_INFINITY)),
    advancing: advanceIn,
    status: () => statusOf(run, bound),
    deadline: () => (run.lastIntervention === null ? null : patienceOf(run)),
    overdue: () => overdueVerdict(run),
    events: () => engine.events,
    progress: () => ({ ticks: engine.now, messages: engine.messages(), inFlight: engine.inFlight }),
    nodes: () => viewNodes(run),
    stateOf: (rank) => copyJson(engine.nodeOf(rank).state),
    audit: () => run.audit,
    bytes: () => run.bytes?.sent() ?? null,
    detection: () => run.detectionLog?.detection(engine.now, engine.messages()) ?? null,
    resource: () =>
      plan.store && staleWrites
        ? { ...resourceOf(engine.nodeOf(plan.store).state), staleWrites: staleWrites.count() }
        : null,
    history: () => clients?.operations() ?? null,
    records: () => records ?? [],
    takeRecords: () => records?.splice(0) ?? [],
    takeRefusals() {
      const taken = refusals;
      refusals = new Map();
      return taken;
    },
    traceLines: () => traceLines(headerOf(plan), records ?? []),
  };
}

function* starting(run: Run, ranks: readonly number[] | undefined): Parts {
  const { plan, engine, environment } = run;
  if (ranks !== undefined) assertRanks('start', ranks, plan.nodes);
  const due = run.script.due(engine.now);
  for (const rank of ranks ?? []) assertUp(run, rank, true, isUpAfter(environment, due, rank));
  yield* happeningDue(run, Number.POSITIVE_INFINITY);
  const chosen = ranks ?? liveRanks(environment);
  const isFirst = run.lastIntervention === null;
  run.lastIntervention = engine.now;
  yield* start(environment, chosen);
  if (plan.detector === null || !isFirst) return;
  // Nodes that do not start the election run a detector, too.
  const others = liveRanks(environment).filter((rank) => !chosen.includes(rank));
  yield* wake(environment, others);
}

function* crashing(run: Run, rank: number): Parts {
  assertRanks('crash', [rank], run.plan.nodes);
  assertUp(run, rank, true);
  run.lastIntervention = run.engine.now;
  yield* crash(run.environment, rank);
}

function* recovering(run: Run, rank: number): Parts {
  assertRanks('recover', [rank], run.plan.nodes);
  assertUp(run, rank, false);
  assertRecoverable(run.plan, rank, 'election.conflict');
  assertJoined(run, rank);
  run.lastIntervention = run.engine.now;
  yield* recover(run.environment, rank, false);
}

type RunParts = CastParts & Pick<CastHooks, 'refusal'>;

function createRun(
  plan: Plan,
  records: TraceRecord[] | null,
  parts: RunParts,
): Intervened & { readonly staleWrites: StaleWrites | null; readonly clients: ClientLog | null } {
  const { nodeOrder } = plan;
  const audit = plan.audit ? createAudit(plan) : null;
  const detectionLog = plan.audit ? createDetectionLog(plan.nodes) : null;
  // The hooks are called only after the engine exists.
  const inboxes = hasOutsideNodes(plan) ? createInboxes((rank) => engine.isUp(rank)) : null;
  for (const { rank, waits } of plan.outside) inboxes?.open(rank, waits);
  const watch: CastHooks = {
    clock: () => engine.now,
    refusal: parts.refusal,
    inbox: (rank, event) => inboxes?.note(rank, engine.now, event),
    note: ({ at, by, about, type }) =>
      detectionLog?.note({ at, by: fromRank(by), about: fromRank(about), type }),
  };
  const planned = createPlannedCast(plan, watch, parts);
  const staleWrites = watchStaleWrites(planned, plan);
  const observed = staleWrites?.cast ?? planned;
  const has = (type: ScheduledFault['type']) =>
    plan.schedule?.faults.some((fault) => fault.type === type) === true;
  const clients =
    plan.clients && plan.store !== null
      ? createClientLog(observed.machineOf(plan.store), {
          clock: () => engine.now,
          isRefusalCertain: !has('duplication') || !(has('restart') || has('churn')),
        })
      : null;
  const cast = clients === null ? observed : castWithStore(planned, clients.watched);
  const network = createPlannedNetwork(plan, plan.store ?? plan.nodes);
  const observer = observing([audit, detectionLog, staleWrites && seenBy(staleWrites)]);
  const draw = createDelay(plan.latency, createRandom(plan.seed, 'latency'));
  const bytes = plan.bytes ? createByteCount() : null;
  const meter = bytes?.count;
  const engine = createEngine(plan, { cast, network, records, observer, meter, delay: draw });
  const absent = new Set(plan.absent);
  const incidents = incidentsOf(plan);
  const reachability = createReachability(engine, nodeOrder, absent);
  const detector = createPlannedDetector(plan, reachability, incidents);
  const onReport = detectionLog?.note ?? null;
  const fallenLeaders = new Map<number, number>();
  const deferred = new Map<number, (() => void)[]>();
  const parties = { cast, engine, detector, nodeOrder };
  const environment = { ...parties, absent, deferred, fallenLeaders, onReport };
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
    bytes,
    sendTimes: plan.sendTimes ? createSendTimes() : null,
    isUnderCuts: false,
    agreement: null,
    view: null,
  };
  const endpoints = plan.store ?? plan.nodes;
  const links = { delay: draw, endpoints, orderLinks: ordersLinks(plan) };
  return { run, cuts: createLiveCuts(plan.nodes), links, staleWrites, clients };
}

/** Counts bytes. A node sends the same message to many others, which is measured once. */
function createByteCount(): NonNullable<Run['bytes']> {
  let sent = 0;
  let last: { readonly message: Message; readonly bytes: number } | null = null;
  return {
    sent: () => sent,
    count(message) {
      if (last?.message !== message) {
        last = { message, bytes: utf8ToBytes(JSON.stringify(message)).length };
      }
      sent += last.bytes;
    },
  };
}

type Observing = Pick<Audit, 'observe'>;

function seenBy({ observe }: StaleWrites): Observing {
  return { observe: (_now, view) => observe(view) };
}

/** Undefined if none observes, so that the hot path does not contain a call. */
function observing(observers: readonly (Observing | null)[]): EngineOptions['observer'] {
  const all = observers.filter((each) => each !== null);
  if (all.length === 0) return undefined;
  return (now, view) => {
    for (const each of all) each.observe(now, view);
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
    readonly meter: EngineOptions['meter'];
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
    meter: parts.meter,
  });
}

/** With a constant latency links are in order without it. */
function ordersLinks({ fifo, latency }: Plan): boolean {
  return fifo && latency.type !== 'constant';
}

function assertUp({ engine }: Run, rank: number, up: boolean, is = engine.isUp(rank)): void {
  if (is === up) return;
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

/**
 * Counts the accepted writes of replaced leaders in a run. The resource cannot count them, because it does not see
 * elections.
 */
interface StaleWrites {
  /** The cast with a resource whose accepted writes are seen. */
  readonly cast: Cast;
  /** Notes the new state of a node. */
  observe(view: LeaderView): void;
  count(): number;
}

/** Null if leaders write to no resource. */
function watchStaleWrites(cast: Cast, plan: Plan): StaleWrites | null {
  if (plan.workload === null || cast.store === null) return null;
  const byzantine = new Set(plan.byzantine.map(({ rank }) => rank));
  const leaders = new ReplacedLeaders<number>();
  let count = 0;
  const onWrite = (by: number, epoch: number) => {
    if (leaders.hasReplaced(by, epoch)) count += 1;
  };
  return {
    cast: castWithStore(cast, seenWriting(cast.machineOf(cast.store), onWrite)),
    observe({ rank, up, leader, epoch }) {
      if (byzantine.has(rank)) return;
      if (up && leader === rank) leaders.leads(rank, epoch);
      else leaders.yields(rank);
      // A Byzantine node can claim any epoch. It leads if an honest node follows it.
      if (leader !== null && byzantine.has(leader)) leaders.leads(leader, epoch);
    },
    count: () => count,
  };
}

/** The machine of a store. `onWrite` receives each write that takes effect. */
function seenWriting(
  machine: AnyMachine,
  onWrite: (by: number, epoch: number) => void,
): AnyMachine {
  return {
    init: machine.init,
    step(self, state, event, effects) {
      const before = resourceIn(state)?.accepted ?? 0;
      machine.step(self, state, event, effects);
      if (event.type !== 'deliver' || event.message.type !== 'WRITE') return;
      const epoch = memberOf(event.message, 'epoch');
      const isAccepted = (resourceIn(state)?.accepted ?? 0) > before;
      if (isAccepted && typeof epoch === 'number') onWrite(fromRank(event.from), epoch);
    },
  };
}

/** The header of a plan's trace. Defaults are left out. */
export function headerOf(plan: Plan): TraceHeader {
  const { protocol, nodes, ring, topology, fifo, seed, crashedBefore, untilTicks, trace } = plan;
  const {
    latency,
    sameTick,
    faults,
    links,
    schedule,
    flags,
    attributes,
    detector,
    workload,
    store,
  } = plan;
  const { level, byzantine, phantoms, defences, outside, openings, election, clients } = plan;
  return {
    trace: 'usurp/trace/v1',
    options: {
      protocol,
      nodes,
      ring,
      fifo,
      seed,
      crashedBefore,
      untilTicks,
      trace,
      latency: latencyText(latency),
      faults,
      ...(Object.keys(flags).length === 0 ? {} : { flags }),
      ...(attributes === null ? {} : { attributes }),
      ...(sameTick === 'messages-first' ? {} : { sameTick }),
      ...(topology === null ? {} : { topology }),
      ...(links === null ? {} : { links }),
      ...(schedule === null ? {} : { schedule }),
      ...(store === null ? {} : { store }),
      ...(detector === null ? {} : { detector: detectorText(detector) }),
      ...(workload === null ? {} : { workload: workloadText(workload) }),
      ...(clients === null ? {} : { clients: clientsText(clients) }),
      ...(level === null ? {} : { level, byzantine }),
      ...(phantoms.length === 0 ? {} : { phantoms }),
      ...(defences.length === 0 ? {} : { defences }),
      ...(outside.length === 0 ? {} : { outside }),
      ...(openings.length === 0 ? {} : { openings }),
      ...(election === ONE_ELECTION ? {} : { election }),
    },
  };
}
