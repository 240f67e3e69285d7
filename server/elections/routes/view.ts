/**
 * @module
 * Elections as callers receive them: complete, and in a list.
 */

import { z } from '@hono/zod-openapi';
import { LEVELS } from '../../../src/election/authentication/authenticated.ts';
import { detectorText } from '../../../src/election/detectors/registry.ts';
import type { Verdict } from '../../../src/election/properties.ts';
import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import { policySchema } from '../../../src/identity/policy.ts';
import { electionVerdictSchema } from '../../../src/operations/elect/answer.ts';
import { latencyText } from '../../../src/simulation/faults/latency.ts';
import type { FaultFlag } from '../../../src/simulation/faults/text.ts';
import { faultText } from '../../../src/simulation/faults/text.ts';
import type { Plan } from '../../../src/simulation/plan/plan.ts';
import { SAME_TICK_ORDERS } from '../../../src/simulation/plan/plan.ts';
import { isSigned } from '../../../src/simulation/request/remote-limits.ts';
import { createdSchema, seedSchema, timeText } from '../../contract/members.ts';
import type { Principal } from '../../request/principal.ts';
import { charged } from '../../request/principal.ts';
import type { LiveElection } from '../live/live-election.ts';
import { faultSchema, networkSchema } from '../live/network.ts';
import type { ElectionPlan } from '../live/plan.ts';
import { expectedOf } from '../live/ready-made.ts';
import { replayOf } from '../live/replay.ts';
import { policyOf } from '../live/roster.ts';
import { ACCESS_MODES, mayDo } from '../sharing/rights.ts';
import { RestoringElection } from '../storage/restoring-elections.ts';
import type { ElectionStore } from '../storage/store.ts';

export const electionStatusSchema = z
  .enum(['created', 'active', 'idle'])
  .describe(
    'created: no action yet. idle: no event is left, or all nodes have followed one leader with heartbeats for long enough.',
  );

export const summaryStatusSchema = z
  .enum([...electionStatusSchema.options, 'restoring', 'damaged'])
  .describe(
    'The election has the same states, except these. restoring: it is from before a restart, and is restored on request, or after the others. damaged: it cannot be restored.',
  );

/** The seed determines the keys and the faults of the server's nodes. */
const shownSeedSchema = seedSchema
  .nullable()
  .describe('A decimal string. Null for those who may not examine the election.');

const sharedMembers = {
  owner: z
    .string()
    .nullable()
    .describe(
      'The name of the token that created it. Null for participants and other readers, and on a server that requires no tokens.',
    ),
  access: z.enum(ACCESS_MODES).describe('Who else may read it; PUT …/access changes it.'),
};

const idSchema = z.string().meta({ example: 'e_kq3vj5m2xw7ntb4d' });

export const electionSummarySchema = z
  .object({
    id: idSchema,
    protocol: z.enum(PROTOCOL_NAMES),
    nodes: z.int(),
    seed: shownSeedSchema,
    created: createdSchema,
    ...sharedMembers,
    time: z
      .int()
      .nullable()
      .describe('Virtual time in ticks; null until the election is restored.'),
    status: summaryStatusSchema,
    links: z.object({ self: z.string() }),
  })
  .meta({ id: 'ElectionSummary' });

const linksSchema = z.object({
  self: z.string(),
  nodes: z.string(),
  actions: z.string(),
  messages: z.string(),
  events: z.string(),
  trace: z.string(),
  fork: z.string(),
  access: z.string(),
  joinCode: z.string(),
  participants: z.string(),
});

