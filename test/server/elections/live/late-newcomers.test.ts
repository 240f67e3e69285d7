/**
 * @module
 * Programs that join during an election with signed messages, and play by the documentation alone.
 * Earlier messages of others keep an earlier name of the election, and so do the answers to them.
 */

import { describe, expect, it } from 'vitest';
import { SERVER } from '../../../../server/request/principal.ts';

import { bytesToHex } from '../../../../src/bytes.ts';
import { ed25519Scheme } from '../../../../src/identity/keys/ed25519.ts';
import type { Secret } from '../../../../src/identity/keys/scheme.ts';
import { messageBytes } from '../../../../src/identity/message.ts';
import type { Reported } from '../../../simulation/outside/documented-player.ts';
import { documentedProgram } from '../../../simulation/outside/documented-player.ts';
import { labUnderTest } from '../../lab-under-test.ts';
import { joiningIn, minedIdentities, policyOfJson } from '../joining.ts';

const lab = labUnderTest();
const { make, act, enter, linkOf } = joiningIn(lab);
const policy = { c1: 0 };
const identities = minedIdentities(policyOfJson(policy), {
  seed: '5',
  goal: { type: 'count', identities: 24 },
});

type Side = 'low' | 'middle' | 'top';

/** An identity above this number of the given IDs. */
function identityFor(ids: readonly string[], side: Side) {
  const below = { low: 0, middle: 2, top: ids.length }[side];
  const isThere = (nodeId: string) => ids.filter((id) => id < nodeId).length === below;
  const identity = identities.find(({ claim }) => isThere(claim.nodeId));
  if (identity === undefined) throw new RangeError(`"side" expected one with an ID, got ${side}`);
  return identity;
}

async function joinLate(members: object, actions: readonly object[], side: Side, waitMs = 10_000) {
  const election = await make({ nodes: 4, level: 'L3', newcomers: 1, policy, ...members });
  for (const action of actions) await act(election, action);
  const live = lab.elections.get(String(election.json.id), SERVER);
  const ids = live.stage.roster.nodes.map(({ nodeId }) => nodeId);
  const { claim, secret } = identityFor(ids, side);
  const joined = await enter(election, claim, { waitMs });
  const { rank, token } = joined.json as { readonly rank: number; readonly token: string }; // By the schema.
  return { election, live, rank, token, path: `${linkOf(election)}/nodes/${claim.nodeId}`, secret };
}

type Late = Awaited<ReturnType<typeof joinLate>>;

/** Answers every event until the election is idle, and returns each status of its outbox. */
async function playedOut({ election, live, rank, token, path, secret }: Late) {
  const missing = live.plan.openings;
  const program = documentedProgram(live.plan, rank, { missing, sign: signWith(secret) });
  const headers = { 'Node-Token': token };
  const statuses = new Set<number>();
  let isOver = false;
  const advancing = act(election, { type: 'advance', until: 'idle' }).finally(() => {
    isOver = true;
  });
  for (let after = 0; !isOver; ) {
    const inbox = await lab.call('GET', `${path}/inbox?after=${after}&waitMs=20`, { headers });
    const received = inbox.json.events as readonly (Reported & { readonly number: number })[]; // By the schema.
    const through = received.at(-1)?.number;
    if (through === undefined) continue;
    const { json } = await lab.call('GET', linkOf(election));
    const effects = program.react(received, String(json.name));
    const { status } = await lab.post(`${path}/outbox`, { through, effects }, headers);
    statuses.add(status);
    after = through;
  }
  return { statuses: [...statuses], end: (await advancing).json };
}

function signWith(secret: Secret) {
  return (text: string) => bytesToHex(ed25519Scheme.sign(secret, messageBytes(text)));
}

const AFTER_THE_RUN = [{ type: 'start' }, { type: 'advance', until: 'idle' }];
const AFTER_SIX = [{ type: 'start' }, { type: 'advance', events: 6 }];

describe('a program that joins late at L3', () => {
  it.each([
    ['cr-join', 'middle', AFTER_THE_RUN],
    ['cr-join', 'low', AFTER_SIX],
    ['cr-join', 'middle', AFTER_SIX],
    ['cr-join', 'top', AFTER_SIX],
    ['ring-lelann', 'middle', AFTER_SIX],
  ] as const)('in %s at a %s rank is followed or follows', async (protocol, side, actions) => {
    const late = await joinLate({ protocol }, actions, side);

    const { statuses, end } = await playedOut(late);

    expect(statuses).toEqual([200]);
    const rank = side === 'top' ? 9 : 8;
    expect(end).toMatchObject({ status: 'idle', agreed: true, leader: { rank } });
    expect(lab.faults).toEqual([]);
  });

  it('receives the name that a message is signed for, and must use a current one', async () => {
    const late = await joinLate({ protocol: 'cr-join' }, AFTER_THE_RUN, 'middle', 0);
    const { election, live, rank, token, path, secret } = late;
    const headers = { 'Node-Token': token };
    const received = async () =>
      (await lab.call('GET', `${path}/inbox`, { headers })).json.events as readonly Reported[]; // By the schema.
    const say = async (name: string) => {
      const program = documentedProgram(live.plan, rank, {
        ...{ missing: live.plan.openings, sign: signWith(secret) },
      });
      const said = program.react([{ event: { type: 'start' }, election: undefined }], name);
      return (await lab.post(`${path}/outbox`, { effects: said }, headers)).json;
    };
    const forged = [0, 1.5, '5', null, 8].map((by) => ({
      ...{ type: 'SELECTED', leader: 8 },
      seal: { by, number: 1, signature: '00'.repeat(64), candidacies: {} },
    }));

    for (const message of forged) {
      await act(election, { type: 'inject', from: 8, to: rank, message });
    }
    await act(election, { type: 'advance', until: 'idle' });
    const names = (await received()).map((each) => each.election);

    expect(live.name).toMatch(/\.5$/);
    const before = live.name.replace(/5$/, '4');
    expect(names).toContain(before);
    expect(names.filter((name) => name === null).length).toBeGreaterThan(0);
    expect(await say(live.name.replace(/5$/, '3'))).toMatchObject({ code: 'message.signature' });
    expect(await say(before)).toMatchObject({ status: 'accepted' });
    expect(lab.faults).toEqual([]);
  });
});
