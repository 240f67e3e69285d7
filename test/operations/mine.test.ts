/**
 * @module
 * The operation `mine`: which goal a text means, what the progress of a search shows, and which parts of the result only the
 * owner of the search receives.
 */

import { describe, expect, it } from 'vitest';
import { mine } from '../../src/mining/search.ts';
import { MINE } from '../../src/operations/identity/mine.ts';
import { searchOdds } from '../../src/operations/identity/odds.ts';
import type { MineInput } from '../../src/operations/identity/search.ts';
import { miningTask } from '../../src/operations/identity/search.ts';
import type { Machine, OperationProgress } from '../../src/operations/machine.ts';
import type { Secret } from '../../src/operations/operation.ts';
import { inputSchema } from '../../src/operations/operation.ts';
import { parseSeed } from '../../src/random.ts';
import { THIS_MACHINE } from '../../src/runtime/sweep/machine.ts';
import { STOPPED_CLOCKS } from '../mining/tasks.ts';

const SEED = parseSeed('1');
const ID = 'ab'.repeat(32);
const file = (...ids: readonly string[]) => ({ name: 'honest.txt', text: ids.join('\n') });

/** The input of a command with these members. */
function inputOf({ against, ...members }: Partial<MineInput>): MineInput {
  const input = inputSchema(MINE, false).parse({ strategy: 'walk', ...members });
  return { ...(input as MineInput), ...(against && { against }) }; // The schema made it.
}

const readings = { phase: 'keys', tested: 1024, wallSeconds: 1 } as const;

describe('the goal of a search', () => {
  it('is resolved against the node IDs of a file', () => {
    const against = file('11'.repeat(32), 'ee'.repeat(32), '22'.repeat(32));

    const { goal } = miningTask(inputOf({ goal: 'top', against }), SEED, false);

    expect(goal).toEqual({ type: 'above', nodeId: new Uint8Array(32).fill(0xee) });
  });

  it.each([
    [{ goal: 'top' }, '/against'],
    [{ against: file(ID) }, '/against'],
    [{ goal: 'top', against: file(ID, 'abcd') }, '/against/1'],
    [{ goal: `near:${ID}`, c2: 4 }, '/attempts'],
    [{ stockpile: 5 }, '/stockpile'],
    [{ goal: 'pair' }, '/goal'],
  ])('is refused with %j', (members, pointer) => {
    expect(() => miningTask(inputOf(members), SEED, false)).toThrow(
      expect.objectContaining({ faults: [expect.objectContaining({ pointer })] }),
    );
  });
});

describe('the odds of a search', () => {
  it('follow from the tested candidates and their rate', () => {
    const odds = searchOdds(miningTask(inputOf({ c1: 10 }), SEED, false), readings);

    expect(odds).toEqual({
      ...{ wanted: 1, expectedSeconds: 1 },
      foundProbability: expect.closeTo(1 - (1 - 1 / 1024) ** 1024, 12),
      p50Seconds: expect.closeTo(Math.LN2, 2),
      p95Seconds: expect.closeTo(-Math.log(0.05), 2),
    });
  });

  it('are null if only the budget ends it, and before the first candidate', () => {
    const near = miningTask(inputOf({ goal: `near:${ID}`, attempts: 9 }), SEED, false);
    const any = miningTask(inputOf({ c1: 10 }), SEED, false);

    expect(searchOdds(near, readings)).toBeNull();
    expect(searchOdds(any, { ...readings, tested: 0 })).toBeNull();
  });
});

describe('an executed search', () => {
  it('gives keys and a drawn seed apart from its output', async () => {
    const secrets: Secret[] = [];
    const seen: OperationProgress[] = [];
    const machine: Machine = {
      ...THIS_MACHINE,
      async mine(task, { onProgress }) {
        const result = mine(task, STOPPED_CLOCKS);
        const { state } = result;
        const readable = { state: () => state, hits: () => [], cpuSeconds: 1, bestBits: 4 };
        onProgress({ ...readings, ...readable }, task);
        return { task, result };
      },
    };

    const output = await MINE.run(inputOf({ c1: 4, goal: 'count:2' }), {
      ...{ threads: 1, signal: new AbortController().signal, isRemote: false, machine },
      onProgress: (progress) => void seen.push(progress),
      ...{ onPartial: () => undefined, onNote: () => undefined },
      onSecret: (secret) => void secrets.push(secret),
      seedFor: () => parseSeed('987654321'),
    });

    const [secret] = secrets;
    expect(output).toMatchObject({ found: true, seed: null, expectedBits: 5 });
    expect(secret).toMatchObject({ seed: '987654321' });
    expect(secret?.keys).toHaveLength(2);
    for (const text of ['987654321', ...(secret?.keys.map(({ hex }) => hex) ?? [])]) {
      expect(JSON.stringify(output)).not.toContain(text);
    }
    expect(seen[0]?.now).toContain('2 wanted, one in');
    expect(seen[0]?.details?.()).toMatchObject({ phase: 'keys', tested: 1024, perSecond: 1024 });
  });
});
