/**
 * @module
 * The four properties, each at the edge between kept and broken, each with its witness.
 */

import { describe, expect, it } from 'vitest';

import type { Aim, NodeView, PropertyName } from '../../src/election/properties.ts';
import {
  createObservations,
  judge,
  noteEpoch,
  noteLeads,
  noteYields,
  PROPERTY_NAMES,
} from '../../src/election/properties.ts';

/** The leader of each of the nodes 1..: a rank, null for none, `down`. */
type Scene = readonly (number | null | 'down')[];

function viewOf(scene: Scene): NodeView[] {
  return scene.map((leader, index) => ({
    rank: index + 1,
    up: leader !== 'down',
    leader: leader === 'down' ? null : leader,
  }));
}

function judgeScene(scene: Scene, settled = true) {
  const observations = createObservations();
  for (const [index, leader] of scene.entries()) {
    if (leader === index + 1) noteLeads(observations, { rank: index + 1, moment: 7 });
  }
  return judge(observations, viewOf(scene), settled);
}

function brokenIn(scene: Scene): PropertyName[] {
  const { properties } = judgeScene(scene);
  return PROPERTY_NAMES.filter((name) => properties[name].value === 'false');
}

describe('a run at rest', () => {
  it.each<{ scene: Scene; broken: PropertyName[]; reason: string }>([
    { scene: [3, 3, 3], broken: [], reason: 'all 3 live nodes follow 3, the highest of them' },
    { scene: [2, 2, 'down'], broken: [], reason: 'all 2 live nodes follow 2, the highest of them' },
    { scene: [1], broken: [], reason: 'all 1 live nodes follow 1, the highest of them' },
    {
      scene: [null, null, null],
      broken: ['termination'],
      reason: 'no live node follows a leader',
    },
    { scene: [3, null, 3], broken: ['termination'], reason: '1 of 3 live nodes follow no leader' },
    {
      scene: [3, 3, 'down'],
      broken: ['termination'],
      reason: 'the followed leader 3 is down',
    },
    {
      scene: [2, 2, 2],
      broken: ['highestLiveWins'],
      reason: 'all follow 2, but 3 is up and higher',
    },
    {
      scene: [2, 3, 3],
      broken: ['agreement', 'highestLiveWins'],
      reason: 'live nodes follow different leaders, 2 and 3 among them',
    },
    {
      scene: [2, 2, 3],
      broken: ['agreement', 'uniqueness', 'highestLiveWins'],
      reason: 'nodes 2 and 3 both led at 7',
    },
    {
      scene: [3, 1, 2],
      broken: ['agreement', 'highestLiveWins'],
      reason: 'live nodes follow different leaders, 1 and 3 among them',
    },
    {
      // The last node follows one that is down.
      scene: [2, 2, 'down', 3],
      broken: ['agreement', 'termination', 'highestLiveWins'],
      reason: 'live nodes follow different leaders, 2 and 3 among them',
    },
    {
      // No node has this rank.
      scene: [4, 4, 4],
      broken: ['termination'],
      reason: 'the followed leader 4 is down',
    },
    {
      scene: ['down', 'down'],
      broken: ['termination'],
      reason: 'no live node follows a leader',
    },
  ])('$scene breaks $broken', ({ scene, broken, reason }) => {
    expect(brokenIn(scene)).toEqual(broken);
    expect(judgeScene(scene).value).toBe(broken.length === 0 ? 'true' : 'false');
    expect(judgeScene(scene).reason).toBe(reason);
  });

  it('witnesses nothing when nothing happened', () => {
    for (const scene of [
      [null, null],
      ['down', 'down'],
    ] as const) {
      const { properties } = judgeScene(scene);

      expect(PROPERTY_NAMES.filter((name) => properties[name].witnessed)).toEqual([]);
    }
  });

  it('does not witness that the highest wins if it follows another or does not lead', () => {
    for (const scene of [
      [2, 2, 2],
      [3, 3, 2],
      [3, 3, 'down'],
    ] as const) {
      const { highestLiveWins, agreement } = judgeScene(scene).properties;

      expect([highestLiveWins.witnessed, agreement.witnessed], `${scene}`).toEqual([false, true]);
    }
  });

  it('witnesses everything when the highest was elected', () => {
    const { properties } = judgeScene([2, 2]);

    expect(PROPERTY_NAMES.filter((name) => properties[name].witnessed)).toEqual(PROPERTY_NAMES);
  });
});

describe('a run that was stopped', () => {
  it('is unknown, whatever it looks like', () => {
    const { value, properties, reason } = judgeScene([3, 3, 3], false);

    expect(value).toBe('unknown');
    expect(PROPERTY_NAMES.map((name) => properties[name].value)).toEqual(
      PROPERTY_NAMES.map(() => 'unknown'),
    );
    expect(reason).toBe('the election has not come to rest');
  });

  it('is false once two have led at a time', () => {
    const { value, properties } = judgeScene([2, 2, 3], false);

    expect(value).toBe('false');
    expect(properties.uniqueness.value).toBe('false');
    expect(properties.agreement.value).toBe('unknown');
  });
});

