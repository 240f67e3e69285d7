/**
 * @module
 * What an election costs honest nodes, measured by simulation with and without each defence of a document. The
 * question is what a normal failure costs: the leader crashes, and the detector in force reports it. The cold start,
 * in which all nodes start at once, is a second figure. Seeds are fixed. The adversaries and the faults of the document
 * are left out.
 */

import { z } from 'zod';

import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../election/registry.ts';
import { deriveSeed, parseSeed } from '../../random.ts';
import { latencyText } from '../../simulation/faults/latency.ts';
import { planSimulation } from '../../simulation/plan/options.ts';
import type { Plan, SimulationOptions } from '../../simulation/plan/plan.ts';
import type { Simulation } from '../../simulation/run/simulation.ts';
import { createSimulation } from '../../simulation/run/simulation.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { ofNodes } from '../staging/defences.ts';
import { createStaging } from '../staging/model-stage.ts';
import { isForging, readScript } from '../staging/script.ts';
import { meanInterval } from '../theory/statistics.ts';

/**
 * What reports the crash of the leader: the detector of the document on the nodes, or the time-outs of a protocol whose
 * leader repeats messages. Without both, one node notices it: the node whose notice causes the most messages.
 */
export const NOTICERS = ['detector', 'time-outs', 'one node'] as const;
export type Noticer = (typeof NOTICERS)[number];

const electionCostMembers = {
  messages: z.number().nullable().describe('Null if the nodes never agreed.'),
  ticks: z.number().nullable(),
  messagesPer100Ticks: z
    .number()
    .nullable()
    .describe('Messages that the term of a leader costs in 100 ticks.'),
};

const intervalSchema = z.tuple([z.number(), z.number()]).readonly().nullable();
const intervals = z
  .object({ messages: intervalSchema, ticks: intervalSchema })
  .describe('95 % intervals of the means; null for fewer than two runs.');

/** What a failure of the leader costs, and beside it a cold start. */
export const electionCostSchema = z
  .object({
    protocol: z.enum(PROTOCOL_NAMES),
    nodes: z.int().describe('Honest nodes in the simulation, the crashed leader included.'),
    honest: z.int().describe('Honest nodes of the network. At most 64 are simulated.'),
    latency: z.string(),
    runs: z.int(),
    agreed: z.int().describe('Runs in which all live nodes agreed on a next leader.'),
    noticedBy: z
      .enum(NOTICERS)
      .describe(
        'detector: detectors on the nodes. time-outs: those of the protocol. one node: no detector is in force, and one node notices the crash: the node whose notice causes the most messages.',
      ),
    initiators: z.string().describe('The nodes that begin, in words.'),
    ...electionCostMembers,
    intervals,
    coldStart: z
      .object({
        agreed: z.int(),
        messages: z.number().nullable().describe('Until all nodes agree.'),
        ticks: z.number().nullable().describe('Until all nodes agree.'),
        intervals,
        messagesToRest: z.number().nullable().describe('Null if the network is never silent.'),
      })
      .describe('All nodes start at tick 0.'),
  })
  .describe(
    'Means of simulated failures among honest nodes: the leader crashes; from the crash, or from its notice by one node, until all live nodes follow the next leader.',
  );

/** The cost of a failure, and of a cold start. Means over the runs that agree. */
export type ElectionCost = z.output<typeof electionCostSchema>;

/** What one defence adds to an election, beside all other defences of the document. */
export const defenceCostSchema = z.object({
  defence: z.string(),
  protocol: z.enum(PROTOCOL_NAMES),
  ...electionCostMembers,
});

export type DefenceCost = z.output<typeof defenceCostSchema>;

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

/** Measures failures and cold starts of a protocol among the honest nodes of a model. */
export function electionCost(
  model: ThreatModel,
  protocol: ProtocolName,
  limit = USUAL_LIMIT,
): ElectionCost {
  const honest = honestOnly(model, protocol);
  const nodes = Math.min(ELECTION_NODES_MAX, model.network.honest);
  const owners = Array.from({ length: nodes }, () => null);
  const stage = createStaging(honest, readScript(honest));
  const stagedFor = (run: number): Staged =>
    stage({ protocol, owners, seed: deriveSeed(BASE_SEED, 'cost', protocol, run) });
  const first = stagedFor(0);
  const plan = planSimulation(first.options);
  const noticedBy = noticerOf(plan);
  const index = noticedBy === 'one node' ? worstIndex(first, nodes - 1) : null;
  const runs: Measured[] = [];
  for (let sent = 0; runs.length < limit.runs && sent < limit.messages; ) {
    const found = measured(stagedFor(runs.length), index);
    runs.push(found);
    sent += found.sent;
  }
  const cold = runs.flatMap((run) => run.cold ?? []);
  return {
    protocol,
    nodes,
    honest: model.network.honest,
    latency: latencyText(plan.latency),
    runs: runs.length,
    noticedBy,
    initiators: initiatorsText(plan, index),
    ...agreementCost(runs.flatMap(({ failure }) => failure ?? [])),
    messagesPer100Ticks: meanOf(cold.map(({ after }) => after)),
    coldStart: {
      ...agreementCost(cold),
      messagesToRest: meanOf(cold.flatMap(({ toRest }) => toRest ?? [])),
    },
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
        defence,
        protocol,
        messages: added('messages'),
        ticks: added('ticks'),
        messagesPer100Ticks: added('messagesPer100Ticks'),
      };
    });
  });
}

