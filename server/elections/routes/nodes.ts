/**
 * @module
 * Routes about who is in an election: its nodes, and those that join it with a claim made elsewhere. A
 * claim is checked as any node would check it; who is let in plays by inbox and outbox, with a token
 * that is told once.
 */

import { createHash } from 'node:crypto';

import { createRoute, z } from '@hono/zod-openapi';
import { bytesToHex } from '../../../src/bytes.ts';
import type { Refusal } from '../../../src/election/authenticated.ts';
import { REFUSALS } from '../../../src/election/authenticated.ts';
import type { Json } from '../../../src/election/machine.ts';
import type { Check } from '../../../src/identity/admit.ts';
import type { Claim } from '../../../src/identity/claim.ts';
import { claimSchema, claimToJson } from '../../../src/identity/claim.ts';
import { nodeIdBytesOf } from '../../../src/identity/ids/node-id.ts';
import { SCHEME_NAMES } from '../../../src/identity/keys/scheme.ts';
import type { Policy } from '../../../src/identity/policy.ts';
import { callerOf } from '../../callers/caller.ts';
import { charged } from '../../callers/principal.ts';
import { randomToken } from '../../callers/tokens.ts';
import type { Admission } from '../../claims/claim-checks.ts';
import { idSchema } from '../../contract/ids.ts';
import { JSON_BODY } from '../../contract/json-body.ts';
import { pageOf, pageQuerySchema, pageResponse } from '../../contract/page.ts';
import { bodyRefusals, refusals } from '../../contract/problem-schema.ts';
import { createRouter, NO_QUERY } from '../../contract/router.ts';
import { ClaimRefusal } from '../../request/refusals.ts';
import type { Services } from '../../services.ts';
import type { LiveElection } from '../live/live-election.ts';
import { OUTSIDE_WAIT_MS_MAX } from '../live/outside-wait.ts';
import type { Seat } from '../live/roster.ts';
import { policyOf } from '../live/roster.ts';

const WAIT_MS_DEFAULT = 1_000;
const WAIT_DEMAND = `must be a whole number of milliseconds, from 0 to ${OUTSIDE_WAIT_MS_MAX}`;

const refusedSchema = z.object(
  // One member for each reason: Object.fromEntries forgets which there are.
  Object.fromEntries(REFUSALS.map((reason) => [reason, z.int()])) as Record<Refusal, z.ZodInt>,
);

const nodeSchema = z
  .object({
    rank: z.int().meta({ description: 'Its place by node ID, the highest last.', example: 3 }),
    nodeId: z.string(),
    scheme: z.enum(SCHEME_NAMES).nullable(),
    publicKey: z.string().nullable().meta({
      description: 'Null where IDs are drawn and there are no keys.',
    }),
    player: z.enum(['honest', 'byzantine', 'outside']).meta({
      description: 'Who plays it: the server by the rules, or with a behaviour, or who joined it.',
    }),
    up: z.boolean(),
    follows: z.int().nullable().meta({ description: 'The rank of its leader.' }),
    joinedAt: z.int().meta({ description: 'The tick; 0 for whoever was there at first.' }),
    refused: refusedSchema.nullable().meta({
      description:
        'Messages that it did not hear, by reason; null where none are looked at, and of who plays elsewhere.',
    }),
  })
  .meta({ id: 'ElectionNode' });

const joinSchema = z
  .strictObject({
    claim: claimSchema,
    waitMs: z
      .int(WAIT_DEMAND)
      .min(0, WAIT_DEMAND)
      .max(OUTSIDE_WAIT_MS_MAX, WAIT_DEMAND)
      .default(WAIT_MS_DEFAULT)
      .meta({
        description:
          'How long virtual time waits for an answer of this node, at most, each time; 0 is not at all.',
      }),
  })
  .meta({ id: 'NodeClaim' });

const joinedSchema = z
  .object({
    rank: z.int().meta({ description: 'Its place, until somebody below joins as well.' }),
    nodeId: z.string(),
    token: z.string().meta({
      description: 'For the header Node-Token; told here and never again.',
    }),
    waitMs: z.int(),
    links: z.object({ inbox: z.string(), outbox: z.string() }),
  })
  .meta({ id: 'JoinedNode' });

const tags = ['elections'];
const path = '/v1/elections/{id}/nodes';
const params = z.strictObject({ id: idSchema });

const listNodesRoute = createRoute({
  method: 'get',
  path,
  operationId: 'listNodes',
  tags,
  summary: 'The nodes of an election, by rank',
  request: { params, query: pageQuerySchema },
  responses: {
    ...pageResponse(nodeSchema, 'A page of nodes, the lowest rank first.'),
    ...refusals(404, 409, 503),
  },
});

/** Of `usurp mine --c1 8 --seed 1`, whose secret everybody knows. */
const CLAIM_EXAMPLE = {
  scheme: 'ed25519',
  publicKey: '182da74f38a18929c6bb6915a2a89c6990c64b84a01a712bfb7f5cf91c584cfa',
  nodeId: '21a1cdeb87a5489d1bb70521c5636be193b636c7cdc601baf6b15a8800d63343',
  solution: null,
  signature:
    'f65603577347a15d7790805d8da0334ff09ba2ee9220415f9ec1e3d7760d53842f0e0c1fb3a5207774d53421a75959cd14d3bc8c3c349326ba1176aefefaa907',
};

