/**
 * @module
 * What is said of a run by what was seen of it: nothing where it was broken off, and no contradiction.
 */

import { describe, expect, it } from 'vitest';
import type { Sighting } from '../../../src/experiment/properties/sighting.ts';
import { reachedIn, standingClause } from '../../../src/experiment/staging/judgement.ts';

function sighting(given: Partial<Sighting> = {}): Sighting {
  return {
    ...{ brokenOffAt: null, ticks: 200, judgedTicks: 100, longestAgreedTicks: 0 },
    ...{ usurpedTicks: 0, isUsurped: false, leader: null, splitTicks: 0, splitTicksJudged: 0 },
    ...{ leadersPerEpochMax: null, staleWrites: 0, messages: 0, handOverTicks: 4 },
    ...given,
  };
}

describe('a trial', () => {
  it('shows an aim or does not where it was watched to the end', () => {
    const led = sighting({ longestAgreedTicks: 100, leader: 5 });

    expect(reachedIn('stop', sighting(), ['leaderless'])).toBe(true);
    expect(reachedIn('stop', led, ['leaderless'])).toBe(false);
  });

  it('is unknown where it was broken off before anything was judged', () => {
    const broken = sighting({ brokenOffAt: 40, ticks: 40, judgedTicks: 0 });

    expect(reachedIn('stop', broken, ['leaderless'])).toBe(null);
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
