/**
 * @module
 * Messages of a node that is played in the browser: they are sealed as the server requires at L2 and L3.
 */

import { describe, expect, it } from 'vitest';

import type { Sealer } from '../../server/web/elections/own/sealing.ts';
import { candidaciesIn, sealed } from '../../server/web/elections/own/sealing.ts';

const SEALER: Sealer = {
  ...{ level: 'L3', protocol: 'bully-oneshot', election: 'e_1', rank: 4, others: [1, 2] },
  forms: [{ type: 'COORDINATOR', names: ['leader'], stands: false }],
  candidacies: { 3: 'theirs' },
  sign: (text) => `signed ${text}`,
  nextNumber: (to) => 10 + to,
};

describe('a sealed message', () => {
  it('is signed for each recipient, with its number and its own candidacy', () => {
    const message = { type: 'COORDINATOR', leader: 4 };

    const effects = sealed([{ type: 'send', to: 'all', message }], SEALER);

    expect(effects).toEqual(
      [1, 2].map((to) => ({
        ...{ type: 'send', to },
        message: {
          ...message,
          seal: {
            ...{ by: 4, number: 10 + to },
            signature: `signed ["usurp/election/v1","bully-oneshot",4,${to},"e_1",${10 + to},{"leader":4,"type":"COORDINATOR"}]`,
            candidacies: { 4: 'signed ["usurp/candidacy/v1","bully-oneshot",4,"e_1"]' },
          },
        },
      })),
    );
  });

  it('has the candidacy of another node that was received, and no number at L2', () => {
    const message = { type: 'COORDINATOR', leader: 3 };

    const [effect] = sealed([{ type: 'send', to: 1, message }], { ...SEALER, level: 'L2' });

    expect(effect).toMatchObject({ message: { seal: { candidacies: { 3: 'theirs' } } } });
    expect(effect).not.toHaveProperty('message.seal.number');
  });

  it('leaves other effects as they are', () => {
    expect(sealed([{ type: 'step-down' }], SEALER)).toEqual([{ type: 'step-down' }]);
  });

  it('takes candidacies from the seals of received messages', () => {
    const event = { type: 'deliver', message: { type: 'OK', seal: { candidacies: { 5: 'x' } } } };

    expect(candidaciesIn([{ number: 1, at: 1, event }])).toEqual({ 5: 'x' });
    expect(candidaciesIn([{ number: 1, at: 1, event: { type: 'start' } }])).toEqual({});
  });
});
