/**
 * @module
 * `usurp attack` as a process of its own that is interrupted.
 */

import { expect, it } from 'vitest';
import { ended, interruptAt, spawnUsurp } from '../shell.ts';

it('answers Ctrl-C while an attack mines with its ledger', async () => {
  const many = ['--nodes', '64', '--colluders', '63', '--forge', 'top', '--c1', '22'];
  const attack = ['attack', 'cr-join', ...many, '--seed', '1', '--json'];
  const child = spawnUsurp(attack);
  const end = ended(child);
  interruptAt(child, /mining the forged identity/);

  const { code, stdout } = await end;

  const { interrupted, succeeded, ledger, sentence } = JSON.parse(stdout);
  expect({ code, interrupted, succeeded }).toEqual({
    ...{ code: 130, interrupted: true, succeeded: null },
  });
  expect(ledger.attempts).toBeGreaterThan(0);
  expect(sentence).toMatch(/^Interrupted after \d+ attempts .*forged all 63 identities/);
});
