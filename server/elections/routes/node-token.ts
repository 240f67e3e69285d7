/**
 * @module
 * Who plays a node from outside: whoever has the token that joining answered with. It is kept as a
 * digest alone, and a wrong one is told from none by nothing, the time it takes included.
 */

import { createHash, timingSafeEqual } from 'node:crypto';

import { z } from '@hono/zod-openapi';

import { LabError } from '../../../src/errors.ts';
import type { LiveElection } from '../live/live-election.ts';
import type { Seat } from '../live/roster.ts';

export const NODE_TOKEN_HEADER = 'Node-Token';

/** Of requests that are a node's; left out, it is refused with 401 and not as malformed. */
export const nodeTokenSchema = z.string().max(256).optional().meta({
  description: 'The token that the answer to joining carried.',
  example: 'BAQa0bU3xkCdGYJ0yGxCv0Q5cO7PzD1m7JXFnWk0Ixo',
});

/** Where nobody is answered without: documented as required, though a missing one is answered 401. */
export const nodeTokenHeaders = z.object({
  'node-token': nodeTokenSchema.meta({
    ...nodeTokenSchema.meta(),
    param: { required: true },
  }),
});

export const nodeIdSchema = z
  .string()
  .regex(/^[0-9a-f]{1,66}$/, 'must be a node ID in lower-case hex')
  .meta({ description: 'The node ID, as GET …/nodes lists it.' });

/** The seat of a node. Throws LabError `not_found`, or `auth.node` unless the token is its own. */
export function assertPlayer(
  election: LiveElection,
  nodeId: string,
  token: string | undefined,
): Seat {
  const seat = election.roster.seatOfId(nodeId);
  if (seat === null) {
    throw new LabError('not_found', `election ${election.id} has no node ${nodeId}`);
  }
  assertToken(seat, token);
  return seat;
}

/** Throws LabError `auth.node` unless the node at this rank joined, and the token is its own. */
export function assertSpeaker(
  election: LiveElection,
  rank: number,
  token: string | undefined,
): void {
  assertToken(election.roster.seatOf(rank), token);
}

function assertToken(seat: Seat | null, token: string | undefined): void {
  const kept = Buffer.from(seat?.joined?.tokenDigest ?? NOBODYS, 'hex');
  const shown = createHash('sha256')
    .update(token ?? '')
    .digest();
  if (kept.length === shown.length && timingSafeEqual(kept, shown)) return;
  const detail = `send the token of this node as ${NODE_TOKEN_HEADER}; the answer to joining carried it`;
  throw new LabError('auth.node', detail);
}

/** No text has this digest, as far as anybody knows. */
const NOBODYS = '00'.repeat(32);
