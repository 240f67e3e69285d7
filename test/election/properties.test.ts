/**
 * @module
 * The four properties, each at the edge between kept and broken, each with its witness.
 */

import { describe, expect, it } from 'vitest';

import type { Aim, NodeView, PropertyName } from '../../src/election/properties.ts';
import {
  createObservations,
  judge,
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
  ])('$scene breaks $broken', ({ scene, broken, reason }) => {
    expect(brokenIn(scene)).toEqual(broken);
    expect(judgeScene(scene).value).toBe(broken.length === 0 ? 'true' : 'false');
    expect(judgeScene(scene).reason).toBe(reason);
  });

  it('witnesses nothing when nothing happened', () => {
    const { properties } = judgeScene([null, null]);

    expect(PROPERTY_NAMES.filter((name) => properties[name].witnessed)).toEqual([]);
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

  it('names the first two, not later ones', () => {
    const observations = createObservations();
    for (const rank of [4, 2, 3]) noteLeads(observations, { rank, moment: rank });

    expect(observations.breach).toEqual({ ranks: [4, 2], moment: 2 });
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

  it('counts the live alone', () => {
    const aim = { elects: 'attribute', attributes: [5, 6, 7] } as const;

    expect(judgeAs([2, 2, 'down'], aim).properties.highestLiveWins.value).toBe('true');
  });

  it('is the highest rank where all claim the same', () => {
    const aim = { elects: 'attribute', attributes: null } as const;

    expect(judgeAs([3, 3, 3], aim).properties.highestLiveWins.value).toBe('true');
    expect(judgeAs([2, 2, 2], aim).properties.highestLiveWins.value).toBe('false');
  });

  it('may be anybody: then the property is kept and never witnessed', () => {
    const aim = { elects: 'any', attributes: null } as const;

    for (const leader of [1, 3]) {
      const { value, properties } = judgeAs([leader, leader, leader], aim);
      expect(value).toBe('true');
      expect(properties.highestLiveWins).toEqual({ value: 'true', witnessed: false });
    }
    expect(judgeAs([1, 2, 2], aim).value).toBe('false');
  });
});
