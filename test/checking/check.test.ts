/**
 * @module
 * Checks with known results: which protocols are safe and live under which timing, links and faults, with pinned
 * numbers of worlds and transitions and the lengths of the shortest traces.
 */

import { describe, expect, it } from 'vitest';

import type { CheckResult } from '../../src/checking/check.ts';
import { stoppedResult } from '../../src/checking/check.ts';
import { HIGHEST_WINS, ONE_LEADER } from '../../src/checking/properties/followers.ts';
import { ONE_LEADER_PER_EPOCH } from '../../src/checking/properties/one-leader-per-epoch.ts';
import { checked, stepsOf } from './checked.ts';

/** What a table row states: the result, worlds, transitions, and what was violated after how many actions. */
function summary(result: CheckResult): readonly unknown[] {
  const { type, counts } = result;
  const size = [counts.states, counts.transitions];
  if (type === 'capped') return [type];
  if (type === 'exhausted') return [type, ...size];
  const { property, trace, cycleFrom } = result;
  return [type, property.name, trace.actions.length, cycleFrom];
}

const SYNC = { timing: 'synchronous' } as const;
const ANY_START = { starts: 'again' } as const;
const SAFE = [ONE_LEADER, ONE_LEADER_PER_EPOCH];

describe('exhausted checks', () => {
  it.each([
    ['cr-join', 4, {}, 76, 176],
    ['cr-join', 4, ANY_START, 3711, 12_384],
    ['cr-replace', 4, ANY_START, 7066, 20_839],
    ['cr-always', 4, ANY_START, 2009, 6597],
    ['peterson', 4, ANY_START, 2032, 6183],
    ['peterson', 5, ANY_START, 12_356, 48_035],
    ['franklin', 3, ANY_START, 7428, 24_122],
    ['ring-lelann', 4, ANY_START, 4476, 15_128],
    ['ring-maxtoken', 3, ANY_START, 512, 1344],
    ['ring-collect', 3, ANY_START, 512, 1344],
    ['bully-oneshot', 3, SYNC, 213, 592],
    ['bully-oneshot', 3, { ...SYNC, bounds: { crash: 1 } }, 885, 3085],
    ['bully-improved', 3, { ...SYNC, bounds: { crash: 1 } }, 912, 3114],
    ['bully-modified', 3, { ...SYNC, bounds: { crash: 1 } }, 845, 2910],
    ['bully-nextinline', 3, { ...SYNC, bounds: { crash: 1 } }, 901, 3115],
  ] as const)('%s with %i nodes (%j) is safe and live', (protocol, nodes, given, ...size) => {
    expect(summary(checked(protocol, nodes, given))).toEqual(['exhausted', ...size]);
  });
});

describe('violations', () => {
  it.each([
    // A timeout of 1 before the messages of 3 arrive.
    ['bully-oneshot', 3, {}, 'one-leader', 4, null],
    ['cr-join', 3, { bounds: { loss: 1 } }, 'leader-elected', 6, null],
    ['cr-replace', 3, { bounds: { loss: 1 } }, 'leader-elected', 6, null],
    ['cr-always', 3, { bounds: { loss: 1 } }, 'leader-elected', 16, null],
    ['ring-lelann', 3, { links: 'any' }, 'one-leader', 9, null],
    ['peterson-prose', 3, { ...ANY_START, properties: [HIGHEST_WINS] }, 'highest-wins', 15, null],
    ['hs-slide', 3, { initiators: [1] }, 'leader-elected', 5, null],
  ] as const)('%s with %i nodes (%j) violates %s', (protocol, nodes, given, ...found) => {
    expect(summary(checked(protocol, nodes, given))).toEqual(['violated', ...found]);
  });

  it('are shown by actions that the reference semantics carries out', () => {
    const result = checked('bully-oneshot', 3);

    const leaders =
      result.type === 'violated' ? result.trace.end.world.nodes.map(({ leader }) => leader) : [];

    expect(leaders).toEqual([1, null, 3]);
  });
});

describe('capped checks', () => {
  it.each([
    ['states', { statesMax: 100 }],
    ['memory', { bytesMax: 1 }],
  ] as const)('say that a limit of %s was reached, and nothing about liveness', (_limit, given) => {
    const result = checked('raft', 3, given);

    expect(result.type).toBe('capped');
  });

  it('are what a stopped check is, which keeps what it found', () => {
    const step = stepsOf('cr-join', 3).next();

    const stopped = step.done === true ? step.value : stoppedResult(step.value);

    expect(stopped.type).toBe('capped');
    expect(stopped.counts.states).toBeGreaterThan(1);
    expect(stopped.witnessed).toContain('someone-leads');
  });
});

describe('depth-first search', () => {
  it('visits the same worlds', () => {
    const breadth = checked('cr-join', 4, ANY_START);

    const depth = checked('cr-join', 4, { ...ANY_START, order: 'depth' });

    expect(summary(depth)).toEqual(summary(breadth));
    expect(depth.counts.depth).toBeGreaterThanOrEqual(breadth.counts.depth);
  });
});

describe('a search whose caller wants a turn after each computed step', () => {
  it.each([
    ['cr-join', 4, ANY_START],
    ['cr-join', 4, { ...ANY_START, properties: SAFE, isReduced: true }],
    ['bully-oneshot', 3, { ...SYNC, bounds: { crash: 1 } }],
    ['bully-oneshot', 3, { ...SYNC, bounds: { crash: 1 }, order: 'depth' }],
    ['bully-oneshot', 3, { properties: SAFE, isReduced: true }],
    ['raft', 3, { properties: SAFE, isReduced: true, statesMax: 3000 }],
  ] as const)('%s with %i nodes (%j) has the same result', (protocol, nodes, given) => {
    const whole = checked(protocol, nodes, given);

    const inTurns = checked(protocol, nodes, { ...given, isDue: () => true });

    const { bytes: _, ...counts } = whole.counts;
    expect(inTurns.type).toBe(whole.type);
    expect(inTurns.counts).toMatchObject(counts);
  });

  it('ends at once when its values take too much memory', () => {
    let turns = 0;
    const given = { bytesMax: 2 ** 24, isDue: () => true, memoryUsed: () => 2 ** 22 * turns++ };

    const result = checked('raft', 3, given);

    expect(result).toMatchObject({
      type: 'capped',
      cause: 'memory',
      detail: 'the check takes 16 MB',
    });
    expect(result.counts.states).toBeLessThan(50);
  });

  it('leaves a search for lassos only the memory that is left', () => {
    const given = { ...ANY_START, bytesMax: 2 ** 25, memoryUsed: () => 2 ** 25 - 1 };

    const result = checked('cr-join', 4, given);

    expect(result).toMatchObject({ type: 'capped', cause: 'memory' });
  });
});
