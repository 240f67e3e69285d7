/**
 * @module
 * Clients of live nodes: a zombie leader shows a history that is not linearizable. A fence with reads from the resource, and
 * the log of raft, do not.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createTestStores, TESTED } from '../../live/stores/test-stores.ts';
import { scratchFolder, usurp } from '../shell.ts';

const UP = ['cluster', 'up', '--quiet', '--json', '--script'];
const QUICK = ['--latency', '25ms'];
/** The clock of the leader is so slow that it leads on when its lease is over. */
const ZOMBIE = ['wait', 'sleep 1s', 'skew leader 0.02', 'sleep 4s', 'status'];
const KILL = ['wait', 'sleep 4s', 'kill leader', 'wait', 'start last', 'wait', 'sleep 1s'];

/** The last line of a run with this script, and its exit code. */
async function lastOf(commands: readonly string[], ...flags: readonly string[]) {
  const script = join(scratchFolder(), 'script.txt');
  writeFileSync(script, commands.join('\n'));
  const { stdout, stderr, code } = await usurp([...UP, script, ...flags]);
  const lines = stdout.trim().split('\n');
  return {
    lines: lines.map((line) => JSON.parse(line)),
    last: JSON.parse(lines.at(-1) ?? ''),
    stderr,
    code,
  };
}

describe.each([
  ['sqlite', 'db-lease'],
  ['redis', 'lease-local'],
] as const)('clients with %s', (kind, protocol) => {
  const stores = createTestStores();
  afterAll(() => stores.close());
  const storedAt = async () => (kind === 'sqlite' ? kind : (await stores.serverOf(kind)).address);

  it.runIf(TESTED.includes(kind))('see what a zombie without a fence breaks', async () => {
    const flags = [...QUICK, '--protocol', protocol, '--resource', 'unfenced', '--clients', '3'];

    const { lines, last, code } = await lastOf(ZOMBIE, ...flags, '--store', await storedAt());

    expect(last).toMatchObject({
      accepted: true,
      defect: null,
      clients: { linearizable: 'false' },
    });
    expect(last.clients.violation.operations.length).toBeGreaterThan(0);
    expect(code).toBe(1);
    expect(lines.find((line) => 'followed' in line)?.clients.operations).toBeGreaterThan(0);
  });

  it.runIf(TESTED.includes(kind))(
    'see nothing wrong with a fence that also guards reads',
    async () => {
      const fenced = ['--resource', 'fencing-register', '--clients', '3:reads=resource'];

      const { last, code } = await lastOf(
        ZOMBIE,
        ...[...QUICK, '--protocol', protocol, ...fenced, '--store', await storedAt()],
      );

      expect(last).toMatchObject({
        accepted: true,
        defect: null,
        clients: { linearizable: 'true' },
      });
      expect(last.clients.operations).toBeGreaterThan(30);
      expect(code).toBe(0);
    },
  );
});

it('serves clients from the log of raft while its leader dies and returns, and the model takes every step', async () => {
  const { last, code } = await lastOf(KILL, '--protocol', 'raft', '--clients', '3');

  expect(last).toMatchObject({ accepted: true, defect: null, clients: { linearizable: 'true' } });
  expect(last.clients.operations - last.clients.unknown).toBeGreaterThan(5);
  expect(code).toBe(0);
});

it('keeps the clients of a folder, whose next history begins with any content', async () => {
  const folder = join(scratchFolder(), 'cluster');
  const calm = ['wait', 'sleep 1s'];
  const stored = ['--protocol', 'db-lease', '--store', 'sqlite', '--resource', 'fencing-register'];
  const first = await lastOf(calm, ...stored, '--clients', '2:reads=resource', '--folder', folder);

  const second = await lastOf(calm, '--folder', folder);

  for (const { last, code } of [first, second]) {
    expect(last.clients).toMatchObject({ form: '2:reads=resource', linearizable: 'true' });
    expect(code).toBe(0);
  }
});

it.each([
  ['bully-oneshot', []],
  ['raft', ['--flags', 'log=off']],
])('refuses clients that no leader of %s %j could serve', async (protocol, flags) => {
  const printed = await usurp([
    ...['cluster', 'up', '--protocol', protocol, '--clients', '2'],
    ...flags,
  ]);

  expect(printed.stderr).toBe(
    `usurp: ${protocol} keeps no log, so that clients need a resource; name one with --resource, or leave --clients out\n`,
  );
  expect(printed.code).toBe(254);
});
