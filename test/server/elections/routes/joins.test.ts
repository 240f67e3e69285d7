/**
 * @module
 * Joining an election with a claim over HTTP. Refusals change nothing.
 */

import { join } from 'node:path';

import { ed25519 } from '@noble/curves/ed25519.js';
import { describe, expect, it } from 'vitest';

import { replayed } from '../../../../server/elections/live/live-election.ts';
import type { ElectionPlan } from '../../../../server/elections/live/plan.ts';
import { EPHEMERAL_LOG } from '../../../../server/elections/storage/log.ts';
import { ElectionStore } from '../../../../server/elections/storage/store.ts';
import { SERVER } from '../../../../server/request/principal.ts';
import { hexToBytes } from '../../../../src/bytes.ts';
import type { Claim } from '../../../../src/identity/claim.ts';
import { claimToJson } from '../../../../src/identity/claim.ts';
import { STRICT_POLICY } from '../../../../src/identity/policy.ts';
import { parseSeed } from '../../../../src/random.ts';
import { scratchFolder } from '../../../cli/shell.ts';
import {
  claimOfSibling,
  claimUnder,
  honestClaim,
  policyWith,
  SEED,
  torsionPoints,
  UNIVERSAL_SIGNATURE,
} from '../../../identity/forged-claims.ts';
import smallOrder from '../../../vectors/derived/ed25519_small_order_public_keys.json' with {
  type: 'json',
};
import { labUnderTest } from '../../lab-under-test.ts';
import { storedElection } from '../../store/store-files.ts';
import { joiningIn, minedIdentities, minedIdentity, policyOfJson } from '../joining.ts';
import { openElectionLog } from '../opened-log.ts';

const lab = labUnderTest();
const { call, post, faults } = lab;
const { linkOf, make, enter, act, nodesOf } = joiningIn(lab);

/** A policy that requires only a valid key. */
const KEYS_ONLY = { c1: 0 };
const newcomers = minedIdentities(STRICT_POLICY, {
  seed: '99',
  goal: { type: 'count', identities: 6 },
});
const claims = newcomers.map(({ claim }) => claim);

