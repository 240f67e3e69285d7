/**
 * @module
 * The body of `POST /v1/elections`, and how it becomes the plan of an election. Its members are the flags of
 * `usurp elect` with the same meaning. The limits are those of this server.
 */

import { z } from '@hono/zod-openapi';

import type { Level } from '../../../src/election/authentication/authenticated.ts';
import { LEVELS } from '../../../src/election/authentication/authenticated.ts';
import { DEFENCE_NAMES } from '../../../src/election/defences/registry.ts';
import type { DetectorSpec } from '../../../src/election/detectors/registry.ts';
import { entriesKept, parseDetector } from '../../../src/election/detectors/registry.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { flagClash, flagFault, PROTOCOL_NAMES, PROTOCOLS } from '../../../src/election/registry.ts';
import { TOPOLOGY_MEANING } from '../../../src/election/topology/registry.ts';
import { savedSchema } from '../../../src/experiment/verdict/report.ts';
import type { Policy } from '../../../src/identity/policy.ts';
import { STRICT_POLICY } from '../../../src/identity/policy.ts';
import { earningObstacle } from '../../../src/mining/honest-nodes.ts';
import type { Latency } from '../../../src/simulation/faults/latency.ts';
import { latencyTicksMax, parseLatency } from '../../../src/simulation/faults/latency.ts';
import { EMPTY_SCHEDULE } from '../../../src/simulation/faults/schedule.ts';
import { resolveCrashes } from '../../../src/simulation/faults/text.ts';
import { assertRanks } from '../../../src/simulation/plan/assertions.ts';
import { withSettings } from '../../../src/simulation/plan/defences.ts';
import { orderRing, planByzantine, planGraph } from '../../../src/simulation/plan/options.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import {
  ATTRIBUTE_LIMIT,
  SAME_TICK_MEANING,
  SAME_TICK_ORDERS,
} from '../../../src/simulation/plan/plan.ts';
import { TICKS_LIMIT } from '../../../src/simulation/plan/time-limits.ts';
import type { Settled } from '../../../src/simulation/request/remote-limits.ts';
import {
  DETECTOR_ENTRIES_MAX,
  isSigned,
  LATENCY_TICKS_MAX,
  NODES_MAX,
  sizeProblem,
} from '../../../src/simulation/request/remote-limits.ts';
import { requestedPolicySchema } from '../../claims/requested-policy.ts';
import { faultAt, flagRefusal, pointingAt, schemaFault } from '../../contract/faults.ts';
import {
  countSchema,
  flagsSchema,
  oneOf,
  seedOf,
  seedSchema,
  wholeNumber,
} from '../../contract/members.ts';
import { assertCrashes, byzantineSchema, networkSchema, parseNetwork } from './network.ts';
import type { ElectionPlan } from './plan.ts';
import { assertFewSigners, assertRankCount } from './plan.ts';
import { assertAlone, savedPlan, scenarioPlan, scenarioSchema } from './ready-made.ts';

/**
 * Nodes that may join a running election. As many ranks are kept between any two nodes. The part of `POST
 * /v1/elections` about identities: the policy for joining, whether the honest nodes have earned their IDs, and how
 * many nodes may join while the election runs. The limits are this server's.
 */
export const NEWCOMERS_MAX = 8;

const joinPolicySchema = requestedPolicySchema.meta({
  description:
    'The policy that a claim must meet to join, or the name of one of GET /v1/policies. GET /v1/params has the default. If given, nodes at L2 and L3 sign with real keys.',
  example: { c1: 8 },
});

const honestSchema = z
  .enum(['drawn', 'earned'], 'must be drawn or earned')
  .describe(
    'drawn: the IDs of the honest nodes come from the seed and show no work. earned: they are mined under the policy. The default is earned if a policy is given, else drawn.',
  );

const newcomersSchema = countSchema(0, NEWCOMERS_MAX)
  .default(0)
  .describe(
    'Number of nodes that may join after the first action. As many ranks are kept between any two nodes and at both ends: the node that this request calls r has rank r · (newcomers + 1), and some ranks have no node.',
  );

const freshClaimsSchema = z
  .boolean()
  .default(false)
  .describe(
    'Whether a claim must sign a nonce of POST /v1/challenges to join. Otherwise everyone who has seen a claim of this epoch and context can join with it.',
  );

/** The members of a request about joining. */
interface JoiningBody extends Pick<ElectionPlan, 'policy' | 'honest'> {
  readonly newcomers: number;
  readonly freshClaims: boolean;
}

type Joining = Pick<ElectionPlan, 'policy' | 'honest' | 'newcomers' | 'freshClaims' | 'keys'>;

