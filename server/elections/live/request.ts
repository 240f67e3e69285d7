/**
 * @module
 * What may be asked for with `POST /v1/elections`, and how it becomes the options of a simulation. The
 * members are the flags of `usurp elect` with the same meaning; the limits are this server's own.
 */

import { z } from '@hono/zod-openapi';

import { LEVELS } from '../../../src/election/authenticated.ts';
import { DEFENCE_NAMES } from '../../../src/election/defences/registry.ts';
import type { DetectorSpec } from '../../../src/election/detectors/registry.ts';
import { entriesKept, parseDetector } from '../../../src/election/detectors/registry.ts';
import { flagClash, flagFault, PROTOCOL_NAMES, PROTOCOLS } from '../../../src/election/registry.ts';
import { jsonPointer, LabError } from '../../../src/errors.ts';
import type { Policy } from '../../../src/identity/policy.ts';
import { STRICT_POLICY } from '../../../src/identity/policy.ts';
import { parseSeed } from '../../../src/random.ts';
import { resolveCrashes } from '../../../src/simulation/faults/crashes.ts';
import type { Latency } from '../../../src/simulation/faults/latency.ts';
import { latencyTicksMax, parseLatency } from '../../../src/simulation/faults/latency.ts';
import { EMPTY_SCHEDULE } from '../../../src/simulation/faults/schedule.ts';
import { assertRanks } from '../../../src/simulation/plan/assertions.ts';
import { withSettings } from '../../../src/simulation/plan/defences.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import { ATTRIBUTE_LIMIT } from '../../../src/simulation/plan/plan.ts';
import { TICKS_LIMIT } from '../../../src/simulation/plan/time-limits.ts';
import { randomSeed } from '../../contract/ids.ts';
import { LATENCY_TICKS_MAX } from '../../contract/limits.ts';
import { seedSchema } from '../../contract/seed-schema.ts';
import { assertCrashes } from './crashes.ts';
import { honestSchema, joiningOf, joinPolicySchema, newcomersSchema } from './joining.ts';
import { NODES_MAX } from './joining-limits.ts';
import { byzantineSchema, networkSchema, parseNetwork } from './network.ts';
import type { ElectionPlan } from './plan.ts';

/**
 * Messages that an election may be expected to send, by the registry: among 500 nodes every protocol
 * sends fewer, but for `zab-fle` (n³ where all start at once) and a Bully that takes listings literally
 * (`rejoin: naive`), whose number doubles with every node.
 */
export const MESSAGES_MAX = 1_000_000;
/**
 * Messages in flight in one election, about 54 bytes each. An election that exceeds it can only be
 * deleted. (Bully among 500 nodes that all start sends 125 000 at once, and with latencies that
 * differ a thousandfold it had 2.7 million in flight.)
 */
export const IN_FLIGHT_MAX = 150_000;
/** Where messages are signed: when all start, Bully signs n²/2 at once, each some 15 µs. */
export const SIGNED_NODES_MAX = 100;
/** What the detectors of one election keep of each other. */
export const DETECTOR_ENTRIES_MAX = 1_000_000;

const LATENCY_DEMAND = `must be whole ticks in 1..${LATENCY_TICKS_MAX}, for example 1, uniform:10:50 or exp:30`;

export const rankSchema = z
  .int('must be a rank, an integer from 1')
  .min(1, 'must be a rank, an integer from 1')
  .max(NODES_MAX, `must be at most ${NODES_MAX}`);

/** Ranks of one election; that they are members and differ is judged against its size. */
export const ranksSchema = z.array(rankSchema).min(1, 'must name a rank').max(NODES_MAX);

export const tickSchema = z
  .int('must be a whole number of ticks')
  .min(0, 'must not be negative')
  .max(TICKS_LIMIT, `must be at most ${TICKS_LIMIT}`);

const NODES_DEMAND = `must be an integer from 1 to ${NODES_MAX}`;

const FLAG_DEMAND =
  'must be text: a value, or the digits of a number, as GET /v1/protocols lists them';