const joinRoute = createRoute({
  method: 'post',
  path,
  operationId: 'joinElection',
  tags,
  summary: 'Join an election with a claim made elsewhere',
  description:
    'The claim must meet the policy of the election. Before anything was done to it, the election is made anew with one node more, and those above it move up by a rank; later the node takes a place that was kept (`newcomers`), and the others hear of it. Whoever has the token plays the node by inbox and outbox, in copies of the election as well.',
  middleware: JSON_BODY,
  request: {
    params,
    query: NO_QUERY,
    body: {
      required: true,
      content: {
        'application/json': { schema: joinSchema, example: { claim: CLAIM_EXAMPLE, waitMs: 200 } },
      },
    },
  },
  responses: {
    201: {
      description: 'It is in; Location is what it is told.',
      content: { 'application/json': { schema: joinedSchema } },
    },
    ...bodyRefusals(404, 409, 422, 429, 503),
  },
});

/** The routes about nodes. */
export function nodeRoutes({ elections, admission }: Services) {
  return createRouter()
    .openapi(listNodesRoute, (c) => {
      const election = elections.get(c.req.valid('param').id);
      const { phantoms } = election.plan;
      const seats = election.roster.seats.filter(({ rank }) => !phantoms.includes(rank));
      const page = pageOf(seats, ({ rank }) => keyOf(rank), c.req.valid('query'));
      // States are copied for it.
      const items = charged(() => page.items.map(viewerOf(election)));
      return c.json({ ...page, items }, 200);
    })
    .openapi(joinRoute, async (c) => {
      const { id } = c.req.valid('param');
      const { claim, waitMs } = c.req.valid('json');
      const policy = policyOf(elections.get(id).request);
      await assertAdmitted(claim, policy, { admission, caller: callerOf(c) });
      const token = randomToken();
      const tokenDigest = createHash('sha256').update(token).digest('hex');
      const joined = claimToJson(claim);
      const election = await elections.act(id, {
        type: 'join',
        claim: joined,
        waitMs,
        tokenDigest,
      });
      const { nodeId } = joined;
      const rank = election.roster.seatOfId(nodeId)?.rank ?? 0;
      const self = `/v1/elections/${id}/nodes/${nodeId}`;
      const links = { inbox: `${self}/inbox`, outbox: `${self}/outbox` };
      c.header('Location', links.inbox);
      c.header('Cache-Control', 'no-store');
      return c.json({ rank, nodeId, token, waitMs, links }, 201);
    });
}

/** Throws ClaimRefusal unless the claim is one that nodes of this policy let in. */
async function assertAdmitted(
  claim: Claim,
  policy: Policy,
  by: { readonly admission: Admission; readonly caller: string },
): Promise<void> {
  const bytes = nodeIdBytesOf(policy);
  if (claim.nodeId.length !== bytes) {
    // Nodes are ordered by IDs of one length, whether the policy looks at the ID or not.
    const detail = `node IDs of this policy have ${bytes} bytes, the claimed one has ${claim.nodeId.length}`;
    throw new ClaimRefusal({ check: 'nodeId', ok: false, code: 'id.mismatch', detail });
  }
  const { checks } = await by.admission.admit(claim, policy, { caller: by.caller });
  const failed = checks.find((check): check is Check & { readonly ok: false } => !check.ok);
  if (failed !== undefined) throw new ClaimRefusal(failed);
}

function viewerOf(election: LiveElection): (seat: Seat) => z.output<typeof nodeSchema> {
  const { plan } = election;
  const places = election.nodes();
  const byzantine = new Set(plan.byzantine.map(({ rank }) => rank));
  return ({ rank, nodeId, key, joined, joinedAt }) => {
    const { up = false, leader = null } = places[rank - 1] ?? {};
    const here = byzantine.has(rank) ? 'byzantine' : 'honest';
    return {
      rank,
      nodeId,
      scheme: key?.scheme ?? null,
      publicKey: key === null ? null : bytesToHex(key.publicKey),
      player: joined === null ? here : 'outside',
      up,
      follows: leader,
      joinedAt,
      refused: plan.level === null ? null : refusedIn(election.stateOf(rank)),
    };
  };
}

/** The counters of the authentication, whatever is around it; null for a node that has none. */
function refusedIn(state: Json): Record<Refusal, number> | null {
  for (let inner: Json = state; isObject(inner); inner = inner.inner ?? null) {
    const { refused } = inner;
    if (!isObject(refused)) continue;
    const counts = REFUSALS.map((reason) => [reason, Number(refused[reason] ?? 0)] as const);
    // One member for each reason, as above.
    return Object.fromEntries(counts) as Record<Refusal, number>;
  }
  return null;
}

function isObject(value: Json | undefined): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Text in the order of the ranks. */
function keyOf(rank: number): string {
  return String(rank).padStart(KEY_DIGITS, '0');
}

const KEY_DIGITS = 6;
