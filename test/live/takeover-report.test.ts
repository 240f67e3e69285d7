/**
 * @module
 * What a controller notes while nodes run: changes of the leaders, the harm that honest nodes suffer, observations of an
 * adversary, and writes to a resource.
 */

import { describe, expect, it } from 'vitest';

import type { BehaviourName } from '../../src/adversary/behaviours/registry.ts';
import { conditionsText, statesText, takeoverText } from '../../src/cli/live/state-text.ts';
import type { Message, Rank } from '../../src/election/machine.ts';
import type { EffectRecord } from '../../src/election/world/effect-record.ts';
import type { Cluster } from '../../src/live/cluster/cluster.ts';
import { clusterPolicy } from '../../src/live/cluster/cluster-files.ts';
import type { ClusterSession } from '../../src/live/cluster/cluster-session.ts';
import type { LeaderChange } from '../../src/live/cluster/leader-watch.ts';
import { LeaderWatch, WriteCounts } from '../../src/live/cluster/leader-watch.ts';
import type { Led } from '../../src/live/cluster/node-state.ts';
import { nodeState } from '../../src/live/cluster/node-state.ts';
import { harmsIn, Observer, takeOver } from '../../src/live/cluster/takeover.ts';
import type { LiveEvent, LiveRecord } from '../../src/live/node-record.ts';
import { parseSeed } from '../../src/random.ts';

const [ONE, TWO, PHANTOM] = ['a1', 'b2', 'ff'] as string[] as [Rank, Rank, Rank]; // Ranks in hex.

function record(t: number, event: LiveEvent, effects: readonly EffectRecord[] = []): LiveRecord {
  return { t, event, effects, clock: {} };
}

function electing(t: number, leader: Rank): LiveRecord {
  return record(t, { type: 'timeout', timer: 'x' }, [{ type: 'elect', leader, epoch: 0 }]);
}

/** What a takeover uses of a cluster. */
type ClusterMember =
  | ('awake' | 'followed' | 'followedRank' | 'isDown' | 'leader')
  | ('nodes' | 'numberOf' | 'rankOf' | 'refused');

const isNode = (rank: string) => rank !== PHANTOM;

describe('the faults in force', () => {
  it('are the partition and the skewed clocks, too', () => {
    const states = [1, 2].map((node) => {
      const idle = { leader: null, phantom: null, epoch: 0, suspects: [], refused: {} };
      return { ...idle, node, status: 'up', rate: node === 2 ? 1.5 : 1 } as const;
    });
    const cluster: Pick<Cluster, 'states' | 'division' | 'doomed' | 'chances'> = {
      ...{
        states: () => states,
        doomed: [[1, 'after-persist']],
        division: {
          sides: [
            [1, 2],
            [2, 3],
          ],
        },
      },
      chances: new Map([['lose', { share: 0, seed: parseSeed('7') }]]),
    };
    // It has all that the text uses.
    const session = { cluster, namespaces: null } as unknown as ClusterSession;

    expect(conditionsText(session)).toEqual([
      'partition 1,2 2,3',
      'skew 2 1.5',
      'die-at 1 after-persist',
    ]);
  });
});

describe('changes of the leaders', () => {
  it('are noted once each, with the time since the start and who led before', () => {
    const changes: LeaderChange[] = [];
    let now = 500;
    const watch = new LeaderWatch(
      now,
      () => now,
      (change) => changes.push(change),
    );
    const look = (ms: number, led: readonly Led[]) => {
      now = 500 + ms;
      watch.look({ leading: () => led });
    };
    const [old, newer] = [
      { node: 3, epoch: 1 },
      { node: 2, epoch: 2 },
    ];

    look(100, []);
    look(200, [old]);
    look(300, [old]);
    look(1_250, []);
    look(1_400, [newer]);
    watch.end();
    look(1_500, []);

    expect(changes).toEqual([
      { seconds: 0.2, before: [], after: [old] },
      { seconds: 1.25, before: [old], after: [] },
      { seconds: 1.4, before: [], after: [newer] },
    ]);
  });
});

