/**
 * @module
 * This folder runs nodes as processes: machines on the real clock, messages over HTTP, and a log on disk. This file reads
 * the document that all nodes of one election share, format `usurp/peers/v1`: the policy, and for each node its address
 * and its claim. Every claim is checked before anything is sent. The rank of a live node is the hex of its rank key.
 */

import { z } from 'zod';
import { bytesToHex } from '../../bytes.ts';
import type { Rank } from '../../election/machine.ts';
import { LabError } from '../../errors.ts';
import { admit } from '../../identity/admit.ts';
import type { Claim } from '../../identity/claim.ts';
import { claimJsonSchema, parseClaim } from '../../identity/claim.ts';
import { rankKeyOf, rankRuleOf } from '../../identity/ids/rank-key.ts';
import type { Policy } from '../../identity/policy.ts';
import { policySchema } from '../../identity/policy.ts';
import { parseBySchema } from '../../schema.ts';
import { plainVerifier } from '../openssl/plain-verifier.ts';

export const PEERS_FORMAT = 'usurp/peers/v1';
export const PEERS_MAX = 256;
/** A peer takes about 700 bytes. */
export const PEERS_BYTES_MAX = 1024 * PEERS_MAX;

export interface Peer {
  readonly rank: Rank;
  /** Position of the rank, 1 the lowest: the number of the node in traces. */
  readonly position: number;
  /** `http://host:port`. */
  readonly url: string;
  readonly claim: Claim;
}

/** The members of one election. */
export interface Network {
  /** Signatures at L3 are for this election alone. */
  readonly election: string;
  readonly policy: Policy;
  /** Ascending by rank. */
  readonly peers: readonly Peer[];
  /** Positions clockwise: the order of the document. */
  readonly ring: readonly number[];
}

const peersSchema = z.strictObject({
  format: z.literal(PEERS_FORMAT, `must be ${PEERS_FORMAT}`),
  election: z
    .string('must be a name')
    .regex(/^[a-z0-9][a-z0-9.-]{0,63}$/, 'must be lower-case letters, digits, dots and hyphens'),
  policy: policySchema,
  peers: z
    .array(
      z.strictObject({
        url: z
          .string('must be an address')
          .regex(/^http:\/\/[A-Za-z0-9.[\]:-]{1,255}:\d{1,5}$/, 'must be http://host:port'),
        claim: claimJsonSchema,
      }),
    )
    .min(1, 'must contain a peer')
    .max(PEERS_MAX, `must contain at most ${PEERS_MAX} peers`),
});

/** Reads the document. Throws LabError `json.syntax`, `schema` or `claim.refused`. */
export function parsePeers(text: string): Network {
  const { election, policy, peers } = parseBySchema(peersSchema, jsonOf(text), 'file of peers');
  const listed = peers.map(({ url, claim: json }, index) => {
    const claim = parseClaim(json);
    assertAdmitted(claim, policy, index);
    // The only place that makes a live rank.
    const rank = bytesToHex(rankKeyOf(claim.nodeId, rankRuleOf(policy))) as string as Rank;
    return { rank, url, claim };
  });
  const ascending = listed.toSorted((one, other) => (one.rank < other.rank ? -1 : 1));
  const twice = ascending.find(({ rank }, index) => ascending[index + 1]?.rank === rank);
  if (twice !== undefined) {
    throw new LabError('schema', `this is not a file of peers: ${twice.rank} is listed twice`);
  }
  const members = ascending.map((peer, index) => ({ ...peer, position: index + 1 }));
  const ring = listed.map(({ rank }) => members.findIndex((peer) => peer.rank === rank) + 1);
  return { election, policy, peers: members, ring };
}

/** The peer with this public key. Throws LabError `arguments` if the key is of none. */
export function peerOf({ peers }: Network, publicKey: Uint8Array): Peer {
  const hex = bytesToHex(publicKey);
  const own = peers.find(({ claim }) => bytesToHex(claim.publicKey) === hex);
  if (own !== undefined) return own;
  throw new LabError('arguments', `the key ${hex} is of no peer; list its claim in the peers file`);
}

function assertAdmitted(claim: Claim, policy: Policy, index: number): void {
  const verdict = admit(claim, policy, { plain: plainVerifier });
  if (verdict.admitted) return;
  const detail = `the policy refuses the claim of peer ${index + 1}: ${verdict.refusal}; make it again with usurp claim`;
  throw new LabError('claim.refused', detail);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new LabError('json.syntax', `a file of peers is JSON of the format ${PEERS_FORMAT}`);
  }
}
