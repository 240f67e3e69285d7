/**
 * @module
 * Watched elections of a protocol without ranks against the oracle that counts: each identity is as likely to lead,
 * so that a term is led by judged adversaries as often as the highest of all ranks is theirs.
 */

import { describe, expect, it } from 'vitest';
import { executeRuns } from '../../../src/experiment/runs/run.ts';
import { EMPTY_TALLY } from '../../../src/experiment/runs/tally.ts';
import { theoryOf } from '../../../src/experiment/verdict/theory.ts';
import { parseSeed } from '../../../src/random.ts';
import { STILL } from '../models.ts';
import type { Count } from './frequency.ts';
import { expectCounts } from './frequency.ts';
import { documentOf, drawer, sidesOf, WHO } from './instances.ts';
import { oracleOf } from './orders.ts';

const INSTANCES = 60;
const RUNS = Number(process.env.ORACLE_RUNS ?? 4);

describe.each(['adversary-leads', 'leads-more-than-share'] as const)('%s in raft', (property) => {
  it.each(WHO)('judged by %s', (by) => {
    const draw = drawer(property.length + by.length);
    const counts: Count[] = [];
    for (let index = 0; index < INSTANCES; index += 1) {
      const c1 = draw(2);
      const honest = 2 + draw(2);
      const attempts = Array.from({ length: by === 'together' ? 1 + draw(2) : 2 }, () => draw(4));
      const exact = oracleOf({
        ...{ honest, c1, property: 'adversary-leads', count: 1 },
        adversaries: attempts.map((each) => ({ attempts: each, ordinary: 0, most: each })),
        sides: sidesOf(by, attempts.length),
      });
      const model = documentOf({
        network: { honest, identity: { c1 }, election: { protocols: ['raft'], level: 'L0' } },
        adversaries: attempts.map((each) => {
          const response = { goal: 'all', registers: 'before', behaviours: [] };
          return { budget: { attempts: each }, ...response };
        }),
        expect: { property, by },
      });
      expect(theoryOf(model, EMPTY_TALLY, null).probability).toBeCloseTo(exact, 9);
      const seed = parseSeed(String(index));
      const { wins } = executeRuns(model, seed, { from: 0, count: RUNS }, STILL);
      counts.push({ runs: RUNS, wins: wins[0] ?? 0, exact });
    }
    expectCounts(counts);
  });
});
