/**
 * @module
 * The verdict on an attack after which the election does not come to rest: at the deadline that the election states
 * it is definite, with the reason. Before, it is unknown.
 */

import { describe, expect, it } from 'vitest';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../../../src/election/registry.ts';
import { labUnderTest } from '../../lab-under-test.ts';
import { joiningIn } from '../joining.ts';

const lab = labUnderTest();
const { act } = joiningIn(lab);
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
  });

  it('that leaves the leader in office has a verdict from the deadline on', async () => {
    const election = await create({ level: 'L0', phantoms: [5] });
    await act(election, { type: 'start' });
    const probe = { type: 'PROBE', candidate: 5 };
    const injected = await act(election, { type: 'inject', from: 1, to: 2, message: probe });
    const deadline = Number(injected.json.deadline);
    const before = (await act(election, { type: 'advance', until: deadline - 1 })).json;
    const at = (await act(election, idle)).json;
    const later = (await act(election, { type: 'advance', until: 10 * deadline })).json;

    expect([injected.json.verdict, before.verdict]).toEqual([
      expect.objectContaining({ value: 'unknown' }),
      expect.objectContaining({ value: 'unknown' }),
    ]);
    for (const { ticks, state } of [
      { ticks: deadline, state: at },
      { ticks: 10 * deadline, state: later },
    ]) {
      expect(state).toMatchObject({
        ...{ status: 'active', agreed: true, leader: { rank: 4 }, time: ticks },
        verdict: {
          value: 'true',
          reason: `not at rest ${ticks} ticks after the last action: all 4 live nodes follow 4, the highest of them`,
          properties: { termination: { value: 'true' }, agreement: { value: 'true' } },
        },
      });
    }
  });

  it('has a new deadline after an action', async () => {
    const election = await create({ ...PHANTOM, run: true });
    const { json } = await act(election, { type: 'crash', rank: 3 });

    expect(Number(json.deadline)).toBeGreaterThan(Number(election.json.deadline));
    expect(json.verdict).toMatchObject({ value: 'unknown' });
  });
});
