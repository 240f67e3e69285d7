/**
 * @module
 * What is counted while an election is watched.
 */

import { describe, expect, it } from 'vitest';

import { watchAttack } from '../../../src/experiment/staging/watch.ts';
import { parseSeed } from '../../../src/random.ts';
import type { Fault } from '../../../src/simulation/faults/schedule.ts';

function watched(...faults: readonly Fault[]) {
  const options = { protocol: 'bully-oneshot', nodes: 3, seed: parseSeed('1'), faults } as const;
  return watchAttack({ options: { ...options, audit: true }, ticks: 400, judgedFrom: 0 });
}

describe('the changes of the leader', () => {
  it('are none while one leader lives', () => {
    expect(watched()).toMatchObject({ leader: 3, leaderChanges: 0 });
  });

  it('are counted once for each new leader, whatever time is without one', () => {
    const crash: Fault = { type: 'crash', rank: 3, at: 50 };

    expect(watched(crash)).toMatchObject({ leader: 2, leaderChanges: 1 });
    expect(watched(crash, { type: 'recover', rank: 3, at: 150 })).toMatchObject({
      leader: 3,
      leaderChanges: 2,
    });
  });
});
