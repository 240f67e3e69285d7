/**
 * @module
 * How many participants a shared election may have: a class fits at every level, and a join code for more participants
 * than can join is refused when it is made.
 */

import { describe, expect, it } from 'vitest';

import { PARTICIPANTS_MAX } from '../../../../server/elections/sharing/shared-elections.ts';
import { IS_WHOLE } from '../../../sample.ts';
import { minedIdentities, policyOfJson } from '../joining.ts';
import { sharedLab, TOKENS } from './shared-lab.ts';

const CLASS = 40;

/** An election of ida that is shared, without a code. */
async function shared(body: object) {
  const lab = sharedLab();
  const election = await lab.made(body);
  await lab.ask(TOKENS.ida, 'PUT', `${election}/access`, { mode: 'shared' });
  const code = (members: object) =>
    lab.ask(TOKENS.ida, 'POST', `${election}/join-code`, { expiresIn: '1h', ...members });
  const act = (action: object) => lab.ask(TOKENS.ida, 'POST', `${election}/actions`, action);
  return { lab, election, code, act };
}

describe(`a class of ${CLASS}`, () => {
  // At L3 everything of L2 happens, and more.
  it.each(IS_WHOLE ? ['L2', 'L3'] : ['L3'])(
    'joins and elects at %s, with real keys',
    async (level) => {
      const { lab, election, code, act } = await shared({ level });
      const { json } = await code({ participantsMax: CLASS });
      const policy = policyOfJson({ c1: 2 });
      const claims = Array.from({ length: CLASS }, (_, index) => {
        return minedIdentities(policy, { seed: String(index) })[0]?.claim;
      });
      for (const [index, claim] of claims.entries()) {
        const { token } = await lab.enter(String(json.code), `Student ${index}`);
        const joined = await lab.ask(token, 'POST', `${election}/nodes`, { claim, waitMs: 0 });
        expect(joined.status).toBe(201);
      }

      await act({ type: 'start' });
      await act({ type: 'advance', until: 'idle' });

      const { json: view } = await lab.ask(TOKENS.ida, 'GET', election);
      expect(view).toMatchObject({ keys: 'real', nodes: CLASS + 3, status: 'idle' });
      expect(lab.faults).toEqual([]);
    },
  );
});

describe('a join code', () => {
  it.each([
    ['signed with real keys', { level: 'L3', nodes: 24 }, 40],
    ['signed, with ranks for newcomers', { level: 'L2', nodes: 8, newcomers: 3 }, 56],
    ['of a protocol with many messages', { nodes: 3 }, PARTICIPANTS_MAX - 3],
  ])('is for as many participants as can join an election %s', async (_name, body, most) => {
    const { code } = await shared(body);

    const refused = await code({ participantsMax: most + 1 });
    const fitting = await code({ participantsMax: most });
    const unsaid = await code({});

    expect(refused).toMatchObject({ status: 409, json: { code: 'election.conflict' } });
    expect(refused.json.errors).toMatchObject([{ pointer: '#/participantsMax' }]);
    expect(refused.json.detail).toContain(`at most ${most} participants`);
    expect(fitting).toMatchObject({ status: 201, json: { participantsMax: most } });
    expect(unsaid).toMatchObject({ status: 201, json: { participantsMax: most } });
  });

  it('is for the newcomers only after the start', async () => {
    const { code, act } = await shared({ newcomers: 2 });
    const closed = await shared({});
    await act({ type: 'start' });
    await closed.act({ type: 'start' });

    expect((await code({ participantsMax: 3 })).json.detail).toContain('at most 2 participants');
    expect((await code({ participantsMax: 2 })).status).toBe(201);
    expect(await closed.code({})).toMatchObject({ status: 409, json: { code: 'election.closed' } });
  });
});
