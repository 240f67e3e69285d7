/**
 * @module
 * Submissions to an exercise whose elections were not created: they are refused, cost nothing, and the refusal says how to start.
 */

import { describe, expect, it } from 'vitest';
import { goalNamed } from '../../../src/exercise/goals/registry.ts';
import { classUnderTest, EXERCISES } from './class.ts';

const WITH_ELECTIONS = EXERCISES.filter(({ goal }) =>
  goalNamed(goal.type).needs.includes('elections'),
);

describe('a submission before the start', () => {
  it('can be made to four exercises', () => expect(WITH_ELECTIONS).toHaveLength(4));

  it.each(WITH_ELECTIONS)(
    'of $name is refused and takes no evaluation',
    async ({ name, submission: type, submissions: { evaluated } }) => {
      const { submit, instance, get } = classUnderTest();
      const path = `/v1/exercises/${name}/submissions`;

      const { json } = await submit('student-0', name, { type });

      expect(json).toMatchObject({ status: 409, code: 'exercise.not_started' });
      expect(json.detail).toContain(`usurp exercise start ${name}`);
      expect((await get('student-0', path)).json.items).toEqual([]);
      await instance('student-0', name);
      const { json: next } = await submit('student-0', name, { type });
      expect(next).toMatchObject({ status: 'incorrect', submissionsLeft: evaluated - 1 });
    },
  );
});
