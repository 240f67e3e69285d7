/**
 * @module
 * Which nodes of a cluster begin together.
 */

import type { ChildProcess } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { Member } from '../../../../src/runtime/live/cluster/node-state.ts';
import { startingMember, together } from '../../../../src/runtime/live/cluster/node-state.ts';

const child = {} as ChildProcess; // Nothing is done with it.
const member = (state: Partial<Member> = {}): Member => ({ ...startingMember(child), ...state });
const waiting = () => member({ isWaiting: true });

describe('nodes that start', () => {
  it('begin when the peers of all of them have answered', () => {
    const [one, other] = [waiting(), waiting()];

    expect(together([one, member()])).toEqual([]);
    expect(together([one, other])).toEqual([one, other]);
  });

  it('wait for none that is up, paused, or of another machine', () => {
    const one = waiting();

    const others = [member({ rank: '7' }), member({ isPaused: true }), startingMember(null)];

    expect(together([one, ...others])).toEqual([one]);
  });

  it('begin once', () => {
    expect(together([member(), member()])).toEqual([]);
    expect(together([])).toEqual([]);
  });
});
