/**
 * @module
 * The events of an election say which messages nodes refused, and why.
 */

import { describe, expect, it } from 'vitest';

import { labUnderTest } from '../../lab-under-test.ts';

const JSONL = { headers: { Accept: 'application/jsonl' } };

interface StreamedEvent {
  readonly event: string;
  readonly node: number | null;
  readonly refused?: string;
}

interface ListedNode {
  readonly rank: number;
  readonly refused: Readonly<Record<string, number>>;
}

describe('the events of an election', () => {
  const lab = labUnderTest();

  async function runWith(members: object) {
    const body = { protocol: 'bully-oneshot', nodes: 4, seed: '1', level: 'L2', run: true };
    const election = await lab.post('/v1/elections', { ...body, ...members });
    const self = String(election.headers.get('Location'));
    const stream = await lab.app.request(`${self}/events`, JSONL);
    const lines = (await stream.text()).trim().split('\n');
    // The contract gives lines and nodes these members.
    const events = lines.map((line) => JSON.parse(line) as StreamedEvent);
    const { json } = await lab.call('GET', `${self}/nodes`);
    return { events, nodes: json.items as readonly ListedNode[] };
  }

  it('say why a node refused a message, as often as the node counts it', async () => {
    const byzantine = [{ rank: 2, behaviours: ['spoof-coordinator'] }];
    const { events, nodes } = await runWith({ byzantine });
    const refusals = events.filter(({ refused }) => refused !== undefined);

    expect(refusals.length).toBeGreaterThan(1);
    expect(refusals.every(({ event }) => event === 'message.delivered')).toBe(true);
    for (const { rank, refused } of nodes) {
      for (const [reason, count] of Object.entries(refused)) {
        const seen = refusals.filter((each) => each.node === rank && each.refused === reason);
        expect(seen, `${reason} by ${rank}`).toHaveLength(count);
      }
    }
  });

  it('name no refusal among honest nodes', async () => {
    const { events } = await runWith({});

    expect(events.filter(({ refused }) => refused !== undefined)).toEqual([]);
  });
});