const ATTRIBUTE_DEMAND = 'must be an integer from 0';
const CRASH_DEMAND = 'must be highest, or a list of {"rank": 5, "at": 3} whose at may be left out';

const crashSchema = z.strictObject({
  rank: z.union([rankSchema, z.literal('highest')]),
  at: tickSchema.optional().meta({ description: 'Left out: it died before, and all knew it.' }),
});

export const electionRequestSchema = z
  .strictObject({
    protocol: z
      .enum(PROTOCOL_NAMES, `must be one of ${PROTOCOL_NAMES.join(', ')}`)
      .meta({ example: 'bully-oneshot' }),
    flags: z
      .record(z.string().max(64), z.string(FLAG_DEMAND).max(64))
      .default({})
      .meta({
        description: 'Variants and numbers of the protocol, as GET /v1/protocols lists them.',
        example: { rejoin: 'dedup' },
      }),
    attributes: z
      .array(
        z.int(ATTRIBUTE_DEMAND).min(0, ATTRIBUTE_DEMAND).max(ATTRIBUTE_LIMIT, ATTRIBUTE_DEMAND),
      )
      .max(NODES_MAX)
      .optional()
      .meta({
        description:
          'What rank 1, 2, … claims of itself, where GET /v1/protocols says what that means. All equal if left out.',
      }),
    nodes: z
      .int(NODES_DEMAND)
      .min(1, NODES_DEMAND)
      .max(NODES_MAX, NODES_DEMAND)
      .optional()
      .meta({ description: 'How many; ranks are 1..nodes, the highest wins.', example: 5 }),
    ring: ranksSchema.optional().meta({
      description: 'All ranks in clockwise order, in place of ringOrder.',
      example: [3, 1, 2],
    }),
    ringOrder: z
      .enum(['shuffled', 'by-id'])
      .optional()
      .meta({ description: 'Shuffled by the seed unless said otherwise.' }),
    initiators: z
      .union([z.enum(['all', 'lowest']), ranksSchema])
      .default('all')
      .meta({ description: 'Who starts when no ranks are named; all live nodes by default.' }),
    crash: z
      .union([z.literal('highest'), z.array(crashSchema).max(NODES_MAX)], CRASH_DEMAND)
      .default([])
      .meta({ description: 'Who dies before the run, or at a tick of it.', example: 'highest' }),
    latency: z
      .union([z.int().min(1), z.string().max(64)])
      .default(1)
      .meta({
        description: 'Ticks a message takes: 1, uniform:10:50, or exp:30 (the mean).',
        example: 'uniform:10:50',
      }),
    fifo: z
      .boolean()
      .default(true)
      .meta({ description: 'Whether no message overtakes another on its link.' }),
    level: z
      .enum(LEVELS, `must be one of ${LEVELS.join(', ')}`)
      .optional()
      .meta({
        description:
          'What nodes demand of messages: L0 nothing, L1 true senders, L2 signatures, L3 fresh ones. Left out, messages are not even looked at.',
      }),
    defences: z
      .array(z.enum(DEFENCE_NAMES, `must be one of ${DEFENCE_NAMES.join(', ')}`))
      .max(DEFENCE_NAMES.length)
      .default([])
      .meta({ description: 'What nodes do against cheats, by name.', example: ['hop-limit'] }),
    detector: z.string().max(256).default('crashes').meta({
      description:
        'crashes: suspects who crashed. links: who cannot be heard. Or one on the nodes, as usurp elect --list detectors has them.',
      example: 'fd-heartbeat:every=10,timeout=35',
    }),
    until: tickSchema
      .optional()
      .meta({ description: 'Ticks after which advancing to idle gives up.' }),
    network: networkSchema.optional(),
    byzantine: byzantineSchema(rankSchema, NODES_MAX)
      .default([])
      .meta({
        description:
          'Nodes that cheat, and how: behaviours of usurp attack --list, each around the one before. The level is then L0 unless it is named.',
        example: [{ rank: 2, behaviours: ['swallow'] }],
      }),
    phantoms: ranksSchema
      .optional()
      .meta({ description: 'Ranks that nobody holds, but that cheats can name.' }),
    policy: joinPolicySchema.optional(),
    honest: honestSchema.optional(),
    newcomers: newcomersSchema,
    seed: seedSchema.optional(),
    run: z
      .boolean()
      .default(false)
      .meta({ description: 'Start and advance to idle in this request.' }),
  })
  .meta({ id: 'ElectionRequest' });

