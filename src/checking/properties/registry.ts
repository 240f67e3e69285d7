/**
 * @module
 * This folder contains the properties that the checker knows, one in each file, and this file their list.
 */

import { registry } from '../../election/definition/definitions.ts';
import type { Protocol } from '../../election/definition/protocol.ts';
import type { ResourceKind } from '../../election/lease/stores/resource.ts';
import type { CheckedProperty } from '../property.ts';
import { ASSERTION_1, ASSERTION_2 } from './assertions.ts';
import type { Conditions } from './claims.ts';
import { whyUnclaimed } from './claims.ts';
import { FENCED_WRITES, LATE_WRITE_ASKED, LEADER_WRITES } from './fenced-writes.ts';
import {
  AGREEMENT,
  COMES_TO_REST,
  HIGHEST_WINS,
  LEADER_APPEARS,
  LEADER_ELECTED,
  ONE_LEADER,
  SETTLES,
  SOMEONE_LEADS,
} from './followers.ts';
import { GOAL_NAMES, GOALS } from './goals.ts';
import { AGREEMENT_PER_EPOCH, ONE_LEADER_PER_EPOCH } from './one-leader-per-epoch.ts';
import { ONE_VOTE } from './one-vote.ts';

const LISTED: readonly CheckedProperty[] = [
  ...[ONE_LEADER, ONE_LEADER_PER_EPOCH, AGREEMENT_PER_EPOCH, ONE_VOTE, FENCED_WRITES],
  ...[ASSERTION_1, ASSERTION_2],
  ...[AGREEMENT, HIGHEST_WINS, LEADER_ELECTED, LEADER_APPEARS, SETTLES],
  ...[SOMEONE_LEADS, COMES_TO_REST, LEADER_WRITES, LATE_WRITE_ASKED],
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
  return concerning(protocol, conditions.resource ?? null);
}

/** The properties that concern a protocol whose leaders write to this resource, claimed or not. */
export function concerning(protocol: Protocol, resource: ResourceKind | null): CheckedProperty[] {
  return CHECKED_PROPERTIES.filter(
    ({ claim }) => claim.matrix !== null && claim.unsupportedReason(protocol, resource) === null,
  );
}

/** A property that a protocol claims under other timing, links or faults, and why not under these. */
export interface Unclaimed {
  readonly name: string;
  readonly reason: string;
}

/** The properties that a protocol claims, but not under these conditions. */
export function unclaimedBy(protocol: Protocol, conditions: Conditions): Unclaimed[] {
  return concerning(protocol, conditions.resource ?? null).flatMap((property) => {
    const reason = whyUnclaimed(property, protocol, conditions);
    return reason === null ? [] : [{ name: property.name, reason }];
  });
}
