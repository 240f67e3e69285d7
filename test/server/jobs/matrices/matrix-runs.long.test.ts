/**
 * @module
 * The runs that the cells of a matrix rest on: each repeats as an election over HTTP, with the same messages and leader.
 */

import { describe, expect, it } from 'vitest';

import { labUnderTest } from '../../lab-under-test.ts';

const WAIT = { Prefer: 'wait=60' };

/** A row of the table. */
interface MatrixRun {
  readonly fault?: string;
  readonly shows: string | null;
  readonly leader: number | null;
  readonly messages: number;
  readonly until: string;
  readonly saved: string | null;
}

interface Held {
  readonly leader: { readonly rank: number } | null;
  readonly messages: { readonly total: number };
  readonly links: { readonly actions: string; readonly self: string };
}

/** The runs of a matrix, and what an election of each of them came to. */
async function heldAgain(collection: string, body: object) {
  const { post, call } = labUnderTest();
  const { json } = await post(`/v1/${collection}`, body, WAIT);
  const { links, result } = json as { links: { rows: string }; result: { complete: boolean } }; // By the contract.
  const runs = (await call('GET', links.rows)).json as unknown as MatrixRun[]; // Likewise.
  const ends = [];
  for (const { saved, until } of runs) {
    if (saved === null) continue;
    const isIdle = until === 'idle';
    const made = await post('/v1/elections', { saved: JSON.parse(saved), run: isIdle });
    const { links: own } = made.json as unknown as Held; // Likewise.
    if (!isIdle) {
      await post(own.actions, { type: 'start' });
      await post(own.actions, { type: 'advance', until: Number(until) });
    }
    ends.push((await call('GET', own.self)).json as unknown as Held); // Likewise.
    await call('DELETE', own.self);
  }
  return { result, runs, ends, shown: runs.filter(({ saved }) => saved !== null) };
}

describe('the runs of a matrix', () => {
  it('of faults are elections with the same messages, unless a fault needs nodes of its own', async () => {
    const { result, runs, ends, shown } = await heldAgain('fault-matrices', {
      ...{ protocols: ['bully-gm82', 'raft'], runs: 5 },
    });

    expect(result.complete).toBe(true);
    expect(ends.map(({ messages }) => messages.total)).toEqual(shown.map((run) => run.messages));
    const closed = runs.filter(({ saved }) => saved === null).map(({ fault }) => fault);
    expect(new Set(closed)).toEqual(new Set(['torn-record', 'unknown-message']));
  });

  it('of attacks are elections with the same messages and leader', async () => {
    const { result, ends, shown } = await heldAgain('attack-matrices', {
      protocols: ['cr-join'],
    });

    expect(result.complete).toBe(true);
    expect(shown.length).toBeGreaterThan(40);
    expect(ends.map(({ messages }) => messages.total)).toEqual(shown.map((run) => run.messages));
    const lead = shown.flatMap(({ shows }, index) => (shows === 'L' ? [index] : []));
    expect(lead.length).toBeGreaterThan(0);
    expect(lead.map((index) => ends[index]?.leader?.rank)).toEqual(
      lead.map((index) => shown[index]?.leader),
    );
  });
});