type Body = z.output<typeof electionRequestSchema>;

/**
 * What a body asks for; `policy` is what this server demands where none is named. Throws LabError
 * `schema`, `arguments` or `job.size` when the body makes no election.
 */
export function parseElectionRequest(body: Body, policy: Policy = STRICT_POLICY): ElectionPlan {
  const nodes = nodesOf(body);
  assertProtocol(body, nodes);
  const crashes = body.crash === 'highest' ? [{ rank: body.crash }] : body.crash;
  assertCrashes(crashes, nodes);
  const { crashedBefore, faults } = resolveCrashes(nodes, crashes);
  const live = ranksAlive(nodes, crashedBefore);
  const latency = latencyOf(body.latency);
  const { protocol, flags, level } = body;
  // Some defences are another protocol, or flags of it: bounds are for what comes out.
  const settled = withSettings({ protocol, flags, level }, body.defences);
  assertSize(settled, nodes + body.newcomers);
  assertNumbers(settled, latency);
  const options = {
    ...settled,
    ...detectorOf(body, { nodes, latency }),
    ...cheatsOf(body),
    attributes: body.attributes,
    nodes,
    ring: body.ring ?? body.ringOrder,
    latency,
    fifo: body.fifo,
    seed: body.seed === undefined ? randomSeed() : parseSeed(body.seed),
    crashedBefore,
    faults,
    untilTicks: body.until,
  };
  const joining = joiningOf(body, { nodes, level: options.level, policy });
  return { options, initiators: initiatorsOf(body, nodes, live), runs: body.run, ...joining };
}

/** Refuses flags and attributes that the protocol does not take. */
function assertProtocol({ protocol, flags, attributes }: Body, nodes: number): void {
  const fault = flagFault(protocol, flags);
  if (fault !== null) throw refusal(jsonPointer(['flags', fault.flag]), fault.detail);
  const { attributes: meaning } = PROTOCOLS[protocol];
  if (attributes !== undefined && meaning === null) {
    throw refusal('/attributes', `has no meaning for ${protocol}`);
  }
  if (attributes !== undefined && attributes.length !== nodes) {
    throw refusal('/attributes', `must have ${nodes} entries, one for each rank`);
  }
}

/** Refuses elections that the protocol makes too large: LabError `job.size`. */
export function assertSize({ protocol, flags, level }: Settled, nodes: number): void {
  const { messagesAbout, inFlightAbout } = PROTOCOLS[protocol];
  if ((level === 'L2' || level === 'L3') && nodes > SIGNED_NODES_MAX) {
    throw tooLarge(`at most ${SIGNED_NODES_MAX} nodes here where messages are signed`);
  }
  if (messagesAbout(nodes, flags) > MESSAGES_MAX) {
    const detail = `at most ${MESSAGES_MAX} messages here; so many nodes would send more by ${protocol}`;
    throw tooLarge(detail);
  }
  if ((inFlightAbout?.(nodes) ?? 0) > IN_FLIGHT_MAX) {
    const detail = `at most ${IN_FLIGHT_MAX} messages in flight here; so many nodes would have more by ${protocol}`;
    throw tooLarge(detail);
  }
}

function tooLarge(detail: string): LabError {
  return new LabError('job.size', `/nodes: ${detail}`, [{ pointer: '/nodes', detail }]);
}

