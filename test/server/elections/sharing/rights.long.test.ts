/**
 * @module
 * Who may do what with an election in each access mode: every operation on an election, by every kind of caller,
 * compared with a written table. What a caller may not see is answered exactly like what does not exist.
 */

import { afterEach, describe, expect, it } from 'vitest';
import { ACCESS_MODES } from '../../../../server/elections/sharing/rights.ts';
import { SERVER } from '../../../../server/request/principal.ts';
import { allExamplesOf } from '../../contract/contract-lacks.ts';
import { documentOf, labUnderTest } from '../../lab-under-test.ts';
import { minedIdentities, policyOfJson } from '../joining.ts';
import { bearer, sharedLab, TOKENS } from './shared-lab.ts';

const CALLERS = ['reader', 'student', 'participant', 'stranger', 'owner', 'manager', 'operator'];

type Statuses = readonly [number, number, number];

/** The statuses in private, shared and public mode, for callers in their order; the last is for the last three. */
interface Row {
  readonly reader: Statuses;
  readonly student: Statuses;
  readonly participant: Statuses;
  /** A participant of another election. */
  readonly stranger: Statuses;
  /** The owner, other instructors and the operator. */
  readonly responsible: Statuses;
}

const always = (status: number): Statuses => [status, status, status];
const HIDDEN = always(404);
const ROLE = always(403);
/** Visible only in public mode, where it is refused. */
const NOT_THEIRS: Statuses = [404, 404, 403];

const LOOK: Row = {
  ...{ reader: [404, 404, 200], student: [404, 404, 200] },
  ...{ participant: [404, 200, 200], stranger: HIDDEN, responsible: always(200) },
};
/** Reading what only the responsible receive. */
const EXAMINE: Row = {
  ...{ reader: NOT_THEIRS, student: NOT_THEIRS },
  ...{ participant: [404, 403, 403], stranger: HIDDEN, responsible: always(200) },
};
const conduct = (status: number): Row => ({
  ...{ reader: ROLE, student: NOT_THEIRS, participant: ROLE, stranger: ROLE },
  responsible: always(status),
});
const ofInstructors = (responsible: Statuses): Row => ({
  ...{ reader: ROLE, student: ROLE, participant: ROLE, stranger: ROLE, responsible },
});

const TABLE: Readonly<Record<string, Row>> = {
  getElection: LOOK,
  listNodes: LOOK,
  getNode: LOOK,
  followElection: LOOK,
  listMessagesInFlight: EXAMINE,
  getElectionTrace: EXAMINE,
  getElectionAccess: EXAMINE,
  listParticipants: EXAMINE,
  forkElection: conduct(201),
  actOnElection: conduct(200),
  deleteElection: conduct(204),
  setElectionAccess: conduct(200),
  removeParticipant: conduct(204),
  renewParticipantToken: conduct(201),
  createJoinCode: ofInstructors([409, 201, 201]),
  revokeJoinCode: ofInstructors(always(204)),
  joinElection: {
    ...{ reader: ROLE, student: NOT_THEIRS, participant: [404, 201, 201], stranger: HIDDEN },
    responsible: always(201),
  },
  // Without the token of the node.
  readInbox: { ...EXAMINE, participant: [404, 401, 401], responsible: always(401) },
  writeOutbox: { ...conduct(401), participant: [404, 401, 401], stranger: HIDDEN },
};

const document = documentOf(labUnderTest().app);
const operations = Object.entries(document.paths)
  .filter(([path]) => path.startsWith('/v1/elections/{id}'))
  .flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );

type OperationAt = (typeof operations)[number];

/** The lowest node of the elections, by their seed. */
const NODE = '3c2228cb3c72834947489b1a8472bb41bc4b85a5ceb633cf7d95654135cfa197';

const lab = sharedLab();

afterEach(() => {
  // The server keeps a limited number.
  for (const { id } of lab.elections.list(SERVER)) lab.elections.delete(id, SERVER);
});

/** An election in a mode, with a participant, and a participant of another election. */
async function staged(mode: string) {
  const election = await lab.made();
  const ann = await lab.enter(await lab.share(election), 'Ann');
  const bob = await lab.enter(await lab.share(await lab.made()), 'Bob');
  await lab.ask(TOKENS.ida, 'PUT', `${election}/access`, { mode });
  const tokens = [
    TOKENS.rita,
    TOKENS.sam,
    ann.token,
    bob.token,
    TOKENS.ida,
    TOKENS.ian,
    TOKENS.ola,
  ];
  return { election, tokens, participant: ann.id };
}

function send(token: string, at: OperationAt, election: string, participant = 'p') {
  const media = at.operation.requestBody?.content['application/json'];
  const [example] = media === undefined ? [] : allExamplesOf(media, document);
  const path = at.path
    .replace('/v1/elections/{id}', election)
    .replace('{node}', NODE)
    .replace('{participant}', participant);
  return lab.app.request(path, {
    method: at.method.toUpperCase(),
    headers: { ...bearer(token), 'Content-Type': 'application/json' },
    ...(example !== undefined && { body: JSON.stringify(example) }),
  });
}

