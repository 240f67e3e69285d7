/**
 * @module
 * The form of an answer: each exercise has a schema of which the form shows every member, and empty items are left out.
 */

import { describe, expect, it } from 'vitest';
import type { AnswerSchema } from '../../../server/web/exercises/answer-schema.ts';
import {
  filled,
  partOf,
  resolved,
  skeletonOf,
  valueIn,
} from '../../../server/web/exercises/answer-schema.ts';
import { goalNamed } from '../../../src/exercise/goals/registry.ts';
import { answerJsonSchema, answerSchema } from '../../../src/exercise/submission.ts';
import { readExercises } from '../../../src/runtime/files/exercises.ts';

const exercises = await readExercises();

describe('the schema of an answer', () => {
  it.each(exercises.map(({ name, submission, goal }) => ({ name, submission, goal })))(
    'of $name has a form for each member',
    ({ submission, goal }) => {
      const schema: AnswerSchema | null = answerJsonSchema(submission, goalNamed(goal.type).answer);

      const names = (part: AnswerSchema): string[] => {
        const { kind, ...rest } = partOf(part);
        if (kind === 'group' && 'members' in rest) {
          return rest.members.flatMap(([name, member]) => [name, ...names(member)]);
        }
        return 'of' in rest ? names(rest.of) : [];
      };
      const text = JSON.stringify(schema === null ? {} : skeletonOf(schema));
      expect(schema === null ? [] : names(schema).filter((name) => !text.includes(name))).toEqual(
        [],
      );
    },
  );

  it('leaves out empty items and keeps what was entered', () => {
    const schema: AnswerSchema = answerJsonSchema('scenario', undefined) ?? {};
    const spell = { rank: 1, from: 2, to: 3 };

    const answer = filled(schema, {
      ...{ type: 'scenario', crashes: [spell, { rank: null, from: null, to: null }] },
      ...{ pauses: [], defences: [], changes: [], resource: 'unfenced' },
    });

    expect(answerSchema.parse(answer)).toMatchObject({ crashes: [spell], pauses: [] });
  });

  it('has the members of a claim, which is a definition of the schema', () => {
    const members = ['scheme', 'publicKey', 'nodeId', 'solution', 'signature'];
    const empty = Object.fromEntries(members.map((name) => [name, null]));
    const one = resolved(answerJsonSchema('claim', undefined) ?? {});
    const several = resolved(answerJsonSchema('claims', undefined) ?? {});

    expect(skeletonOf(one)).toEqual({ type: 'claim', claim: empty });
    expect(skeletonOf(several)).toEqual({ type: 'claims', claims: [empty] });
    expect(filled(several, skeletonOf(several))).toEqual({ type: 'claims', claims: [] });
  });

  it('reads numbers where numbers are asked, and leaves other texts to the server', () => {
    expect(valueIn({ type: 'number' }, '2.5')).toBe(2.5);
    expect(valueIn({ type: 'number' }, 'many')).toBe('many');
    expect(valueIn({ type: 'string' }, '12')).toBe('12');
    expect(valueIn({ type: 'integer' }, ' ')).toBeNull();
  });

  it('accepts a number alone', () => {
    expect(answerSchema.parse(7)).toEqual({ type: 'number', number: 7 });
    expect(answerSchema.safeParse(-1).success).toBe(false);
    expect(answerSchema.safeParse('7').success).toBe(false);
  });
});
