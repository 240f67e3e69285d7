/**
 * @module
 * The number of events of all advances of one election, and advances that end early. What has
 * happened is reported and kept, and no repetition does it again.
 */

import { describe, expect, it, vi } from 'vitest';
import type { ElectionAction } from '../../../../server/elections/live/action.ts';
import {
  bounded,
  carryOut,
  EVENTS_PER_ADVANCE_MAX,
} from '../../../../server/elections/live/action.ts';
import {
  electionRequestSchema,
  parseElectionRequest,
} from '../../../../server/elections/live/request.ts';
import { EVENTS_PER_ELECTION_MAX, Stage } from '../../../../server/elections/live/stage.ts';
import { EPHEMERAL_LOG } from '../../../../server/elections/storage/log.ts';
import { openLogs } from '../../../../server/lab.ts';
import { OverloadError } from '../../../../server/request/refusals.ts';
import { IN_FLIGHT_MAX } from '../../../../src/simulation/request/remote-limits.ts';
import { whole } from '../../../../src/simulation/run/parts.ts';
import { labUnderTest } from '../../lab-under-test.ts';
import { OutsidePlayer } from '../outside-player.ts';

const ADVANCE = { type: 'advance', until: 1_000_000 } as const;

/** An election that has begun and never becomes idle. */
function beating(): Stage {
  const body = { protocol: 'raft', nodes: 5, seed: '1' };
  const stage = new Stage(parseElectionRequest(electionRequestSchema.parse(body)), {});
  whole(carryOut(stage, { type: 'start' }));
  return stage;
}

describe('an advance', () => {
  it('is bounded by the events that are left for the election', () => {
    expect(bounded(ADVANCE, EVENTS_PER_ADVANCE_MAX)).toBe(ADVANCE);
    expect(bounded(ADVANCE, 7)).toEqual({ ...ADVANCE, events: 7 });
    expect(bounded({ ...ADVANCE, events: 5 }, 7)).toEqual({ ...ADVANCE, events: 5 });
    expect(() => bounded(ADVANCE, 0)).toThrow(`${EVENTS_PER_ELECTION_MAX} events in all`);
  });

  it('reduces the events that are left for the election', () => {
    const stage = beating();
    const before = stage.eventsLeft;

    whole(carryOut(stage, { ...ADVANCE, events: 2_500 }));

    expect(before).toBe(EVENTS_PER_ELECTION_MAX);
    expect(stage.eventsLeft).toBe(EVENTS_PER_ELECTION_MAX - 2_500);
  });

  it('ends if too many messages are in flight, and discards nothing', () => {
    const stage = beating();
    const { simulation } = stage;
    const course = carryOut(stage, ADVANCE);
    course.next();
    const status = simulation.status();
    vi.spyOn(simulation, 'status').mockReturnValue({ ...status, inFlight: IN_FLIGHT_MAX + 1 });

    const rest = whole(course);

    expect(rest).toBeNull();
    expect(stage.eventsLeft).toBe(EVENTS_PER_ELECTION_MAX - 1_000);
  });

  it('whose next part cannot be stored is answered once with the part so far', async () => {
    const refusal = new OverloadError('storage.unavailable', 'disk full', 10);
    const written: ElectionAction[] = [];
    const acted = (_id: string, action: ElectionAction) => {
      const advances = written.filter(({ type }) => type === 'advance').length;
      if (action.type === 'advance' && advances > 0) throw refusal;
      return written.push(action);
    };
    const elections = { ...EPHEMERAL_LOG, acted };
    const lab = labUnderTest({ logs: { ...openLogs(null, () => undefined), elections } });
    const body = { protocol: 'bully-oneshot', nodes: 4, seed: '1', level: 'L0' };
    const election = String((await lab.post('/v1/elections', body)).headers.get('Location'));
    await OutsidePlayer.join({ lab, election, waitMs: 1 });
    await lab.post(`${election}/actions`, { type: 'start' });
    const key = { 'Idempotency-Key': 'one' };
    const advance = { type: 'advance', until: 'idle' };

    const cut = await lab.post(`${election}/actions`, advance, key);
    const again = await lab.post(`${election}/actions`, advance, key);
    const further = await lab.post(`${election}/actions`, advance);

    expect(cut).toMatchObject({ status: 200, json: { bound: 'outside', status: 'active' } });
    expect(again).toMatchObject({ status: 200, text: cut.text });
    expect(further).toMatchObject({ status: 503, json: { code: 'storage.unavailable' } });
    expect(written.map(({ type }) => type)).toEqual(['join', 'start', 'advance', 'lapse']);
  });
});
