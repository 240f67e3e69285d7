/**
 * @module
 * The rates under each policy. No figure is asserted, only what must be true of figures.
 */

import { afterEach, beforeEach, expect, it } from 'vitest';
import { measureAdvantage } from '../../../src/runtime/threads/advantage.ts';
import { hasteClock, restoreClock } from './haste.ts';

beforeEach(hasteClock);
afterEach(restoreClock);

it('measures every implementation under a policy and a form of the dynamic puzzle', async () => {
  const announced: unknown[] = [];
  const rates = await measureAdvantage({
    ...{ scheme: 'ed25519', threads: 1, policies: ['yggdrasil', 'xor'] },
    onProgress: (...progress) => announced.push(progress),
  });

  const names = rates.map(({ policy, implementation, cores }) => [policy, implementation, cores]);
  expect(names).toEqual(
    ['yggdrasil', 'xor'].flatMap((policy) => {
      return ['noble', 'openssl', 'kernel'].map((made) => [policy, made, 1]);
    }),
  );
  for (const { perSecond, why } of rates)
    expect([why, Number(perSecond) > 1]).toEqual([null, true]);
  expect(rates[2]?.perSecond, 'the kernel').toBeGreaterThan(Number(rates[0]?.perSecond));
  expect(announced).toHaveLength(rates.length);
  expect(announced[0]).toEqual(['measuring yggdrasil, noble', 0, rates.length]);
});

it('says why nothing was measured: no kernel has memory-hard functions', async () => {
  const rates = await measureAdvantage({ scheme: 'secp256k1', threads: 1, policies: ['scrypt'] });

  expect(rates.map(({ implementation }) => implementation)).toEqual(['noble', 'openssl', 'kernel']);
  expect(rates[1]?.perSecond).toBeGreaterThan(0);
  expect(rates[2]).toMatchObject({ perSecond: null, why: expect.stringContaining('memory-hard') });
});

it('leaves out policies without meaning for a scheme', async () => {
  const signal = AbortSignal.abort();
  const policies = ['yggdrasil', 'torsion'] as const;

  expect(await measureAdvantage({ scheme: 'secp256k1', threads: 1, policies })).toEqual([]);
  expect(await measureAdvantage({ scheme: 'ed25519', threads: 1, policies, signal })).toEqual([]);
});