describe('the harm of an attack', () => {
  const honest = {
    followed: new Map([
      [1, TWO],
      [2, TWO],
    ]) as ReadonlyMap<number, string>,
    rankOf: (node: number) => String(node === 1 ? ONE : TWO),
    isNode,
  };

  it('is for how long honest nodes followed different leaders, several of them led, or none', () => {
    const stepDown: EffectRecord = { type: 'step-down' };
    const records = [
      { node: 1, record: electing(100, ONE) },
      // Reports come in any order.
      { node: 2, record: record(700, { type: 'timeout', timer: 'x' }, [stepDown]) },
      { node: 1, record: electing(300, TWO) },
      { node: 2, record: electing(900, TWO) },
      // The adversary says what it wants.
      { node: 3, record: electing(200, PHANTOM) },
    ];

    expect(harmsIn(records, honest, [0, 1_000])).toEqual({
      ...{ split: 0.2, twoLeaders: 0.2, leaderless: 0.2, phantom: 0, lasting: [] },
    });
  });

  it('that is there at the end lasts', () => {
    const records = [{ node: 1, record: electing(400, PHANTOM) }];

    const harms = harmsIn(records, honest, [0, 1_000]);

    expect(harms).toMatchObject({ split: 0.6, phantom: 0.6, leaderless: 0 });
    expect(harms.lasting).toEqual(['split', 'phantom']);
  });
});

describe('the state of a node', () => {
  const idle = { isPaused: false, epoch: 0, refused: {}, suspects: new Set(''), rate: 1 };
  const seen = { ...idle, rank: String(ONE) };
  const numbers = new Map([
    [String(ONE), 1],
    [String(TWO), 2],
  ]);
  const long = 'f'.repeat(64);

  it.each([
    [null, { leader: null, phantom: null }, '1 follows no leader'],
    [String(TWO), { leader: 2, phantom: null }, '1 follows 2'],
    [long, { leader: null, phantom: long }, `1 follows an unknown node (rank ffffffffffff…)`],
    ['\u001b', { leader: null, phantom: '\u001b' }, '1 follows an unknown node (rank \\u001b)'],
  ])('that follows %j shows the leader, or the rank of the phantom', (leader, followed, text) => {
    const state = nodeState(1, { ...seen, leader }, numbers);

    expect(state).toMatchObject({ status: 'up', ...followed });
    expect(statesText({ states: () => [state] })).toBe(text);
  });

  it('that suspects the leader that it follows says so', () => {
    const suspecting = { ...seen, leader: String(TWO), suspects: new Set([String(TWO)]) };

    const state = nodeState(1, suspecting, numbers);

    expect(statesText({ states: () => [state] })).toBe('1 follows 2 (suspects it)');
  });
});

interface TriedTakeover {
  readonly protocol: 'bully-oneshot' | 'raft';
  readonly leaderRank: string;
  readonly behaviours: readonly BehaviourName[];
  readonly refused?: Cluster['refused'];
}

/** A takeover of a cluster of one node, which keeps its leader. */
function triedTakeover({ protocol, leaderRank, behaviours, refused = () => ({}) }: TriedTakeover) {
  const policy = clusterPolicy({ c1: 0, c2: 0 });
  const cluster: Pick<Cluster, ClusterMember> = {
    ...{ leader: () => 1, rankOf: (node) => (node === 1 ? leaderRank : String(TWO)) },
    ...{ awake: () => [1], nodes: () => [1, 2], isDown: () => true, numberOf: () => 1 },
    ...{ followedRank: () => leaderRank, followed: () => [{ node: 1, leader: 1, epoch: 0 }] },
    refused,
  };
  const settings = {
    ...{ protocol, level: 'L2', defences: [], c1: 0, c2: 0, tls: true },
    ...{ nodes: 1, detector: 'fd-phi-akka', timing: { latencyTicksMax: 1 } },
  } as const;
  const session = {
    ...{ settings, policy, founders: { peers: [] }, cluster, join: async () => 2, startedMs: 0 },
    options: { threads: 1, signal: new AbortController().signal },
  };
  return takeOver(
    session as unknown as ClusterSession, // It has all that a takeover uses.
    new Observer(),
    { budget: { attempts: 64 }, behaviours, onProgress: () => undefined },
  );
}

const [LOWEST, HIGHEST] = ['00'.repeat(32), 'ff'.repeat(32)] as const;

describe('the ID of an adversary', () => {
  it.each([[[]], [['equivocate']], [['equivocate', 'phantom-id']], [['flap']]] as const)(
    'is above that of the leader with the behaviours %j',
    async (behaviours) => {
      const run = { protocol: 'bully-oneshot', leaderRank: HIGHEST, behaviours } as const;

      const { outcome, ledger } = await triedTakeover(run);

      expect([outcome, ledger.attempts]).toEqual(['not-found', 64]);
    },
  );

  it('is any in a protocol that can elect any node, which the report says', async () => {
    const run = { protocol: 'raft', leaderRank: HIGHEST, behaviours: ['equivocate'] } as const;

    const { outcome, ledger, refusedBy } = await triedTakeover(run);

    expect([outcome, ledger.attempts]).toEqual(['refused', 1]);
    expect(refusedBy).toEqual(['raft: in it a higher ID does not help to lead']);
  });
});