interface Staged {
  readonly options: SimulationOptions;
  readonly ticks: number;
}

interface Agreement {
  readonly messages: number;
  readonly ticks: number;
}

/** The costs under one seed. Null if the nodes never agreed. */
interface Measured {
  readonly failure: Agreement | null;
  readonly cold: (Agreement & { readonly toRest: number | null; readonly after: number }) | null;
  /** All messages that were simulated. */
  readonly sent: number;
}

function noticerOf({ detector, steadyTicks }: Plan): Noticer {
  if (detector !== null) return 'detector';
  return steadyTicks === null ? 'one node' : 'time-outs';
}

/** The nodes that may notice the crash: on a ring clockwise after the next leader, otherwise from the lowest up. */
function survivorsOf({ protocol, nodes, nodeOrder }: Plan): readonly number[] {
  const survivors = nodeOrder.filter((rank) => rank !== nodes);
  if (PROTOCOLS[protocol].family !== 'ring') return survivors;
  const next = survivors.indexOf(nodes - 1) + 1;
  return [...survivors.slice(next), ...survivors.slice(0, next)];
}

function initiatorsText({ protocol, nodes, detector }: Plan, index: number | null): string {
  if (detector !== null) return 'the nodes whose detectors report it';
  if (index === null) return 'the nodes whose time-outs expire';
  const where =
    PROTOCOLS[protocol].family === 'ring'
      ? `node ${index + 1} after the next leader`
      : `node ${index + 1}`;
  return `${where}, the worst of ${nodes - 1}`;
}

/** The index of the node with which one failure costs most messages, or after which there is no leader. */
function worstIndex(staged: Staged, count: number): number {
  let [worst, messages] = [0, 0];
  for (let index = 0; index < count; index += 1) {
    const found = noticedAt(staged, index);
    if (found === null) return index;
    if (found.messages > messages) [worst, messages] = [index, found.messages];
  }
  return worst;
}

/** The leader, which is the highest node, is down, all nodes follow it, and the node at this index starts. */
function noticedAt({ options, ticks }: Staged, index: number): Agreement | null {
  if (options.nodes < 2) return null;
  const simulation = createSimulation({ ...options, crashedBefore: [options.nodes] });
  const initiator = survivorsOf(simulation.plan)[index];
  if (initiator === undefined) return null;
  return agreementAfter(simulation, () => simulation.start([initiator]), ticks);
}

/** A cold start, then either its rest, or 100 ticks of the term and the crash of the leader. */
function measured(staged: Staged, index: number | null): Measured {
  const { options, ticks } = staged;
  const simulation = createSimulation(options);
  const isNeverSilent = simulation.plan.steadyTicks !== null || simulation.plan.detector !== null;
  const agreement = agreementAfter(simulation, () => simulation.start(), ticks);
  const noticed = index === null ? null : noticedAt(staged, index);
  const sent = () => sentIn(simulation) + (noticed?.messages ?? 0);
  if (agreement === null) return { failure: noticed, cold: null, sent: sent() };
  const until = isNeverSilent ? agreement.ticks + TERM_TICKS : ticks;
  simulation.advance({ until, events: EVENTS_MAX });
  const after = sentIn(simulation) - agreement.messages;
  const cold = isNeverSilent
    ? { ...agreement, toRest: null, after }
    : { ...agreement, toRest: sentIn(simulation), after: 0 };
  if (index !== null) return { failure: noticed, cold, sent: sent() };
  const { leader } = simulation.status();
  if (leader === null) return { failure: null, cold, sent: sent() };
  const failure = agreementAfter(simulation, () => simulation.crash(leader), ticks);
  return { failure, cold, sent: sent() };
}

/** Cost from now until all live nodes follow one live leader. Null if that takes too many ticks or messages. */
function agreementAfter(
  simulation: Simulation,
  event: () => void,
  ticksMax: number,
): Agreement | null {
  const from = simulation.status().ticks;
  const before = sentIn(simulation);
  event();
  for (let ticks = 0; ticks <= ticksMax; ticks += 1) {
    simulation.advance({ until: from + ticks, events: EVENTS_MAX });
    const messages = sentIn(simulation) - before;
    if (simulation.status().agreed) return { messages, ticks };
    if (messages > MESSAGES_MAX) return null;
  }
  return null;
}

function sentIn(simulation: Simulation): number {
  return simulation.status().messages.total ?? 0;
}

function agreementCost(runs: readonly Agreement[]) {
  const [messages, ticks] = [runs.map((run) => run.messages), runs.map((run) => run.ticks)];
  return {
    agreed: runs.length,
    messages: meanOf(messages),
    ticks: meanOf(ticks),
    intervals: { messages: intervalOf(messages), ticks: intervalOf(ticks) },
  };
}

function intervalOf(values: readonly number[]) {
  const sum = values.reduce((total, value) => total + value, 0);
  const squares = values.reduce((total, value) => total + value ** 2, 0);
  return meanInterval({ runs: values.length, sum, squares, confidence: 0.95 });
}

/** Events of one step. More are those of a protocol that never rests in one tick. */
const EVENTS_MAX = 1_000_000;
/** An election with more messages counts as one without an agreement. */
const MESSAGES_MAX = 1_000_000;

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
