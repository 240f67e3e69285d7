/**
 * @module
 * Checks of the defences under churn: the invariant of Ergo over some days.
 */

import { parseSeed } from '../../../src/random.ts';
import { largestShares } from '../../experiment/churn/minority.ts';
import type { Check } from './check.ts';
import { firstComplaint } from './check.ts';

export const CHURN_CHECKS = {
  'churn: the minority of Ergo': ergoMinority,
} satisfies Record<string, Check>;

function ergoMinority(): string | null {
  const shares = largestShares('ergo', { days: 3, power: 1 / 18, seed: parseSeed('1') });
  return firstComplaint(shares, ([what, share]) =>
    share < 1 / 6 ? null : `${what}: ${share} of the IDs`,
  );
}
