/**
 * @module
 * The measurement of a machine with a card, on the software device of tests and with tiny sizes.
 */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT, scratchFolder } from '../cli/shell.ts';
import { deviceOfTests } from '../mining/device/software-device.ts';

const DEVICE = await deviceOfTests();

it.skipIf(DEVICE === null)('writes one JSON in which a software device is called one', () => {
  const file = join(scratchFolder(), 'rates.json');
  const sizes = ['--policies', 'strict,concat', '--bits', '12'];

  execFileSync(process.execPath, ['bench/device/device.ts', '--out', file, ...sizes], {
    cwd: ROOT,
    stdio: 'pipe',
  });

  const { device, advantage, calibration, searches, missing } = JSON.parse(
    readFileSync(file, 'utf8'),
  );
  expect(device).toEqual({ name: DEVICE?.name, isSoftware: true });
  expect(searches).toMatchObject([
    { scheme: 'ed25519', isSame: true },
    { scheme: 'secp256k1', isSame: true },
  ]);
  const own = advantage.filter(
    (each: { implementation: string }) => each.implementation === 'device',
  );
  expect(own).toMatchObject([
    { scheme: 'ed25519', policy: 'strict', device, bits: null },
    { scheme: 'ed25519', policy: 'concat', device, bits: null },
    { scheme: 'secp256k1', policy: 'strict', device, bits: null },
  ]);
  expect(calibration.keys.length).toBeGreaterThan(0);
  expect(missing).toEqual([]);
});