export const electionSchema = z
  .object({
    id: idSchema,
    protocol: z.enum(PROTOCOL_NAMES),
    flags: z.record(z.string(), z.string()).meta({
      description: 'Flags that differ from the default; numbers as text.',
      example: { electionTicks: '150' },
    }),
    nodes: z.int().describe('Number of nodes, with those that joined.'),
    ranks: z.int().describe('Number of ranks; more than nodes if ranks are kept for newcomers.'),
    newcomers: z.int().describe('Number of nodes that may still join while it runs.'),
    freshClaims: z.boolean().describe('Whether a claim must sign a nonce to join.'),
    seed: shownSeedSchema,
    replay: z
      .string()
      .nullable()
      .describe(
        'The command that runs it as it was created, without later actions. Null if no command does, or if the seed is not shown.',
      ),
    created: createdSchema,
    ...sharedMembers,
    ring: z.array(z.int()).describe('The ranks in clockwise order.'),
    topology: z.string().nullable().describe('Null if each pair of nodes has a link.'),
    latency: z.string(),
    fifo: z.boolean(),
    sameTick: z.enum(SAME_TICK_ORDERS),
    level: z.enum(LEVELS).nullable().describe('Null if messages are not checked.'),
    defences: z.array(z.string()).describe('Defences that are not a setting of another member.'),
    detector: z.string(),
    network: networkSchema.extend({ crash: faultSchema('crash'), join: faultSchema('join') }).meta({
      description: 'Faults of the network and the nodes, with the present ranks.',
      example: { loss: '5%' },
    }),
    byzantine: z
      .array(z.object({ rank: z.int(), behaviours: z.array(z.string()) }))
      .describe('Byzantine nodes and their behaviours.'),
    policy: policySchema.describe('The policy that a claim must meet to join.'),
    honest: z
      .enum(['drawn', 'earned'])
      .describe('Whether the IDs of the first nodes were mined under the policy.'),
    keys: z.enum(['none', 'symbolic', 'real']).describe('Keys that sign the messages.'),
    name: z
      .string()
      .describe(
        'The name of the election in signatures at L3. With real keys it begins with the id of the election, or of the one that was copied.',
      ),
    scenario: z
      .object({
        name: z.string(),
        run: z.string(),
        expected: z.string().describe('What is expected of all runs of the scenario together.'),
      })
      .nullable()
      .describe('The scenario that it is a run of.'),
    origin: z
      .object({ election: z.string(), at: z.int().nullable() })
      .nullable()
      .describe('For a copy: its origin, and the last copied event; null is all of them.'),
    time: z.int().describe('Virtual time in ticks.'),
    ticks: z.int().describe('Time of the last delivery, timer or fault.'),
    status: electionStatusSchema,
    bound: z
      .enum(['idle', 'until', 'events', 'outside'])
      .nullable()
      .describe('Why the last advance ended; null before the first.'),
    leader: z
      .object({ rank: z.int(), nodeId: z.string().nullable() })
      .nullable()
      .describe('The node that all live nodes follow; its ID is null if the rank has no node.'),
    agreed: z.boolean(),
    messages: z
      .record(z.string(), z.int())
      .meta({ description: 'Messages sent by type, and total.', example: { PROBE: 5, total: 5 } }),
    inFlight: z.int(),
    awaiting: z
      .array(z.int())
      .describe('Ranks played from outside that must answer before virtual time advances.'),
    deadline: z
      .int()
      .nullable()
      .describe(
        'The tick at which an advance to idle gives up. Every action delays it. Null before the first start.',
      ),
    verdict: electionVerdictSchema,
    links: linksSchema,
  })
  .meta({ id: 'Election' });

/** Decides what a principal receives. */
type Elections = Pick<ElectionStore, 'sharing'>;

/** An election as the principal receives it. */
export function electionView(
  election: LiveElection,
  principal: Principal,
  elections: Elections,
): z.output<typeof electionSchema> {
  const secrets = secretsFor(election, principal, elections);
  return charged(principal, () => {
    const replay = secrets.seed === null ? null : replayOf(election);
    return { ...viewOf(election), ...secrets, replay };
  });
}

type SharedMember = 'seed' | 'owner' | 'access' | 'replay';

/** The members that not every reader receives. */
function secretsFor(
  election: LiveElection | RestoringElection,
  principal: Principal,
  elections: Elections,
) {
  const { id, request } = election;
  const relation = elections.sharing.relationTo(election, principal);
  const isWhole = relation !== null && mayDo(relation, 'examine');
  return {
    seed: isWhole ? String(request.options.seed) : null,
    owner: isWhole ? (request.owner ?? null) : null,
    access: elections.sharing.modeOf(id),
  };
}