/** The part of a plan about joining. Throws LabError `job.size`. */
function joiningOf(
  body: JoiningBody,
  base: { readonly nodes: number; readonly level: Level | undefined; readonly policy: Policy },
): Joining {
  const { newcomers } = body;
  const policy = body.policy ?? base.policy;
  const honest = body.honest ?? (body.policy === undefined ? 'drawn' : 'earned');
  const hasRealKeys = body.policy !== undefined || newcomers > 0;
  assertRankCount(base.nodes, newcomers);
  if (hasRealKeys && isSigned(base.level)) assertFewSigners(base.nodes + newcomers);
  if (honest === 'earned') assertEarnable(policy, base.nodes);
  return {
    policy,
    ...(honest === 'earned' && { honest }),
    ...(newcomers > 0 && { newcomers }),
    ...(body.freshClaims && { freshClaims: true as const }),
    ...(hasRealKeys && { keys: 'real' as const }),
  };
}

/** Refuses IDs that would take too long to mine. */
function assertEarnable(policy: Policy, nodes: number): void {
  const obstacle = earningObstacle(policy, nodes);
  if (obstacle !== null) throw faultAt('job.size', '/policy', obstacle);
}

const RANK_RULE = 'must be a rank, an integer from 1';

export const rankSchema = z
  .int(RANK_RULE)
  .min(1, RANK_RULE)
  .max(NODES_MAX, `must be at most ${NODES_MAX}`);

/** Ranks of one election, which differ. Whether they exist is checked later. */
export const ranksSchema = z
  .array(rankSchema)
  .min(1, 'must name a rank')
  .max(NODES_MAX)
  .refine((ranks) => new Set(ranks).size === ranks.length, 'must not name a rank twice')
  .meta({ uniqueItems: true });

export const tickSchema = countSchema(0, TICKS_LIMIT);

const latencyRule = `must be whole ticks in 1..${LATENCY_TICKS_MAX}, for example 1, uniform:10:50 or exp:30`;
const CRASH_RULE = 'must be highest, or a list of {"rank": 5, "at": 3} whose at may be left out';

const crashSchema = z.strictObject({
  rank: z.union([rankSchema, z.literal('highest')]),
  at: tickSchema
    .optional()
    .describe('Tick of the crash. Before the run by default; all nodes know it then.'),
});

export const electionRequestSchema = z
  .strictObject({
    protocol: oneOf(PROTOCOL_NAMES).optional().meta({
      description: 'Required, unless `saved` or `scenario` contains it.',
      example: 'bully-oneshot',
    }),
    flags: flagsSchema,
    attributes: z
      .array(wholeNumber(0, ATTRIBUTE_LIMIT, 'must be an integer from 0'))
      .max(NODES_MAX)
      .optional()
      .describe(
        'The attributes of ranks 1, 2, …; GET /v1/protocols describes their meaning. All are equal by default.',
      ),
    nodes: countSchema(1, NODES_MAX)
      .optional()
      .meta({ description: 'Number of nodes. Ranks are 1..nodes; the highest wins.', example: 5 }),
    ring: ranksSchema.optional().meta({
      description: 'All ranks in clockwise order, in place of ringOrder.',
      example: [3, 1, 2],
    }),
    ringOrder: z
      .enum(['shuffled', 'by-id'])
      .optional()
      .describe('By default the seed shuffles the ring.'),
    topology: z
      .string()
      .max(64)
      .optional()
      .meta({
        description: `${TOPOLOGY_MEANING}. The ring gives the positions. By default each pair of nodes has one.`,
        example: 'torus:4x4',
      }),
    initiators: z
      .union([z.enum(['all', 'lowest']), ranksSchema])
      .default('all')
      .describe('Nodes that a start without ranks starts. All live nodes by default.'),
    crash: z
      .union([z.literal('highest'), z.array(crashSchema).max(NODES_MAX)], CRASH_RULE)
      .default([])
      .meta({ description: 'Nodes that crash before the run or during it.', example: 'highest' }),
    latency: z
      .union([
        z.int(latencyRule).min(1, latencyRule).max(LATENCY_TICKS_MAX, latencyRule),
        z.string().max(64),
      ])
      .default(1)
      .meta({
        description: 'Latency of a message in ticks: 1, uniform:10:50, or exp:30 (the mean).',
        example: 'uniform:10:50',
      }),
    fifo: z
      .boolean()
      .default(true)
      .describe('Whether the messages of a link arrive in the order of sending.'),
    sameTick: oneOf(SAME_TICK_ORDERS).default('messages-first').describe(SAME_TICK_MEANING),
    level: oneOf(LEVELS)
      .optional()
      .describe(
        'What nodes require of messages: L0 only their form, L1 true senders, L2 signatures, L3 fresh signatures. By default messages are not checked.',
      ),
    defences: z
      .array(oneOf(DEFENCE_NAMES))
      .max(DEFENCE_NAMES.length)
      .default([])
      .meta({ description: 'Defences against Byzantine nodes, by name.', example: ['hop-limit'] }),
    detector: z.string().max(256).default('crashes').meta({
      description:
        'crashes: nodes suspect those that crashed. links: nodes suspect those that they cannot reach. Or a detector on the nodes; usurp elect --list detectors prints them.',
      example: 'fd-heartbeat:every=10,timeout=35',
    }),
    until: tickSchema.optional().describe('Tick at which an advance to idle ends.'),
    network: networkSchema.optional(),
    byzantine: byzantineSchema(rankSchema, NODES_MAX)
      .default([])
      .meta({
        description:
          'Byzantine nodes and their behaviours, which usurp attack --list prints; each wraps the one before. The level is L0 by default then.',
        example: [{ rank: 2, behaviours: ['swallow'] }],
      }),
    phantoms: ranksSchema
      .optional()
      .describe('Ranks without a node, which Byzantine nodes can name.'),
    policy: joinPolicySchema.optional(),
    honest: honestSchema.optional(),
    newcomers: newcomersSchema,
    freshClaims: freshClaimsSchema,
    seed: seedSchema.optional(),
    run: z.boolean().default(false).describe('Start and advance to idle in this request.'),
    saved: savedSchema.optional(),
    scenario: scenarioSchema.optional(),
  })
  .meta({ id: 'ElectionRequest' });

