/**
 * @module
 * The line of progress of a check: what it states, and that a terminal is offered it again and again. How often a
 * terminal draws it is tested with the terminal.
 */

import { describe, expect, it } from 'vitest';

import type { CheckRequest } from '../../src/checking/check-request.ts';
import { explore } from '../../src/cli/check/explore.ts';
import type { Terminal } from '../../src/cli/shell/terminal.ts';
import { drawRequest } from '../checking/drawn.ts';

const REQUEST: CheckRequest = {
  ...{ ...drawRequest(0), protocol: 'bully-oneshot', flags: {}, ring: [1, 2, 3, 4] },
  ...{ byzantine: [], level: undefined, absent: [], phantoms: [], crashedBefore: [], cut: [] },
  ...{ initiators: [1, 2, 3, 4], starts: 'together', timing: 'synchronous', links: 'any' },
  ...{ resource: undefined, perLink: null, spread: null, isShifted: true, isReduced: true },
  ...{ order: 'breadth', properties: ['one-leader'], walks: undefined, goal: undefined },
};

const LIMITS = {
  ...{ maxStates: 100_000, maxMemory: 2 ** 30, threads: 1, checkpointEvery: 3600 },
};

/** Every line that a check offers to its terminal. */
async function linesOf(request: CheckRequest, label?: string): Promise<readonly string[]> {
  const lines: string[] = [];
  const terminal: Terminal = {
    ...{ print: () => undefined, note: () => undefined, complain: () => undefined },
    progress: (line) => lines.push(line()),
    pause: () => Promise.resolve(),
    signal: new AbortController().signal,
    stdin: new ReadableStream(),
    isInteractive: false,
  };
  await explore(request, { ...LIMITS, ...(label === undefined ? {} : { label }) }, terminal);
  return lines;
}

describe('the line of progress of a check', () => {
  it('states worlds, rate, depth, queue and memory, and the worlds grow', async () => {
    const lines = await linesOf(REQUEST);

    const form = /^(\d+) worlds, \d+\/s, depth (\d+), \d+ to explore, [1-9]\d* MB$/;
    const found = lines.map((line) => form.exec(line.replaceAll(/(?<=\d)[ ,](?=\d)/g, '')));
    expect(found.filter((each) => each === null)).toEqual([]);
    const worlds = found.map((each) => Number(each?.[1]));
    expect(worlds.length).toBeGreaterThan(1);
    expect(worlds).toEqual(worlds.toSorted((left, right) => left - right));
    expect(worlds.at(-1)).toBeGreaterThan(1000);
    expect(Number(found.at(-1)?.[2])).toBeGreaterThan(1);
  });

  it('begins with the ring if there are several', async () => {
    const [line] = await linesOf({ ...REQUEST, ring: [1, 2, 3], initiators: [1] }, 'ring 1,2,3: ');

    expect(line).toMatch(/^ring 1,2,3: \d+ worlds, /);
  });
});
