/**
 * @module
 * The contract of elections in the simulator, under several seeds, and in the checker, under every schedule where the
 * protocol comes to rest.
 */

import { describe, expect, it } from 'vitest';
import { checkerOf, isExhausted } from './checked.ts';
import type { Driver } from './driver.ts';
import { impossibleReason, played } from './driver.ts';
import { CONTRACT_PROTOCOLS, SCENARIOS } from './scenarios.ts';
import { simulatorOf } from './simulated.ts';

const SEEDS = [1, 2];

describe.each(CONTRACT_PROTOCOLS)('the contract of %s', (protocol) => {
  const simulators = SEEDS.map(simulatorOf);
  const checkers = isExhausted(protocol) ? [checkerOf(1)] : SEEDS.map(checkerOf);
  const schedules = isExhausted(protocol) ? 'every schedule' : 'deterministic schedules';
  const rows: readonly (readonly [string, readonly Driver[]])[] = [
    ['in the simulator', simulators],
    [`in the checker, under ${schedules}`, checkers],
  ];

  describe.each(rows)('%s', (_where, drivers) => {
    for (const scenario of SCENARIOS) {
      const reason = impossibleReason(scenario, protocol, drivers[0]?.name ?? 'checker');
      if (reason !== null) {
        it.skip(`${scenario.name}: impossible, ${reason}`);
        continue;
      }
      it(scenario.name, async () => {
        const faults: string[] = [];
        for (const driver of drivers) faults.push(...(await played(driver, scenario, protocol)));

        expect(faults).toEqual([]);
      });
    }
  });
});