describe('uniqueness', () => {
  it('is kept by one leader after the other', () => {
    const observations = createObservations();
    noteLeads(observations, { rank: 3, moment: 1 });
    noteYields(observations, 3);
    noteLeads(observations, { rank: 2, moment: 2 });

    const { properties } = judge(observations, viewOf([2, 2, 'down']), true);

    expect(properties.uniqueness.value).toBe('true');
  });

  it('stays broken when the two have become one', () => {
    const observations = createObservations();
    noteLeads(observations, { rank: 2, moment: 4 });
    noteLeads(observations, { rank: 3, moment: 5 });
    noteYields(observations, 2);

    const { properties, reason } = judge(observations, viewOf([3, 3, 3]), true);

    expect(properties.uniqueness.value).toBe('false');
    expect(reason).toBe('nodes 2 and 3 both led at 5');
  });

  it('is broken by two that lead after another has yielded', () => {
    const observations = createObservations();
    noteLeads(observations, { rank: 3, moment: 1 });
    noteYields(observations, 3);
    noteLeads(observations, { rank: 2, moment: 2 });
    noteLeads(observations, { rank: 1, moment: 3 });
    noteYields(observations, 1);
    noteLeads(observations, { rank: 4, moment: 4 });

    expect(observations.breach).toEqual({ ranks: [2, 1], moment: 3 });
  });

  it('names the first two, not later ones', () => {
    const observations = createObservations();
    for (const rank of [4, 2, 3]) noteLeads(observations, { rank, moment: rank });

    expect(observations.breach).toEqual({ ranks: [4, 2], moment: 2 });
  });
});

describe('uniqueness in an epoch', () => {
  const aim = { elects: 'highest', attributes: null, unique: 'epoch' } as const;
  const judgeLed = (led: readonly (readonly [rank: number, epoch: number])[]) => {
    const observations = createObservations();
    for (const [index, [rank, epoch]] of led.entries()) {
      noteLeads(observations, { rank, moment: index });
      noteEpoch(observations, { rank, epoch, moment: index });
    }
    const nodes = viewOf([3, 3, 3]);
    return [judge(observations, nodes, true, aim), judge(observations, nodes, true)] as const;
  };

  it('is kept by leaders of different epochs, even at one moment', () => {
    const [byEpoch, byMoment] = judgeLed([
      [2, 1],
      [3, 2],
    ]);

    expect(byEpoch.value).toBe('true');
    expect(byMoment.reason).toBe('nodes 2 and 3 both led at 1');
  });

  it('is broken by the first two leaders of one epoch', () => {
    const [{ properties, reason }] = judgeLed([
      [2, 4],
      [2, 4],
      [3, 4],
      [1, 4],
    ]);

    expect(properties.uniqueness.value).toBe('false');
    expect(reason).toBe('nodes 2 and 3 both led in epoch 4, the second from 2');
  });

  it('does not count elections without epochs', () => {
    const [{ properties }] = judgeLed([
      [2, 0],
      [3, 0],
    ]);

    expect(properties.uniqueness.value).toBe('true');
  });
});

describe('who is meant to win', () => {
  const judgeAs = (scene: Scene, aim: Aim) => judge(createObservations(), viewOf(scene), true, aim);

  it('is the best by attribute and then rank where a protocol elects by attribute', () => {
    const aim = { elects: 'attribute', attributes: [5, 7, 7, 6] } as const;

    const kept = judgeAs([3, 3, 3, 3], aim);
    const broken = [judgeAs([2, 2, 2, 2], aim), judgeAs([4, 4, 4, 4], aim)];

    expect(kept.properties.highestLiveWins).toEqual({ value: 'true', witnessed: true });
    expect(kept.reason).toBe('all 4 live nodes follow 3, the highest of them by attribute');
    for (const { properties, reason } of broken) {
      expect(properties.highestLiveWins.value).toBe('false');
      expect(reason).toContain('but 3 is up and higher by attribute');
    }
  });

  it('does not win if one node follows another, who is higher by rank alone', () => {
    const aim = { elects: 'attribute', attributes: [5, 7, 7, 6] } as const;

    expect(judgeAs([3, 3, 3, 4], aim).properties.highestLiveWins.value).toBe('false');
  });

  it('is the highest by rank, whatever their attributes, where a protocol elects by rank', () => {
    const aim = { elects: 'highest', attributes: [3, 2, 1] } as const;

    expect(judgeAs([3, 3, 3], aim).reason).toBe('all 3 live nodes follow 3, the highest of them');
    expect(judgeAs([1, 1, 1], aim).properties.highestLiveWins.value).toBe('false');
  });

  it('counts the live alone', () => {
    const aim = { elects: 'attribute', attributes: [5, 6, 7] } as const;

    expect(judgeAs([2, 2, 'down'], aim).properties.highestLiveWins.value).toBe('true');
  });

  it('is the highest rank where all claim the same', () => {
    const aim = { elects: 'attribute', attributes: null } as const;

    expect(judgeAs([3, 3, 3], aim).reason).toBe('all 3 live nodes follow 3, the highest of them');
    expect(judgeAs([3, 3, 3], aim).properties.highestLiveWins.value).toBe('true');
    expect(judgeAs([2, 2, 2], aim).properties.highestLiveWins.value).toBe('false');
  });

  it('may be anybody: then the property is kept and never witnessed', () => {
    const aim = { elects: 'any', attributes: null } as const;

    for (const leader of [1, 3]) {
      const { value, properties, reason } = judgeAs([leader, leader, leader], aim);
      expect(value).toBe('true');
      expect(reason).toBe(`all 3 live nodes follow ${leader}; the protocol may elect any node`);
      expect(properties.highestLiveWins).toEqual({ value: 'true', witnessed: false });
    }
    expect(judgeAs([1, 2, 2], aim).value).toBe('false');
  });
});