describe('POST /v1/elections/{id}/nodes', () => {
  it('admits a valid claim before the first action, and moves the nodes above it up', async () => {
    const election = await make({ policy: KEYS_ONLY });
    const before = await nodesOf(election);
    const [claim] = claims;

    const joined = await enter(election, claim, { waitMs: 0 });

    const nodes = await nodesOf(election);
    const nodeId = String(claim?.nodeId);
    const mine = nodes.find((node) => node.nodeId === nodeId);
    expect(joined).toMatchObject({
      status: 201,
      json: { rank: mine?.rank, nodeId, waitMs: 0 },
    });
    expect(joined.json.token).toMatch(/^[\w-]{43}$/);
    const self = `${linkOf(election)}/nodes/${nodeId}`;
    expect(joined.headers.get('Location')).toBe(self);
    expect(joined.json.links).toEqual({ self, inbox: `${self}/inbox`, outbox: `${self}/outbox` });
    expect((await call('GET', self)).json).toMatchObject({ nodeId, links: joined.json.links });
    expect(joined.headers.get('Cache-Control')).toBe('no-store');
    expect(mine).toMatchObject({ player: 'outside', up: true, publicKey: claim?.publicKey });
    const ids = [...before.map((node) => node.nodeId), nodeId].sort();
    expect(nodes.map((node) => [node.rank, node.nodeId])).toEqual(
      ids.map((each, index) => [index + 1, each]),
    );
    expect((await call('GET', linkOf(election))).json).toMatchObject({
      status: 'created',
      nodes: 4,
    });
  });

  it('keeps the ranks of a request with the nodes that it meant', async () => {
    const election = await make({
      policy: KEYS_ONLY,
      ring: [2, 3, 1],
      protocol: 'cr-join',
      crash: [{ rank: 1 }],
      initiators: [2],
    });
    const [lowest] = await nodesOf(election);

    for (const claim of claims) await enter(election, claim, { waitMs: 0 });

    const nodes = await nodesOf(election);
    expect(nodes).toHaveLength(9);
    expect(nodes.filter(({ up }) => up === false).map(({ nodeId }) => nodeId)).toEqual([
      lowest?.nodeId,
    ]);
    const started = await act(election, { type: 'start' });
    expect(started.json).toMatchObject({ inFlight: 1 });
  });

  it('admits one of fifty equal claims at once', async () => {
    const election = await make({ policy: KEYS_ONLY });

    const answers = await Promise.all(Array.from({ length: 50 }, () => enter(election, claims[0])));

    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array(49).fill(409)]);
    expect(answers.filter(({ json }) => json.code === 'id.exists')).toHaveLength(49);
    expect(await nodesOf(election)).toHaveLength(4);
  });

  it('admits no late node if no rank was kept', async () => {
    const election = await make({ policy: KEYS_ONLY });
    await act(election, { type: 'start' });

    const late = await enter(election, claims[0]);

    expect(late).toMatchObject({ status: 409, json: { code: 'election.closed' } });
    expect(await nodesOf(election)).toHaveLength(3);
  });

  it('gives a late node a rank between its neighbours, until the kept ranks are taken', async () => {
    const election = await make({ policy: KEYS_ONLY, newcomers: 2, run: true });
    const time = Number(election.json.time);

    const first = await enter(election, claims[0], { waitMs: 0 });
    const again = await enter(election, claims[0], { waitMs: 0 });
    const second = await enter(election, claims[1], { waitMs: 0 });
    const third = await enter(election, claims[2], { waitMs: 0 });

    expect([first.status, again.status, second.status, third.status]).toEqual([201, 409, 201, 409]);
    expect([again.json.code, third.json.code]).toEqual(['id.exists', 'election.closed']);
    const nodes = await nodesOf(election);
    expect(nodes.map(({ nodeId }) => nodeId)).toEqual(nodes.map(({ nodeId }) => nodeId).sort());
    const outside = nodes.filter(({ player }) => player === 'outside');
    expect(outside.map(({ joinedAt, up }) => [joinedAt, up])).toEqual(Array(2).fill([time, true]));
    expect((await call('GET', linkOf(election))).json).toMatchObject({ nodes: 5, newcomers: 0 });
  });

  it('appears in events and trace, whenever the node joined', async () => {
    const election = await make({ policy: KEYS_ONLY, newcomers: 1 });
    const lines = async (what: string) => {
      const headers = { Accept: 'application/jsonl' };
      const answer = await lab.app.request(`${linkOf(election)}/${what}`, { headers });
      return (await answer.text()).trimEnd().split('\n');
    };
    await enter(election, claims[0], { waitMs: 0 });
    await act(election, { type: 'start' });
    await act(election, { type: 'advance', until: 'idle' });
    const before = (await lines('events')).slice(0, -1);
    const late = await enter(election, claims[1], { waitMs: 0 });
    await act(election, { type: 'advance', until: 'idle' });

    const after = (await lines('events')).slice(0, -1);

    expect(late.status).toBe(201);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.slice(before.length).join()).toContain('node.joined');
    expect(await lines('trace')).toHaveLength(after.length + 1);
  });

  it('requires the work of the policy, and reports the missing bits', async () => {
    const policy = { c1: 4, c2: 3 };
    const election = await make({ policy, honest: 'drawn' });
    const good = minedIdentity(policyOfJson(policy), { seed: '5' });
    const weak = minedIdentity(policyOfJson({ c2: 3 }), { seed: '6' });
    const stale = minedIdentity(policyOfJson({ ...policy, epoch: 1 }), { seed: '5' });

    const refused = await enter(election, weak.claim);
    const other = await enter(election, stale.claim);
    const joined = await enter(election, good.claim);

    expect(refused).toMatchObject({
      status: 422,
      json: {
        ...{ code: 'claim.refused', check: 'static', refusal: 'pow.insufficient' },
        ...{ requiredBits: 4, measuredBits: expect.any(Number) },
      },
    });
    expect(other).toMatchObject({ status: 422, json: { code: 'claim.refused' } });
    expect(joined.status).toBe(201);
  });

  it('uses real keys as soon as a node joins an election with signed messages, up to a limit', async () => {
    const small = await make({ level: 'L3', honest: 'drawn' });
    const large = await make({ level: 'L3', nodes: 64 });
    // The policy of this server if a request names none.
    const { claim } = minedIdentity(policyWith({ c1: 2 }), { seed: '8' });

    expect(small.json).toMatchObject({ keys: 'symbolic', name: '1' });
    expect((await enter(small, claim)).status).toBe(201);
    expect((await call('GET', linkOf(small))).json).toMatchObject({
      keys: 'real',
      name: small.json.id,
    });
    expect(await enter(large, claim)).toMatchObject({ status: 400, json: { code: 'job.size' } });
    expect((await call('GET', linkOf(large))).json).toMatchObject({ keys: 'symbolic', nodes: 64 });
  });

  it('is 404 for an election that is gone', async () => {
    const election = await make({ policy: KEYS_ONLY });
    await call('DELETE', linkOf(election));

    expect((await enter(election, claims[0])).status).toBe(404);
    expect((await call('GET', `${linkOf(election)}/nodes`)).status).toBe(404);
  });

  it('has no faults', () => {
    expect(faults).toEqual([]);
  });
});