type Request = z.output<typeof electionRequestSchema>;
/** A request that states the parts of its election. */
type Body = Request & { readonly protocol: ProtocolName };

/**
 * The plan of a body. `policy` is used if the body names none. Throws LabError `schema`, `arguments` or
 * `job.size` if the plan is not possible.
 */
export function parseElectionRequest(
  request: Request,
  policy: Policy = STRICT_POLICY,
): ElectionPlan {
  const whole = wholePlan(request);
  if (whole !== null) {
    const { protocol, flags = {}, level, nodes, latency, detector } = whole.options;
    assertSize({ protocol, flags: { ...flags }, level }, nodes);
    const ticks = latency === undefined ? 1 : latencyTicksMax(latency);
    if (detector !== undefined) assertFewEntries(detector, { nodes, latencyTicksMax: ticks });
    return { ...whole, runs: request.run, policy };
  }
  const { protocol } = request;
  if (protocol === undefined) {
    throw schemaFault('/protocol', `is missing: it must be one of ${PROTOCOL_NAMES.join(', ')}`);
  }
  return planOf({ ...request, protocol }, policy);
}

/** The election of a request that names it as a whole. Null for a request that states its parts. */
function wholePlan(request: Request): Pick<ElectionPlan, 'options' | 'initiators'> | null {
  const { saved, scenario, nodes, seed } = request;
  const defaults = electionRequestSchema.parse({});
  if (saved !== undefined) {
    assertAlone(request, defaults, { whole: 'saved', companions: ['run'] });
    return savedPlan(saved);
  }
  if (scenario === undefined) return null;
  const companions = ['nodes', 'seed', 'run'];
  assertAlone(request, defaults, { whole: 'scenario', companions });
  return scenarioPlan(scenario, { nodes, seed: seedOf(seed) });
}

function planOf(body: Body, policy: Policy): ElectionPlan {
  const nodes = nodesOf(body);
  assertProtocol(body, nodes);
  const crashes = body.crash === 'highest' ? [{ rank: body.crash }] : body.crash;
  assertCrashes(crashes, nodes);
  const { crashedBefore, faults } = resolveCrashes(nodes, crashes);
  const latency = latencyOf(body.latency);
  const timing = { nodes, latencyTicksMax: latencyTicksMax(latency) };
  const { protocol, flags, level, byzantine, phantoms } = body;
  // Some defences are another protocol or set flags. The limits apply to the result.
  const settled = pointingAt('/defences', () =>
    withSettings({ protocol, flags, level }, body.defences),
  );
  assertSize(settled, nodes + body.newcomers);
  // Numbers of the protocol may contradict each other in this network.
  const clash = flagClash(settled.protocol, timing, settled.flags);
  if (clash !== null) throw flagRefusal(clash);
  const options = {
    ...settled,
    ...detectorOf(body, timing),
    byzantine: byzantine.length === 0 ? undefined : byzantine,
    phantoms,
    attributes: body.attributes,
    nodes,
    ring: body.ring ?? body.ringOrder,
    topology: body.topology,
    latency,
    fifo: body.fifo,
    sameTick: body.sameTick,
    seed: seedOf(body.seed),
    crashedBefore,
    faults,
    untilTicks: body.until,
  };
  assertParts(options);
  if (body.topology !== undefined && body.newcomers > 0) {
    throw schemaFault(
      '/newcomers',
      'must be 0 with a topology, because no node can join its links',
    );
  }
  const joining = joiningOf(body, { nodes, level: options.level, policy });
  return {
    options,
    initiators: initiatorsOf(body, nodes, crashedBefore),
    runs: body.run,
    ...joining,
  };
}

