/**
 * @module
 * The walks of a device: whole batches of keys are those that noble makes, and the first hits at 500 cursors are those of the
 * WASM kernel. The slow suite does it under every policy that a device can search, with every kind of walk.
 */

import process from 'node:process';
import { describe, test } from 'vitest';
import { idRuleOf } from '../../../src/identity/ids/node-id.ts';
import { SCHEME_NAMES } from '../../../src/identity/keys/scheme.ts';
import { NAMED_POLICIES } from '../../../src/identity/named-policies.ts';
import { policyUnsupportedReasons } from '../../../src/identity/policy.ts';
import { isKernelPolicy } from '../../../src/mining/policy-cost.ts';
import { expectSameHits } from './same-hits.ts';
import { deviceOfTests } from './software-device.ts';

/** A program takes seconds to compile on a software device. */
const IS_WHOLE = process.env.DEVICE_CASES === 'all';

const CASES = Object.entries(NAMED_POLICIES).flatMap(([name, { policy }]) =>
  SCHEME_NAMES.filter((scheme) => {
    const isFast = isKernelPolicy({ ...policy, c1: 1 });
    return isFast && policyUnsupportedReasons(policy, scheme).length === 0;
  }).flatMap((scheme) =>
    (idRuleOf(policy).isKey ? [false] : [true, false])
      .filter((siblings) => IS_WHOLE || (siblings && name === 'strict'))
      .map((siblings) => ({ name, scheme, siblings, policy })),
  ),
);

const device = await deviceOfTests();

describe.skipIf(device === null)('a device finds what the WASM kernel finds', () => {
  test.each(CASES)('$name, $scheme, siblings $siblings', { timeout: 300_000 }, async (each) => {
    if (device !== null) await expectSameHits(device, each);
  });
});
