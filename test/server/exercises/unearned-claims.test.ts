/**
 * @module
 * Claims that a student has not earned have no points.
 */

import { describe, expect, it } from 'vitest';
import { classUnderTest } from './class.ts';

describe('a claim that the student has not earned', () => {
  const mined = async (instance: unknown) => {
    const script = new URL('../../../exercises/mine-claim/mining.js', import.meta.url);
    const { mine } = await import(script.href);
    return { type: 'claim', claim: mine(instance) };
  };

  it('has no points if it is made up, whatever node ID it states', async () => {
    const { submit } = classUnderTest();
    const claim = {
      ...{ scheme: 'ed25519', publicKey: '0'.repeat(64), nodeId: 'f'.repeat(64) },
      ...{ solution: null, signature: '0'.repeat(128) },
    };

    const { json } = await submit('student-0', 'forge-top-id', { type: 'claim', claim });

    expect(json).toMatchObject({ status: 'incorrect', points: 0 });
  });

  it('has no points if its key was mined elsewhere and only metered keys count', async () => {
    const { submit, instance } = classUnderTest();
    const { json: of } = await instance('student-0', 'forge-top-id');
    const { networks } = of.given as { networks: { c1: number }[] };
    const c1 = Math.min(...networks.map((network) => network.c1));

    const submission = await mined({ ...of, policy: { ...Object(of.policy), c1 } });
    const { json } = await submit('student-0', 'forge-top-id', submission);

    expect(json).toMatchObject({ status: 'incorrect', points: 0 });
  });

  it('has no points if it is that of another student', async () => {
    const { submit, instance, get } = classUnderTest();
    const { json: of } = await instance('student-1', 'mine-claim');

    const { json } = await submit('student-0', 'mine-claim', await mined(of));

    expect(json).toMatchObject({ status: 'incorrect', points: 0 });
    const { json: list } = await get('teacher', '/v1/exercises/mine-claim/suspicions');
    expect(list.items).toMatchObject([{ student: 'student-0', of: 'student-1' }]);
  });
});

describe('claims', () => {
  it.each([
    ['break-xor-puzzle', { prefix: '00000000' }, /^Y must begin with the bytes [0-9a-f]{8}$/],
    ['eight-siblings', { scalar: '02'.padEnd(64, '0') }, /^the keys come from another secret/],
  ])('of %s with another %j have no points for it', async (name, other, finding) => {
    const { submit, instance } = classUnderTest();
    const { solve } = await import(
      new URL(`../../../exercises/${name}/solution.js`, import.meta.url).href
    );

    const graded = await solve({
      instance: async () => {
        const { json } = await instance('student-0', name);
        return { ...json, given: { ...Object(json.given), ...other } };
      },
      submit: async (_name: string, submission: unknown) =>
        (await submit('student-0', name, submission)).json,
    });

    expect(graded.status).toBe('partial');
    expect(graded.findings[1]).toMatchObject({
      met: false,
      detail: expect.stringMatching(finding),
    });
  });
});
