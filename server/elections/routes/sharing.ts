/**
 * @module
 * Routes for sharing an election: its access mode, its join code, and its participants.
 */

import { z } from '@hono/zod-openapi';
import { LabError } from '../../../src/errors.ts';
import { quantity } from '../../../src/quantities.ts';
import { faultAt } from '../../contract/faults.ts';
import { countSchema, idParams, idSchema } from '../../contract/members.ts';
import { mapPage, pageOf, pageQuerySchema, pageResponse } from '../../contract/page.ts';
import { bodyRefusals, refusals } from '../../contract/problem.ts';
import { createRouter, jsonAnswer, jsonRequest, routesOf } from '../../contract/router.ts';
import type { LiveElection } from '../live/live-election.ts';
import { ACCESS_MODES } from '../sharing/rights.ts';
import { PARTICIPANTS_MAX } from '../sharing/shared-elections.ts';
import type { ElectionStore } from '../storage/store.ts';

const CODE_SECONDS_MAX = 30 * 24 * 3600;
const CODE_SECONDS_DEFAULT = 8 * 3600;
const EXPIRY_RULE = `must be a time from 1 s to ${CODE_SECONDS_MAX} s, such as 90s, 5m or 2h`;

const modeSchema = z
  .enum(ACCESS_MODES)
  .describe(
    'Who else may read the election. private: only its owner and instructors. shared: also participants, who exchanged its join code. public: also every holder of a token.',
  );

const codeSchema = z.object({
  expires: z.iso.datetime(),
  participantsMax: z.int().describe('Number of participants that the election may have.'),
});

const accessSchema = z
  .object({
    mode: modeSchema,
    joinCode: codeSchema.nullable().describe('Null if there is none, or if it has expired.'),
    participants: z.int().describe('Number of participants.'),
    links: z.object({ self: z.string(), joinCode: z.string(), participants: z.string() }),
  })
  .meta({ id: 'ElectionAccess' });

const accessChangeSchema = z.strictObject({ mode: modeSchema }).meta({ id: 'AccessChange' });

const codeRequestSchema = z
  .strictObject({
    expiresIn: quantity('time', { min: 1, max: CODE_SECONDS_MAX }, EXPIRY_RULE)
      .default(CODE_SECONDS_DEFAULT)
      .describe('When the code expires. Participants remain.'),
    participantsMax: countSchema(1, PARTICIPANTS_MAX)
      .optional()
      .describe(
        'Number of participants that the election may have. Each of them plays one node: more than can join are refused. By default, as many as can join.',
      ),
  })
  .meta({ id: 'JoinCodeRequest' });

const newCodeSchema = codeSchema
  .extend({
    code: z.string().describe('To be given to participants. No later answer contains it.'),
  })
  .meta({ id: 'JoinCode' });

const participantSchema = z
  .object({
    id: z.string().meta({ example: 'p_kq3vj5m2xw7ntb4d' }),
    name: z.string().describe('The name that the participant chose.'),
    nodeId: z.string().nullable().describe('The node that it plays; null if it has not joined.'),
    links: z.object({
      self: z.string().describe('For DELETE, which revokes its token.'),
      token: z.string().describe('For POST, which makes a new token.'),
    }),
  })
  .meta({ id: 'Participant' });

const newTokenSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    token: z.string().describe('For Authorization: Bearer. No later answer contains it.'),
  })
  .meta({ id: 'ParticipantToken' });

const route = routesOf('sharing');
const path = '/v1/elections/{id}';

const readAccessRoute = route('get', `${path}/access`, {
  operationId: 'getElectionAccess',
  summary: 'Get who else may read an election, without its join code',
  params: idParams,
  responses: { 200: jsonAnswer(accessSchema, 'The access mode.'), ...refusals(404, 409, 503) },
});

const setAccessRoute = route('put', `${path}/access`, {
  operationId: 'setElectionAccess',
  summary: 'Set who else may read an election',
  description:
    'In private mode the join code is revoked, and participants are refused until the election is shared again. Then they continue with their tokens; a new participant needs a new code.',
  params: idParams,
  body: jsonRequest(accessChangeSchema, { example: { mode: 'shared' } }),
  responses: {
    200: jsonAnswer(accessSchema, 'The new access mode.'),
    ...bodyRefusals(404, 409, 503),
  },
});

const createCodeRoute = route('post', `${path}/join-code`, {
  operationId: 'createJoinCode',
  summary: 'Make a join code in place of the one before',
  description:
    'Participants exchange the code for tokens of their own with POST /v1/sessions. The code has 80 random bits. Only its digest is kept.',
  params: idParams,
  body: jsonRequest(codeRequestSchema, { example: { expiresIn: '2h', participantsMax: 40 } }),
  responses: {
    201: jsonAnswer(newCodeSchema, 'The code. Location is the access of the election.'),
    ...bodyRefusals(404, 409, 503),
  },
});

const revokeCodeRoute = route('delete', `${path}/join-code`, {
  operationId: 'revokeJoinCode',
  summary: 'Revoke the join code; participants remain',
  params: idParams,
  responses: { 204: { description: 'There is no code now.' }, ...refusals(404, 409, 503) },
});

const listParticipantsRoute = route('get', `${path}/participants`, {
  operationId: 'listParticipants',
  summary: 'List the participants of an election',
  params: idParams,
  query: pageQuerySchema,
  responses: {
    ...pageResponse(participantSchema, 'A page of participants, in the order of their ids.'),
    ...refusals(404, 409, 503),
  },
});

