/**
 * @module
 * The status of a run: whether it is at rest, the leader, the messages and the verdict. A run is at rest if it
 * has nothing left to do. A protocol that never falls silent is at rest if all live nodes have agreed on a
 * leader for long enough.
 */

import type { Message } from '../../election/machine.ts';
import type { NodeView, Verdict } from '../../election/properties.ts';
import { judge } from '../../election/properties.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import type { DetectionLog } from '../detection/detection.ts';
import type { Engine } from '../engine/engine.ts';
import type { Plan } from '../plan/plan.ts';
import type { Audit } from './audit.ts';
import type { Environment, Script } from './environment.ts';
import type { Inboxes } from './inboxes.ts';

/**
 * Why an advance ended: at rest, at its tick, after the permitted number of events, or because a node from
 * outside must answer.
 */
export type Bound = 'idle' | 'until' | 'events' | 'outside';

export interface Status {
  readonly protocol: ProtocolName;
  readonly nodes: number;
  /** Virtual time, and the tick of the last delivery, timer or fault. */
  readonly ticks: number;
  readonly lastEventTicks: number;
  readonly idle: boolean;
  /** Why the last advance ended; null before the first. */
  readonly bound: Bound | null;
  /** The one live node that leads itself; null if none or several do. */
  readonly leader: number | null;
  /** Whether every live node follows the same live leader. */
  readonly agreed: boolean;
  /** Sends by message type, and `total`. */
  readonly messages: Readonly<Record<string, number>>;
  readonly inFlight: number;
  /** Nodes from outside that must answer before time goes on, ascending. */
  readonly awaiting: readonly number[];
  readonly verdict: Verdict;
}

/** The parts of a simulation. */
export interface Run {
  readonly plan: Plan;
  readonly engine: Engine;
  readonly environment: Environment;
  readonly script: Script;
  readonly audit: Audit | null;
  readonly detectionLog: DetectionLog | null;
  /** Null unless the options asked for bytes. */
  readonly bytes: { count(message: Message): void; sent(): number } | null;
  /** Unanswered events of nodes from outside; null without such nodes. */
  readonly inboxes: Inboxes | null;
  /** Tick of the last start or intervention; null before the first. */
  lastIntervention: number | null;
  /** Last tick at which an answer from outside may be in flight; 0 before any. */
  answersUntil: number;
  /** Null unless the options asked for them. */
  readonly sendTimes: SendTimes | null;
  /** Whether cuts from outside apply to the network. */
  isUnderCuts: boolean;
  /** The number of changes at the last check of agreement, and its result. */
  agreement: { readonly changes: number; readonly isAgreed: boolean } | null;
  /** The nodes as they were last seen, and the number of changes then. */
  view: { readonly changes: number; readonly nodes: readonly NodeView[] } | null;
}

/** The tick at which liveness is judged, for a schedule with a calm. */
export function deadlineOf({ schedule }: Plan): number | null {
  const calm = schedule?.calm ?? null;
  return calm === null ? null : calm.at + calm.ticks;
}

/** The last tick of an advance to `idle`. */
export function patienceOf({ plan, lastIntervention }: Run): number {
  return Math.min(
    deadlineOf(plan) ?? Number.POSITIVE_INFINITY,
    (lastIntervention ?? 0) + plan.untilTicks,
  );
}

/**
 * The verdict on a run that is not at rest at the last tick of an advance to `idle`, or later; null for every other
 * run. It judges the leaders of that moment, so that it states bounded liveness.
 */
export function overdueVerdict(run: Run): Verdict | null {
  const { engine, plan, lastIntervention } = run;
  if (lastIntervention === null || engine.now < patienceOf(run) || isIdle(run)) return null;
  const verdict = judge(engine.leaders.observations, viewNodes(run), true, aimOf(plan));
  const ticks = engine.now - lastIntervention;
  const reason = `not at rest ${ticks} ticks after the last action: ${verdict.reason}`;
  return { ...verdict, reason };
}

function aimOf({ protocol, attributes }: Plan) {
  const { elects, unique } = PROTOCOLS[protocol];
  return { elects, attributes, unique };
}

