/**
 * @module
 * What a failure of the leader costs, against the formulas of textbooks and lectures: n nodes with ranks 1 to n, of
 * which n is down, and node 1 notices it, or the node of a ring that is farthest before the next leader.
 */

import { describe, expect, it } from 'vitest';
import { defenceCosts, electionCost } from '../../../src/experiment/cost/election-cost.ts';
import { applySettings, readSetting } from '../../../src/experiment/reading/settings.ts';
import { findInCatalogue } from '../../../src/runtime/files/catalogue.ts';

const BASE = await findInCatalogue('partition-bully');

function modelOf(protocol: string, nodes: number, ...sets: readonly string[]) {
  const own = [`network.honest=${nodes}`, `network.election.protocols=[${protocol}]`];
  return applySettings(BASE, [...own, ...sets].map(readSetting));
}

describe('a crash of the leader that one node notices', () => {
  // Messages to dead nodes count. A ring has n − 1 live members m, and its announcement takes one more lap.
  it.each([
    ['bully-oneshot', (n: number) => n * n - n - 1],
    ['bully-2phase', (n: number) => n * n - n - 1 + 2 * (n - 2)],
    ['bully-improved', (n: number) => n - 2 + 1],
    ['bully-modified', (n: number) => 3 * n - 4],
    ['ring-lelann', (n: number) => (n - 1) ** 2],
    ['ring-collect', (n: number) => 2 * (n - 1)],
    ['ring-maxtoken', (n: number) => 2 * (n - 1)],
    ['cr-replace', (n: number) => n - 1 + (n - 2) + (n - 1)],
    ['cr-always', (n: number) => n - 1 + (n - 2) + (n - 1)],
    ['ring-attr', (n: number) => n - 1 + (n - 2) + (n - 1)],
  ] as const)('costs %s as many messages as its formula says', (protocol, formula) => {
    for (const latency of ['1', 'uniform:1:2']) {
      for (const nodes of [3, 4, 7, 10, 23, 50]) {
        const set = `network.election.latency="${latency}"`;
        const cost = electionCost(modelOf(protocol, nodes, set), protocol, {
          runs: 2,
          messages: 1e4,
        });

        const { messages, noticedBy } = cost;
        expect({ nodes, latency, noticedBy, messages }).toEqual({
          ...{ nodes, latency, noticedBy: 'one node', messages: formula(nodes) },
        });
      }
    }
  });

  it('is stated with its initiator and latency, and apart from a cold start', () => {
    const cost = electionCost(modelOf('bully-oneshot', 50), 'bully-oneshot', {
      runs: 1,
      messages: 1,
    });

    expect(cost).toMatchObject({ initiators: 'node 1, the worst of 49', latency: 'uniform:1:2' });
    // In the cold start the count until rest was given as the cost of an election.
    expect(cost.messages).toBe(2449);
    expect(cost.coldStart.messages).toBeLessThan(4000);
    expect(cost.coldStart.messagesToRest).toBeGreaterThan(50_000);
  });
});

describe('a crash of the leader that a protocol notices itself', () => {
  // n − 1 requests, n − 2 votes, n − 1 heartbeats and n − 2 answers to the first ones, if one node stands.
  it.each([4, 5, 8, 20])('costs raft 4n − 6 messages if one of %i nodes stands first', (nodes) => {
    const sets = ['network.election.latency=1', 'network.election.flags=[spreadTicks=5000]'];
    const model = modelOf('raft', nodes, ...sets, 'network.election.ticks=60000');

    const cost = electionCost(model, 'raft');

    expect(cost).toMatchObject({ noticedBy: 'time-outs', agreed: 5, messages: 4 * nodes - 6 });
    expect(cost.messagesPer100Ticks).toBeGreaterThan(0);
  });

  it('includes the messages of detectors on the nodes', () => {
    const detecting = ['network.election.detector=fd-heartbeat', 'network.election.latency=1'];
    const cost = electionCost(modelOf('bully-oneshot', 6, ...detecting), 'bully-oneshot');

    expect(cost).toMatchObject({ noticedBy: 'detector', agreed: 5 });
    expect(cost.messages).toBeGreaterThan(6 * 6 - 6 - 1);
  });
});

describe('a cold start', () => {
  // The means of docs/protocols.md at latency uniform:1:2. They grow as n³.
  it.each([
    [10, 332, 40],
    [20, 3080, 20],
    [40, 25_900, 12],
  ])('of bully-oneshot with %i nodes sends about %i messages until rest', (nodes, about, runs) => {
    const limit = { runs, messages: Number.POSITIVE_INFINITY };
    const { coldStart } = electionCost(modelOf('bully-oneshot', nodes), 'bully-oneshot', limit);

    // Four standard errors of the mean.
    expect(Math.abs((coldStart.messagesToRest ?? 0) / about - 1)).toBeLessThan(0.2);
  });
});

describe('what a defence adds', () => {
  it('is asked of the same failure', () => {
    const sets = ['network.election.defences=[incumbency]', 'network.election.level=L0'];
    const model = modelOf('bully-oneshot', 8, ...sets);

    expect(defenceCosts(model)).toMatchObject([{ defence: 'incumbency', messages: 0 }]);
  });
});
