/**
 * @module
 * What was seen of a run in which no node led, with changes.
 */

import type { Sighting } from '../../../src/experiment/properties/sighting.ts';

export function sighting(given: Partial<Sighting> = {}): Sighting {
  return {
    ...{ brokenOffAt: null, ticks: 200, judgedTicks: 100, longestAgreedTicks: 0 },
    ...{
      usurpedTicks: 0,
      agreedTicks: 0,
      adversaryNodes: 1,
      isUsurped: false,
      leader: null,
      splitTicks: 0,
      splitTicksJudged: 0,
    },
    leaderChanges: 0,
    ...{
      leadersPerEpochMax: null,
      staleWrites: 0,
      lateWrites: 0,
      linearizable: null,
      messages: 0,
      handOverTicks: 4,
    },
    ...given,
  };
}
