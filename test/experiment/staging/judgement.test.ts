/**
 * @module
 * What is said of a run by what was seen of it: nothing where it was broken off, and no contradiction.
 */

import { describe, expect, it } from 'vitest';
import { AIMS } from '../../../src/adversary/behaviours/behaviour.ts';
import type { Sighting } from '../../../src/experiment/properties/sighting.ts';
import { harmsStill, standingClause } from '../../../src/experiment/staging/judgement.ts';
import { sighting } from './sightings.ts';

describe('a repeated attack', () => {
  const unled = sighting();
  const led = sighting({ longestAgreedTicks: 100, leader: 5 });
  const split = sighting({ longestAgreedTicks: 100, leader: 5, splitTicks: 30 });
  const never = (): Sighting => {
    throw new TypeError('"honest" expected no run');
  };

  it('does harm if a sign of the first attack shows again, and none if nothing shows', () => {
    expect(harmsStill(AIMS, unled, { signs: ['leaderless'], honest: never })).toBe(true);
    expect(harmsStill(AIMS, led, { signs: ['leaderless'], honest: never })).toBe(false);
  });

  it('does harm by another sign that is absent without the attack', () => {
    expect(harmsStill(AIMS, split, { signs: ['leaderless'], honest: () => led })).toBe(true);
    expect(harmsStill(AIMS, split, { signs: ['leaderless'], honest: () => split })).toBe(false);
  });

  it('does harm by the sign of its aim alone, if it has one', () => {
    expect(harmsStill(['stop'], split, { signs: ['leaderless'], honest: () => led })).toBe(false);
    expect(harmsStill(['split'], split, { signs: ['leaderless'], honest: () => led })).toBe(true);
  });

  it('is unknown if it was too large to watch, or the run that it is compared with was', () => {
    const broken = { brokenOffAt: 40, ticks: 40, judgedTicks: 0 };

    expect(harmsStill(AIMS, sighting(broken), { signs: ['leaderless'], honest: never })).toBe(null);
    expect(harmsStill(AIMS, split, { signs: ['leaderless'], honest: () => sighting(broken) })).toBe(
      null,
    );
  });
});

describe('how things stand', () => {
  it('does not lack the leader that was not prevented', () => {
    const lasting = standingClause('stop', sighting({ longestAgreedTicks: 60 }));
    const split = standingClause('stop', sighting({ splitTicksJudged: 80 }));

    expect(lasting).toBe('all followed one leader for 60 ticks in a row, though not in the end');
    expect(split).toBe('honest nodes followed different live leaders for 80 ticks');
  });

  it('may lack a leader where that was not the aim', () => {
    expect(standingClause('lead', sighting())).toBe('the honest nodes agree on no live leader');
  });
});
