/**
 * @module
 * The columns of the attack matrix that take long: storms, and lies to detectors.
 */

import { describe, expect, it } from 'vitest';
import { ALGORITHM_NAMES } from '../../src/election/registry.ts';
import { playedAndFound, SLOW_ATTACKS } from './attack-matrix-found.ts';

describe('the attack matrix', () => {
  it.each(ALGORITHM_NAMES)('of %s is as found, under storms and lies to detectors', (algorithm) => {
    for (const { attack, played, found } of playedAndFound(algorithm, SLOW_ATTACKS)) {
      expect(played, attack).toBe(found);
    }
  });
});
