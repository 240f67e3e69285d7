/**
 * @module
 * Routes about the nodes of an election, and for joining it with a claim that was made elsewhere. The claim is
 * checked as every node would check it. The program that joins plays its node by inbox and outbox, with a
 * token that only the answer contains.
 */

import { z } from '@hono/zod-openapi';

import { bytesToHex, hexToBytes } from '../../../src/bytes.ts';
import type { Refusal } from '../../../src/election/authentication/authenticated.ts';
import { REFUSALS, refusedIn } from '../../../src/election/authentication/authenticated.ts';
import { LabError } from '../../../src/errors.ts';
import type { Claim } from '../../../src/identity/claim.ts';
import { claimSchema, claimToJson, nonceSchema } from '../../../src/identity/claim.ts';
import { nodeIdBytesOf } from '../../../src/identity/ids/node-id.ts';
import { SCHEME_NAMES } from '../../../src/identity/keys/scheme.ts';
import type { Policy } from '../../../src/identity/policy.ts';
import { digestOfSecret, randomToken } from '../../callers/tokens.ts';
import type { Admission } from '../../claims/claim-checks.ts';
import { CLAIM_EXAMPLE } from '../../claims/identities.ts';
import type { Nonces } from '../../claims/nonces.ts';
import { idParams, idSchema, wholeNumber } from '../../contract/members.ts';
import { pageOf, pageQuerySchema, pageResponse } from '../../contract/page.ts';
import { bodyRefusals, refusals } from '../../contract/problem.ts';
import { createRouter, jsonAnswer, jsonRequest, routesOf } from '../../contract/router.ts';
import type { Course } from '../../exercises/course.ts';
import { charged } from '../../request/principal.ts';
import { ClaimRefusal } from '../../request/refusals.ts';
import type { LiveElection } from '../live/live-election.ts';
import type { RosterNode } from '../live/roster.ts';
import { policyOf } from '../live/roster.ts';
import { OUTSIDE_WAIT_MS_MAX } from '../live/waits.ts';
import type { SharedElections } from '../sharing/shared-elections.ts';
import type { ElectionStore } from '../storage/store.ts';
import { nodeIdSchema } from './node-token.ts';

const WAIT_MS_DEFAULT = 1_000;
const waitRule = `must be a whole number of milliseconds, from 0 to ${OUTSIDE_WAIT_MS_MAX}`;

const refusedSchema = z.object(
  // Object.fromEntries loses the names of the reasons.
  Object.fromEntries(REFUSALS.map((reason) => [reason, z.int()])) as Record<Refusal, z.ZodInt>,
);

const nodeSchema = z
  .object({
    rank: z.int().meta({ description: 'The position by node ID, the highest last.', example: 3 }),
    nodeId: z.string(),
    scheme: z.enum(SCHEME_NAMES).nullable(),
    publicKey: z
      .string()
      .nullable()
      .describe('Null if IDs are drawn, because there are no keys then.'),
    player: z
      .enum(['honest', 'byzantine', 'outside'])
      .describe(
        'honest: the server plays it by the protocol. byzantine: the server plays it with behaviours. outside: a program that joined plays it.',
      ),
    up: z.boolean(),
    participant: z
      .string()
      .nullable()
      .describe('The name of the participant that plays it; null for other nodes.'),
    follows: z.int().nullable().describe('The rank of its leader.'),
    joinedAt: z.int().describe('Tick at which it joined; 0 for a node of the plan.'),
    refused: refusedSchema
      .nullable()
      .describe(
        'Messages that it refused, by reason. Null if messages are not checked, and for nodes played from outside.',
      ),
    links: z.object({
      self: z.string(),
      inbox: z.string().nullable().describe('Null for a node that the server plays.'),
      outbox: z.string().nullable().describe('Null for a node that the server plays.'),
    }),
  })
  .meta({ id: 'ElectionNode' });

