/**
 * @module
 * Which nodes of a cluster begin together, and what is shown while they start.
 */

import type { ChildProcess } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { startText } from '../../../src/cli/live/state-text.ts';
import type { Member } from '../../../src/live/cluster/node-state.ts';
import { newMember, startOf, together } from '../../../src/live/cluster/node-state.ts';

const child = {} as ChildProcess; // Nothing is done with it.
const member = (state: Partial<Member> = {}): Member => ({ ...newMember(child), ...state });
const waiting = () => member({ isWaiting: true });

describe('nodes that start', () => {
  it('begin when the peers of all of them have answered', () => {
    const [one, other] = [waiting(), waiting()];

    expect(together([one, member()])).toEqual([]);
    expect(together([one, other])).toEqual([one, other]);
  });

  it('wait for none that is up, paused, or of another machine', () => {
    const one = waiting();

    const others = [member({ rank: '7' }), member({ isPaused: true }), newMember(null)];

    expect(together([one, ...others])).toEqual([one]);
  });

  it('begin once', () => {
    expect(together([member(), member()])).toEqual([]);
    expect(together([])).toEqual([]);
  });
});

describe('the progress of a start', () => {
  const text = (all: readonly Member[], seconds: number, nodes = all.length) => {
    const members = new Map(all.map((each, index) => [index + 1, each]));
    const numbers = Array.from({ length: nodes }, (_, index) => index + 1);
    return startText(startOf(numbers, members), seconds);
  };

  it('counts the nodes that have met all others, and later those that have begun', () => {
    const begun = member({ rank: '7', unmet: [] });

    expect(text([member(), member()], 1)).toBe('0 of 2 nodes have begun');
    expect(text([member({ unmet: [2] }), member()], 1)).toBe('0 of 2 nodes have met all others');
    expect(text([member({ unmet: [] }), member({ unmet: [1] })], 1)).toBe(
      '1 of 2 nodes have met all others',
    );
    expect(text([begun, member({ unmet: [] })], 1)).toBe('1 of 2 nodes have begun');
  });

  it('names the nodes that have answered no other one, after some seconds', () => {
    const others = [member({ unmet: [3] }), member({ unmet: [3] }), member()];

    expect(text(others, 4)).toBe('0 of 3 nodes have met all others');
    expect(text(others, 6)).toBe('0 of 3 nodes have met all others; no answer from node 3');
    expect(text([member({ unmet: [] }), member({ unmet: [1] }), member({ unmet: [] })], 6)).toBe(
      '2 of 3 nodes have met all others',
    );
    expect(text([member({ rank: '7' }), member()], 6)).toBe(
      '1 of 2 nodes have begun; no answer from node 2',
    );
  });

  it('names a node that has ended while others wait for it, and few of many', () => {
    const alone = member({ unmet: [2, 3, 4, 5, 6, 7, 8] });

    expect(text([alone], 6, 8)).toBe(
      '0 of 1 nodes have met all others; no answer from node 2, 3, 4, 5, 6 and 2 more',
    );
  });
});
