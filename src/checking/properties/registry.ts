/**
 * @module
 * This folder contains the properties that the checker knows, one in each file, and this file their list.
 */

import { registry } from '../../election/definition/definitions.ts';
import type { FaultCell, FaultName, SafetyProperty } from '../../election/definition/fault-row.ts';
import type { Flags } from '../../election/definition/flags.ts';
import type { Protocol } from '../../election/definition/protocol.ts';
import type { ResourceKind } from '../../election/lease/stores/resource.ts';
import type { Bounds, Instance } from '../instance.ts';
import { BOUND_NAMES } from '../instance.ts';
import type { CheckedProperty } from '../property.ts';
import { FENCED_WRITES, LATE_WRITE_ASKED, LEADER_WRITES } from './fenced-writes.ts';
import {
  AGREEMENT,
  ASSERTION_1,
  ASSERTION_2,
  COMES_TO_REST,
  HIGHEST_WINS,
  LEADER_APPEARS,
  LEADER_ELECTED,
  ONE_LEADER,
  SETTLES,
  SOMEONE_LEADS,
} from './followers.ts';
import { GOAL_NAMES, GOALS } from './goals.ts';
import { CLIENT_ANSWERED, LINEARIZABLE } from './linearizable.ts';
import { AGREEMENT_PER_EPOCH, ONE_LEADER_PER_EPOCH } from './one-leader-per-epoch.ts';
import { ONE_VOTE } from './one-vote.ts';

const LISTED: readonly CheckedProperty[] = [
  ...[ONE_LEADER, ONE_LEADER_PER_EPOCH, AGREEMENT_PER_EPOCH, ONE_VOTE, FENCED_WRITES],
  ...[ASSERTION_1, ASSERTION_2],
  ...[AGREEMENT, HIGHEST_WINS, LEADER_ELECTED, LEADER_APPEARS, SETTLES],
  ...[SOMEONE_LEADS, COMES_TO_REST, LEADER_WRITES, LATE_WRITE_ASKED],
  ...[LINEARIZABLE, CLIENT_ANSWERED],
  ...GOAL_NAMES.map((name) => GOALS[name].property),
];

/** The properties of the lab, then those of the user. */
export const CHECKED_PROPERTIES: readonly CheckedProperty[] = Object.values(
  registry<typeof LISTED, CheckedProperty>('property of worlds', LISTED),
);

export const CHECKED_PROPERTY_NAMES = CHECKED_PROPERTIES.map(({ name }) => name);

/** The properties that a protocol claims: of this instance, or without one under some timing, links and faults. */
export function claimedBy(
  protocol: Protocol,
  conditions: Conditions | null = null,
): CheckedProperty[] {
  return CHECKED_PROPERTIES.filter(
    (property) => whyUnclaimed(property, protocol, conditions) === null,
  );
}

/**
 * The properties of a check that names none: those that the protocol claims. If none of these can be violated, they are
 * all that concern the protocol, so that the check shows what happens.
 */
export function checkedByDefault(protocol: Protocol, conditions: Conditions): CheckedProperty[] {
  const claimed = claimedBy(protocol, conditions);
  if (claimed.some(({ kind }) => kind !== 'sometimes')) return claimed;
  return concerning(protocol, conditions.resource ?? null, conditions.clients);
}

/** The properties that concern a protocol whose leaders write to this resource, claimed or not. */
export function concerning(
  protocol: Protocol,
  resource: ResourceKind | null,
  clients?: Instance['clients'],
): CheckedProperty[] {
  return CHECKED_PROPERTIES.filter(
    ({ claim }) =>
      claim.matrix !== null && claim.unsupportedReason(protocol, resource, clients) === null,
  );
}

/** A property that a protocol claims under other timing, links or faults, and why not under these. */
export interface Unclaimed {
  readonly name: string;
  readonly reason: string;
}

/** The properties that a protocol claims, but not under these conditions. */
export function unclaimedBy(protocol: Protocol, conditions: Conditions): Unclaimed[] {
  return concerning(protocol, conditions.resource ?? null, conditions.clients).flatMap(
    (property) => {
      const reason = whyUnclaimed(property, protocol, conditions);
      return reason === null ? [] : [{ name: property.name, reason }];
    },
  );
}

/** The faults of the matrix that correspond to each kind of action of the environment. */
const FAULTS_OF: Readonly<Record<keyof Bounds, readonly FaultName[]>> = {
  crash: ['crash-best'],
  recover: ['restart'],
  amnesia: ['amnesia'],
  loss: ['drop'],
  duplicate: ['duplicate'],
  pause: ['pause'],
  timeout: [],
  partition: ['clean-majority', 'leader-isolated'],
  oneWay: ['one-way'],
  bridge: ['majorities-ring'],
  jump: ['clock-jump'],
  failover: ['fail-over'],
  // The matrix has no joins and no Byzantine nodes: `ASSUMED`.
  join: [],
  leave: [],
  lies: [],
};

/** What every protocol assumes. */
const ASSUMED = {
  join: 'the protocol assumes a fixed set of members',
  byzantine: 'the protocol assumes that no node is Byzantine',
} as const;