/** Whether it has come to rest. */
export function isIdle(run: Run): boolean {
  const { engine, script, environment, plan } = run;
  const { timers } = engine;
  if (run.inboxes?.isAwaiting() === true) return false;
  if (plan.steadyTicks === null && (engine.inFlight > 0 || timers.oneShots() > 0)) return false;
  const ahead = Math.min(script.earliest(), environment.detector.earliest());
  if (ahead < Number.POSITIVE_INFINITY) return false;
  if (plan.steadyTicks !== null) return isSteady(run, plan.steadyTicks);
  return engine.now - engine.leaders.changedAt >= timers.longestPeriodTicks();
}

/** Whether every live node has followed the same live leader for that time. */
function isSteady(run: Run, steadyTicks: number): boolean {
  const { engine, plan } = run;
  const { now, leaders } = engine;
  // A fault changes leaders later than it occurs, if at all.
  const since = Math.max(leaders.changedAt, plan.disturbedUntil, run.lastIntervention ?? 0);
  if (now - since < steadyTicks || now < run.answersUntil) return false;
  // This is called at every event: without a change the last result holds.
  if (run.agreement?.changes !== leaders.changes) {
    const isAgreed = agreedLeader(viewNodes(run)) !== null;
    run.agreement = { changes: leaders.changes, isAgreed };
  }
  return run.agreement.isAgreed;
}

/** The live leader that every live node follows; null without one. */
function agreedLeader(nodes: readonly NodeView[]): number | null {
  const leader = nodes.find(({ up }) => up)?.leader ?? null;
  if (leader === null || nodes[leader - 1]?.up !== true) return null;
  return nodes.every((node) => !node.up || node.leader === leader) ? leader : null;
}

/** O(nodes). */
export function statusOf(run: Run, bound: Bound | null): Status {
  const { engine, plan } = run;
  const nodes = viewNodes(run);
  const leaders = nodes.filter(({ rank, leader }) => leader === rank);
  const leader = leaders.length === 1 ? (leaders[0]?.rank ?? null) : null;
  const idle = isIdle(run);
  const isOver = idle || engine.now >= (deadlineOf(plan) ?? Number.POSITIVE_INFINITY);
  return {
    protocol: plan.protocol,
    nodes: plan.nodes,
    ticks: engine.now,
    lastEventTicks: engine.lastEventAt,
    idle,
    bound,
    leader,
    agreed: agreedLeader(nodes) !== null,
    messages: engine.messages(),
    inFlight: engine.inFlight,
    awaiting: run.inboxes?.awaiting() ?? [],
    // A run that no node has started is idle, but has not come to rest.
    verdict: judge(
      engine.leaders.observations,
      nodes,
      isOver && run.lastIntervention !== null,
      aimOf(plan),
    ),
  };
}

/** Every node by rank: the same list until a node changes, since watched runs ask for it in every tick. */
export function viewNodes(run: Run): readonly NodeView[] {
  const { engine, plan } = run;
  const { changes } = engine.leaders;
  if (run.view?.changes === changes) return run.view.nodes;
  const nodes = Array.from({ length: plan.nodes }, (_, index) => ({
    rank: index + 1,
    up: engine.isUp(index + 1),
    leader: engine.leaderOf(index + 1),
  }));
  run.view = { changes, nodes };
  return nodes;
}

/**
 * The tick at which each message was sent. Messages are numbered in the order of sending. Therefore the first number
 * of each tick is enough, and sending costs nothing.
 */
interface SendTimes {
  /** At the tick `now`, `sent` messages have been sent so far. Ticks never decrease. */
  note(now: number, sent: number): void;
  /** The tick at which a message was sent; null for a copy. */
  sentAt(id: number): number | null;
}

export function createSendTimes(): SendTimes {
  /** The first number that a message of a tick can have, both ascending, without ticks that sent nothing. */
  const firsts: number[] = [0];
  const ticks: number[] = [0];
  const indexOf = (id: number) => {
    let low = 0;
    let high = firsts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((firsts[middle] ?? 0) <= id) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  };
  return {
    note(now, sent) {
      const last = firsts.length - 1;
      if (ticks[last] === now) return;
      // An equal number means that the tick before sent nothing.
      if (firsts[last] === sent) ticks[last] = now;
      else {
        firsts.push(sent);
        ticks.push(now);
      }
    },
    sentAt: (id) => (id < 0 ? null : (ticks[indexOf(id)] ?? null)),
  };
}
