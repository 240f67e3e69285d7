/**
 * @module
 * The closed list of named scenarios; command line, tests and documentation read it.
 */

import { LabError } from '../../errors.ts';
import { DETECTOR_SLOW_DRIP } from './clocks/detector-slow-drip.ts';
import { LEASE_CLOCK_DRIFT } from './clocks/lease-clock-drift.ts';
import { ZOMBIE_FENCED } from './clocks/zombie-fenced.ts';
import { ZOMBIE_UNFENCED } from './clocks/zombie-unfenced.ts';
import { CONSENSUS_BY_ELECTION } from './links/consensus-by-election.ts';
import { ONE_WAY_LOSS } from './links/one-way-loss.ts';
import { RAFT_PARTIAL_PARTITION } from './links/raft-partial-partition.ts';
import { RAFT_PARTIAL_PARTITION_PREVOTE } from './links/raft-partial-partition-prevote.ts';
import { SPLIT_BRAIN } from './links/split-brain.ts';
import { SPLIT_BRAIN_BULLY } from './links/split-brain-bully.ts';
import { SPLIT_BRAIN_RAFT } from './links/split-brain-raft.ts';
import { AMNESIA_DOUBLE_VOTE } from './nodes/amnesia-double-vote.ts';
import { FLAPPING_TOP } from './nodes/flapping-top.ts';
import { LATE_JOINER } from './nodes/late-joiner.ts';
import { ORPHAN_PROBE } from './nodes/orphan-probe.ts';
import { STALE_COORDINATOR } from './nodes/stale-coordinator.ts';
import { STORM } from './nodes/storm.ts';
import { STORM_BACKOFF } from './nodes/storm-backoff.ts';
import type { Scenario } from './scenario.ts';

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
  DETECTOR_SLOW_DRIP,
];

/** The scenario of that name or alias. Throws LabError `arguments` that names them all. */
export function findScenario(name: string): Scenario {
  const found = SCENARIOS.find((each) => each.name === name || each.aliases.includes(name));
  if (found !== undefined) return found;
  const names = SCENARIOS.map((each) => each.name).join(', ');
  throw new LabError(
    'arguments',
    `there is no scenario ${JSON.stringify(name)}; there are ${names}`,
  );
}
