/**
 * @module
 * This folder contains checks with results that are known or pinned.
 * Known results about elections that checks find without code of their own: which protocol is safe and live under which
 * timing, links and faults, with the lengths of the shortest traces. The endless elections are in lassos.long.test.ts, the
 * results about stale writes in properties.test.ts, and those about Byzantine nodes in byzantine.long.test.ts.
 */

import { describe, expect, it } from 'vitest';

import type { CheckResult } from '../../../src/checking/check.ts';
import {
  AGREEMENT,
  HIGHEST_WINS,
  LEADER_ELECTED,
  ONE_LEADER,
} from '../../../src/checking/properties/followers.ts';
import {
  AGREEMENT_PER_EPOCH,
  ONE_LEADER_PER_EPOCH,
} from '../../../src/checking/properties/one-leader-per-epoch.ts';
import { ONE_VOTE } from '../../../src/checking/properties/one-vote.ts';
import { checked } from '../checked.ts';

const SAFE = [ONE_LEADER, AGREEMENT, HIGHEST_WINS];
const SAFE_PER_TERM = [ONE_LEADER_PER_EPOCH, AGREEMENT_PER_EPOCH, ONE_VOTE];
const ANY_START = { starts: 'again' } as const;
/** Lengths of time-outs have no meaning in a check. One length is enough. */
const TERMS = { flags: { spreadTicks: '1' } };
const CR_VARIANTS = ['cr-join', 'cr-replace', 'cr-always'] as const;

/** What was violated after how many actions, and how. */
function violationOf(result: CheckResult): readonly unknown[] {
  if (result.type !== 'violated') return [result.type];
  return [result.property.name, result.trace.actions.length, result.breach];
}

describe('asynchronous Bully', () => {
  it('may have two leaders, after the starts and one timeout', () => {
    const result = checked('bully-oneshot', 3, { properties: [ONE_LEADER] });

    const actions = result.type === 'violated' ? result.trace.actions : [];

    expect(actions.map(({ action }) => action)).toEqual([
      { type: 'start', node: 1 },
      { type: 'start', node: 2 },
      { type: 'start', node: 3 },
      { type: 'timeout', node: 1, timer: 'answer' },
    ]);
  });
});

describe('synchronous Bully', () => {
  it.each([
    [3, 885],
    [4, 184_127],
  ])('with %i nodes and one crash is safe and live', (nodes, worlds) => {
    const given = { timing: 'synchronous', bounds: { crash: 1 } } as const;

    const result = checked('bully-oneshot', nodes, {
      ...given,
      properties: [...SAFE, LEADER_ELECTED],
    });

    expect([result.type, result.counts.states]).toEqual(['exhausted', worlds]);
  });
});

describe.each(CR_VARIANTS)('%s under loss', (protocol) => {
  it.each([
    [3, 1],
    [3, 2],
    [4, 1],
  ])('is safe (%i nodes, at most %i lost)', (nodes, loss) => {
    const result = checked(protocol, nodes, { ...ANY_START, bounds: { loss }, properties: SAFE });

    expect(result.type).toBe('exhausted');
  });

  it('is not live', () => {
    const given = { ...ANY_START, bounds: { loss: 1 } };

    const result = checked(protocol, 3, { ...given, properties: [LEADER_ELECTED] });

    const length = protocol === 'cr-always' ? 16 : 6;
    expect(violationOf(result).slice(0, 2)).toEqual(['leader-elected', length]);
  });
});

describe('without FIFO', () => {
  it.each([
    ['ring-lelann', [1, 2, 3], 'one-leader', 9, 'nodes 1 and 2 lead at the same time'],
    ['peterson', [4, 3, 2, 1], 'one-leader', 17, 'nodes 3 and 4 lead at the same time'],
    [
      'peterson',
      [1, 3, 2, 4],
      'highest-wins',
      19,
      'at rest, honest live nodes follow 3, but 4 is up',
    ],
  ] as const)('%s on the ring %j violates %s', (protocol, ring, ...found) => {
    const result = checked(protocol, ring.length, { ring, links: 'any', properties: SAFE });

    expect(violationOf(result)).toEqual(found);
  });

  it.each([[[1, 2, 3]], [[1, 3, 2]]])('Peterson is safe on the ring %j of three', (ring) => {
    const result = checked('peterson', 3, { ring, links: 'any', ...ANY_START, properties: SAFE });

    expect(result.type).toBe('exhausted');
  });
});

describe('with FIFO', () => {
  it.each([
    ['ring-lelann', [1, 2, 3]],
    ['peterson', [4, 3, 2, 1]],
    ['peterson', [1, 3, 2, 4]],
  ] as const)('%s on the ring %j is safe', (protocol, ring) => {
    const given = { ring, links: 'fifo', ...ANY_START } as const;

    const result = checked(protocol, ring.length, { ...given, properties: SAFE });

    expect(result.type).toBe('exhausted');
  });
});

describe('hs-slide with one initiator', () => {
  it.each([
    [1, ['leader-elected', 5, 'nodes 1, 2 and 3 follow no leader']],
    [2, ['leader-elected', 5, 'nodes 1, 2 and 3 follow no leader']],
    [3, ['exhausted']],
  ])('%i of 3: %j', (initiator, expected) => {
    const given = { initiators: [initiator], properties: [LEADER_ELECTED] };

    expect(violationOf(checked('hs-slide', 3, given))).toEqual(expected);
  });
});

describe('peterson-prose', () => {
  it('elects a node that does not own the highest rank', () => {
    const result = checked('peterson-prose', 3, { ...ANY_START, properties: [HIGHEST_WINS] });

    const breach = 'at rest, honest live nodes follow 1, but 3 is up';
    expect(violationOf(result)).toEqual(['highest-wins', 15, breach]);
  });
});

describe('Raft', () => {
  it('is safe per term without amnesia, within two timeouts and one lost message', () => {
    const bounds = { timeout: 2, loss: 1 };

    const result = checked('raft', 3, { ...TERMS, bounds, properties: SAFE_PER_TERM });

    expect(result.type).toBe('exhausted');
  });

  it('has two leaders of one term with amnesia', () => {
    const bounds = { crash: 1, amnesia: 1 };

    const result = checked('raft', 3, { ...TERMS, bounds, properties: [ONE_LEADER_PER_EPOCH] });

    const breach = 'nodes 1 and 3 both led epoch 1';
    expect(violationOf(result)).toEqual(['one-leader-per-epoch', 21, breach]);
  });
});
