/**
 * @module
 * The elections of a run in which all nodes follow the protocol: every protocol of the document, one after
 * the other, among the same population. Each election has a seed of its own, so that another protocol in
 * the document changes no other election.
 */

import type { Seed } from '../../random.ts';
import { deriveSeed } from '../../random.ts';
import { parseLatency } from '../../simulation/faults/latency.ts';
import { decideElection } from '../../simulation/run/simulate.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { PROPERTIES } from '../properties/registry.ts';
import { grouped, protocolGroupsOf } from './protocol-groups.ts';
import type { Owners } from './registration.ts';
import { electedBy, ownerFor, sidesOf } from './registration.ts';
import type { Judge } from './runner.ts';
import type { ElectionResult, RunOutcome } from './tally.ts';

/** Holds the elections of runs. `until` states whether they end at rest, or when their leader is certain. */
export function electionHolder(
  model: ThreatModel,
  until: 'idle' | 'decided',
): (owners: Owners, runSeed: Seed) => readonly ElectionResult[] {
  const { protocols, latency: text } = model.network.election;
  const latency = parseLatency(String(text));
  return (owners, runSeed) =>
    protocols.map((protocol) => {
      const options = {
        protocol,
        nodes: owners.length,
        ring: 'shuffled' as const,
        latency,
        seed: deriveSeed(runSeed, 'election', protocol),
      };
      const { leader, messages } = decideElection(options, until);
      const held = { options, until: 'idle' as const };
      return { protocol, ...electedBy(owners, leader), messages, held };
    });
}

/** Holds the elections of a run and judges their results. */
export function electionsJudge(model: ThreatModel): Judge {
  const hold = electionHolder(model, 'idle');
  const judge = resultsJudge(model);
  return (owners, runSeed) => judge(hold(owners, runSeed));
}

/** Judges results by protocol. A group has the property if one side has it in all of its elections. */
export function resultsJudge(
  model: ThreatModel,
): (results: readonly ElectionResult[]) => RunOutcome['outcomes'] {
  const groups = protocolGroupsOf(model);
  const sides = sidesOf(model);
  const { election } = PROPERTIES[model.expect.property].judges;
  return (results) =>
    grouped(groups, results).map((elections) => {
      const won = sides.some((side) =>
        elections.every((each) => {
          const winner = each.adversary === null ? each.winner : ownerFor(side, each.adversary);
          return election?.({ ...each, winner }) === true;
        }),
      );
      return { won, elections };
    });
}