const joinSchema = z
  .strictObject({
    claim: claimSchema,
    nonce: nonceSchema
      .optional()
      .describe(
        'A nonce of POST /v1/challenges that the claim signs. Required with `freshClaims`.',
      ),
    waitMs: wholeNumber(0, OUTSIDE_WAIT_MS_MAX, waitRule)
      .default(WAIT_MS_DEFAULT)
      .describe('How long virtual time waits for each answer of this node; 0 is not at all.'),
  })
  .meta({ id: 'NodeClaim' });

const joinedSchema = z
  .object({
    rank: z
      .int()
      .describe(
        'Its rank at present. Another node that joins before the first action may change it; the inbox has the rank that the node then has.',
      ),
    nodeId: z.string(),
    token: z.string().describe('For the header Node-Token. No later answer contains it.'),
    waitMs: z.int(),
    links: z.object({ self: z.string(), inbox: z.string(), outbox: z.string() }),
  })
  .meta({ id: 'JoinedNode' });

const route = routesOf('elections');
const path = '/v1/elections/{id}/nodes';

const listNodesRoute = route('get', path, {
  operationId: 'listNodes',
  summary: 'List the nodes of an election by rank',
  params: idParams,
  query: pageQuerySchema,
  responses: {
    ...pageResponse(nodeSchema, 'A page of nodes, the lowest rank first.'),
    ...refusals(404, 409, 503),
  },
});

const readNodeRoute = route('get', `${path}/{node}`, {
  operationId: 'getNode',
  summary: 'Get a node of an election',
  params: z.strictObject({ id: idSchema, node: nodeIdSchema }),
  responses: { 200: jsonAnswer(nodeSchema, 'The node.'), ...refusals(404, 409, 503) },
});

const joinRoute = route('post', path, {
  operationId: 'joinElection',
  summary: 'Join an election with a claim that was made elsewhere',
  description:
    'The claim must meet the policy of the election. Before the first action, the election is created again with one more node, and the nodes above it move up by a rank. Later the node gets a rank that `newcomers` keeps, and the other nodes learn of it. The holder of the token plays the node by inbox and outbox, also in copies of the election.',
  params: idParams,
  body: jsonRequest(joinSchema, { example: { claim: CLAIM_EXAMPLE, waitMs: 200 } }),
  responses: {
    201: jsonAnswer(joinedSchema, 'The node has joined. Location is its path.'),
    ...bodyRefusals(404, 409, 422, 429, 503),
  },
});

export interface NodeRouteParts {
  readonly elections: ElectionStore;
  readonly admission: Admission;
  readonly nonces: Nonces;
  /** Refuses claims of exercises that are to be verified by hand. */
  readonly course: Pick<Course, 'assertVerifiable'>;
}

/** The routes about nodes. */
export function createNodeRoutes({ elections, admission, nonces, course }: NodeRouteParts) {
  return createRouter()
    .openapi(listNodesRoute, (c) => {
      const principal = c.get('principal');
      const election = elections.get(c.req.valid('param').id, principal);
      const { phantoms } = election.plan;
      const nodes = election.stage.roster.nodes.filter(({ rank }) => !phantoms.includes(rank));
      const page = pageOf(nodes, keyOf, c.req.valid('query'));
      // The views copy the states of the nodes.
      const items = charged(principal, () => page.items.map(viewerOf(election, elections.sharing)));
      return c.json({ ...page, items }, 200);
    })
    .openapi(readNodeRoute, (c) => {
      const principal = c.get('principal');
      const { id, node } = c.req.valid('param');
      const election = elections.get(id, principal);
      const found = election.stage.roster.nodes.find(({ nodeId }) => nodeId === node);
      if (found === undefined || election.plan.phantoms.includes(found.rank)) {
        throw new LabError('not_found', `election ${id} has no node ${node}`);
      }
      return c.json(
        charged(principal, () => viewerOf(election, elections.sharing)(found)),
        200,
      );
    })
    .openapi(joinRoute, async (c) => {
      const principal = c.get('principal');
      const { id } = c.req.valid('param');
      const { claim, waitMs, nonce } = c.req.valid('json');
      const election = elections.get(id, principal, 'join');
      const { caller } = principal;
      course.assertVerifiable(claimToJson(claim), policyOf(election.request), principal);
      if (nonce !== undefined || election.request.freshClaims === true) {
        assertFresh(nonce, nonce !== undefined && nonces.redeem(caller, nonce));
      }
      await assertAdmitted(claim, policyOf(election.request), {
        admission,
        caller,
        nonce: nonce === undefined ? null : hexToBytes(nonce),
      });
      const token = randomToken();
      const tokenDigest = digestOfSecret(token);
      const joining = claimToJson(claim);
      const by = principal.participant?.id;
      const join = { type: 'join', claim: joining, waitMs, tokenDigest } as const;
      const action = by === undefined ? join : { ...join, by };
      await elections.act(id, action, { principal });
      const { nodeId } = joining;
      const rank = election.stage.roster.nodeWithId(nodeId)?.rank ?? 0;
      const links = playedLinks(id, nodeId);
      c.header('Location', links.self);
      c.header('Cache-Control', 'no-store');
      return c.json({ rank, nodeId, token, waitMs, links }, 201);
    });
}

