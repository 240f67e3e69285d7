/**
 * @module
 * The lists of jobs and elections: the newest first, with the time of creation, selected by status and owner.
 */

import { describe, expect, it } from 'vitest';
import { TokenSet } from '../../../server/callers/tokens.ts';
import type { LabUnderTest } from '../lab-under-test.ts';
import { labUnderTest } from '../lab-under-test.ts';

const BEGUN = Date.parse('2026-10-01T12:00:00.000Z');

/** A lab whose clock moves on by a second with each call of `make`. */
function ticking(options: Parameters<typeof labUnderTest>[0] = {}) {
  const clock = { ms: BEGUN };
  const lab = labUnderTest({ ...options, wallMs: () => clock.ms });
  const make = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const { json } = await lab.post(path, body, headers);
    clock.ms += 1_000;
    return String(json.id);
  };
  return { ...lab, make };
}

async function listed(lab: Pick<LabUnderTest, 'call'>, path: string, headers = {}) {
  const { status, json } = await lab.call('GET', path, { headers });
  expect(status).toBe(200);
  return json as {
    readonly items: readonly { readonly id: string; readonly created: string }[];
    readonly nextPageToken: string | null;
  }; // By the schema of the page.
}

const ELECTION = { protocol: 'bully-oneshot', nodes: 3, seed: '1' };
const RUN = { threatModel: 'top-id', runs: 5, seed: '1' };

describe.each([
  ['elections', '/v1/elections', () => ELECTION, () => '/v1/elections'],
  [
    'jobs',
    '/v1/jobs',
    (index: number) => (index % 2 === 0 ? RUN : { c1: 8 }),
    (index: number) => (index % 2 === 0 ? '/v1/runs' : '/v1/forgeries'),
  ],
])('the list of %s', (_name, list, bodyOf, pathOf) => {
  it('has the newest first, in pages, each with the time of its creation', async () => {
    const lab = ticking();
    const made: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      made.push(await lab.make(pathOf(index), bodyOf(index)));
    }

    const first = await listed(lab, `${list}?pageSize=3`);
    // What is created meanwhile belongs to no later page.
    const late = await lab.make(pathOf(0), bodyOf(0));
    const second = await listed(lab, `${list}?pageSize=3&pageToken=${first.nextPageToken}`);

    const items = [...first.items, ...second.items];
    expect(items.map(({ id }) => id)).toEqual(made.toReversed());
    expect(items.map(({ created }) => created)).toEqual(
      made.map((_, index) => new Date(BEGUN + 1_000 * index).toISOString()).toReversed(),
    );
    expect(second.nextPageToken).toBeNull();
    const whole = await lab.call('GET', `${list}/${late}`);
    expect(whole.json.created).toBe(new Date(BEGUN + 5_000).toISOString());
  });
});

it('elections are selected by their status, and with jobs by their owner', async () => {
  const tokens = new TokenSet([
    { name: 'ida', role: 'instructor', token: 'instructor-0123456789' },
    { name: 'ann', role: 'student', token: 'ann-0123456789abcdef' },
    { name: 'bob', role: 'student', token: 'bob-0123456789abcdef' },
  ]);
  const lab = ticking({ tokens });
  const by = (token: string) => ({ Authorization: `Bearer ${token}` });
  const [ann, bob] = [by('ann-0123456789abcdef'), by('bob-0123456789abcdef')];
  const ida = by('instructor-0123456789');
  const created = await lab.make('/v1/elections', ELECTION, ann);
  const idle = await lab.make('/v1/elections', { ...ELECTION, run: true }, bob);
  const job = await lab.make('/v1/runs', RUN, ann);
  await lab.make('/v1/runs', RUN, bob);
  const idsOf = async (path: string, headers: object) =>
    (await listed(lab, path, headers)).items.map(({ id }) => id);

  expect(await idsOf('/v1/elections?status=idle', ida)).toEqual([idle]);
  expect(await idsOf('/v1/elections?status=created', ida)).toEqual([created]);
  expect(await idsOf('/v1/elections?status=created&owner=bob', ida)).toEqual([]);
  expect(await idsOf('/v1/elections?owner=ann', ida)).toEqual([created]);
  expect(await idsOf('/v1/elections?owner=ann', bob)).toEqual([]);
  expect(await idsOf('/v1/jobs?owner=ann', ida)).toEqual([job]);
  expect(await idsOf('/v1/jobs?owner=ann', bob)).toEqual([]);
});
