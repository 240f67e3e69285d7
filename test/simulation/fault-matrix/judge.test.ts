/**
 * @module
 * The reading of a trace by the fault matrix: each violation is named, with who and when, and the
 * nearest thing that is none is not.
 */

import { describe, expect, it } from 'vitest';

import { toRank } from '../../../src/election/world/cast.ts';
import type { Action } from '../../../src/election/world/world.ts';
import type { TraceRecord } from '../../../src/simulation/engine/trace.ts';

import type { JudgedRun } from './judge.ts';
import { violationsOf } from './judge.ts';

interface Step {
  readonly at: number;
  readonly action: Action;
  readonly follows?: number;
  readonly epoch?: number;
}

const END = 100;

/** What is found in a trace of three nodes in which these steps are taken. */
function found(steps: readonly Step[], asked: Partial<JudgedRun> = {}): string[] {
  const records = steps.map(({ at, action, follows, epoch = 0 }, seq): TraceRecord => {
    if (follows === undefined) return { seq, t: at, action, effects: [] };
    const elect = { type: 'elect', leader: toRank(follows), epoch } as const;
    return { seq, t: at, action, effects: [elect] };
  });
  return violationsOf({
    nodes: 3,
    records,
    end: END,
    highestWins: true,
    numbersElections: true,
    unique: 'moment',
    byLease: false,
    ...asked,
  }).map(({ property, who, at }) => `${property} ${who} at ${at}`);
}

function elects(node: number, follows: number, at = 1, epoch = 0): Step {
  return { at, action: { type: 'start', node }, follows, epoch };
}

function crashes(node: number, at: number): Step {
  return { at, action: { type: 'crash', node } };
}

const ALL_FOLLOW_3 = [elects(3, 3), elects(1, 3), elects(2, 3)];

describe('a judged trace', () => {
  it('has nothing to say where all follow the highest', () => {
    expect(found(ALL_FOLLOW_3)).toEqual([]);
  });

  it('names two that lead at a time, and when the second began to', () => {
    expect(found([...ALL_FOLLOW_3, elects(2, 2, 7), elects(2, 3, 9)])).toEqual(['S1 2,3 at 7']);
  });

  it('names two that led in one epoch, also one after the other, where epochs have one leader', () => {
    const beside = [...ALL_FOLLOW_3, elects(2, 2, 7, 1), elects(2, 3, 9, 1)];
    const after = [...ALL_FOLLOW_3, crashes(3, 5), elects(2, 2, 7), elects(1, 2, 8)];

    expect(found(beside, { unique: 'epoch' })).toEqual([]);
    expect(found(after, { unique: 'epoch' })).toEqual(['S1 2,3 at 7']);
  });

  it('names two that lead by a lease for a tick, and lets one begin in the tick of the other’s end', () => {
    const asked = { unique: 'epoch', byLease: true } as const;
    const begins = [...ALL_FOLLOW_3, elects(2, 2, 7, 1)];

    expect(found([...begins, elects(2, 3, 9, 2)], asked)).toEqual(['M 2,3 at 7']);
    expect(found([...begins, elects(2, 3, 7, 2)], asked)).toEqual([]);
    expect(found([...begins, crashes(3, 99), elects(1, 2, 99, 1)], asked)).toEqual(['M 2,3 at 7']);
  });

  it('lets one lead after the other', () => {
    const after = [crashes(3, 5), elects(2, 2, 7), elects(1, 2, 8)];

    expect(found([...ALL_FOLLOW_3, ...after])).toEqual([]);
  });

  it('names who follow different leaders at the end, not before', () => {
    const parted = [elects(3, 3), elects(1, 2), elects(2, 3)];

    expect(found(parted)).toEqual(['S2 1,2,3 at 100']);
    expect(found([...parted, elects(1, 3, 99)])).toEqual([]);
  });

  it('names a leader that is not the highest alive, where the highest is to win', () => {
    const usurped = [elects(2, 2), elects(1, 2), elects(3, 2)];

    expect(found(usurped)).toEqual(['S3 2,3 at 100']);
    expect(found(usurped, { highestWins: false })).toEqual([]);
    expect(found([...usurped, crashes(3, 50)])).toEqual([]);
  });

  it('names who goes back to an older election, unless it has forgotten', () => {
    const later = [elects(3, 3, 1, 2), elects(1, 3, 1, 2), elects(2, 3, 1, 2)];
    const returns = (amnesia: boolean): Step[] => [
      crashes(1, 5),
      { at: 6, action: { type: 'recover', node: 1, amnesia }, follows: 3, epoch: 1 },
    ];

    expect(found([...later, ...returns(false)])).toEqual(['S5 1 at 6']);
    expect(found([...later, ...returns(true)])).toEqual([]);
  });

  it('names the nodes that follow no live node', () => {
    expect(found([elects(3, 3), elects(2, 3)])).toEqual(['L 1 at 100']);
    expect(found([...ALL_FOLLOW_3, crashes(3, 50)])).toEqual(['L 1,2 at 100']);
  });
});
