/**
 * @module
 * The document of a cluster on several machines, format `usurp/cluster/v1`: what all nodes run, and for each node its
 * machine, its address, its claim, and the path of its key file there. It contains no secret.
 */

import { z } from 'zod';
import { DEFENCE_NAMES } from '../../election/defences/registry.ts';
import { parseFlags } from '../../election/definition/flags.ts';
import { parseDetector } from '../../election/detectors/registry.ts';
import type { Rank } from '../../election/machine.ts';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import { parseClaim } from '../../identity/claim.ts';
import { policySchema } from '../../identity/policy.ts';
import { parseBySchema, parseTextBySchema } from '../../schema.ts';
import { parseWorkload } from '../../simulation/plan/workload.ts';
import { assertLive, LIVE_LEVELS } from '../live-machine.ts';
import type { Network } from '../peers.ts';
import {
  entrySchema,
  isTls,
  PEERS_BYTES_MAX,
  PEERS_FORMAT,
  parsePeers,
  peersSchema,
  rankOf,
} from '../peers.ts';
import { ownStoreKind } from '../stores/open-store.ts';
import type { ClusterSettings } from './cluster-plan.ts';

export const CLUSTER_FORMAT = 'usurp/cluster/v1';
/** Machines and keys take less room than addresses and claims. */
export const CLUSTER_BYTES_MAX = 2 * PEERS_BYTES_MAX;
const LATENCY_MS_MAX = 3_600_000;
const oneOf = (names: readonly string[]) => `must be one of ${names.join(', ')}`;

/** A node in the document. */
const nodeSchema = entrySchema.extend({
  machine: z
    .string('must be a name')
    .regex(/^[A-Za-z0-9][A-Za-z0-9.-]{0,63}$/, 'must be letters, digits, dots and hyphens'),
  key: z.string('must be a path').min(1, 'must be a path'),
  listen: z
    .string('must be host:port')
    .regex(/^[A-Za-z0-9.[\]:-]{1,255}:\d{1,5}$/, 'must be host:port')
    .optional(),
});
export type ClusterNode = Readonly<z.output<typeof nodeSchema>>;

/** What `usurp cluster entry` prints of a key. Without a machine it is an entry of a peers file alone. */
const clusterEntrySchema = nodeSchema
  .partial({ machine: true, key: true })
  .extend({ policy: policySchema });
export type ClusterEntry = Readonly<z.output<typeof clusterEntrySchema>>;

/** What all nodes run, as documents state it. */
export const runMembers = {
  protocol: z.enum(PROTOCOL_NAMES, oneOf(PROTOCOL_NAMES)),
  level: z.enum(LIVE_LEVELS, oneOf(LIVE_LEVELS)),
  detector: z.string('must be a detector'),
  latencyMs: z.int('must be a whole number').min(1).max(LATENCY_MS_MAX),
  defences: z.array(z.enum(DEFENCE_NAMES, oneOf(DEFENCE_NAMES))).default([]),
  store: z.string('must be an address').nullable().default(null),
  resource: z.string('must be a resource').nullable().default(null),
  flags: z.string('must be flags of the protocol').nullable().default(null),
};
const runSchema = z.object(runMembers);

const { election, policy } = peersSchema.shape;
const clusterSchema = z.strictObject({
  format: z.literal(CLUSTER_FORMAT, `must be ${CLUSTER_FORMAT}`),
  election,
  policy,
  ...runMembers,
  nodes: z.array(nodeSchema).min(1, 'must contain a node'),
});

/** What all nodes run, of a document. Throws LabError `arguments` for what cannot run. */
export function runIn(
  document: z.output<typeof runSchema>,
): Omit<ClusterSettings, 'nodes' | 'c1' | 'c2' | 'tls'> {
  const { level, detector, protocol, defences, store, resource, flags, latencyMs } = document;
  const run = {
    level,
    detector,
    protocol,
    defences,
    store,
    workload: resource === null ? null : parseWorkload(resource),
    ...(flags !== null && { flags: parseFlags(flags) }),
    timing: { latencyTicksMax: latencyMs },
  };
  assertLive(run, level);
  parseDetector(detector);
  return run;
}

/** A node with its position by rank, which is its number. */
export interface PlacedNode extends ClusterNode {
  readonly position: number;
  readonly rank: Rank;
}

export interface PlacedCluster {
  readonly settings: ClusterSettings;
  readonly network: Network;
  /** The text of its peers file. */
  readonly peers: string;
  /** Ascending by position. */
  readonly nodes: readonly PlacedNode[];
}

/** Reads what `usurp cluster entry` has printed. Throws LabError `json.syntax` or `schema`. */
export function parseClusterEntry(text: string): ClusterEntry {
  return parseTextBySchema(clusterEntrySchema, text, 'file of usurp cluster entry');
}

/** Reads the document. Throws LabError `json.syntax`, `schema`, `claim.refused`, or `arguments` for what cannot run. */
export function parseCluster(text: string): PlacedCluster {
  const document = parseBySchema(clusterSchema, jsonOf(text), 'file of a cluster');
  const peers = peersTextOf(document);
  const network = parsePeers(peers);
  const { store } = document;
  const settings: ClusterSettings = {
    ...runIn(document),
    nodes: network.peers.length,
    c1: network.policy.c1,
    c2: network.policy.c2,
    tls: network.peers.some(({ url }) => isTls(url)),
  };
  if (store !== null && ownStoreKind(store) !== null) {
    throw new LabError(
      'arguments',
      `the store ${store} has no address; write one that all machines reach, such as redis:HOST:PORT`,
    );
  }
  const nodes = document.nodes.map((node) => {
    const rank = rankOf(parseClaim(node.claim), network.policy);
    const position = network.peers.findIndex((peer) => peer.rank === rank) + 1;
    return { ...node, rank, position };
  });
  return {
    settings,
    network,
    peers,
    nodes: nodes.sort((one, other) => one.position - other.position),
  };
}

function peersTextOf({ election, policy, nodes }: z.output<typeof clusterSchema>): string {
  const peers = nodes.map(({ url, claim }) => ({ url, claim }));
  return `${JSON.stringify({ format: PEERS_FORMAT, election, policy, peers }, null, 2)}\n`;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new LabError('json.syntax', `this is not JSON: expected the format ${CLUSTER_FORMAT}`);
  }
}