/** Refuses a ring, a topology and Byzantine nodes that do not fit the election. The plan would not know what to point at. */
function assertParts(options: SimulationOptions): void {
  const { nodes, phantoms = [] } = options;
  const ring = pointingAt('/ring', () => orderRing(options));
  pointingAt('/topology', () => planGraph({ ...options, ring, absent: phantoms }));
  pointingAt('/phantoms', () => assertRanks('phantoms', phantoms, nodes));
  if (phantoms.length === nodes) throw faultAt('arguments', '/phantoms', 'must leave a node');
  // The defences were checked before.
  pointingAt('/byzantine', () => planByzantine({ ...options, defences: [] }));
}

/** Refuses flags and attributes that the protocol does not have. */
function assertProtocol({ protocol, flags, attributes }: Body, nodes: number): void {
  const fault = flagFault(protocol, flags);
  if (fault !== null) throw flagRefusal(fault);
  if (attributes === undefined) return;
  if (PROTOCOLS[protocol].attributes === null) {
    throw schemaFault('/attributes', `has no meaning for ${protocol}`);
  }
  if (attributes.length !== nodes) {
    throw schemaFault('/attributes', `must have ${nodes} entries, one for each rank`);
  }
}

/** Throws LabError `job.size` for an election that the protocol makes too large. */
export function assertSize(settled: Settled, nodes: number): void {
  const problem = sizeProblem(settled, nodes);
  if (problem !== null) throw faultAt('job.size', '/nodes', problem);
}

/** The options about suspicion. */
function detectorOf(
  { detector, network }: Body,
  timing: { readonly nodes: number; readonly latencyTicksMax: number },
): Pick<SimulationOptions, 'schedule' | 'detector'> {
  const schedule = parseNetwork(network, timing) ?? undefined;
  if (detector === 'crashes') return { schedule };
  if (detector === 'links') return { schedule: { ...(schedule ?? EMPTY_SCHEDULE), detector } };
  // A schedule, also an empty one, gives every message a draw of its own. The command plans such elections in the same way.
  return { schedule: schedule ?? EMPTY_SCHEDULE, detector: detectorSpecOf(detector, timing) };
}

/** A detector on the nodes. Throws LabError `schema` or `job.size`. */
export function detectorSpecOf(
  detector: string,
  timing: { readonly nodes: number; readonly latencyTicksMax: number },
): DetectorSpec {
  const spec = pointingAt('/detector', () => parseDetector(detector), { code: 'schema' });
  assertFewEntries(spec, timing);
  return spec;
}

function assertFewEntries(
  spec: DetectorSpec,
  timing: { readonly nodes: number; readonly latencyTicksMax: number },
): void {
  if (entriesKept(spec, timing, timing.nodes) <= DETECTOR_ENTRIES_MAX) return;
  const detail = `${timing.nodes} nodes would keep more than ${DETECTOR_ENTRIES_MAX} intervals of each other; give it a smaller window`;
  throw faultAt('job.size', '/detector', detail);
}

/** The number of nodes. Throws LabError `schema`. */
export function nodesOf({
  nodes,
  ring,
  ringOrder,
}: Pick<Body, 'nodes' | 'ring' | 'ringOrder'>): number {
  if (ring !== undefined && ringOrder !== undefined) {
    throw schemaFault('/ringOrder', 'has no meaning beside ring');
  }
  const count = nodes ?? ring?.length;
  if (count === undefined)
    throw schemaFault('/nodes', 'must be given, unless ring lists the ranks');
  return count;
}

/** The latency of a request. Throws LabError `arguments` or `job.size`. */
export function latencyOf(value: number | string): Latency {
  const latency = pointingAt('/latency', () => parseLatency(String(value)), {
    detail: latencyRule,
  });
  if (latencyTicksMax(latency) <= LATENCY_TICKS_MAX) return latency;
  throw faultAt('job.size', '/latency', `at most ${LATENCY_TICKS_MAX} ticks here`);
}

function initiatorsOf(
  { initiators, run }: Body,
  nodes: number,
  crashed: readonly number[],
): readonly number[] | undefined {
  if (initiators === 'all') return undefined;
  if (initiators === 'lowest') {
    const ranks = Array.from({ length: nodes }, (_, index) => index + 1);
    return ranks.filter((rank) => !crashed.includes(rank)).slice(0, 1);
  }
  pointingAt('/initiators', () => assertRanks('initiators', initiators, nodes));
  const dead = run ? initiators.find((rank) => crashed.includes(rank)) : undefined;
  if (dead === undefined) return initiators;
  const detail = `node ${dead} has crashed before the run and cannot start`;
  throw faultAt('arguments', '/initiators', detail);
}
