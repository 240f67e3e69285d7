/**
 * @module
 * The body of `POST /v1/protocol-comparisons`, and how it becomes a comparison. Its members are the flags of
 * `usurp elect --compare` with the same meaning, under the names that they have in `POST /v1/elections`.
 */

import { z } from '@hono/zod-openapi';
import { FAULT_KINDS } from '../../../src/election/definition/drawn-faults.ts';
import { jsonPointer, LabError } from '../../../src/errors.ts';
import { shellWord } from '../../../src/experiment/reading/shell-word.ts';
import { latencyTicksMax } from '../../../src/simulation/faults/latency.ts';
import { LINK_FACTOR_LIMIT, linkFactorMax } from '../../../src/simulation/faults/link-factors.ts';
import type { Schedule } from '../../../src/simulation/faults/schedule.ts';
import {
  absentAtFirst,
  faultProblem,
  faultyTicksMax,
} from '../../../src/simulation/faults/schedule.ts';
import type { NamedCrash } from '../../../src/simulation/faults/text.ts';
import { faultText } from '../../../src/simulation/faults/text.ts';
import { assertRanks } from '../../../src/simulation/plan/assertions.ts';
import { parseWorkload } from '../../../src/simulation/plan/workload.ts';
import type { ProtocolComparison } from '../../../src/simulation/request/compare.ts';
import {
  COMPARED_RUNS,
  comparedRequests,
  flagsFor,
  hasUselessAttributes,
  planProtocols,
  seedAfter,
  uselessFlag,
} from '../../../src/simulation/request/compare.ts';
import type { Words } from '../../../src/simulation/request/election.ts';
import { LATENCY_TICKS_MAX } from '../../../src/simulation/request/remote-limits.ts';
import { replayWords } from '../../../src/simulation/request/replay-words.ts';
import type { AskedElection } from '../../../src/simulation/request/request.ts';
import { SCHEDULED_FLAGS } from '../../../src/simulation/request/request.ts';
import { HELD_TICKS_LIMIT } from '../../../src/simulation/run/intervention.ts';
import type { ElectionOptions } from '../../../src/simulation/run/simulate.ts';
import { faultAt, pointingAt, schemaFault } from '../../contract/faults.ts';
import { countSchema, oneOf, protocolNamesSchema, seedOf } from '../../contract/members.ts';
import { faultSchema, faultsOf, networkSchema } from '../../elections/live/network.ts';
import {
  assertSize,
  detectorSpecOf,
  electionRequestSchema,
  latencyOf,
  nodesOf,
  rankSchema,
  ranksSchema,
  tickSchema,
} from '../../elections/live/request.ts';

/** Elections of one comparison: its memory grows with them. */
export const COMPARED_ELECTIONS_MAX = 100_000;

/** A comparison that was checked completely. */
export interface ProtocolsRequest {
  readonly body: Body;
  readonly comparison: ProtocolComparison;
  /** The command that gives the same result. */
  readonly replay: string;
}

const factorSchema = countSchema(1, LINK_FACTOR_LIMIT);