/** An answer without the request and the election that it is about. */
async function textOf(response: Response, election: string): Promise<string> {
  const text = await response.text();
  const id = election.split('/').at(-1) ?? '';
  return text.replace(/"instance":"[^"]*"/, '').replaceAll(id, '');
}

describe('an operation on an election', () => {
  it('is in the table', () => {
    const names = operations.map(({ operation }) => operation.operationId);

    expect(Object.keys(TABLE).toSorted()).toEqual(names.toSorted());
  });

  it.each(
    operations.flatMap((each) =>
      ACCESS_MODES.map((mode, index) => [each.operation.operationId, mode, index, each] as const),
    ),
  )('%s of a %s election is answered as the table has it', async (operationId, mode, index, at) => {
    const row = TABLE[operationId ?? ''];
    if (row === undefined) throw new TypeError('"row" expected one');
    const { reader, student, participant, stranger, responsible } = row;
    const expected = [reader, student, participant, stranger, ...Array(3).fill(responsible)];
    const missing = '/v1/elections/e_aaaaaaaaaaaaaaaa';

    for (const [number, caller] of CALLERS.entries()) {
      // Anew for each caller, because some operations delete it or join it.
      const { election, tokens, participant: own } = await staged(mode);
      const token = tokens[number] ?? '';
      const response = await send(token, at, election, own);
      const status = expected[number]?.[index];
      expect(response.status, caller).toBe(status);
      if (status !== 404 && expected[number] !== ROLE) continue;
      const absent = await send(token, at, missing, own);
      expect(absent.status).toBe(status);
      expect(await textOf(response, election)).toBe(await textOf(absent, missing));
      for (const [name, value] of absent.headers) {
        if (name !== 'x-request-id') expect(response.headers.get(name), name).toBe(value);
      }
    }
  });
});

describe('a list of elections', () => {
  it('has those that the caller may look at', async () => {
    const { election, tokens } = await staged('shared');
    const open = await lab.made();
    await lab.ask(TOKENS.ida, 'PUT', `${open}/access`, { mode: 'public' });

    const lists = [];
    for (const token of tokens.slice(0, 4)) {
      const { json } = await lab.ask(token, 'GET', '/v1/elections');
      lists.push(JSON.stringify(json.items));
    }

    const has = lists.map((list) => [list.includes(election), list.includes(open)]);
    expect(has).toEqual([
      [false, true],
      [false, true],
      [true, false],
      [false, false],
    ]);
  });
});

describe('a participant', () => {
  it('has no elections and no jobs of its own, and gets no others', async () => {
    const { tokens } = await staged('shared');
    const token = tokens[2] ?? '';
    const made = await lab.ask(TOKENS.ida, 'POST', '/v1/runs', { threatModel: 'top-id', runs: 5 });

    const submitted = await lab.ask(token, 'POST', '/v1/runs', { threatModel: 'top-id', runs: 5 });
    const created = await lab.ask(token, 'POST', '/v1/elections', {
      protocol: 'cr-join',
      nodes: 3,
    });
    const read = await lab.ask(token, 'GET', String(made.headers.get('Location')));

    expect([submitted.status, created.status, read.status]).toEqual([403, 403, 404]);
  });

  it('that is removed gets the answer of an unknown token, and its streams end', async () => {
    const { election, tokens, participant } = await staged('shared');
    const token = tokens[2] ?? '';
    const accept = { ...bearer(token), Accept: 'text/event-stream' };
    const stream = await lab.app.request(`${election}/events?follow=true`, { headers: accept });

    await lab.ask(TOKENS.ida, 'DELETE', `${election}/participants/${participant}`);
    await lab.ask(TOKENS.ida, 'POST', `${election}/actions`, { type: 'start' });

    const text = await stream.text();
    const after = await lab.ask(token, 'GET', election);
    const unknown = await lab.ask('unknown-0123456789', 'GET', election);
    expect(text).toMatch(/event: done/);
    expect(text).toContain('"reason":"revoked"');
    expect(text).not.toMatch(/node\.started/);
    expect([after.status, after.json.detail]).toEqual([401, unknown.json.detail]);
  });

  it('plays one node', async () => {
    const { election, tokens } = await staged('shared');
    const token = tokens[2] ?? '';
    const claims = minedIdentities(policyOfJson({ c1: 2 })).concat(
      minedIdentities(policyOfJson({ c1: 2 }), { seed: '2' }),
    );

    const answers = [];
    for (const { claim } of claims) {
      answers.push(await lab.ask(token, 'POST', `${election}/nodes`, { claim }));
    }

    expect(answers.map(({ status, json }) => [status, json.code])).toEqual([
      [201, undefined],
      [409, 'election.conflict'],
    ]);
  });
});