describe('claims that are refused', () => {
  const siblings = torsionPoints()
    .slice(1)
    .map((point) => {
      const own = ed25519.Point.fromBytes(honestClaim('ed25519').publicKey);
      return claimOfSibling(own.add(point).toBytes(), SEED);
    });
  const honest = honestClaim('ed25519');
  const lastBit = (bytes: Uint8Array) =>
    bytes.map((byte, index) => (index === bytes.length - 1 ? byte ^ 1 : byte));
  const otherSeed = SEED.map((byte) => byte ^ 1);
  const forged: readonly (readonly [string, Claim, string])[] = [
    ...smallOrder.keys.map(({ encoding, order }) => {
      const claim = claimUnder('ed25519', hexToBytes(encoding), UNIVERSAL_SIGNATURE);
      return [
        `a key of order ${order}, ${encoding.slice(0, 8)}`,
        claim,
        'key.small_order',
      ] as const;
    }),
    ...siblings.map((claim, index) => {
      return [`torsion sibling ${index + 1}`, claim, 'key.not_torsion_free'] as const;
    }),
    ['an ID with another last bit', { ...honest, nodeId: lastBit(honest.nodeId) }, 'id.mismatch'],
    ['an ID cut short', { ...honest, nodeId: honest.nodeId.slice(0, 20) }, 'id.mismatch'],
    [
      'a signature with a flipped last bit',
      { ...honest, signature: lastBit(honest.signature) },
      'signature.invalid',
    ],
    [
      'a signature by another key',
      { ...honest, signature: honestClaim('ed25519', { seed: otherSeed }).signature },
      'signature.invalid',
    ],
    [
      'a signature for another network',
      honestClaim('ed25519', { policy: policyWith({ context: 'other' }) }),
      'signature.invalid',
    ],
    ['a key of the other scheme', { ...honest, scheme: 'secp256k1' }, 'key.encoding'],
  ];

  it.each(forged)('%s is 422', async (_name, claim, refusal) => {
    const election = await make({ policy: KEYS_ONLY });

    const answer = await enter(election, claimToJson(claim));

    expect(answer).toMatchObject({ status: 422, json: { code: 'claim.refused', refusal } });
    expect(await nodesOf(election)).toHaveLength(3);
    await call('DELETE', linkOf(election));
  });

  it.each([
    ['a lower policy in the body', { claim: claims[0], policy: { c1: 0 } }],
    ['a target in the body', { claim: claims[0], c1: 0 }],
    ['a rank of its choice', { claim: claims[0], rank: 9 }],
    ['a token of its choice', { claim: claims[0], token: 'mine', tokenDigest: '00' }],
    ['a player of its choice', { claim: { ...claims[0], player: 'honest' } }],
    ['a wait without end', { claim: claims[0], waitMs: 30_001 }],
    ['capital hex', { claim: { ...claims[0], nodeId: claims[0]?.nodeId.toUpperCase() } }],
    ['no claim', {}],
  ])('%s is 400', async (_name, body) => {
    const election = await make({ policy: KEYS_ONLY });

    const answer = await post(`${linkOf(election)}/nodes`, body);

    expect(answer).toMatchObject({ status: 400, json: { code: 'schema' } });
    expect(await nodesOf(election)).toHaveLength(3);
    await call('DELETE', linkOf(election));
  });

  it('admits claims that a policy without checks admits, with IDs of one length', async () => {
    const checks = { nodeId: false, encoding: false, smallOrder: false, torsion: false };
    const election = await make({ policy: { checks }, honest: 'drawn' });
    const [key] = smallOrder.keys;
    const claim = claimUnder('ed25519', hexToBytes(String(key?.encoding)), UNIVERSAL_SIGNATURE);

    const short = await enter(election, claimToJson({ ...claim, nodeId: claim.nodeId.slice(1) }));
    const joined = await enter(election, claimToJson(claim));

    expect(short).toMatchObject({ status: 422, json: { refusal: 'id.mismatch' } });
    expect(joined.status).toBe(201);
  });
});

