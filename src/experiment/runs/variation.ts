/**
 * @module
 * What the seed of a run decides. If it decides nothing, every run is the same: one run is made, and an interval
 * over many copies of it would be wrong. The members of the model show what is drawn. Whether nodes draw in an
 * election is found by watching one: an election without a draw is the same under every seed.
 */

import { REQUESTS_BELOW } from '../../election/lease/tenure.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import { parseSeed } from '../../random.ts';
import { parseLatency } from '../../simulation/faults/latency.ts';
import type { ScheduledFault } from '../../simulation/faults/schedule.ts';
import type { Simulation } from '../../simulation/run/simulation.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { adversariesOf, modelFor, runKindOf } from '../document/threat-model.ts';
import { PROPERTIES } from '../properties/registry.ts';
import { createStaging } from '../staging/model-stage.ts';
import { isForging, readScript } from '../staging/script.ts';
import { watchAttack } from '../staging/watch.ts';
import { rankingOf } from './capture-run.ts';
import { protocolGroupsOf } from './protocol-groups.ts';
import { ordinaryOwners, sidesOf } from './registration.ts';

/** What a seed can decide. */
export type SeedEffect =
  | 'the identities of the adversary'
  | 'the victim'
  | 'the identities and the beacon of each epoch'
  | 'the latency of messages'
  | 'the order of the ring'
  | 'the faults'
  | 'the choices of nodes';

/**
 * What the seed decides, for each of `protocolGroupsOf(model)`. An empty list means that every run is the same.
 * Throws LabError, as the runs do, for a model that cannot be staged.
 */
export function seedEffectsOf(model: ThreatModel): readonly (readonly SeedEffect[])[] {
  const groups = protocolGroupsOf(model);
  return groups.map((protocols) => {
    const arm = modelFor(model, protocols);
    const shared = sharedEffects(arm);
    const own = shared.length > 0 ? [] : protocols.flatMap((name) => electionEffects(arm, name));
    return [...new Set([...shared, ...own])];
  });
}

/** For each of `protocolGroupsOf(model)`, whether every run is the same. */
export function constantGroups(model: ThreatModel): readonly boolean[] {
  return seedEffectsOf(model).map((effects) => effects.length === 0);
}

/** What the seed decides before an election, and without one. */
function sharedEffects(model: ThreatModel): readonly SeedEffect[] {
  const kind = runKindOf(model);
  if (kind === 'epochs') return epochEffects(model);
  if (isForging(model)) return ['the identities of the adversary'];
  return kind === 'capture' && asksVictim(model) ? ['the victim'] : [];
}

function epochEffects(model: ThreatModel): readonly SeedEffect[] {
  const hasAdversary = adversariesOf(model).length > 0;
  const mayLack = model.epochs?.honestAttempts !== undefined;
  return hasAdversary || mayLack ? ['the identities and the beacon of each epoch'] : [];
}

/** Whether the property is about an honest node that is drawn. */
function asksVictim(model: ThreatModel): boolean {
  const { expect, network } = model;
  if (network.honest < 2) return false;
  let isAsked = false;
  const victim = () => {
    isAsked = true;
    return 0;
  };
  for (const side of sidesOf(model)) {
    const members = rankingOf(ordinaryOwners(model), side);
    PROPERTIES[expect.property].judges.ranking?.({ members, count: expect.count, victim });
  }
  return isAsked;
}

/** What the seed decides in an election among owners that are always the same. */
function electionEffects(model: ThreatModel, protocol: ProtocolName): readonly SeedEffect[] {
  const { election, honest } = model.network;
  const isByRank =
    model.work === 'sampled' && PROPERTIES[model.expect.property].judges.top !== null;
  if (runKindOf(model) === 'ranking' && isByRank) return [];
  const script = readScript(model);
  const effects: SeedEffect[] = [];
  if (parseLatency(String(election.latency)).type !== 'constant') {
    effects.push('the latency of messages');
  }
  const isRing = PROTOCOLS[protocol].family === 'ring';
  if (isRing && election.ring === 'shuffled' && honest >= 3) effects.push('the order of the ring');
  if (script.faults.some(isDrawn)) effects.push('the faults');
  if (effects.length > 0) return effects;
  return areChoicesMade(model, protocol) ? ['the choices of nodes'] : [];
}

function isDrawn(fault: ScheduledFault): boolean {
  switch (fault.type) {
    case 'churn':
      return true;
    case 'crash-leader':
      return fault.to > fault.from + 1;
    case 'loss':
    case 'duplication':
      return fault.share > 0 && fault.share < 1;
    case 'reordering':
      return fault.share > 0 && (fault.share < 1 || fault.ticksMax > 1);
    default:
      return false;
  }
}

/** Any seed: an election in which no node draws is the same under all of them. */
const ANY_SEED = parseSeed('0');

function areChoicesMade(model: ThreatModel, protocol: ProtocolName): boolean {
  const owners = ordinaryOwners(model);
  const stage = createStaging(model, readScript(model))({ protocol, owners, seed: ANY_SEED });
  let isChosen = false;
  const look = (simulation: Simulation) => {
    isChosen = simulation.records().some(({ effects }) =>
      // The number of a call to a store only distinguishes its answer.
      effects.some((effect) => effect.type === 'choose' && effect.below !== REQUESTS_BELOW),
    );
  };
  watchAttack({ ...stage, options: { ...stage.options, trace: true } }, undefined, look);
  return isChosen;
}