/** The faults of the matrix that missing links correspond to. */
const PARTITIONS = [
  ...(['clean-majority', 'one-way', 'majorities-ring', 'leader-isolated'] as const),
] satisfies readonly FaultName[];

/** A fault, and the part of the instance that corresponds to it. */
interface Condition {
  readonly fault: FaultName;
  readonly what: string;
}

/**
 * The part of an instance on which claims depend. Whether a protocol claims a property of an instance. Which faults
 * break it is a fact of the protocol: its row of the fault matrix. Asynchronous timing has late messages and fast
 * clocks, and links without order reorder messages.
 */
export interface Conditions
  extends Pick<
    Instance,
    'bounds' | 'starts' | 'timing' | 'links' | 'cut' | 'resource' | 'clients'
  > {
  /** Flags of the protocol. Default: none. */
  readonly flags?: Flags | undefined;
  /** Byzantine nodes. Default: none. */
  readonly byzantine?: readonly unknown[] | undefined;
}

function conditionsOf(instance: Conditions, { fifo }: Protocol): Condition[] {
  const { bounds, timing, links, cut } = instance;
  const isAsynchronous = timing === 'asynchronous';
  const faults = BOUND_NAMES.filter((name) => (bounds[name] ?? 0) > 0).flatMap((name) =>
    FAULTS_OF[name].map((fault) => ({ fault, what: name })),
  );
  const late = isAsynchronous ? (['delay', 'clock-skew', 'clock-jump'] as const) : [];
  // A paused node can receive messages of a crashed node after messages that others sent because of the crash.
  const isOutlived = !isAsynchronous && bounds.pause > 0 && bounds.crash > 0;
  const reordered = links === 'any' && (fifo || isAsynchronous) ? (['reorder'] as const) : [];
  // If a message is lost after it was copied, messages that were sent between it and its copy arrive before the copy.
  const isCopyLate = fifo && bounds.loss > 0 && bounds.duplicate > 0;
  return [
    ...late.map((fault) => ({ fault, what: 'asynchronous timing' })),
    ...reordered.map((fault) => ({ fault, what: 'links without order' })),
    ...(isOutlived ? [{ fault: 'delay', what: 'pause and crash' } as const] : []),
    ...(isCopyLate ? [{ fault: 'reorder', what: 'loss and duplicate' } as const] : []),
    ...(cut.length > 0 ? PARTITIONS : []).map((fault) => ({ fault, what: 'missing links' })),
    ...faults,
  ];
}

/**
 * Why a protocol does not claim a property of an instance, as a clause. Null if it does; without an instance, if it
 * claims the property under some timing, links and faults.
 */
export function whyUnclaimed(
  { claim }: CheckedProperty,
  protocol: Protocol,
  instance: Conditions | null,
): string | null {
  const { matrix } = claim;
  if (matrix === null) return 'it is checked by name only';
  const reason = claim.unsupportedReason(protocol, instance?.resource ?? null, instance?.clients);
  if (reason !== null || instance === null) return reason;
  const { clients, resource, bounds, flags = {} } = instance;
  const unserved = clients && claim.unservedReason?.(clients, { resource, bounds, flags });
  if (typeof unserved === 'string') return unserved;
  if (claim.needsFence === true && instance.resource === 'unfenced') {
    return 'a resource without a fence accepts every write';
  }
  if (matrix.includes('L')) {
    const stalled = whyStalled(protocol, instance);
    if (stalled !== null) return stalled;
  }
  const changes = instance.bounds.join + instance.bounds.leave;
  if (matrix.length > 0 && changes > 0 && protocol.votersIn === null) {
    return `join: ${ASSUMED.join}`;
  }
  if (matrix.length > 0 && (instance.byzantine ?? []).length > 0) return ASSUMED.byzantine;
  for (const { fault, what } of conditionsOf(instance, protocol)) {
    const cell = protocol.faults[fault];
    if (matrix.some((property) => isBroken(cell, property))) return `${what}: ${cell.why}`;
    if (instance.starts === 'together') continue;
    if (matrix.some((property) => cell.late.includes(property))) {
      return `${what}, and nodes that start at different moments: ${cell.why}`;
    }
  }
  return null;
}

function isBroken(
  { expected, breaks, rarely, splits, storms }: FaultCell,
  property: SafetyProperty | 'L',
): boolean {
  if (property !== 'L') return breaks.includes(property) || rarely.includes(property);
  return expected === 'stop' || expected === 'X' || rarely.includes('L') || splits || storms;
}

/** Why some schedule prevents an election that chance or clocks would bring about. */
function whyStalled({ elects, unaffected }: Protocol, conditions: Conditions): string | null {
  const { timing, bounds, cut } = conditions;
  if (cut.length > 0) return 'missing links: what is sent there is lost for ever';
  if (elects === 'any') return 'chance or clocks decide ties, and some schedule defeats them';
  const hasTimers = unaffected.skew === null;
  if (!hasTimers) return null;
  if (bounds.timeout !== null) return 'timeout: timers cease to fire';
  return timing === 'asynchronous'
    ? 'asynchronous timing: timers fire before the messages that they wait for'
    : null;
}