describe('elections that were stored before nodes could join', () => {
  it('are as they were, and admit claims without work', async () => {
    const options = { protocol: 'bully-oneshot', nodes: 3, seed: parseSeed('1') } as const;
    const plan = { options, initiators: undefined, runs: false };
    const read = () => [storedElection('e_old', { plan, actions: [] })];
    const store = new ElectionStore({ ...EPHEMERAL_LOG, read });
    store.open();
    await store.restoreAll();
    const [claim] = claims;
    if (claim === undefined) throw new TypeError('"claim" expected one, got none');

    await store.act(
      'e_old',
      { type: 'join', claim, waitMs: 0, tokenDigest: '00'.repeat(32) },
      { principal: SERVER },
    );

    const { stage, plan: played } = store.get('e_old', SERVER);
    expect(played.nodes).toBe(4);
    expect(stage.roster.nodes.map(({ rank }) => rank)).toEqual([1, 2, 3, 4]);
    expect(stage.roster.nodeWithId(claim.nodeId)?.joined).toMatchObject({ claim });
  });
});

describe('nodes that joined', () => {
  const joins = async (store: ElectionStore, id: string) => {
    for (const [index, claim] of claims.entries()) {
      if (index === 2) await store.act(id, { type: 'start' }, { principal: SERVER });
      const tokenDigest = String(index).repeat(64);
      const action = { type: 'join', claim, waitMs: 0, tokenDigest } as const;
      await store.act(id, action, { principal: SERVER }).catch(() => undefined);
    }
    await store.act(id, { type: 'advance', until: 'idle', events: 40 }, { principal: SERVER });
  };
  const plan: ElectionPlan = {
    options: { protocol: 'bully-oneshot', nodes: 2, seed: parseSeed('3') },
    initiators: [1],
    runs: false,
    newcomers: 3,
    policy: STRICT_POLICY,
    keys: 'real',
  };

  it('exist after a restart and in copies, with their tokens, at every level', async () => {
    const path = join(scratchFolder(), 'lab.sqlite');
    const store = new ElectionStore(openElectionLog(path));
    const stands = (of: ElectionStore, id: string) => {
      const election = of.get(id, SERVER);
      const { nodes: members } = election.stage.roster;
      return {
        members,
        nodes: election.stage.simulation.nodes(),
        status: election.status(),
        name: election.name,
      };
    };
    const ids: string[] = [];
    for (const level of [undefined, 'L3'] as const) {
      const honest = level === undefined ? 'earned' : 'drawn';
      const created: ElectionPlan = { ...plan, honest, options: { ...plan.options, level } };
      const election = await store.create(created, SERVER);
      await joins(store, election.id);
      ids.push(election.id, (await store.fork(election.id, undefined, SERVER)).id);
    }
    const before = ids.map((id) => stands(store, id));
    const replays = await Promise.all(
      ids.map((id) => replayed(store.get(id, SERVER).history, 10_000, SERVER)),
    );
    store.close();

    const restored = new ElectionStore(openElectionLog(path));
    restored.open();
    await restored.restoreAll();

    const after = ids.map((id) => stands(restored, id));
    restored.close();
    expect(after).toEqual(before);
    expect(before[0]?.members).toHaveLength(2 + 2 + 3);
    expect(before[1]).toEqual(before[0]);
    expect(before[3]).toEqual(before[2]);
    expect(before[3]?.name).toBe(ids[2]);
    expect(replays.map((simulation) => simulation.nodes())).toEqual(
      before.map(({ nodes }) => nodes),
    );
  });
});
