/**
 * @module
 * The reading of votes and disks by the fault matrix: whose vote counts, and whose does not.
 */

import { describe, expect, it } from 'vitest';

import { toRank } from '../../../src/election/world/cast.ts';
import type { EffectRecord } from '../../../src/election/world/effect-record.ts';
import type { Action } from '../../../src/election/world/world.ts';
import type { TraceRecord } from '../../../src/simulation/engine/trace.ts';

import { ballotViolations } from './ballots.ts';

type Step = readonly [action: Action, effects: readonly EffectRecord[]];

/** What is found in a trace of three nodes of Raft in which these steps are taken. */
function found(steps: readonly Step[]): string[] {
  const records = steps.map(
    ([action, effects], seq): TraceRecord => ({ seq, t: seq, action, effects }),
  );
  return ballotViolations('raft', 3, records).map(
    ({ property, who, at, what }) => `${property} ${who} at ${at}: ${what}`,
  );
}

/** A vote of term 1 is sent as message `id`, and arrives. */
function votes(id: number, voter: number, candidate: number, granted = true): Step[] {
  const message = { type: 'VOTE_REPLY', term: 1, granted };
  return [
    [
      { type: 'timeout', node: voter, timer: 'any' },
      [{ type: 'send', id, to: toRank(candidate), message }],
    ],
    [{ type: 'deliver', message: id }, []],
  ];
}

function leads(node: number): Step {
  return [
    { type: 'timeout', node, timer: 'any' },
    [{ type: 'elect', leader: toRank(node), epoch: 1 }],
  ];
}

function stores(node: number, term: number): Step {
  return [
    { type: 'timeout', node, timer: 'any' },
    [{ type: 'persist', fields: { term, votedFor: null } }],
  ];
}

describe('a vote', () => {
  it('is one of the majority that a leader needs, and its own is another', () => {
    expect(found([...votes(0, 1, 3), leads(3)])).toEqual([]);
    expect(found([leads(3)])).toEqual(['S4 3 at 0: 3 leads in epoch 1 by 1 of 3 votes']);
  });

  it('counts if it was granted, and once', () => {
    const refused = found([...votes(0, 1, 3, false), leads(3)]);
    const own = found([...votes(0, 3, 3), leads(3)]);

    expect(refused).toEqual(['S4 3 at 2: 3 leads in epoch 1 by 1 of 3 votes']);
    expect(own).toEqual(['S4 3 at 2: 3 leads in epoch 1 by 1 of 3 votes']);
  });

  it('is lost with the memory of the candidate', () => {
    const crash: Step = [{ type: 'crash', node: 3 }, []];

    expect(found([...votes(0, 1, 3), crash, leads(3)])).toHaveLength(1);
  });

  it('makes one leader', () => {
    const twice = [...votes(0, 1, 3), ...votes(1, 1, 2), leads(3), leads(2)];

    expect(found(twice)).toEqual(['S4 1 at 5: the vote of 1 in 1 made leaders of 3 and 2']);
  });
});

describe('a term on a disk', () => {
  it('never falls, unless the disk has forgotten', () => {
    const returns = (amnesia: boolean): Step => [{ type: 'recover', node: 1, amnesia }, []];

    expect(found([stores(1, 2), stores(1, 2), returns(false), stores(1, 1)])).toEqual([
      'S5 1 at 3: 1 stores term 1 after 2',
    ]);
    expect(found([stores(1, 2), returns(true), stores(1, 1), stores(2, 1)])).toEqual([]);
  });
});