describe('the causes of a refusal', () => {
  it('say that a behaviour which nothing refused does not aim to lead', async () => {
    const run = { protocol: 'bully-oneshot', leaderRank: LOWEST } as const;

    const equivocating = await triedTakeover({ ...run, behaviours: ['equivocate'] });
    const honest = await triedTakeover({ ...run, behaviours: [] });

    expect(equivocating.refusedBy).toEqual([
      'nothing refused it, but equivocate does not aim to lead',
    ]);
    expect(honest.refusedBy).toEqual(['unknown: nothing refused it']);
    expect(takeoverText(equivocating)).toContain(
      'why not         nothing refused it, but equivocate does not aim to lead',
    );
  });

  it('are a level only for what the level has refused', async () => {
    let asked = 0;
    const refused: Cluster['refused'] = (which) => {
      asked += 1;
      if (asked <= 2) return {};
      return which === 'unseen' ? { sender: 5, flood: 1 } : { sender: 7, flood: 1, candidacy: 3 };
    };
    const run = { protocol: 'bully-oneshot', leaderRank: LOWEST, behaviours: [] } as const;

    const { outcome, refusedBy } = await triedTakeover({ ...run, refused });

    expect(outcome).toBe('refused');
    expect(refusedBy).toEqual([
      'level L2: 2 messages refused (sender)',
      'level L2: 3 messages refused (candidacy)',
      'limits of each connection: 1 message refused (flood)',
    ]);
  });
});

describe('observations of an adversary', () => {
  it('of one kind are one with a count and the first time, from the begin of an attack on', () => {
    const observer = new Observer();
    const message = { type: 'COORDINATOR' };
    const hearing = (t: number) =>
      record(t, { type: 'deliver', from: TWO, id: 0, message }, [
        { type: 'elect', leader: PHANTOM, epoch: 0 },
      ]);
    observer.note(1, hearing(1));
    observer.begin();
    for (const t of [2_000, 3_000, 4_000]) observer.note(1, hearing(t));
    observer.end();
    observer.note(1, hearing(5_000));

    expect(observer.about(2, String(TWO), { startedMs: 1_000, isNode })).toEqual([
      { node: 1, what: 'receives COORDINATOR', seconds: 1, count: 3 },
      { node: 1, what: 'follows a node that does not exist', seconds: 1, count: 3 },
    ]);
  });

  it('are in the order of time, whatever the order of the reports', () => {
    const observer = new Observer();
    observer.begin();
    const joining = (node: number, t: number) =>
      observer.note(node, record(t, { type: 'join', node: TWO }));
    joining(3, 2_500);
    joining(1, 2_300);
    joining(4, 2_300);
    observer.note(1, record(2_600, { type: 'suspect', node: TWO }));

    const observations = observer.about(2, String(TWO), { startedMs: 2_000, isNode });

    expect(observations.map(({ node, what, seconds }) => [seconds, node, what])).toEqual([
      [0.3, 1, 'admits it'],
      [0.3, 4, 'admits it'],
      [0.5, 3, 'admits it'],
      [0.6, 1, 'suspects it'],
    ]);
  });
});

describe('writes to a resource', () => {
  it('are counted, and late ones apart', () => {
    const counts = new WriteCounts();
    const answered = (value: Message, revision: number, wrote = true) =>
      counts.note(record(1, { type: 'reply', value, mark: { call: 0, revision, wrote } }));
    const written = (epoch: number, value: number): Message =>
      Object.assign({ type: 'WRITTEN' }, { epoch, value });

    answered(written(1, 1), 1);
    answered(written(2, 1), 3);
    // The node was paused. The store has accepted its write before that of the other leader.
    answered(written(1, 2), 2);
    answered(written(1, 3), 4);
    // A copy of a write has no effect.
    answered(written(1, 3), 4, false);
    answered(Object.assign({ type: 'REFUSED' }, { epoch: 1, reason: 'stale', max: 2 }), 4, false);
    answered(Object.assign({ type: 'ROW' }, { row: null }), 5, false);

    expect(counts).toMatchObject({ accepted: 5, lateWrites: 1, staleRefused: 1 });
  });
});
