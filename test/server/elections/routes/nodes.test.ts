/**
 * @module
 * The nodes of an election over HTTP, and the members of a request about nodes and network.
 */

import { describe, expect, it } from 'vitest';

import { hexToBytes } from '../../../../src/bytes.ts';
import { createPopulation } from '../../../../src/experiment/runs/inhabitants.ts';
import { checkStatic } from '../../../../src/identity/admit.ts';
import { parseSeed } from '../../../../src/random.ts';
import { policyWith } from '../../../identity/forged-claims.ts';
import { labUnderTest } from '../../lab-under-test.ts';
import { joiningIn } from '../joining.ts';

const lab = labUnderTest();
const { call, post, elections } = lab;
const { linkOf, make, nodesOf } = joiningIn(lab);

/** A policy that requires only a valid key. */
const KEYS_ONLY = { c1: 0 };

describe('GET /v1/elections/{id}/nodes', () => {
  it('lists the nodes by rank, with their keys and leaders', async () => {
    const election = await make({ crash: 'highest', run: true });

    const { nodeIds } = createPopulation({ nodes: 3, seed: parseSeed('1') });
    expect(await nodesOf(election)).toEqual(
      nodeIds.map((nodeId, index) => ({
        ...{ rank: index + 1, nodeId, scheme: 'ed25519' },
        publicKey: expect.stringMatching(/^[0-9a-f]{64}$/),
        ...{ player: 'honest', up: index < 2, follows: index < 2 ? 2 : null },
        ...{ joinedAt: 0, refused: null, participant: null },
        links: { self: `${linkOf(election)}/nodes/${nodeId}`, inbox: null, outbox: null },
      })),
    );
  });

  it('has no keys if IDs are drawn, and has pages', async () => {
    const election = await make({ nodes: 70 });

    const first = await call('GET', `${linkOf(election)}/nodes?pageSize=50`);
    const token = String(first.json.nextPageToken);
    const second = await call('GET', `${linkOf(election)}/nodes?pageSize=50&pageToken=${token}`);

    expect(first.json.items).toHaveLength(50);
    expect(second.json.items).toHaveLength(20);
    expect(second.json).toMatchObject({
      items: [{ rank: 51, scheme: null, publicKey: null }, ...Array(19).fill({})],
      nextPageToken: null,
    });
  });

  it('distinguishes Byzantine from honest nodes, leaves phantoms out, and counts what was refused', async () => {
    const election = await make({
      nodes: 4,
      level: 'L2',
      byzantine: [{ rank: 1, behaviours: ['spoof-coordinator'] }],
      phantoms: [4],
      run: true,
    });

    const nodes = await nodesOf(election);

    expect(nodes.map(({ rank, player }) => [rank, player])).toEqual([
      [1, 'byzantine'],
      [2, 'honest'],
      [3, 'honest'],
    ]);
    expect(nodes[1]?.refused).toMatchObject({ sender: 0, malformed: 0, replay: 0 });
    expect(election.json).toMatchObject({ nodes: 3, ranks: 4, keys: 'symbolic' });
  });
});

describe('POST /v1/elections', () => {
  it('mines the honest nodes under a policy that it names', async () => {
    const election = await make({ nodes: 4, policy: { c1: 6, c2: 4 }, honest: undefined });

    const nodes = await nodesOf(election);
    expect(election.json).toMatchObject({ honest: 'earned', policy: { c1: 6, c2: 4 } });
    for (const { nodeId } of nodes) {
      expect(checkStatic(hexToBytes(nodeId), policyWith({ c1: 6 })).ok).toBe(true);
    }
  });

  it.each([
    [{ nodes: 500, policy: { c1: 12 }, honest: 'earned' }, 'job.size'],
    [{ nodes: 3, policy: { c1: 256 }, honest: undefined }, 'job.size'],
    [{ nodes: 65, policy: KEYS_ONLY, level: 'L2' }, 'job.size'],
    [{ nodes: 64, newcomers: 1, level: 'L3' }, 'job.size'],
    [{ nodes: 100, newcomers: 4 }, 'job.size'],
    [{ newcomers: 9 }, 'schema'],
    [{ honest: 'bought' }, 'schema'],
    [{ policy: { c1: 8, c3: 1 } }, 'schema'],
    [
      { policy: { c1: 8, puzzle: { function: 'scrypt', logN: 15, r: 8, p: 64 } }, honest: 'drawn' },
      'schema',
    ],
    [{ network: { loss: 'most' } }, 'schema'],
    [{ network: { restart: '9@3' } }, 'schema'],
    [{ network: { join: '3@3' } }, 'schema'],
    [{ network: { loss: ['5%', 'most'] } }, 'schema'],
    [{ network: { slowdown: '100000' } }, 'job.size'],
    [{ byzantine: [{ rank: 1, behaviours: ['lie'] }] }, 'schema'],
    [{ byzantine: [{ rank: 9, behaviours: ['swallow'] }] }, 'arguments'],
    [{ byzantine: [{ rank: 1, behaviours: ['phantom-id'] }] }, 'arguments'],
  ])('refuses %j as %s', async (members, code) => {
    const kept = elections.kept;

    const answer = await make(members);

    expect(answer).toMatchObject({ status: 400, json: { code } });
    expect(elections.kept).toBe(kept);
  });

  it('accepts faults of the network in the form of threat models', async () => {
    const partition = ['halves@50-60', 'minority@70-80'];
    const network = { loss: '100%@0-1', restart: '3@40', duplicate: '10%', partition };
    const election = await make({ network, crash: [{ rank: 3, at: 9 }], run: true });

    expect(election.json.network).toEqual(network);
    // No message in flight at the end of the first tick arrived.
    expect((await nodesOf(election)).map(({ up }) => up)).toEqual([true, true, true]);
  });

  it('lists every message and every copy of one once, in pages', async () => {
    const election = await make({ network: { duplicate: '100%' }, latency: 'uniform:1:9' });
    await post(`${linkOf(election)}/actions`, { type: 'start' });

    const ids: number[] = [];
    let next = '';
    do {
      const { json } = await call('GET', `${linkOf(election)}/messages?pageSize=2${next}`);
      // The call has checked the answer against the schema.
      ids.push(...(json.items as { readonly id: number }[]).map(({ id }) => id));
      next = json.nextPageToken === null ? '' : `&pageToken=${json.nextPageToken}`;
    } while (next !== '');

    const { json } = await call('GET', linkOf(election));
    expect(ids.some((id) => id < 0)).toBe(true);
    expect(ids).toHaveLength(Number(json.inFlight));
    expect(ids).toEqual([...new Set(ids)].toSorted((one, other) => one - other));
  });

  it('gives the nodes of a request their ranks, if ranks are kept for newcomers', async () => {
    const election = await make({
      newcomers: 2,
      crash: [{ rank: 3 }],
      initiators: [1],
      network: { pause: '2@1-5' },
      run: true,
    });

    expect(election.json).toMatchObject({
      nodes: 3,
      ranks: 11,
      newcomers: 2,
      leader: { rank: 6 },
    });
    expect(election.json.network).toEqual({ pause: '6@1-5' });
    expect(await nodesOf(election)).toMatchObject([
      { rank: 3, up: true },
      { rank: 6, up: true },
      { rank: 9, up: false },
    ]);
  });
});