export const protocolsRequestSchema = electionRequestSchema
  .pick({
    ...{ flags: true, attributes: true, nodes: true, ring: true, ringOrder: true, crash: true },
    ...{ latency: true, fifo: true, sameTick: true, until: true, seed: true },
  })
  .extend({
    protocols: protocolNamesSchema.meta({
      description: 'A flag applies to the protocols that have it.',
      example: ['bully-oneshot', 'raft'],
      uniqueItems: true,
    }),
    initiators: z
      .union([z.enum(['all', 'lowest', 'highest']), ranksSchema])
      .default('all')
      .describe('Nodes that start.'),
    linkFactors: z
      .union([
        factorSchema,
        z
          .array(z.strictObject({ from: rankSchema, to: rankSchema, factor: factorSchema }))
          .min(1)
          .max(10_000),
      ])
      .optional()
      .meta({
        description:
          'Factors of the latency of links: 4 draws one in 1..4 for each link; a list names links.',
        example: 4,
      }),
    network: networkSchema.extend({ join: faultSchema('join') }).optional(),
    randomFaults: z
      .union([z.literal(true), z.array(oneOf(FAULT_KINDS)).min(1).max(FAULT_KINDS.length)])
      .optional()
      .meta({
        description: 'Draw faults from each seed: of all kinds but amnesia, or of these.',
        example: true,
      }),
    calm: z
      .strictObject({
        at: tickSchema.describe('Tick at which faults end.'),
        ticks: tickSchema
          .optional()
          .describe(
            'Ticks until a leader must exist. By default those of an undisturbed election.',
          ),
        restart: z.boolean().default(false).describe('Start all nodes again then.'),
      })
      .optional(),
    detector: z.string().max(256).optional().meta({
      description:
        'crashes (default) suspects crashed nodes, links also unreachable ones; others run on the nodes, as GET /v1/detectors lists them.',
      example: 'fd-phi-akka:threshold=8',
    }),
    resource: z.string().max(256).optional().meta({
      description:
        'Resource that leaders write to: unfenced, fencing-register or fencing-max, with options.',
      example: 'fencing-max:every=5,step=10',
    }),
    runs: countSchema(1)
      .default(COMPARED_RUNS)
      .describe('Elections of each protocol, with the seeds from seed on.'),
  })
  .meta({ id: 'ProtocolComparisonRequest' });

type Body = z.output<typeof protocolsRequestSchema>;

/** Throws LabError `schema`, `arguments` or `job.size` for a comparison that is not possible. */
export function parseProtocolsRequest(body: Body): ProtocolsRequest {
  const { protocols, runs } = body;
  const nodes = nodesOf(body);
  const asked = askedOf(body, nodes);
  const useless = uselessFlag(protocols, asked);
  if (useless !== null) {
    throw schemaFault(jsonPointer(['flags', useless]), 'is a flag of none of the protocols');
  }
  if (hasUselessAttributes(protocols, asked))
    throw schemaFault('/attributes', 'has no meaning for any of the protocols');
  if (runs * protocols.length > COMPARED_ELECTIONS_MAX) {
    const detail = `at most ${COMPARED_ELECTIONS_MAX} elections in one comparison; ${protocols.length} protocols with ${runs} runs have more`;
    throw faultAt('job.size', '/runs', detail);
  }
  const { flag: _flag, attr: _attr, ...shared } = asked;
  const requests = comparedRequests(protocols, (protocol) => {
    const options = { ...shared, ...flagsFor(asked, protocol), protocol };
    return { options, protocol, nodes, given: null };
  });
  for (const { protocol, options } of requests) {
    assertSize(
      { protocol, flags: Object.fromEntries(options.flag ?? []), level: undefined },
      nodes,
    );
  }
  const seed = seedOf(body.seed);
  pointingAt('/seed', () => seedAfter(seed, runs - 1));
  const { comparison, first } = planProtocols(requests, { seed, runs }, inWordsOfBody);
  assertInitiators(body.initiators, first);
  const latency = latencyTicksMax(asked.latency) * linkFactorMax(asked.linkFactors ?? null);
  if (latency > LATENCY_TICKS_MAX) {
    throw faultAt('job.size', '/linkFactors', `at most ${LATENCY_TICKS_MAX} ticks of latency`);
  }
  const ticks = first.schedule === undefined ? 0 : faultyTicksMax(first.schedule, latency);
  if (ticks > HELD_TICKS_LIMIT) {
    const detail = `a message could take ${ticks} ticks; at most ${HELD_TICKS_LIMIT} here`;
    throw faultAt('job.size', '/network', detail);
  }
  const whole = { options: { ...asked, compare: protocols }, nodes, given: null, compared: [] };
  const words = replayWords({ ...whole, protocol: first.protocol }, seed, runs);
  const replay = ['usurp', ...words].map(shellWord).join(' ');
  return { body: { ...body, nodes, seed }, comparison, replay };
}

