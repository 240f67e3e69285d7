/**
 * @module
 * The line of progress of a check: what it states, and that a terminal is offered it again and again. How often a
 * terminal draws it is tested with the terminal.
 */

import { describe, expect, it } from 'vitest';

import type { CheckRequest } from '../../src/checking/check-request.ts';
import type { CheckInput } from '../../src/operations/check/check.ts';
import { CHECK_OPERATION } from '../../src/operations/check/check.ts';
import type { OperationProgress } from '../../src/operations/machine.ts';
import { inputSchema } from '../../src/operations/operation.ts';
import { parseSeed } from '../../src/random.ts';
import { THIS_MACHINE } from '../../src/runtime/sweep/machine.ts';
import { explore } from '../../src/runtime/threads/explore.ts';
import { drawRequest } from '../checking/drawn.ts';

const REQUEST: CheckRequest = {
  ...{ ...drawRequest(0), protocol: 'bully-oneshot', flags: {}, ring: [1, 2, 3, 4] },
  ...{ byzantine: [], level: undefined, absent: [], phantoms: [], crashedBefore: [], cut: [] },
  ...{ initiators: [1, 2, 3, 4], starts: 'together', timing: 'synchronous', links: 'any' },
  ...{ resource: undefined, perLink: null, spread: null, isShifted: true, isReduced: true },
  ...{ order: 'breadth', properties: ['one-leader'], walks: undefined, goal: undefined },
};

/** Everything that a check offers to its terminal. */
async function progressOf(request: CheckRequest): Promise<readonly OperationProgress[]> {
  const offered: OperationProgress[] = [];
  await explore(request, {
    ...{ statesMax: 100_000, bytesMax: 2 ** 30, threads: 1 },
    signal: new AbortController().signal,
    onProgress: (progress) => offered.push(progress),
  });
  return offered;
}

describe('the progress of a check', () => {
  it('states worlds, rate, depth, queue and memory, and the worlds grow', async () => {
    const offered = await progressOf(REQUEST);

    // A rate of a million and more has an exponent.
    const form = /^worlds, [\d.e+]+\/s, depth (\d+), \d+ to explore, \d+ MB$/;
    const found = offered.map(({ now }) => form.exec(now));
    expect(found.filter((each) => each === null)).toEqual([]);
    const worlds = offered.map(({ done }) => done);
    expect(worlds.length).toBeGreaterThan(1);
    expect(worlds).toEqual(worlds.toSorted((left, right) => left - right));
    expect(worlds.at(-1)).toBeGreaterThan(1000);
    expect(Number(found.at(-1)?.[1])).toBeGreaterThan(1);
  });

  it('names the ring if there are several', async () => {
    const offered: string[] = [];
    const asked = { protocol: 'cr-join', allRings: true };
    await CHECK_OPERATION.run(inputSchema(CHECK_OPERATION, false).parse(asked) as CheckInput, {
      ...{ threads: 1, isRemote: false, signal: new AbortController().signal },
      ...{
        onPartial: () => undefined,
        onNote: () => undefined,
        seedFor: () => parseSeed('1'),
        machine: THIS_MACHINE,
      },
      onProgress: ({ now }) => offered.push(now),
    });

    expect(offered[0]).toMatch(/^worlds, .*, ring 1 of 2$/);
  });
});
