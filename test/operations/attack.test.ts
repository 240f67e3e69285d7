/**
 * @module
 * The commands that repeat an attack: they state what was asked, and a budget of CPU time as the attempts that it paid for.
 */

import { describe, expect, it } from 'vitest';

import { ATTACK } from '../../src/operations/attack/attack.ts';
import type { AttackOutput } from '../../src/operations/attack/attack-report.ts';
import { inputSchema } from '../../src/operations/operation.ts';
import { parseSeed } from '../../src/random.ts';
import { THIS_MACHINE } from '../../src/runtime/sweep/machine.ts';

type Input = Parameters<typeof ATTACK.run>[0];

/** The output of an attack. With `isStopped` it is interrupted before its election is watched. */
async function attacked(asked: object, isStopped = false): Promise<AttackOutput> {
  const abort = new AbortController();
  const input = inputSchema(ATTACK, false).parse({ c1: 4, ...asked }) as Input; // By the schema.
  const output = await ATTACK.run(input, {
    ...{ threads: 1, signal: abort.signal, isRemote: false, machine: THIS_MACHINE },
    onProgress({ now }) {
      if (isStopped && now === 'elections') abort.abort();
    },
    onPartial: () => undefined,
    onNote: () => undefined,
    seedFor: () => parseSeed('4'),
  });
  if (output === null) throw new TypeError('"output" expected one, got none');
  return output;
}

const PHANTOM = { protocol: 'cr-join', behaviours: ['phantom-id'] };
const FORGING = { protocol: 'cr-join', forge: 'top' };

describe('the command that repeats an attack', () => {
  it.each([
    [PHANTOM, 'cr-join --behaviours phantom-id --c1 4 --seed 4'],
    [
      { ...PHANTOM, aim: 'lead', nodes: 4, colluders: 2 },
      'cr-join --behaviours phantom-id --nodes 4 --c1 4 --colluders 2 --aim lead --seed 4',
    ],
    [FORGING, 'cr-join --forge top --c1 4 --seed 4'],
    [{ ...FORGING, attempts: 9e5 }, 'cr-join --forge top --attempts 900000 --c1 4 --seed 4'],
  ])('states what was asked: %o', async (asked, words) => {
    expect((await attacked(asked)).replay).toBe(`usurp attack ${words}`);
  });

  it('states the attempts that CPU time paid for', async () => {
    const { replay, ledger } = await attacked({ ...FORGING, cpu: 60 });

    expect(ledger.attempts).toBeGreaterThan(0);
    expect(replay).toContain(` --forge top --attempts ${ledger.attempts} `);
  });

  it('states the CPU time itself if the attack was interrupted', async () => {
    const { replay, interrupted } = await attacked({ ...FORGING, cpu: 60 }, true);

    expect(interrupted).toBe(true);
    expect(replay).toContain(' --forge top --cpu 60 ');
  });
});
