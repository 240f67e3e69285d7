/**
 * @module
 * Answers that are refused without using one up, and answers that belong to another student.
 */

import { describe, expect, it } from 'vitest';

import { messagesOfFailures } from '../../../src/exercise/goals/message-counts.ts';
import { classUnderTest } from './class.ts';

const CUTS = { plainTo: 1, preVoteTo: 1, flags: 'both' };

describe('malformed settings', () => {
  it.each([
    ['depose-leader', { plainTo: 1, preVoteTo: 1 }, '#/settings/flags'],
    ['depose-leader', { ...CUTS, plainTo: 'x' }, '#/settings/plainTo'],
    ['depose-leader', { ...CUTS, plainTo: 3.5 }, '#/settings/plainTo'],
    ['depose-leader', { ...CUTS, flags: 'toString' }, '#/settings/flags'],
    ['depose-leader', { ...CUTS, more: 1 }, '#/settings/more'],
    ['slow-clock', {}, '#/settings/overlapTicks'],
    ['price-churn', { lifetime: 1.5, c1: 1, attempts: 1 }, '#/settings/lifetime'],
    ['salt-stockpile', { 'epochs.salt': 'all' }, '#/settings/epochs.salt'],
  ])('of %s, %j, use no answer up', async (name, settings, pointer) => {
    const { submit, get } = classUnderTest();

    const { status, json } = await submit('student-0', name, { type: 'settings', settings });
    const { json: list } = await get('student-0', `/v1/exercises/${name}/submissions`);

    expect({ status, ...json }).toMatchObject({ status: 400, code: 'schema' });
    expect(json.errors).toMatchObject(
      expect.arrayContaining([expect.objectContaining({ pointer })]),
    );
    expect(list.items).toEqual([]);
  });
});

describe('the right number of another student', () => {
  it('for price-defence is recorded for instructors', async () => {
    const { submit, instance, get } = classUnderTest();
    const { json: of } = await instance('student-1', 'price-defence');
    const { nodes, failures } = Object(of.given);
    const { saved } = messagesOfFailures({ nodes, failures });
    const answer = { type: 'number', number: saved };

    const { json } = await submit('student-0', 'price-defence', answer);

    expect(json).toMatchObject({ status: 'incorrect', points: 0 });
    const { json: list } = await get('teacher', '/v1/exercises/price-defence/suspicions');
    expect(list.items).toMatchObject([{ student: 'student-0', of: 'student-1' }]);
  });
});