function viewOf(election: LiveElection): Omit<z.output<typeof electionSchema>, SharedMember> {
  const { id, plan, request, stage } = election;
  const { verdict, agreed, leader, ticks, lastEventTicks, ...status } = election.status();
  const { detector, schedule } = plan;
  const signedWith = stage.keysOf === null ? 'symbolic' : 'real';
  const rank = agreed ? leader : null;
  return {
    id,
    protocol: plan.protocol,
    flags: { ...plan.flags },
    nodes: stage.roster.size,
    ranks: plan.nodes,
    newcomers: stage.roster.vacancies,
    freshClaims: election.request.freshClaims === true,
    ring: [...plan.ring],
    topology: plan.topology,
    latency: latencyText(plan.latency),
    fifo: plan.fifo,
    sameTick: plan.sameTick,
    level: plan.level,
    defences: [...plan.defences],
    detector: detector === null ? (schedule?.detector ?? 'crashes') : detectorText(detector),
    network: networkOf(plan),
    byzantine: plan.byzantine.map((node) => ({ ...node, behaviours: [...node.behaviours] })),
    policy: policyOf(request),
    honest: request.honest ?? 'drawn',
    keys: isSigned(plan.level) ? signedWith : 'none',
    name: election.name,
    scenario: scenarioOf(request),
    origin: request.origin ?? null,
    created: timeText(request.createdMs ?? 0),
    time: ticks,
    ticks: lastEventTicks,
    status: statusOfElection(election),
    bound: status.bound,
    // The first look-up of a node draws the keys of all nodes, in about 0.06 ms each.
    leader: rank === null ? null : { rank, nodeId: stage.roster.nodeAt(rank)?.nodeId ?? null },
    agreed,
    messages: { ...status.messages },
    inFlight: status.inFlight,
    awaiting: [...status.awaiting],
    deadline: stage.simulation.deadline(),
    verdict: stage.isUntouched ? UNSTARTED : (stage.simulation.overdue() ?? verdict),
    links: linksOf(`/v1/elections/${id}`),
  };
}

function scenarioOf({ scenario }: ElectionPlan): z.output<typeof electionSchema>['scenario'] {
  if (scenario === undefined) return null;
  const { name, run } = scenario;
  return { name, run, expected: expectedOf(scenario) };
}

/** Links to everything below an election. What a caller may do there depends on its rights. */
function linksOf(self: string): z.output<typeof linksSchema> {
  return {
    self,
    nodes: `${self}/nodes`,
    actions: `${self}/actions`,
    messages: `${self}/messages`,
    events: `${self}/events`,
    trace: `${self}/trace`,
    fork: `${self}/fork`,
    access: `${self}/access`,
    joinCode: `${self}/join-code`,
    participants: `${self}/participants`,
  };
}

/** An election in a list. */
export function summaryView(
  election: LiveElection | RestoringElection,
  principal: Principal,
  elections: Elections,
): z.output<typeof electionSummarySchema> {
  const { id, request } = election;
  const { protocol } = request.options;
  const secrets = secretsFor(election, principal, elections);
  const created = timeText(request.createdMs ?? 0);
  const named = { id, protocol, created, ...secrets, links: { self: `/v1/elections/${id}` } };
  if (election instanceof RestoringElection) {
    const status = election.isDamaged ? 'damaged' : 'restoring';
    return { ...named, nodes: election.nodes, time: null, status };
  }
  const status = statusOfElection(election);
  return { ...named, nodes: election.stage.roster.size, time: election.status().ticks, status };
}

export function statusOfElection(election: LiveElection): z.output<typeof electionStatusSchema> {
  if (election.stage.isUntouched) return 'created';
  return election.status().idle ? 'idle' : 'active';
}

/** The faults by flag: a text, or a list of several. */
function networkOf({ schedule }: Plan): Partial<Record<FaultFlag, string | string[]>> {
  const texts: Partial<Record<FaultFlag, string | string[]>> = {};
  for (const fault of schedule?.faults ?? []) {
    const { flag, text } = faultText(fault);
    const before = texts[flag];
    texts[flag] = before === undefined ? text : [before, text].flat();
  }
  return texts;
}

/** An election that was not started is idle, but has not failed. */
const UNSTARTED: Verdict = {
  value: 'unknown',
  reason: 'the election has not been started',
  properties: {
    agreement: { value: 'unknown', witnessed: false },
    uniqueness: { value: 'unknown', witnessed: false },
    termination: { value: 'unknown', witnessed: false },
    highestLiveWins: { value: 'unknown', witnessed: false },
  },
};
