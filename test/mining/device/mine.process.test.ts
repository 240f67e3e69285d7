/**
 * @module
 * `usurp mine --device gpu`: the claim and the ledger of attempts are those of the processor, for keys and for both dynamic
 * puzzles. Without the package, and for a search that no device can carry out, each command says why and how to proceed.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { STRICT_POLICY } from '../../../src/identity/policy.ts';
import { deviceText } from '../../../src/mining/device/facts.ts';
import { parseSeed } from '../../../src/random.ts';
import { mineInThreads } from '../../../src/runtime/threads/mining-pool.ts';
import { ended, parsed, scratchFolder, spawnUsurp, usurp } from '../../cli/shell.ts';
import { deviceOfTests } from './software-device.ts';

const device = await deviceOfTests();
afterEach(() => vi.unstubAllEnvs());

const ON_CARD = [
  ...['--runs', '20', '--seed', '1', '--set', 'work=sampled'],
  ...['--set', 'adversaries.main.rate=measured on gpu'],
  ...['--set', 'adversaries.main.budget={cpuSeconds: 0.01}'],
];

const mine = (...flags: string[]) => usurp(['mine', '--json', ...flags]);

/** What does not depend on time. */
function lasting({ ledger, replay: _, device: __, ...rest }: ReturnType<typeof parsed>) {
  const { cpuSeconds: ___, wallSeconds: ____, deviceSeconds: _____, ...counted } = ledger;
  return { ...rest, ledger: { ...counted, overshoot: 0 } };
}

/** A program takes seconds to compile on a software device. */
const TIMEOUT = { timeout: 300_000 };

describe.skipIf(device === null)('with a device', TIMEOUT, () => {
  test.each([
    ['concat', ['--c1', '9', '--c2', '9', '--goal', 'count:2']],
    ['xor', ['--c1', '4', '--c2', '12', '--dynamic', 'xor']],
  ])('finds the keys and solutions of %s that the processor finds', async (_, flags) => {
    const search = ['--seed', '45', ...flags];

    const found = await mine(...search, '--device', 'gpu');

    expect(found.code, found.stderr).toBe(0);
    const answer = parsed(found);
    expect(lasting(answer)).toEqual(lasting(parsed(await mine(...search))));
    expect(answer.device).toEqual({ name: device?.name, isSoftware: device?.isSoftware });
    expect(answer.ledger.deviceSeconds).toBeGreaterThan(0);
  });

  test('a budget of device time ends it, and its ledger names the device', async () => {
    const file = join(scratchFolder(), 'search.json');
    const flags = ['--seed', '45', '--c1', '60', '--device', 'gpu', '--gpu', '10ms'];

    const spent = await mine(...flags, '--ledger', file);

    expect(spent.code, spent.stderr).toBe(1);
    const { state } = JSON.parse(readFileSync(file, 'utf8'));
    expect(state.devices).toEqual([{ name: device?.name, isSoftware: device?.isSoftware }]);
    const { ending, ledger } = parsed(spent);
    expect(ending).toBe('time');
    expect(ledger.deviceSeconds).toBeGreaterThan(0.01);
  });

  test('a search that is cancelled at its start ends alone, and not the process', async () => {
    const policy = { ...STRICT_POLICY, c1: 60 };
    const kind = { scheme: 'ed25519', strategy: 'siblings', dynamicStrategy: 'dynamic' } as const;
    const task = {
      ...kind,
      policy,
      goal: { type: 'any' },
      seed: parseSeed('1'),
      budget: {},
    } as const;

    const cancelled = await mineInThreads(
      { ...task, device: 'gpu' },
      { threads: 1, signal: AbortSignal.timeout(1) },
    );

    expect(cancelled.ending).toBe('cancelled');
  });

  test('a threat model takes its rate, and the replay states the number', async () => {
    const ran = await usurp(['run', 'top-id', '--json', ...ON_CARD]);

    const { verdict, replay } = parsed(ran);
    const [, rate] = /a measured (\d+) candidates\/s \((.*)\)/.exec(verdict.sentence) ?? [];
    expect(verdict.sentence).toContain(`candidates/s (${device && deviceText(device)})`);
    const [, stated] = / --set adversaries\.main\.rate=([\d.]+)$/.exec(replay) ?? [];
    // The sentence rounds the rate of a slow device.
    expect(Math.round(Number(stated))).toBe(Number(rate));
  });
});

test.each(['calibrate', 'advantage'])('%s measures nothing without the device', async (verb) => {
  vi.stubEnv('NODE_PATH', '');

  // This process has found the package, and would find it again.
  const refused = await ended(spawnUsurp([verb, '--device', 'gpu']));

  expect(refused.code).toBe(254);
  expect(refused.stderr).toContain('npm install --no-save webgpu@');
  expect(refused.stderr).not.toContain('measuring');
});

test('a server without the device warns at its start, and its jobs say what it lacks', async () => {
  vi.stubEnv('NODE_PATH', '');
  const server = spawnUsurp(['serve', '--port', '0', '--device', 'gpu']);
  const stopped = ended(server);
  const url = await new Promise<string>((resolve) => {
    server.stdout.once('data', (chunk) => resolve(String(chunk).trim()));
  });
  const body = JSON.stringify({ c1: 2, device: 'gpu' });
  const headers = { 'Content-Type': 'application/json' };

  const made = await fetch(`${url}/v1/forgeries`, { method: 'POST', headers, body });
  const job = new URL(made.headers.get('Location') ?? '', url);
  const stateOf = async () => (await fetch(job)).json();

  await expect.poll(stateOf).toMatchObject({
    status: 'failed',
    problem: { code: 'device.missing', status: 500, detail: expect.not.stringContaining('/') },
  });
  server.kill('SIGINT');
  const { stderr } = await stopped;
  expect(stderr.match(/NOTE: jobs that ask for a device will fail: .*webgpu@/g)).toHaveLength(1);
});

test.each(['run', 'sweep'])('%s of a threat model needs the device that it names', async (verb) => {
  vi.stubEnv('NODE_PATH', '');

  const refused = await usurp([verb, 'top-id', ...ON_CARD]);

  expect(refused.code).toBe(254);
  expect(refused.stderr).toContain('npm install --no-save webgpu@');
  expect(refused.stdout).toBe('');
});

test('without the package it says how to install it, and searches nothing', async () => {
  vi.stubEnv('NODE_PATH', '');

  const refused = await mine('--c1', '4', '--seed', '45', '--device', 'gpu');

  expect(refused.code).toBe(254);
  expect(refused.stderr).toContain('npm install --no-save webgpu@');
  expect(refused.stdout).toBe('');
});

test.each([
  [['--device', 'gpu', '--strategy', 'walk'], 'siblings and batch, not walk'],
  [['--device', 'gpu', '--policy', 'scrypt'], 'scrypt'],
  [['--gpu', '5s'], 'requires the device gpu'],
  [['--device', 'gpu', '--threads', '2'], '--threads has no effect'],
])('refuses %j', async (flags, reason) => {
  const refused = await mine('--seed', '45', ...flags);

  expect(refused.code).toBe(254);
  expect(refused.stderr).toContain(reason);
});
