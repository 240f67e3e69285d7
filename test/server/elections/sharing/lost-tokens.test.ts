/**
 * @module
 * What a participant gets back that has lost its token, its cookie or its Node-Token, and what others do not get.
 */

import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { digestOfSecret } from '../../../../server/callers/tokens.ts';
import { CLAIM_EXAMPLE } from '../../../../server/claims/identities.ts';
import { openLogs } from '../../../../server/lab.ts';
import { scratchFolder } from '../../../cli/shell.ts';
import { bearer, sharedLab, TOKENS } from './shared-lab.ts';

/** An election with the participants Ann, who plays a node, and Bob. */
async function twoParticipants() {
  const lab = sharedLab();
  const election = await lab.made();
  const code = await lab.share(election);
  const [ann, bob] = [await lab.enter(code, 'Ann'), await lab.enter(code, 'Bob')];
  const claim = { claim: CLAIM_EXAMPLE, waitMs: 0 };
  const { json: node } = await lab.ask(ann.token, 'POST', `${election}/nodes`, claim);
  const { inbox } = node.links as { readonly inbox: string }; // By the schema.
  const nodeToken = { 'Node-Token': String(node.token) };
  const poll = (token: string, headers = {}) =>
    lab.call('GET', inbox, { headers: { ...bearer(token), ...headers } });
  const renew = (id: string, token: string = TOKENS.ida) =>
    lab.ask(token, 'POST', `${election}/participants/${id}/token`);
  return { lab, election, code, ann, bob, node, nodeToken, poll, renew };
}

describe('a participant that has lost its token', () => {
  it('gets a new one of the instructor, in place of the old one, and keeps its node', async () => {
    const { lab, election, ann, node, nodeToken, poll, renew } = await twoParticipants();

    const renewed = await renew(ann.id);
    const token = String(renewed.json.token);

    expect(renewed).toMatchObject({ status: 201, json: { id: ann.id, name: 'Ann' } });
    expect(renewed.headers.get('Cache-Control')).toBe('no-store');
    expect((await lab.ask(ann.token, 'GET', election)).status).toBe(401);
    expect((await poll(token, nodeToken)).status).toBe(200);
    const list = await lab.ask(TOKENS.ida, 'GET', `${election}/participants`);
    expect(list.json.items).toContainEqual(
      expect.objectContaining({ id: ann.id, name: 'Ann', nodeId: node.nodeId }),
    );
  });

  it('loses the sessions and the streams of the old one, and gets a cookie for the new one', async () => {
    const { lab, election, ann, renew } = await twoParticipants();
    const headers = { ...bearer(ann.token), Accept: 'text/event-stream' };
    const stream = await lab.app.request(`${election}/events?follow=true`, { headers });
    const rest = stream.text();
    const signIn = (token: string) =>
      lab.post(
        '/v1/sessions',
        { type: 'token', token, cookie: true },
        { Origin: 'http://localhost' },
      );
    const seen = (cookie: string | null) =>
      lab.call('GET', election, { headers: { Cookie: String(cookie).split(';')[0] ?? '' } });
    const before = (await signIn(ann.token)).headers.get('Set-Cookie');

    const { json } = await renew(ann.id);
    const after = await signIn(String(json.token));

    expect(await rest).toContain('event: done');
    expect((await seen(before)).status).toBe(401);
    expect(after.status).toBe(201);
    expect((await seen(after.headers.get('Set-Cookie'))).status).toBe(200);
  });

  it('gets none of other participants, and none of a participant that does not exist', async () => {
    const { ann, bob, renew } = await twoParticipants();

    expect((await renew(ann.id, bob.token)).status).toBe(403);
    expect((await renew('p_aaaaaaaaaaaaaaaa')).status).toBe(404);
  });

  it('keeps the new one when the server starts again', async () => {
    const data = join(scratchFolder(), 'lab.sqlite');
    const onFault = () => undefined;
    const lab = sharedLab({ logs: openLogs(data, onFault) });
    const election = await lab.made();
    const ann = await lab.enter(await lab.share(election));
    const { json } = await lab.ask(TOKENS.ida, 'POST', `${election}/participants/${ann.id}/token`);
    lab.elections.close();

    const logs = openLogs(data, onFault);
    const { participants } = logs.sharing.read();
    sharedLab({ logs }).elections.close();

    expect(participants.map(({ id }) => id)).toEqual([ann.id]);
    expect(json.token).not.toBe(ann.token);
    expect(participants[0]?.tokenDigest).toBe(digestOfSecret(String(json.token)));
  });
});

describe('a Node-Token', () => {
  it('is not needed by the participant for its own node, and is checked if it is sent', async () => {
    const { ann, poll } = await twoParticipants();

    expect((await poll(ann.token)).status).toBe(200);
    expect((await poll(ann.token, { 'Node-Token': 'wrong' })).status).toBe(401);
    expect((await poll(TOKENS.ida)).status).toBe(401);
  });

  it('suffices for another participant only when that of the node was removed', async () => {
    const { lab, election, ann, bob, nodeToken, poll } = await twoParticipants();

    const before = await poll(bob.token, nodeToken);
    await lab.ask(TOKENS.ida, 'DELETE', `${election}/participants/${ann.id}`);
    const after = await poll(bob.token, nodeToken);

    expect([before.status, after.status]).toEqual([401, 200]);
    expect((await poll(bob.token)).status).toBe(401);
    expect((await poll(bob.token, { 'Node-Token': 'wrong' })).status).toBe(401);
  });
});