const removeParticipantRoute = route('delete', `${path}/participants/{participant}`, {
  operationId: 'removeParticipant',
  summary: 'Revoke the token of a participant; its node remains',
  params: z.strictObject({ id: idSchema, participant: idSchema }),
  responses: { 204: { description: 'The token is not valid now.' }, ...refusals(404, 409, 503) },
});

const renewTokenRoute = route('post', `${path}/participants/{participant}/token`, {
  operationId: 'renewParticipantToken',
  summary: 'Make a new token for a participant, which keeps its node',
  description:
    'For a participant that has lost its token or its cookie. The token before is no longer valid, and its sessions and streams end. A browser exchanges the new token for a cookie with POST /v1/sessions.',
  params: z.strictObject({ id: idSchema, participant: idSchema }),
  responses: {
    201: jsonAnswer(newTokenSchema, 'The token. Location is the list of participants.'),
    ...bodyRefusals(404, 409, 503),
  },
});

/** Who may see and change an election. */
function accessOf(sharing: ElectionStore['sharing'], id: string) {
  const code = sharing.codeOf(id);
  const below = `/v1/elections/${id}`;
  return {
    mode: sharing.modeOf(id),
    joinCode: code === null ? null : codeView(code),
    participants: sharing.participantsOf(id).length,
    links: {
      self: `${below}/access`,
      joinCode: `${below}/join-code`,
      participants: `${below}/participants`,
    },
  };
}

/** The routes for sharing. */
export function createSharingRoutes(elections: ElectionStore) {
  const { sharing } = elections;
  return createRouter()
    .openapi(readAccessRoute, (c) => {
      const { id } = elections.get(c.req.valid('param').id, c.get('principal'), 'share');
      return c.json(accessOf(sharing, id), 200);
    })
    .openapi(setAccessRoute, (c) => {
      const { id } = elections.get(c.req.valid('param').id, c.get('principal'), 'share');
      sharing.setMode(id, c.req.valid('json').mode);
      return c.json(accessOf(sharing, id), 200);
    })
    .openapi(createCodeRoute, (c) => {
      const principal = c.get('principal');
      const election = elections.get(c.req.valid('param').id, principal, 'share');
      const { id } = election;
      const { expiresIn: expiresInS, participantsMax: asked } = c.req.valid('json');
      const participantsMax = participantsOf(election, asked);
      const made = sharing.createCode(id, { expiresInS, participantsMax }, principal.keyed);
      c.header('Location', `/v1/elections/${id}/access`);
      c.header('Cache-Control', 'no-store');
      return c.json({ code: made.code, ...codeView(made) }, 201);
    })
    .openapi(revokeCodeRoute, (c) => {
      const { id } = elections.get(c.req.valid('param').id, c.get('principal'), 'share');
      sharing.revokeCode(id);
      return c.body(null, 204);
    })
    .openapi(listParticipantsRoute, (c) => {
      const { id, stage } = elections.get(c.req.valid('param').id, c.get('principal'), 'share');
      const page = pageOf(sharing.participantsOf(id), (each) => each.id, c.req.valid('query'));
      const { nodes } = stage.roster;
      const nodeOf = (by: string) => nodes.find(({ joined }) => joined?.by === by)?.nodeId ?? null;
      const view = ({ id: own, name }: { id: string; name: string }) => {
        const self = `/v1/elections/${id}/participants/${own}`;
        const links = { self, token: `${self}/token` };
        return { id: own, name, nodeId: nodeOf(own), links };
      };
      return c.json(mapPage(page, view), 200);
    })
    .openapi(renewTokenRoute, (c) => {
      const { id, participant: asked } = c.req.valid('param');
      const principal = c.get('principal');
      elections.get(id, principal, 'share');
      const { participant, token } = sharing.renew(id, asked, principal.keyed);
      c.header('Location', `/v1/elections/${id}/participants`);
      c.header('Cache-Control', 'no-store');
      return c.json({ id: participant.id, name: participant.name, token }, 201);
    })
    .openapi(removeParticipantRoute, (c) => {
      const { id, participant } = c.req.valid('param');
      elections.get(id, c.get('principal'), 'share');
      sharing.remove(id, participant);
      return c.body(null, 204);
    });
}

/**
 * Number of participants for a new code. Throws LabError `election.closed` if no node can join any more,
 * `election.conflict` for more participants than can join.
 */
function participantsOf({ stage }: LiveElection, asked: number | undefined): number {
  const joined = stage.roster.nodes.filter((node) => node.joined?.by !== undefined).length;
  const most = Math.min(PARTICIPANTS_MAX, joined + stage.vacancies);
  if (most === 0) throw new LabError('election.closed', 'no node can join this election any more');
  if (asked === undefined || asked <= most) return asked ?? most;
  const { protocol, level = 'L0' } = stage.plan.options;
  const detail = `at most ${most} participants can join this election of ${stage.roster.size} nodes (${protocol}, ${level}); its protocol, level and newcomers limit its nodes`;
  throw faultAt('election.conflict', '/participantsMax', detail);
}

function codeView(code: { readonly expiresMs: number; readonly participantsMax: number }) {
  const expires = new Date(code.expiresMs).toISOString();
  return { expires, participantsMax: code.participantsMax };
}