function askedOf(body: Body, nodes: number): AskedElection {
  const { flags, attributes, ring, ringOrder, crash, calm, linkFactors, randomFaults, until } =
    body;
  const latency = latencyOf(body.latency);
  if (randomFaults !== undefined && body.network !== undefined) {
    throw schemaFault('/network', 'has no meaning beside randomFaults');
  }
  const crashes = crashesOf(crash);
  const timing = { nodes, latencyTicksMax: latencyTicksMax(latency) };
  const { detector, resource } = body;
  return {
    ...scheduledFaults(body.network),
    ...{ flag: Object.entries(flags), nodes, latency, fifo: body.fifo, sameTick: body.sameTick },
    ...{ ringOrder: ringOrder ?? 'shuffled', initiators: body.initiators },
    ...(ring !== undefined && { ring }),
    ...(attributes !== undefined && { attr: attributes }),
    ...(crashes.length > 0 && { crash: crashes }),
    ...(linkFactors !== undefined && {
      linkFactors:
        typeof linkFactors === 'number'
          ? ({ type: 'seeded', factorMax: linkFactors } as const)
          : ({ type: 'given', factors: linkFactors } as const),
    }),
    ...(randomFaults !== undefined && { randomFaults }),
    ...(calm !== undefined && { calm: { ...calm, ticks: calm.ticks ?? null } }),
    ...(detector !== undefined && {
      detector:
        detector === 'crashes' || detector === 'links'
          ? detector
          : detectorSpecOf(detector, timing),
    }),
    ...(resource !== undefined && {
      resource: pointingAt('/resource', () => parseWorkload(resource), { code: 'schema' }),
    }),
    ...(until !== undefined && { until }),
  };
}

/** Refuses initiators that do not exist, or are away at the start. */
function assertInitiators(
  initiators: Body['initiators'],
  { nodes, crashedBefore = [], schedule }: ElectionOptions,
): void {
  if (typeof initiators === 'string') return;
  pointingAt('/initiators', () => assertRanks('initiators', initiators, nodes));
  const away = [...crashedBefore, ...(schedule ? absentAtFirst(schedule) : [])];
  const missing = initiators.find((rank) => away.includes(rank));
  if (missing === undefined) return;
  const detail = `node ${missing} has crashed or not joined when the election starts`;
  throw faultAt('arguments', '/initiators', detail);
}

/** Crashes in the form of the flag. */
function crashesOf(crash: Body['crash']) {
  const named: readonly NamedCrash[] = crash === 'highest' ? [{ rank: crash }] : crash;
  return named.map(({ rank, at = null }) => {
    return { text: at === null ? `${rank}` : `${rank}@${at}`, crashes: [{ rank, at }] };
  });
}

function scheduledFaults(network: Body['network']): Partial<AskedElection> {
  return Object.fromEntries(
    SCHEDULED_FLAGS.flatMap((flag) => {
      const faults = faultsOf(flag, network?.[flag]);
      return faults.length === 0 ? [] : [[flag, faults]];
    }),
  );
}

/** Makes a refusal of the simulator point at the member of the body. */
const inWordsOfBody: Words = (schedule, work) => {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    const { pointer, detail } = faultOf(error, schedule);
    throw new LabError(error.code, detail, [{ pointer, detail }]);
  }
};

function faultOf(error: LabError, schedule: Schedule | null) {
  const problem = faultProblem(error);
  const fault = problem === null ? undefined : schedule?.faults[problem.index];
  if (problem !== null && fault !== undefined) {
    const { flag, text } = faultText(fault);
    const pointer = flag === 'crash' ? '/crash' : `/network/${flag}`;
    return { pointer, detail: `${text}: ${problem.detail}` };
  }
  const { message } = error;
  const [start = '', name = ''] = /^(\w+)\b:? */.exec(message) ?? [];
  const pointer = POINTERS.get(name);
  if (pointer === undefined) return { pointer: '', detail: message.replace(/^--/, '') };
  return { pointer, detail: message.slice(start.length) };
}

/** The members of the simulator's options as members of the body. */
const POINTERS: ReadonlyMap<string, string> = new Map([
  ...(['ring', 'flags', 'attributes', 'detector'] as const).map(
    (name) => [name, `/${name}`] as const,
  ),
  ['crashedBefore', '/crash'],
  ['faults', '/crash'],
  ['start', '/initiators'],
  ['links', '/linkFactors'],
  ['schedule', '/network'],
]);
