/**
 * @module
 * The timers of a live node when its clock jumps.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { NodeTimers } from '../../../src/live/live-node.ts';

it.each([
  ['fires its overdue timers at once, in their order', 10_000, ['soon', 'later', 'period']],
  ['fires nothing earlier', -10_000, []],
])('a clock that jumps %s', async (_what, ms, expected) => {
  const fired: string[] = [];
  const timers = new NodeTimers((timer) => fired.push(timer));
  timers.set('later', 9_000, false);
  timers.set('soon', 50, false);
  timers.set('period', 9_500, true);

  timers.jump(ms);
  await delay(100);
  timers.close();

  expect(fired).toEqual(expected);
});
