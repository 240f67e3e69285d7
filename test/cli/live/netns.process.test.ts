/**
 * @module
 * `usurp cluster up --netns`: the kernel divides the nodes and loses their packets, and no namespace is left, also if the
 * controller is killed. What this machine cannot do is skipped.
 */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { assertNamespaces, Namespaces } from '../../../src/live/cluster/namespaces.ts';
import { startWatchdog } from '../../../src/live/cluster/watchdog.ts';
import { ROOT, scratchFolder, usurp } from '../shell.ts';

const CALM = { loss: 0, delayMs: 0 };
const UP = ['cluster', 'up', '--protocol', 'bully-oneshot', '--latency', '150ms'];

const NO_NAMESPACES = await refusalOf((namespaces) => namespaces.add(1));
const NO_DELAY =
  NO_NAMESPACES ??
  (await refusalOf((namespaces) => {
    namespaces.add(1);
    namespaces.shape({ delayMs: 1 }, null);
  }));
for (const reason of new Set([NO_NAMESPACES, NO_DELAY])) {
  if (reason !== null) process.stderr.write(`tests of --netns are skipped: ${reason}\n`);
}

/** Why this machine refuses some use of namespaces; null if it does not. */
async function refusalOf(use: (namespaces: Namespaces) => void): Promise<string | null> {
  const watchdog = startWatchdog(null);
  try {
    assertNamespaces();
    use(new Namespaces(watchdog, CALM));
    return null;
  } catch (error) {
    return String(error);
  } finally {
    await watchdog.close();
  }
}

/** The network namespaces of this machine whose names begin so. */
function namespacesOf(id: string): string[] {
  const { stdout } = spawnSync('ip', ['netns', 'list'], { encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line.startsWith(id));
}

/** Whether a packet of one node comes back from another, which refuses the connection. */
function reaches(namespaces: Namespaces, from: number, to: number): boolean {
  const [ip = '', ...inside] = namespaces.commandIn(from);
  const dial = ['timeout', '2', 'bash', '-c', `exec 3<>/dev/tcp/10.0.0.${to}/7000`];
  return spawnSync(ip, [...inside, ...dial], { encoding: 'utf8' }).stderr.includes('refused');
}

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

describe.skipIf(NO_NAMESPACES !== null)('nodes in network namespaces', () => {
  it('are led by the highest that the kernel lets them reach, and the model takes every step', async () => {
    const folder = scratchFolder();
    const script = join(folder, 'faults.txt');
    // The elections that each start begins end before the partition.
    const faults = [
      'wait',
      'sleep 2s',
      'partition 3',
      'wait',
      'sleep 1s',
      'heal',
      'loss 5% 1,2',
      'wait',
    ];
    writeFileSync(script, faults.join('\n'));

    const printed = await usurp([...UP, '--netns', '--script', script, '--json']);

    const lines = printed.stdout.trim().split('\n');
    const agreements = lines.map((line) => JSON.parse(line)).filter(({ agreed }) => agreed);
    expect(agreements.map(({ leader, nodes }) => [leader, nodes])).toEqual([
      [3, [1, 2, 3]],
      [2, [1, 2]],
      [3, [1, 2, 3]],
    ]);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ accepted: true, defect: null });
    expect(printed.code).toBe(0);
    const [, id = 'none'] = /namespace of node 1 is (usurp-\w+)-1/.exec(printed.stderr) ?? [];
    expect(id).not.toBe('none');
    expect(namespacesOf(id)).toEqual([]);
  });

  it('lose what the kernel cuts and loses, on no other link, until that ends', async () => {
    const watchdog = startWatchdog(null);
    const namespaces = new Namespaces(watchdog, CALM);
    for (const node of [1, 2, 3]) namespaces.add(node);
    const links = () => [reaches(namespaces, 1, 2), reaches(namespaces, 1, 3)];

    const seen = [links()];
    namespaces.divide([[1, 2], [3]]);
    seen.push(links());
    namespaces.divide([]);
    seen.push(links());
    namespaces.shape({ loss: 1 }, [3]);
    seen.push(links());
    namespaces.shape({ loss: 0 }, null);
    seen.push(links());
    await watchdog.close();

    expect(seen).toEqual([
      [true, true],
      [true, false],
      [true, true],
      [true, false],
      [true, true],
    ]);
    expect(namespacesOf(namespaces.id)).toEqual([]);
  });

  it.skipIf(NO_DELAY !== null)('receive packets later if the kernel delays them', async () => {
    const watchdog = startWatchdog(null);
    const namespaces = new Namespaces(watchdog, { loss: 0, delayMs: 100 });
    for (const node of [1, 2]) namespaces.add(node);
    reaches(namespaces, 1, 2);
    const start = performance.now();

    const isReached = reaches(namespaces, 1, 2);

    expect(isReached).toBe(true);
    expect(performance.now() - start).toBeGreaterThan(200);
    await watchdog.close();
  });

  it('are gone when the controller is killed, and those of others stay', async () => {
    const watchdog = startWatchdog(null);
    const others = new Namespaces(watchdog, CALM);
    const child = spawn(process.execPath, ['--input-type=module', '-e', CONTROLLER]);
    const [id] = await once(child.stdout, 'data');
    const before = namespacesOf(String(id)).length;

    child.kill('SIGKILL');

    await vi.waitFor(() => expect(namespacesOf(String(id))).toEqual([]), 10_000);
    expect(before).toBe(2);
    expect(namespacesOf(others.id)).toHaveLength(1);
    await watchdog.close();
  });

  it.skipIf(NO_DELAY === null)('refuse a delay if the kernel has none', async () => {
    const printed = await usurp([...UP, '--netns', '--delay', '10ms']);

    expect(printed.stderr).toContain('modprobe sch_netem');
    expect(printed.code).toBe(254);
  });
});

/** Makes a namespace with its switch, prints their name, and waits. */
const CONTROLLER = `
import { Namespaces } from '${ROOT}/src/live/cluster/namespaces.ts';
import { startWatchdog } from '${ROOT}/src/live/cluster/watchdog.ts';
const namespaces = new Namespaces(startWatchdog(null), { loss: 0, delayMs: 0 });
namespaces.add(1);
process.stdout.write(namespaces.id);
setInterval(() => {}, 1000);
`;

describe('usurp cluster up --netns is refused', () => {
  it('without Linux', async () => {
    const platform = Object.getOwnPropertyDescriptor(process, 'platform') ?? {};
    Object.defineProperty(process, 'platform', { ...platform, value: 'darwin' });
    try {
      await expectRefusal(['--netns'], 'network namespaces are a part of Linux; leave out');
    } finally {
      Object.defineProperty(process, 'platform', platform);
    }
  });

  it('without root', async () => {
    vi.spyOn(process, 'geteuid').mockReturnValue(1000);

    await expectRefusal(['--netns'], 'only root makes network namespaces; use sudo');
  });

  it('without iproute2', async () => {
    vi.spyOn(process, 'geteuid').mockReturnValue(0);
    vi.stubEnv('PATH', scratchFolder());

    await expectRefusal(['--netns'], "ip is not installed; install Debian's iproute2");
  });

  it('with conditions of links that it does not have', async () => {
    await expectRefusal(['--loss', '1%'], '--loss and --delay need --netns');
  });
});

async function expectRefusal(args: readonly string[], message: string): Promise<void> {
  const printed = await usurp([...UP, ...args]);

  expect(printed.stderr).toContain(message);
  expect(printed.code).toBe(254);
}
