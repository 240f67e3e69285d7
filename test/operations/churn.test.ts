/**
 * @module
 * Churn that is interrupted, and churn that takes long: the outcome is unknown, and a note says how long it may take.
 */

import { expect, it } from 'vitest';

import { CHURN } from '../../src/operations/churn.ts';
import { inputSchema } from '../../src/operations/operation.ts';
import { parseSeed } from '../../src/random.ts';
import { THIS_MACHINE } from '../../src/runtime/sweep/machine.ts';

/** Asks, and interrupts after this many finished rows. Returns the answer with the notes. */
async function asked(given: object, rowsMost: number) {
  const abort = new AbortController();
  const notes: string[] = [];
  const input = inputSchema(CHURN, false).parse({ defences: ['ergo'], ...given });
  // The schema is that of these members.
  const answer = await CHURN.run(input as Parameters<typeof CHURN.run>[0], {
    ...{ threads: 1, signal: abort.signal, isRemote: false, machine: THIS_MACHINE },
    ...{ onPartial: () => undefined, seedFor: () => parseSeed('1') },
    onNote: (line) => notes.push(line),
    onProgress: ({ done }) => {
      if (done >= rowsMost) abort.abort();
    },
  });
  return { answer, notes };
}

it('is unknown with some rows, and holds with all', async () => {
  const small = { nodes: 50, time: 100, rate: [0, 1] };
  const [some, all] = [await asked(small, 1), await asked(small, 3)];

  expect(some.answer?.rows).toHaveLength(1);
  expect(some.answer && CHURN.outcomeOf(some.answer)).toBe('unknown');
  expect(all.answer && CHURN.outcomeOf(all.answer)).toBe('holds');
  expect(all.notes).toEqual([]);
});

it('notes how long 10^10 joins take, and stops when it is interrupted', async () => {
  const { answer, notes } = await asked({ nodes: 1e4, laws: ['exp:1s'], time: 1e6, rate: [0] }, 0);

  expect(answer).toBeNull();
  expect(notes).toEqual([expect.stringMatching(/steps, which take up to about/)]);
});
