/**
 * @module
 * The protocol of the family `overlay` under examples/: its contract, all schedules of four nodes, and its threat model.
 */

import { describe, expect, it } from 'vitest';
import { ended, spawnUsurp } from '../cli/shell.ts';

const FILE = 'examples/overlay/key-leader.ts';
const usurp = (...args: string[]) => ended(spawnUsurp([...args, '--quiet']));

describe('the leader of a key', () => {
  it('is a protocol of a family of its own that conforms to its contract', {
    timeout: 120_000,
  }, async () => {
    const { code, stdout } = await usurp('conform', FILE);

    expect(stdout).not.toContain('FAILS');
    expect(code).toBe(0);
  });

  it('is one node in every schedule of four nodes of which one crashes', {
    timeout: 60_000,
  }, async () => {
    const check = ['check', 'key-leader', '--load', FILE, '--timing', 'synchronous'];
    const { code, stdout } = await usurp(...check, '--nodes', '4', '--bounds', 'crash=1');

    expect(stdout).toContain('exhausted');
    expect(code).toBe(0);
  });

  it.each([[[]], [['--set', 'network.election.flags=[paths=4,siblings=8]']]])(
    'costs the same with paths and siblings: %j',
    { timeout: 60_000 },
    async (settings) => {
      const model = ['run', 'examples/overlay/key-leader.yaml', '--load', FILE, '--seed', '1'];
      const { code, stdout } = await usurp(...model, ...settings);

      // E[K/(16 + K)] with K ~ Bin(256, 1/16) is 0.493.
      expect(stdout).toContain('49.3 % = E[K/(n+K)]');
      expect(stdout).toContain('led in 201 of 400 runs');
      expect(code).toBe(0);
    },
  );
});
