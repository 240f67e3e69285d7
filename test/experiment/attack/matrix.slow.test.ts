/**
 * @module
 * The columns of the attack matrix that take long: storms, and false heartbeats for detectors.
 */

import { describe, expect, it } from 'vitest';
import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import { playedAndFound, SLOW_ATTACKS } from './matrix-found.ts';

describe('the attack matrix', () => {
  it.each(PROTOCOL_NAMES)('of %s is as recorded, under storms and false heartbeats', (protocol) => {
    for (const { attack, played, found } of playedAndFound(protocol, SLOW_ATTACKS)) {
      expect(played, attack).toBe(found);
    }
  });
});
