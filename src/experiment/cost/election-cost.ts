/**
 * @module
 * The messages and the time of an election among honest nodes, measured by simulation with and without each
 * defence of a document. Seeds are fixed. The adversaries and the faults of the document are left out.
 */

import type { ProtocolName } from '../../election/registry.ts';
import { deriveSeed, parseSeed } from '../../random.ts';
import { planSimulation } from '../../simulation/plan/options.ts';
import type { SimulationOptions } from '../../simulation/plan/plan.ts';
import { createSimulation } from '../../simulation/run/simulation.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { ofNodes } from '../staging/defences.ts';
import { createStaging } from '../staging/model-stage.ts';
import { isForging, readScript } from '../staging/script.ts';

export interface ElectionCost {
  readonly protocol: ProtocolName;
  /** Nodes of the measured elections: those of the document, at most 64. */
  readonly nodes: number;
  /** Measured elections, and those in which all nodes agreed in time. The means are over these. */
  readonly runs: number;
  readonly agreed: number;
  /** Messages until all nodes follow one leader, or until the network is silent. Null if they never do. */
  readonly messages: number | null;
  /** Ticks until all nodes follow one leader. */
  readonly ticks: number | null;
  /** Messages that the term of a leader costs afterwards, in 100 ticks. 0 if the network is silent. */
  readonly messagesPer100Ticks: number | null;
}

/** What one defence adds to an election, beside all other defences of the document. */
export interface DefenceCost {
  readonly defence: string;
  readonly protocol: ProtocolName;
  readonly messages: number | null;
  readonly ticks: number | null;
  readonly messagesPer100Ticks: number | null;
}

/** Larger elections are measured with fewer nodes. */
export const ELECTION_NODES_MAX = 64;
/** Ticks of a term that are watched. */
const TERM_TICKS = 100;
const BASE_SEED = parseSeed('0');

/** How many elections are measured. */
export interface ElectionsLimit {
  readonly runs: number;
  /** No further election is measured after this number of messages. */
  readonly messages: number;
}

const USUAL_LIMIT: ElectionsLimit = { runs: 5, messages: Number.POSITIVE_INFINITY };

/** Measures elections of a protocol among the honest nodes of a model. */
export function electionCost(
  model: ThreatModel,
  protocol: ProtocolName,
  limit = USUAL_LIMIT,
): ElectionCost {
  const honest = honestOnly(model, protocol);
  const nodes = Math.min(ELECTION_NODES_MAX, model.network.honest);
  const owners = Array.from({ length: nodes }, () => null);
  const stage = createStaging(honest, readScript(honest));
  const agreed: Measured[] = [];
  let runs = 0;
  for (let sent = 0; runs < limit.runs && sent < limit.messages; runs += 1) {
    const seed = deriveSeed(BASE_SEED, 'cost', protocol, runs);
    const { options, ticks } = stage({ protocol, owners, seed });
    const found = measured(options, ticks);
    if (found !== null) agreed.push(found);
    sent += found?.messages ?? 0;
  }
  return {
    ...{ protocol, nodes, runs, agreed: agreed.length },
    messages: meanOf(agreed.map((each) => each.messages)),
    ticks: meanOf(agreed.map((each) => each.ticks)),
    messagesPer100Ticks: meanOf(agreed.map((each) => each.after)),
  };
}

/** The cost of each defence of a model for each protocol. */
export function defenceCosts(model: ThreatModel, limit = USUAL_LIMIT): readonly DefenceCost[] {
  const { defences, protocols } = model.network.election;
  return protocols.flatMap((protocol) => {
    const all = electionCost(model, protocol, limit);
    return defences.map((defence): DefenceCost => {
      const without = electionCost(withoutDefence(model, defence), protocol, limit);
      const added = (member: 'messages' | 'ticks' | 'messagesPer100Ticks') => {
        const [one, other] = [all[member], without[member]];
        return one === null || other === null ? null : one - other;
      };
      return {
        ...{ defence, protocol, messages: added('messages'), ticks: added('ticks') },
        messagesPer100Ticks: added('messagesPer100Ticks'),
      };
    });
  });
}

interface Measured {
  readonly messages: number;
  readonly ticks: number;
  readonly after: number;
}

/** One election, to agreement, and if the network is then never silent, 100 ticks of the term. */
function measured(options: SimulationOptions, ticksMax: number): Measured | null {
  const isNeverSilent = planSimulation(options).steadyTicks !== null;
  const simulation = createSimulation(options);
  simulation.start();
  let at = 0;
  while (at <= ticksMax && !simulation.status().agreed) {
    simulation.advance({ until: at, events: EVENTS_MAX });
    at += 1;
  }
  if (!simulation.status().agreed) return null;
  if (!isNeverSilent) {
    simulation.advance({ until: ticksMax, events: EVENTS_MAX });
    return {
      messages: simulation.status().messages.total ?? 0,
      ticks: Math.max(0, at - 1),
      after: 0,
    };
  }
  const messages = simulation.status().messages.total ?? 0;
  simulation.advance({ until: at - 1 + TERM_TICKS, events: EVENTS_MAX });
  return {
    messages,
    ticks: Math.max(0, at - 1),
    after: (simulation.status().messages.total ?? 0) - messages,
  };
}

/** Events of one step. More are those of a protocol that never rests in one tick. */
const EVENTS_MAX = 1_000_000;

/**
 * The model without adversaries and faults, at the same level of authentication. Defences of registration that
 * do not fit the protocol's nodes are left out, as in the runs of the model.
 */
function honestOnly(model: ThreatModel, protocol: ProtocolName): ThreatModel {
  const { election } = model.network;
  const defences = ofNodes(election.defences, isForging(model), protocol);
  const level = election.level ?? (Object.keys(model.adversaries).length > 0 ? 'L0' : undefined);
  const network = {
    ...model.network,
    election: { ...election, defences, level, ticks: undefined },
  };
  return { ...model, network, adversaries: {}, faults: undefined };
}

function withoutDefence(model: ThreatModel, defence: string): ThreatModel {
  const { election } = model.network;
  const defences = election.defences.filter((name) => name !== defence);
  return { ...model, network: { ...model.network, election: { ...election, defences } } };
}

function meanOf(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
