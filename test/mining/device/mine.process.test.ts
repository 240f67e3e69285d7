/**
 * @module
 * `usurp mine --device gpu`: the claim and the ledger of attempts are those of the processor, for keys and for both dynamic
 * puzzles. Without the package, and for a search that no device can carry out, it says why and how to proceed.
 */

import { afterEach, describe, expect, test, vi } from 'vitest';
import { STRICT_POLICY } from '../../../src/identity/policy.ts';
import { deviceText } from '../../../src/mining/device/facts.ts';
import { parseSeed } from '../../../src/random.ts';
import { mineInThreads } from '../../../src/runtime/threads/mining-pool.ts';
import { parsed, usurp } from '../../cli/shell.ts';
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

  test('a budget of device time ends it', async () => {
    const ended = await mine('--seed', '45', '--c1', '60', '--device', 'gpu', '--gpu', '10ms');

    expect(ended.code, ended.stderr).toBe(1);
    const { ending, ledger } = parsed(ended);
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
    expect(replay).toContain(` --set adversaries.main.rate=${rate}`);
  });
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
])('refuses %j', async (flags, reason) => {
  const refused = await mine('--seed', '45', ...flags);

  expect(refused.code).toBe(254);
  expect(refused.stderr).toContain(reason);
});
