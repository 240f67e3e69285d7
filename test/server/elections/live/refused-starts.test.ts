/**
 * @module
 * A start that is refused because of a fault that is due with it. Nothing has changed, and the start is not in the
 * history; the next action carries out the fault.
 */

import { expect, it } from 'vitest';
import { SERVER } from '../../../../server/request/principal.ts';
import type { Answer } from '../../lab-under-test.ts';
import { labUnderTest } from '../../lab-under-test.ts';
import { joiningIn } from '../joining.ts';

const lab = labUnderTest();
const { act, linkOf } = joiningIn(lab);

it.each([
  ['cr-join', { nodes: 3 }],
  ['bully-oneshot', { nodes: 40 }],
  ['zab-fle', { nodes: 5 }],
  ['bully-oneshot', { nodes: 8, detector: 'fd-oracle' }],
  ['bully-oneshot', { nodes: 40, detector: 'links' }],
])('of %s with %j is as in a copy of the election', async (protocol, members) => {
  const crash = [{ rank: 2, at: 0 }];
  const body = { protocol, seed: '1', latency: 'uniform:1:5', crash, ...members };
  const election = await lab.post('/v1/elections', body);

  const refused = await act(election, { type: 'start', nodes: [2] });
  const isUp = upIn(election);
  const copy = await lab.post(`${linkOf(election)}/fork`, {});
  const ends = await Promise.all(
    [election, copy].map(async (each) => {
      await act(each, { type: 'start' });
      const { json } = await act(each, { type: 'advance', until: 'idle' });
      return { ...json, id: '', created: '', links: {}, origin: null, replay: null };
    }),
  );

  expect(refused).toMatchObject({ status: 409, json: { code: 'election.conflict' } });
  expect(isUp).not.toContain(false);
  expect(typesIn(election)).toEqual(['start', 'advance']);
  expect(ends[1]).toEqual(ends[0]);
  expect(ends[0]).toMatchObject({ status: 'idle' });
  expect(upIn(election).indexOf(false)).toBe(1);
});

/** The types of the actions in the history of an election. */
function typesIn(election: Answer): string[] {
  return liveOf(election).history.actions.map(({ type }) => type);
}

/** Whether each node is up, by rank. */
function upIn(election: Answer): boolean[] {
  return liveOf(election)
    .stage.simulation.nodes()
    .map(({ up }) => up);
}

function liveOf({ json }: Answer) {
  return lab.elections.get(String(json.id), SERVER);
}