/** Links of a node that a program outside plays. */
function playedLinks(election: string, nodeId: string) {
  const self = `/v1/elections/${election}/nodes/${nodeId}`;
  return { self, inbox: `${self}/inbox`, outbox: `${self}/outbox` };
}

/** Throws ClaimRefusal unless the nonce is one that the caller may use. */
function assertFresh(nonce: string | undefined, isRedeemed: boolean): void {
  if (isRedeemed) return;
  const shown =
    nonce === undefined ? 'no nonce is given' : 'this nonce is not yours, used or too old';
  const detail = `the claim must sign a fresh nonce, and ${shown}: get one with POST /v1/challenges`;
  throw new ClaimRefusal({ check: 'signature', ok: false, code: 'signature.invalid', detail });
}

interface NonceOptions {
  readonly caller: string;
  readonly nonce: Uint8Array | null;
}

/** Throws ClaimRefusal unless the policy admits the claim. */
async function assertAdmitted(
  claim: Claim,
  policy: Policy,
  { admission, ...options }: NonceOptions & { readonly admission: Admission },
): Promise<void> {
  const bytes = nodeIdBytesOf(policy);
  if (claim.nodeId.length !== bytes) {
    // Ranks need IDs of equal length, also under a policy that does not check the ID.
    const detail = `node IDs of this policy have ${bytes} bytes, the claimed one has ${claim.nodeId.length}`;
    throw new ClaimRefusal({ check: 'nodeId', ok: false, code: 'id.mismatch', detail });
  }
  const { checks } = await admission.admit(claim, policy, options);
  const failed = checks.find((check) => !check.ok);
  if (failed !== undefined) throw new ClaimRefusal(failed);
}

function viewerOf(
  election: LiveElection,
  sharing: SharedElections,
): (node: RosterNode) => z.output<typeof nodeSchema> {
  const { plan } = election;
  const { simulation } = election.stage;
  const states = simulation.nodes();
  const byzantine = new Set(plan.byzantine.map(({ rank }) => rank));
  return ({ rank, nodeId, key, joined, joinedAt }) => {
    const { up = false, leader = null } = states[rank - 1] ?? {};
    const by = joined?.by;
    const inside = byzantine.has(rank) ? 'byzantine' : 'honest';
    const links = playedLinks(election.id, nodeId);
    return {
      rank,
      nodeId,
      scheme: key?.scheme ?? null,
      publicKey: key === null ? null : bytesToHex(key.publicKey),
      player: joined === null ? inside : 'outside',
      up,
      participant: by === undefined ? null : (sharing.participant(election.id, by)?.name ?? null),
      follows: leader,
      joinedAt,
      refused: plan.level === null ? null : refusedIn(simulation.stateOf(rank)),
      links: joined === null ? { ...links, inbox: null, outbox: null } : links,
    };
  };
}

/** A text that sorts like the rank. */
function keyOf({ rank }: RosterNode): string {
  return String(rank).padStart(6, '0');
}
