/**
 * @module
 * The verdict on an attack that leaves no leader: at the deadline that the election states it is false, with the
 * reason. Before, and if a leader may still come, it is unknown.
 */

import { describe, expect, it } from 'vitest';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../../../src/election/registry.ts';
import { labUnderTest } from '../../lab-under-test.ts';
import { joiningIn } from '../joining.ts';

const lab = labUnderTest();
const { act, linkOf } = joiningIn(lab);
const create = (members: object) =>
  lab.post('/v1/elections', { protocol: 'cr-join', nodes: 5, seed: '1', ...members });

/** A Byzantine node names a node that does not exist. */
const PHANTOM = {
  level: 'L0',
  phantoms: [5],
  byzantine: [{ rank: 2, behaviours: ['phantom-id'] }],
};
const idle = { type: 'advance', until: 'idle' };

describe('a phantom attack', () => {
  const rings = PROTOCOL_NAMES.filter((name) => PROTOCOLS[name].family === 'ring');
  const attacked = ['bully-oneshot', 'bully-gm82', 'bully-2phase', ...rings] as const;

  it.each(attacked)('on %s ends with the verdict false', async (protocol) => {
    for (const detector of ['crashes', 'fd-heartbeat']) {
      const { json } = await create({ protocol, ...PHANTOM, detector, run: true });

      expect(json, detector).toMatchObject({ agreed: false, verdict: { value: 'false' } });
    }
  });

  it('is unknown before the deadline, and says at the deadline how long it lasted', async () => {
    const election = await create(PHANTOM);
    const started = (await act(election, { type: 'start' })).json;
    const deadline = Number(started.deadline);
    const before = (await act(election, { type: 'advance', until: deadline - 1 })).json;
    const at = (await act(election, idle)).json;

    expect([election.json.deadline, started.verdict, before.verdict]).toEqual([
      null,
      expect.objectContaining({ value: 'unknown' }),
      expect.objectContaining({ value: 'unknown' }),
    ]);
    expect(at).toMatchObject({
      ...{ status: 'active', bound: 'until', time: deadline, deadline },
      verdict: {
        value: 'false',
        reason: `not at rest ${deadline} ticks after the last action: the followed leader 5 is down`,
        properties: { termination: { value: 'false' } },
      },
    });
    expect((await lab.call('GET', `${linkOf(election)}/verdict`)).json).toEqual(at.verdict);
  });

  it('has a new deadline after an action', async () => {
    const election = await create({ ...PHANTOM, run: true });
    const { json } = await act(election, { type: 'crash', rank: 3 });

    expect(Number(json.deadline)).toBeGreaterThan(Number(election.json.deadline));
    expect(json.verdict).toMatchObject({ value: 'unknown' });
  });
});
