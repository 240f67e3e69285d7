/**
 * @module
 * The outcome of a run in which adversaries respond to protocols in different ways: each group of protocols
 * has a population of its own, under the same seed.
 */

import { addLedgers } from '../../mining/ledger.ts';
import type { Arm, ThreatModel } from '../document/threat-model.ts';
import type { Observations } from './observations.ts';
import { OBSERVATION_NAMES } from './observations.ts';
import { protocolGroupsOf } from './protocol-groups.ts';
import type { ForgeResult, GroupOutcome, RunOutcome } from './tally.ts';

/** Makes one outcome of those of all arms, which are in the order of `arms`. */
export function armsMerger(
  model: ThreatModel,
  arms: readonly Arm[],
): (outcomes: readonly RunOutcome[]) => RunOutcome {
  const ownGroups = arms.flatMap((arm, index) =>
    protocolGroupsOf(arm.model).map((protocols, group) => ({ protocols, index, group })),
  );
  const parts = protocolGroupsOf(model).map((protocols) =>
    ownGroups.filter((own) => own.protocols.every((name) => protocols.includes(name))),
  );
  return (outcomes) => {
    const [first] = outcomes;
    if (first === undefined) throw new TypeError('"outcomes" expected one for each arm, got none');
    const grouped = parts.map((own) =>
      own.map(({ index, group }) => outcomeOf(outcomes[index] ?? first, group)).reduce(together),
    );
    const forges = outcomes.map((each) => each.forges).reduce(addForges);
    // The honest nodes are the same in all arms.
    return { ...first, outcomes: grouped, forges, observations: {} };
  };
}

/** What the adversaries spent in mined work. */
export function spentBy(forges: RunOutcome['forges']): Observations {
  const [first, ...others] = forges.map((forge) => forge.ledger);
  if (first === undefined) return {};
  const spent = others.reduce(addLedgers, first);
  return {
    attempts: spent.attempts,
    hashes: spent.hashes,
    groupOperations: spent.groupOperations,
    cpuS: spent.cpuSeconds,
    wallS: spent.wallSeconds,
  };
}

/** The outcome of one group, with the observations of its own population. */
function outcomeOf({ outcomes, forges, observations }: RunOutcome, group: number): GroupOutcome {
  const outcome = outcomes[group];
  if (outcome === undefined) throw new RangeError(`"group" expected one of a run, got ${group}`);
  const shared = { ...spentBy(forges), ...observations };
  return { ...outcome, observations: { ...shared, ...outcome.observations } };
}

/** Protocols of which the document expects the property together. */
function together(left: GroupOutcome, right: GroupOutcome): GroupOutcome {
  const sums = OBSERVATION_NAMES.flatMap((name) => {
    const [one, other] = [left.observations?.[name], right.observations?.[name]];
    // A mean cannot be added.
    if (name === 'detectionTicks' || (one === undefined && other === undefined)) return [];
    return [[name, (one ?? 0) + (other ?? 0)] as const];
  });
  return {
    won: left.won && right.won,
    elections: [...left.elections, ...right.elections],
    observations: Object.fromEntries(sums),
  };
}

function addForges(left: readonly ForgeResult[], right: readonly ForgeResult[]) {
  return left.map((forge, index) => {
    const other = right[index];
    if (other === undefined) return forge;
    const ledger = addLedgers(forge.ledger, other.ledger);
    return { ...forge, joined: forge.joined || other.joined, ledger };
  });
}
