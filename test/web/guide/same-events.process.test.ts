/**
 * @module
 * The elections of the guides are those of the server: the same request and the same actions give the same events, up
 * to each moment at which a reader can continue.
 */

import { describe, expect, it } from 'vitest';

import { actionsUntil } from '../../../server/web/guide/actions.ts';
import { GUIDES } from '../../../server/web/guide/guide.ts';
import { raceOf } from '../../../server/web/guide/race-scenes.ts';
import { labUnderTest } from '../../server/lab-under-test.ts';
import { played } from './guides.ts';

/** Moments of an election that are tried, beside the first and the last that is shown. */
const TRIED = 4;

describe.each(GUIDES)('the elections of the guide “$title”', (guide) => {
  const lab = labUnderTest();
  const { parts, frames, races } = played(guide);
  const elections = parts.flatMap((part, number) => {
    if (part.view !== 'election') return [];
    const shown = frames.filter((frame) => frame.part === number).map(({ moment }) => moment);
    const some = shown.filter((_, index) => index % Math.ceil(shown.length / TRIED) === 0);
    return [{ number, part, moments: [...new Set([...some, shown.at(-1) ?? 0])] }];
  });

  it.each(elections)('part $number', async ({ part: { election, played: own }, moments }) => {
    for (const moment of moments) {
      const created = await lab.post('/v1/elections', election.request);
      expect(created.status, created.text).toBe(201);
      const path = `/v1/elections/${created.json['id']}`;
      const claim = raceOf(races, election.joins)?.result.claim ?? null;
      const member = claim === null ? null : await lab.post(`${path}/nodes`, { claim, waitMs: 0 });
      const outbox = `${path}/nodes/${member?.json['nodeId']}/outbox`;
      const token = { 'node-token': String(member?.json['token']) };
      for (const action of actionsUntil(election, own, moment)) {
        const { status, text } =
          action.type === 'outbox'
            ? await lab.post(outbox, { effects: action.effects }, token)
            : await lab.post(`${path}/actions`, action);
        expect(status, text).toBeLessThan(300);
      }
      const text = await (await lab.app.request(`${path}/events`)).text();
      const lines = text.split('\n').filter((line) => line.includes('"seq"'));

      const events = lines.map((line) => ({ ...JSON.parse(line), election: 'guide' }));
      expect(events).toEqual(own.events.slice(0, moment));
    }
  });
});
