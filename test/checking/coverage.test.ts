/**
 * @module
 * What a search says of message types, timers and events that it did not reach.
 */

import { describe, expect, it } from 'vitest';

import type { Coverage } from '../../src/checking/coverage.ts';
import { checked } from './checked.ts';

function namesOf({ messages, timers, events }: Coverage, wanted: string): readonly string[] {
  return [
    ...messages.flatMap(({ type, reached }) => (reached === wanted ? [type] : [])),
    ...timers.flatMap(({ timer, reached }) => (reached === wanted ? [timer] : [])),
    ...events.flatMap(({ event, reached }) => (reached === wanted ? [event] : [])),
  ];
}

const SYNC = { timing: 'synchronous' } as const;

describe('the coverage of an exhausted search', () => {
  it('has every part of a protocol that the instance reaches', () => {
    const { coverage } = checked('cr-join', 3);

    expect(namesOf(coverage, 'never')).toEqual([]);
    expect(coverage.events.map(({ event }) => event)).toEqual(['start', 'deliver']);
  });

  it('names message types of variants that are off, and timers that cannot fire', () => {
    const raft = { flags: { spreadTicks: '1' }, bounds: { timeout: 1 } };

    const { type, coverage } = checked('raft', 2, raft);

    expect(type).toBe('exhausted');
    const log = ['APPEND', 'APPEND_REPLY', 'TIMEOUT_NOW'];
    expect(namesOf(coverage, 'never')).toEqual(['PRE_VOTE', 'PRE_VOTE_REPLY', ...log, 'heartbeat']);
  });

  it('names events that the instance allows and no node had', () => {
    const given = { ...SYNC, initiators: [3], bounds: { crash: 1, timeout: 0 } };

    const { coverage } = checked('bully-oneshot', 3, given);

    expect(namesOf(coverage, 'never')).toContain('timeout');
  });

  it('states which kind of handler received a message', () => {
    const { coverage } = checked('db-lease', 2, { bounds: { timeout: 1 } });

    expect(coverage.messages).toEqual([
      { type: 'READ', reached: 'acted', handlers: ['operation'] },
      { type: 'ROW', reached: 'acted', handlers: ['reply'] },
      { type: 'SWAP', reached: 'acted', handlers: ['operation'] },
    ]);
  });

  it('tells messages that every node ignores from those that none receives', () => {
    const { coverage } = checked('bully-improved', 3, { ...SYNC, bounds: { crash: 1 } });

    expect(namesOf(coverage, 'ignored')).toEqual(['CRASH']);
    expect(namesOf(coverage, 'never')).toEqual([]);
  });
});
