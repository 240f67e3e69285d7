/**
 * @module
 * How an adversary's wish becomes the goal of a search.
 */

import { describe, expect, it } from 'vitest';

import { resolveGoal } from '../../src/adversary/goals.ts';
import { bytesToHex, hexToBytes } from '../../src/bytes.ts';
import { formatGoal, meetsGoal } from '../../src/mining/goal.ts';

const nodeId = (first: string) => hexToBytes(first.padEnd(64, '0'));

describe('top', () => {
  it.each([
    ['one node', ['05']],
    ['ascending IDs', ['01', '02', '7f']],
    ['descending IDs', ['ff', '80', '00']],
    ['the highest in the middle', ['01', 'f0', '02']],
    ['equal IDs', ['aa', 'aa']],
  ])('is above the highest honest node ID of %s', (_name, honest) => {
    const goal = resolveGoal({ type: 'top' }, honest.map(nodeId));

    const highest = bytesToHex(nodeId(honest.toSorted().at(-1) ?? ''));
    expect(formatGoal(goal)).toBe(`above:${highest}`);
  });

  it('compares unsigned bytes, not signed ones or text', () => {
    const goal = resolveGoal({ type: 'top' }, [nodeId('7f'), nodeId('80')]);

    expect(formatGoal(goal)).toBe(`above:${'80'.padEnd(64, '0')}`);
  });

  it('is met by the next higher ID and not by the highest honest one itself', () => {
    const highest = nodeId('80');

    const goal = resolveGoal({ type: 'top' }, [highest]);

    expect(meetsGoal(goal, highest)).toBe(false);
    expect(meetsGoal(goal, hexToBytes(`80${'01'.padStart(62, '0')}`))).toBe(true);
  });

  it('is any identity if no node is honest', () => {
    expect(resolveGoal({ type: 'top' }, [])).toEqual({ type: 'any' });
  });
});
