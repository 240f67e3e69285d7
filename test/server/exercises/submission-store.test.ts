/**
 * @module
 * The limits on submissions, kept when many are sent at once.
 */

import { describe, expect, it } from 'vitest';
import { SubmissionStore } from '../../../server/exercises/submission-store.ts';

const LIMIT = 5;

describe('a store of submissions', () => {
  const work = { student: 'alice', exercise: 'predict-cost', version: 1 };
  const limit = { evaluated: LIMIT, per: 60, inAll: null };
  const submission = { type: 'number', number: 1 } as const;

  it.each([10, 100])(
    'grades exactly the limit of %i at once, and keeps one solution',
    async (all) => {
      const store = new SubmissionStore();
      const gate = Promise.withResolvers<void>();
      let graded = 0;
      const grade = async () => {
        graded += 1;
        await gate.promise;
        return { points: 10, passed: true, findings: [] };
      };

      const requests = Array.from({ length: all }, () =>
        store.evaluate(work, limit, { submission, grade, owners: async () => [] }),
      );
      gate.resolve();
      const settled = await Promise.allSettled(requests);

      expect(graded).toBe(LIMIT);
      const kept = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      expect(kept.filter((each) => each !== null)).toHaveLength(1);
      expect(kept).toHaveLength(LIMIT);
      expect(store.list(work).map(({ points }) => points)).toEqual([10]);
    },
  );

  it.each([10, 100])(
    'grades exactly those of %i at once that are left in all, and none when time has passed',
    async (all) => {
      let ms = 1_000;
      const store = new SubmissionStore(undefined, () => ms);
      const inAll = { evaluated: LIMIT, per: 60, inAll: LIMIT + 2 };
      const grade = async () => ({ points: 0, passed: false, findings: [] });
      const submitAll = async () => {
        const requests = Array.from({ length: all }, () =>
          store.evaluate(work, inAll, { submission, grade, owners: async () => [] }),
        );
        const settled = await Promise.allSettled(requests);
        return settled.flatMap((each) => (each.status === 'rejected' ? [each.reason.code] : []));
      };

      const early = await submitAll();
      ms += 61_000;
      const late = await submitAll();
      ms += 1e9;
      const never = await submitAll();

      expect(new Set([...early, ...late])).toEqual(new Set(['limit.submissions']));
      expect([early.length, late.length, never.length]).toEqual([all - LIMIT, all - 2, all]);
      expect(new Set(never)).toEqual(new Set(['exercise.attempts']));
      expect(store.leftOf(work, inAll)).toBe(0);
    },
  );

  it('gives an evaluation back that fails', async () => {
    const store = new SubmissionStore();
    const grade = () => Promise.reject(new Error('no disk'));

    await expect(
      store.evaluate(work, limit, { submission, grade, owners: async () => [] }),
    ).rejects.toThrow('no disk');

    expect(store.leftOf(work, limit)).toBe(LIMIT);
  });
});
