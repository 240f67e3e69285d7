/**
 * @module
 * The token of a node that is played from outside: only the answer to joining contains it. The server keeps
 * its digest, and a wrong token is refused like a missing one, in the same time.
 */

import { createHash, timingSafeEqual } from 'node:crypto';

import { z } from '@hono/zod-openapi';

import { LabError } from '../../../src/errors.ts';
import type { LiveElection } from '../live/live-election.ts';
import type { RosterNode } from '../live/roster.ts';

export const NODE_TOKEN_HEADER = 'Node-Token';

/** The header of a request by a node. A missing token is refused with 401, not as malformed. */
export const nodeTokenSchema = z.string().max(256).optional().meta({
  description: 'The token from the answer to joining.',
  example: 'BAQa0bU3xkCdGYJ0yGxCv0Q5cO7PzD1m7JXFnWk0Ixo',
});

/** The header where it is required. It is optional for the validator, because a missing one is answered 401. */
export const nodeTokenHeaders = z.object({
  'node-token': nodeTokenSchema.meta({
    ...nodeTokenSchema.meta(),
    param: { required: true },
  }),
});

export const nodeIdSchema = z
  .string()
  .regex(/^[0-9a-f]{1,66}$/, 'must be a node ID in lower-case hex')
  .describe('The node ID, as GET …/nodes lists it.');

/** A new token's digest, as it is kept. */
export function digestOfToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** The node with an ID. Throws LabError `not_found`, or `auth.node` without its token. */
export function nodeOfToken(
  election: LiveElection,
  nodeId: string,
  token: string | undefined,
): RosterNode {
  const node = election.stage.roster.nodeWithId(nodeId);
  if (node === null) {
    throw new LabError('not_found', `election ${election.id} has no node ${nodeId}`);
  }
  assertToken(node, token);
  return node;
}

/** Throws LabError `auth.node` unless a node with this token joined at this rank. */
export function assertTokenOfRank(
  election: LiveElection,
  rank: number,
  token: string | undefined,
): void {
  assertToken(election.stage.roster.nodeAt(rank), token);
}

function assertToken(node: RosterNode | null, token: string | undefined): void {
  const kept = Buffer.from(node?.joined?.tokenDigest ?? DIGEST_OF_NONE, 'hex');
  const shown = Buffer.from(digestOfToken(token ?? ''), 'hex');
  if (kept.length === shown.length && timingSafeEqual(kept, shown)) return;
  const detail = `send the token of this node as ${NODE_TOKEN_HEADER}; the answer to joining contained it`;
  throw new LabError('auth.node', detail);
}

/** No known text has this digest. */
const DIGEST_OF_NONE = '00'.repeat(32);
