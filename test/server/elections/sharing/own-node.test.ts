/**
 * @module
 * What a participant receives about its own node: its rank, which others change by joining, and its events.
 */

import { beforeAll, describe, expect, it } from 'vitest';

import { minedIdentity, policyOfJson } from '../joining.ts';
import type { Entered, SharedLab } from './shared-lab.ts';
import { bearer, sharedLab, TOKENS } from './shared-lab.ts';

const POLICY = policyOfJson({ c1: 2 });

interface OwnEvent {
  readonly event: string;
  readonly outline?: true;
  readonly node?: number | null;
  readonly from?: number;
  readonly action: { readonly type: string };
}

interface Inbox {
  readonly rank: number;
  readonly events: readonly {
    readonly event: { readonly type: string; readonly rank?: number; readonly from?: number };
  }[];
}

/** Joins with an identity of its own. */
async function join(lab: SharedLab, election: string, { token }: Entered, seed: string) {
  const { claim } = minedIdentity(POLICY, { seed, goal: { type: 'any' } });
  const { json } = await lab.ask(token, 'POST', `${election}/nodes`, { claim, waitMs: 0 });
  // By the schema.
  return json as { rank: number; nodeId: string; token: string; links: { inbox: string } };
}

describe('the node of a participant', () => {
  const lab = sharedLab();
  let joined: Awaited<ReturnType<typeof join>>;
  let inbox: Inbox;
  let events: OwnEvent[];
  let rank: number;

  beforeAll(async () => {
    const election = await lab.made({ nodes: 3, policy: { c1: 2 }, honest: 'drawn' });
    const code = await lab.share(election, { participantsMax: 20 });
    const ann = await lab.enter(code, 'Ann');
    joined = await join(lab, election, ann, '1');
    for (let index = 2; index < 12; index += 1) {
      await join(lab, election, await lab.enter(code, `Other ${index}`), String(index));
    }
    const act = (action: object) => lab.ask(TOKENS.ida, 'POST', `${election}/actions`, action);
    await act({ type: 'start' });
    await act({ type: 'advance', until: 'idle' });
    const nodes = await lab.ask(TOKENS.ida, 'GET', `${election}/nodes?pageSize=100`);
    // By the schemas.
    const items = nodes.json.items as { rank: number; nodeId: string }[];
    rank = items.find(({ nodeId }) => nodeId === joined.nodeId)?.rank ?? 0;
    inbox = (await lab.ask(ann.token, 'GET', joined.links.inbox)).json as unknown as Inbox;
    const headers = bearer(ann.token);
    const answer = await lab.app.request(`${election}/events`, { headers });
    events = (await answer.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as OwnEvent);
  });

  it('has a rank that others change until the start, after which inbox and start state it', () => {
    const [start] = inbox.events;

    expect(joined.rank).not.toBe(rank);
    expect(inbox.rank).toBe(rank);
    expect(start?.event).toEqual({ type: 'start', rank });
  });

  it('has all its events in the stream: also each arrival of a message, with its sender', () => {
    const arrivals = inbox.events.filter(({ event }) => event.type === 'deliver');
    const own = events.filter(({ event, node }) => event === 'message.delivered' && node === rank);

    expect(arrivals.length).toBeGreaterThan(0);
    expect(own.map(({ from }) => from)).toEqual(arrivals.map(({ event }) => event.from));
    expect(own.every(({ outline }) => outline === undefined)).toBe(true);
  });

  it('shares a stream in which the arrivals at other nodes name neither node nor sender', () => {
    const others = events.filter(
      ({ event, outline }) => event === 'message.delivered' && outline === true,
    );

    expect(others.length).toBeGreaterThan(0);
    for (const each of others) {
      expect(Object.keys(each)).not.toContain('node');
      expect(Object.keys(each)).not.toContain('from');
      expect(each.action).toEqual({ type: 'deliver' });
    }
  });
});
