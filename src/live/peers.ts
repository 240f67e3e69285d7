/**
 * @module
 * This folder runs nodes as processes: machines on the real clock, messages over HTTP, and a log on disk. This file reads
 * the document that all nodes of one election share, format `usurp/peers/v1`: the policy, and for each node its address
 * and its claim. Every claim is checked before anything is sent. The rank of a live node is the hex of its rank key.
 */

import { z } from 'zod';
import { bytesToHex } from '../bytes.ts';
import type { Rank } from '../election/machine.ts';
import { LabError } from '../errors.ts';
import { admit } from '../identity/admit.ts';
import type { Claim } from '../identity/claim.ts';
import { claimJsonSchema, parseClaim } from '../identity/claim.ts';
import { rankKeyOf, rankRuleOf } from '../identity/ids/rank-key.ts';
import type { Policy } from '../identity/policy.ts';
import { policySchema } from '../identity/policy.ts';
import { plainVerifier } from '../runtime/openssl/plain-verifier.ts';
import { parseBySchema } from '../schema.ts';

export const PEERS_FORMAT = 'usurp/peers/v1';
export const PEERS_MAX = 256;
/** A peer takes about 700 bytes. */
export const PEERS_BYTES_MAX = 1024 * PEERS_MAX;

/** What a member of an election states of itself. */
export interface Entry {
  /** `http://host:port`, or `https:` of a node with TLS. */
  readonly url: string;
  readonly claim: Claim;
}

export interface Peer extends Entry {
  readonly rank: Rank;
  /** Position of the rank, 1 the lowest: the number of the node in traces. */
  readonly position: number;
  /** Whether it is in the peers file; other members joined later. */
  readonly isFounder: boolean;
}

/** The members of one election. */
export interface Network {
  /** Signatures at L3 are for this election alone. */
  readonly election: string;
  readonly policy: Policy;
  /** Ascending by rank. */
  readonly peers: readonly Peer[];
  /** Positions clockwise: the order of the document, then the members that joined, ascending. */
  readonly ring: readonly number[];
}

const URL_FORM = /^https?:\/\/[A-Za-z0-9.[\]:-]{1,255}:\d{1,5}$/;

/** Whether a node at this address speaks TLS. */
export function isTls(url: string): boolean {
  return url.startsWith('https:');
}

/** A member as JSON. */
export const entrySchema = z.strictObject({
  url: z
    .string('must be an address')
    .regex(URL_FORM, 'must be http://host:port or https://host:port')
    // Whether a request can be sent there: a port above 65535 has the form of an address.
    .refine((url) => URL.canParse(url), 'must be http://host:port or https://host:port'),
  claim: claimJsonSchema,
});

export const peersSchema = z.strictObject({
  format: z.literal(PEERS_FORMAT, `must be ${PEERS_FORMAT}, as usurp cluster peers prints it`),
  election: z
    .string('must be a name')
    .regex(/^[a-z0-9][a-z0-9.-]{0,63}$/, 'must be lower-case letters, digits, dots and hyphens'),
  policy: policySchema,
  peers: z
    .array(entrySchema)
    .min(1, 'must contain a peer')
    .max(PEERS_MAX, `must contain at most ${PEERS_MAX} peers`)
    .refine(
      (peers) => new Set(peers.map(({ url }) => isTls(url))).size === 1,
      'must have TLS (https) at all addresses or at none',
    )
    .refine(
      (peers) => new Set(peers.map(({ url }) => url)).size === peers.length,
      'must have another address for each peer',
    ),
});

/** Reads the document. Throws LabError `json.syntax`, `schema` or `claim.refused`. */
export function parsePeers(text: string): Network {
  const { election, policy, peers } = parseBySchema(peersSchema, jsonOf(text), 'peers file');
  const founders = peers.map(({ url, claim: json }, index) => {
    const claim = parseClaim(json);
    assertAdmitted(claim, policy, `the claim of peer ${index + 1}`);
    return { url, claim };
  });
  return networkOf({ election, policy }, founders, []);
}

/** The network with one more member. Throws LabError `claim.refused` if the policy refuses its claim. */
export function withMember(network: Network, entry: Entry): Network {
  assertAdmitted(entry.claim, network.policy, 'this claim');
  const { peers, ring } = network;
  const founders = ring.flatMap((position) => {
    const peer = peers[position - 1];
    return peer?.isFounder === true ? peer : [];
  });
  return networkOf(network, founders, [...peers.filter(({ isFounder }) => !isFounder), entry]);
}

function networkOf(
  { election, policy }: Pick<Network, 'election' | 'policy'>,
  founders: readonly Entry[],
  joined: readonly Entry[],
): Network {
  const listed = [
    ...founders.map((entry) => rankedOf(entry, policy, true)),
    ...joined.map((entry) => rankedOf(entry, policy, false)).sort(byRank),
  ];
  const ascending = listed.toSorted(byRank);
  const twice = ascending.find(({ rank }, index) => ascending[index + 1]?.rank === rank);
  if (twice !== undefined) {
    throw new LabError('schema', `this is not a peers file: ${twice.rank} is listed twice`);
  }
  const peers = ascending.map((peer, index) => ({ ...peer, position: index + 1 }));
  const ring = listed.map(({ rank }) => peers.findIndex((peer) => peer.rank === rank) + 1);
  return { election, policy, peers, ring };
}

function rankedOf({ url, claim }: Entry, policy: Policy, isFounder: boolean) {
  return { rank: rankOf(claim, policy), url, claim, isFounder };
}

/** The live rank of a claim: the hex of its rank key. */
export function rankOf({ nodeId }: Claim, policy: Policy): Rank {
  // The only place that makes a live rank.
  return bytesToHex(rankKeyOf(nodeId, rankRuleOf(policy))) as string as Rank;
}

function byRank(one: { readonly rank: Rank }, other: { readonly rank: Rank }): number {
  return one.rank < other.rank ? -1 : 1;
}

/** The peer with this public key; null if the key is of none. */
export function peerOf({ peers }: Network, publicKey: Uint8Array): Peer | null {
  const hex = bytesToHex(publicKey);
  return peers.find(({ claim }) => bytesToHex(claim.publicKey) === hex) ?? null;
}

function assertAdmitted(claim: Claim, policy: Policy, what: string): void {
  const verdict = admit(claim, policy, { plain: plainVerifier });
  if (verdict.admitted) return;
  const detail = `the policy refuses ${what}: ${verdict.refusal}; ${remedyOf(verdict.refusal, policy)}`;
  throw new LabError('claim.refused', detail);
}

/** No claim adds static work to a key. */
function remedyOf(refusal: string, { c1, c2 }: Policy): string {
  const again = 'make it again with usurp claim';
  if (refusal !== 'pow.insufficient' || c1 === 0) return again;
  const mine = `mine a new key with usurp mine --c1 ${c1}`;
  return c2 === 0 ? mine : `${again}, or if the key lacks static work, ${mine}`;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new LabError(
      'json.syntax',
      `a peers file is JSON of the format ${PEERS_FORMAT}; make it with usurp cluster peers`,
    );
  }
}
