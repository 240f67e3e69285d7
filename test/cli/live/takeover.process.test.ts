/**
 * @module
 * `usurp cluster attack`: an adversary with a mined ID takes over a cluster of processes, or a defence refuses it; and a node
 * that joins with a key file. The model takes every step of the honest nodes.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exitCodeOf } from '../../../src/cli/live/up.ts';
import { EXIT } from '../../../src/cli/shell/exit.ts';
import { testKey, writeKey } from '../../live/network.ts';
import { scratchFolder, usurp } from '../shell.ts';

const UNHURRIED = ['--protocol', 'bully-oneshot', '--json', '--quiet'];
const CLUSTER = [...UNHURRIED, '--latency', '100ms'];

function linesOf(stdout: string) {
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** The report of the attack, and that of the check. */
function reportsIn(stdout: string) {
  const lines = linesOf(stdout);
  const { takeover } = lines.find((line) => line.takeover !== undefined);
  return { takeover, check: lines.at(-1) };
}

describe('the takeover of a cluster', () => {
  it('succeeds with an ID above the leader that solves the puzzle, as honest nodes observe', async () => {
    const budget = ['--c1', '3', '--c2', '3', '--cpu', '20s'];

    const printed = await usurp(['cluster', 'attack', ...CLUSTER, ...budget]);

    const { takeover, check } = reportsIn(printed.stdout);
    expect(takeover).toMatchObject({ outcome: 'leads', node: 4, refusedBy: [] });
    expect(takeover.ledger.attempts).toBeGreaterThan(0);
    const { found, joined, leads } = takeover.seconds;
    expect([found, joined, leads].toSorted((one, other) => one - other)).toEqual([
      found,
      joined,
      leads,
    ]);
    for (const node of [1, 2, 3]) {
      const seen = takeover.observations.filter((each: { node: number }) => each.node === node);
      const words = seen.map(({ what }: { what: string }) => what);
      expect(words).toEqual(
        expect.arrayContaining(['admits it', 'receives COORDINATOR', 'follows it']),
      );
      expect(new Set(words).size).toBe(words.length);
    }
    expect(check).toMatchObject({ accepted: true, leaders: [4, 4, 4, 4] });
    expect(printed.code).toBe(1);
  });

  it('is refused by incumbency, which the report names', async () => {
    // On a busy machine a node can be late by half a second. A suspected leader would be harm.
    const defended = ['--attempts', '2^16', '--defence', 'incumbency', '--latency', '200ms'];

    const printed = await usurp(['cluster', 'attack', ...UNHURRIED, ...defended]);

    const { takeover, check } = reportsIn(printed.stdout);
    expect(takeover.outcome).toBe('refused');
    expect(takeover.refusedBy).toContain('incumbency (D8): newcomers are held off');
    expect(check).toMatchObject({ accepted: true, defect: null });
    expect(printed.code).toBe(0);
  });
});

const ran = { hasAgreed: true, hasRefused: false, outcome: null, failed: null };

describe('the exit code of a takeover', () => {
  it.each([
    ['leads', EXIT.holds, EXIT.violated],
    ['harms', EXIT.holds, EXIT.violated],
    ['refused', EXIT.holds, EXIT.holds],
    ['refused', EXIT.violated, EXIT.violated],
    ['not-found', EXIT.holds, EXIT.unknown],
    ['not-found', EXIT.violated, EXIT.violated],
  ] as const)('with the outcome %s and the check %i is %i', (outcome, checked, code) => {
    expect(exitCodeOf('attack', { ...ran, outcome }, checked)).toBe(code);
  });
});

describe('a script', () => {
  it('lets a node join, a Byzantine one attack, and the model takes every step of the honest nodes', async () => {
    const folder = scratchFolder();
    const key = join(folder, 'key.json');
    writeKey(key, testKey(1));
    const script = join(folder, 'script.txt');
    const commands = [
      'wait',
      `join ${key}`,
      'wait',
      'attack 2^16 flap',
      'kill 1',
      'start 1',
      'sleep 1s',
    ];
    writeFileSync(script, commands.join('\n'));

    const printed = await usurp(['cluster', 'up', ...CLUSTER, '--script', script]);

    const lines = linesOf(printed.stdout).filter((line) => line.leaderChange === undefined);
    expect(lines[1]).toEqual({ done: 'join', node: 4, refused: false });
    expect(lines[2]).toMatchObject({ agreed: true, nodes: [1, 2, 3, 4] });
    expect(lines[3].takeover).toMatchObject({ outcome: 'leads', node: 5, behaviours: ['flap'] });
    expect(lines.at(-1)).toMatchObject({ accepted: true, defect: null });
  });

  it('reports a key that the policy does not admit', async () => {
    const key = join(scratchFolder(), 'key.json');
    writeKey(key, testKey(1));

    const printed = await usurp(
      ['cluster', 'up', '--protocol', 'bully-oneshot', '--c1', '12', '--nodes', '1'],
      `join ${key}\n`,
    );

    expect(printed.stdout).toContain('join 2: refused');
    expect(printed.code).toBe(1);
    expect(printed.stderr).toContain('node 2 has ended: this node cannot join: the policy');
  });
});
