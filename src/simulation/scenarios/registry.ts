/**
 * @module
 * The closed list of named scenarios.
 */

import { LabError } from '../../errors.ts';
import { AMNESIA_DOUBLE_VOTE } from './amnesia-double-vote.ts';
import { CONSENSUS_BY_ELECTION } from './consensus-by-election.ts';
import { DETECTOR_SLOW_DRIP } from './detector-slow-drip.ts';
import { FLAPPING_TOP, STORM, STORM_BACKOFF } from './flapping.ts';
import { CLOCK_RATES, HANGING_CALL, OBSERVED_TIME, SHORTER_LEASE } from './kubernetes-reports.ts';
import { LATE_JOINER } from './late-joiner.ts';
import { LEASE_CLOCK_DRIFT } from './lease-clock-drift.ts';
import { LOST_ENTRY, TAKEN_OVER_LOG, ZOMBIE_READ } from './lost-answers.ts';
import { SPLIT_BRAIN_BULLY, SPLIT_BRAIN_RAFT } from './minority.ts';
import { ORPHAN_PROBE } from './orphan-probe.ts';
import {
  ONE_WAY_LOSS,
  RAFT_PARTIAL_PARTITION,
  RAFT_PARTIAL_PARTITION_PREVOTE,
  SPLIT_BRAIN,
} from './partitions.ts';
import { CUT_FOLLOWER, REFUSED_HEARTBEAT, RETURNING_TERM } from './raft-reports.ts';
import { REDLOCK_DEBATE } from './redlock-debate.ts';
import type { Scenario } from './scenario.ts';
import { STALE_COORDINATOR, ZOMBIE_FENCED, ZOMBIE_UNFENCED } from './stale-leaders.ts';
import { LOST_LEASE } from './store-failover.ts';

export const SCENARIOS: readonly Scenario[] = [
  FLAPPING_TOP,
  SPLIT_BRAIN,
  ORPHAN_PROBE,
  STALE_COORDINATOR,
  ONE_WAY_LOSS,
  LATE_JOINER,
  CONSENSUS_BY_ELECTION,
  ZOMBIE_UNFENCED,
  ZOMBIE_FENCED,
  STORM,
  STORM_BACKOFF,
  SPLIT_BRAIN_BULLY,
  SPLIT_BRAIN_RAFT,
  RAFT_PARTIAL_PARTITION,
  RAFT_PARTIAL_PARTITION_PREVOTE,
  AMNESIA_DOUBLE_VOTE,
  LEASE_CLOCK_DRIFT,
  HANGING_CALL,
  OBSERVED_TIME,
  SHORTER_LEASE,
  CLOCK_RATES,
  ZOMBIE_READ,
  LOST_ENTRY,
  TAKEN_OVER_LOG,
  REFUSED_HEARTBEAT,
  CUT_FOLLOWER,
  RETURNING_TERM,
  LOST_LEASE,
  REDLOCK_DEBATE,
  DETECTOR_SLOW_DRIP,
];

/** The scenario of that name or alias. Throws LabError `arguments` that lists all of them. */
export function findScenario(name: string): Scenario {
  const found = SCENARIOS.find((each) => each.name === name || each.aliases.includes(name));
  if (found !== undefined) return found;
  const names = SCENARIOS.map((each) => each.name).join(', ');
  throw new LabError(
    'arguments',
    `there is no scenario ${JSON.stringify(name)}; there are ${names}`,
  );
}