/** Refuses numbers of the protocol that cannot be together in such a network. */
function assertNumbers({ protocol, flags }: Settled, latency: Latency): void {
  const fault = flagClash(protocol, { latencyTicksMax: latencyTicksMax(latency) }, flags);
  if (fault !== null) throw refusal(jsonPointer(['flags', fault.flag]), fault.detail);
}

/** The protocol when defences have had their say. */
type Settled = Pick<Body, 'protocol' | 'flags' | 'level'>;

/** Which part of the options says who suspects whom. */
function detectorOf(
  { detector, network }: Body,
  { nodes, latency }: { readonly nodes: number; readonly latency: Latency },
): Pick<SimulationOptions, 'schedule' | 'detector'> {
  const bounds = { nodes, latencyTicksMax: latencyTicksMax(latency) };
  const schedule = parseNetwork(network, bounds) ?? undefined;
  if (detector === 'crashes') return { schedule };
  if (detector === 'links') return { schedule: { ...(schedule ?? EMPTY_SCHEDULE), detector } };
  const spec = readDetector(detector);
  const timing = { latencyTicksMax: latencyTicksMax(latency) };
  if (entriesKept(spec, timing, nodes) > DETECTOR_ENTRIES_MAX) {
    const detail = `/detector: ${nodes} nodes would keep more than ${DETECTOR_ENTRIES_MAX} intervals of each other; give it a smaller window`;
    throw new LabError('job.size', detail, [{ pointer: '/detector', detail }]);
  }
  return { schedule, detector: spec };
}

function cheatsOf({
  byzantine,
  phantoms,
}: Body): Pick<SimulationOptions, 'byzantine' | 'phantoms'> {
  return { byzantine: byzantine.length === 0 ? undefined : byzantine, phantoms };
}

function readDetector(text: string): DetectorSpec {
  try {
    return parseDetector(text);
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    throw refusal('/detector', error.message);
  }
}

function nodesOf({ nodes, ring, ringOrder }: Body): number {
  if (ring !== undefined && ringOrder !== undefined) {
    throw refusal('/ringOrder', 'has no meaning beside ring');
  }
  const count = nodes ?? ring?.length;
  if (count === undefined) throw refusal('/nodes', 'must be given, unless ring lists the ranks');
  return count;
}

function ranksAlive(nodes: number, crashedBefore: readonly number[]): readonly number[] {
  const ranks = Array.from({ length: nodes }, (_, index) => index + 1);
  return ranks.filter((rank) => !crashedBefore.includes(rank));
}

function latencyOf(value: number | string) {
  const latency = pointed('/latency', () => parseLatency(String(value)), LATENCY_DEMAND);
  if (latencyTicksMax(latency) > LATENCY_TICKS_MAX) {
    const detail = `at most ${LATENCY_TICKS_MAX} ticks here`;
    throw new LabError('job.size', `/latency: ${detail}`, [{ pointer: '/latency', detail }]);
  }
  return latency;
}

function initiatorsOf(
  { initiators, run }: Body,
  nodes: number,
  live: readonly number[],
): readonly number[] | undefined {
  if (initiators === 'all') return undefined;
  if (initiators === 'lowest') return live.slice(0, 1);
  pointed('/initiators', () => assertRanks('initiators', initiators, nodes));
  const dead = run ? initiators.find((rank) => !live.includes(rank)) : undefined;
  if (dead === undefined) return initiators;
  const detail = `node ${dead} has crashed before the run and cannot start`;
  throw new LabError('arguments', `/initiators: ${detail}`, [{ pointer: '/initiators', detail }]);
}

/** What is wrong there points there, in words of this request where its own would not do. */
function pointed<T>(pointer: string, ask: () => T, words?: string): T {
  try {
    return ask();
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    const detail = words ?? error.message;
    throw new LabError(error.code, `${pointer}: ${detail}`, [{ pointer, detail }]);
  }
}

function refusal(pointer: string, detail: string): LabError {
  return new LabError('schema', `${pointer}: ${detail}`, [{ pointer, detail }]);
}
