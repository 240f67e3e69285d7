/**
 * @module
 * The token of a node that is played from outside: only the answer to joining contains it. The server keeps
 * its digest, and a wrong token is refused like a missing one, in the same time.
 */

import { timingSafeEqual } from 'node:crypto';

import { z } from '@hono/zod-openapi';

import { LabError } from '../../../src/errors.ts';
import { digestOfSecret } from '../../callers/tokens.ts';
import { faultAt } from '../../contract/faults.ts';
import { IN_EXAMPLES } from '../../contract/openapi/shape.ts';
import type { Principal } from '../../request/principal.ts';
import type { LiveElection } from '../live/live-election.ts';
import type { RosterNode } from '../live/roster.ts';

export const NODE_TOKEN_HEADER = 'Node-Token';

/** The header of a request by a node. A missing token is refused with 401, not as malformed. */
export const nodeTokenSchema = z.string().max(256).optional().meta({
  description:
    'The token from the answer to joining. A participant may leave it out for its own node.',
  example: 'BAQa0bU3xkCdGYJ0yGxCv0Q5cO7PzD1m7JXFnWk0Ixo',
});

/** The header of a request for one node. Only participants leave it out. */
export const nodeTokenHeaders = z.object({
  'node-token': nodeTokenSchema.meta({ [IN_EXAMPLES]: true }),
});

export const nodeIdSchema = z
  .string()
  .regex(/^[0-9a-f]{1,66}$/, 'must be a node ID in lower-case hex')
  .describe('The node ID, as GET …/nodes lists it.');

export interface NodeCaller {
  readonly token: string | undefined;
  readonly principal: Principal;
  /** Whether the election has a participant with this id. */
  readonly isParticipant: (id: string) => boolean;
}

/**
 * The node with an ID, for the program that plays it. Throws LabError `auth.node` without its token, also if
 * there is no such node. A participant needs no token for its own node. It cannot play that of another one, unless
 * that one was removed.
 */
export function nodeOfToken(
  election: LiveElection,
  nodeId: string,
  { token, principal, isParticipant }: NodeCaller,
): RosterNode {
  const node = election.stage.roster.nodeWithId(nodeId);
  const { participant } = principal;
  const by = node?.joined?.by;
  const isOwn = participant !== null && by === participant.id;
  const isFree = participant !== null && by !== undefined && !isParticipant(by);
  if (!isOwn || token !== undefined) {
    assertToken(participant === null || isOwn || isFree ? node : null, token);
  }
  if (node === null) throw new TypeError('"node" expected one, because its player is known');
  return node;
}

/**
 * Throws LabError `auth.node` unless a node with this token joined at this rank, and `election.conflict` if none with
 * a token did.
 */
export function assertTokenOfRank(
  election: LiveElection,
  rank: number,
  token: string | undefined,
): void {
  const node = election.stage.roster.nodeAt(rank);
  if ((node?.joined ?? null) === null) {
    const detail = `no node ${rank} joined from outside, and at L1 the network knows who sends: name a node of yours, or make the election with another level`;
    throw faultAt('election.conflict', '/from', detail);
  }
  assertToken(node, token);
}

function assertToken(node: RosterNode | null, token: string | undefined): void {
  const kept = Buffer.from(node?.joined?.tokenDigest ?? DIGEST_OF_NONE, 'hex');
  const shown = Buffer.from(digestOfSecret(token ?? ''), 'hex');
  if (kept.length === shown.length && timingSafeEqual(kept, shown)) return;
  const detail = `send the token of this node as ${NODE_TOKEN_HEADER}; the answer to joining contained it`;
  throw new LabError('auth.node', detail);
}

/** No known text has this digest. */
const DIGEST_OF_NONE = '00'.repeat(32);
