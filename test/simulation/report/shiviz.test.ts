/**
 * @module
 * ShiViz's logs, read back as ShiViz reads them (its parser.js and modelGraph.js): the file's own
 * first line is the regular expression, bare or between ^ and $, and its rules on clocks are
 * checked.
 */

import { describe, expect, it } from 'vitest';

import { toRank } from '../../../src/election/world/cast.ts';
import type { TraceRecord } from '../../../src/simulation/engine/trace.ts';
import { shivizLines } from '../../../src/simulation/report/trace-formats.ts';
import { runElection } from '../../../src/simulation/run/simulate.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { viewOf } from '../../../src/simulation/trace/view.ts';
import { SEED } from '../ring/rings.ts';
import { lostReads, STORE_PLAN, storeRecords } from '../store-runs.ts';
import { stormRecords } from '../storms.ts';

interface LogEvent {
  readonly host: string;
  readonly event: string;
  readonly tick: string;
  readonly clock: Readonly<Record<string, number>>;
}

/** What ShiViz makes of a file. */
function readBack(file: string, isAnchored: boolean): LogEvent[] {
  const [parser = '', delimiter, ...log] = file.split('\n');
  expect(delimiter).toBe('');
  const expression = new RegExp(isAnchored ? `^${parser}$` : parser, 'gm');
  return [...log.join('\n').trim().matchAll(expression)].map(({ groups = {} }) => {
    const { host = '', event = '', tick = '', clock = '' } = groups;
    return { host, event, tick, clock: JSON.parse(clock) };
  });
}

/** The complaints of ShiViz; and whether a clock is just its causes and itself. */
function faultsOf(events: readonly LogEvent[]): string[] {
  const faults: string[] = [];
  const clocks = new Map<string, LogEvent['clock']>();
  const counts = new Map<string, number>();
  for (const { host } of events) counts.set(host, (counts.get(host) ?? 0) + 1);
  const seen = new Map<string, number>();
  for (const { host, clock } of events) {
    const own = (seen.get(host) ?? 0) + 1;
    seen.set(host, own);
    if (clock[host] !== own) faults.push(`${host} goes to ${clock[host]}, not ${own}`);
    const merged: Record<string, number> = { ...clocks.get(`${host}:${own - 1}`), [host]: own };
    for (const [other, count] of Object.entries(clock)) {
      if (count < 1 || count > (counts.get(other) ?? 0)) faults.push(`no ${other}:${count}`);
      if (other === host) continue;
      for (const [third, known] of Object.entries(clocks.get(`${other}:${count}`) ?? {})) {
        if (known > (merged[third] ?? 0)) merged[third] = known;
      }
    }
    for (const [other, count] of Object.entries(merged)) {
      if (clock[other] !== count) faults.push(`${host}:${own} ought to know ${other}:${count}`);
    }
    clocks.set(`${host}:${own}`, clock);
  }
  return faults;
}

function logOf(
  records: readonly TraceRecord[],
  nodes: number,
  store: number | null = null,
): string {
  return [...shivizLines(records, nodes, { store })].join('');
}

describe('a log for ShiViz', () => {
  it.each(['bully-oneshot', 'cr-join', 'peterson'] as const)(
    'of %s over any network keeps the rules of ShiViz',
    (protocol) => {
      for (let number = 0; number < 30; number += 1) {
        const records = stormRecords(number, protocol);
        const log = logOf(records, 5);

        const events = readBack(log, true);

        const ofNodes = records.filter(
          ({ action, dropped }) => !['drop', 'duplicate'].includes(action.type) && dropped !== true,
        );
        expect(events.length, `run ${number}`).toBe(ofNodes.length);
        expect(faultsOf(events), `run ${number}`).toEqual([]);
        expect(readBack(log, false), `run ${number}`).toEqual(events);
      }
    },
  );

  it('of a part of a trace keeps the rules of ShiViz, and the order of the events', () => {
    for (let number = 0; number < 5; number += 1) {
      const records = stormRecords(number, 'bully-oneshot');
      const middle = records[Math.floor(records.length / 3)]?.t ?? 0;
      const view = viewOf(records, { from: middle, to: null, nodes: [1, 3, 5], heartbeats: false });

      const events = readBack([...shivizLines(records, 5, { view })].join(''), true);

      expect(events.length, `run ${number}`).toBeGreaterThan(0);
      expect(new Set(events.map(({ host }) => host)).has('node2')).toBe(false);
      expect(faultsOf(events), `run ${number}`).toEqual([]);
    }
  });

  it('would be refused with a gap in a clock', () => {
    const log = logOf(stormRecords(1, 'cr-join'), 5);
    const broken = readBack(log, true).filter((_, index) => index !== 2);

    expect(faultsOf(broken)).not.toEqual([]);
  });

  it('says what the network did where the message was sent', () => {
    const send = (id: number, to: number) => {
      return { type: 'send' as const, id, to: toRank(to), message: { type: 'SAY', n: [1, '{'] } };
    };
    const effects = [send(0, 2), send(1, 2), send(2, 3)];
    const records: TraceRecord[] = [
      { seq: 0, t: 0, action: { type: 'start', node: 1 }, effects },
      { seq: 1, t: 0, action: { type: 'drop', message: 0 }, effects: [] },
      { seq: 2, t: 0, action: { type: 'duplicate', message: 1 }, effects: [] },
      { seq: 3, t: 4, action: { type: 'deliver', message: 2 }, effects: [], dropped: true },
      { seq: 4, t: 5, action: { type: 'drop', message: -1 }, effects: [] },
      { seq: 5, t: 6, action: { type: 'deliver', message: 1 }, effects: [] },
    ];

    const events = readBack(logOf(records, 3), true);

    expect(events).toEqual([
      {
        host: 'node1',
        tick: '0',
        event: 'starts: SAY [1,"{"] to 2 (lost), 2 (copied, copy lost), 3 (lost, 3 is down)',
        clock: { node1: 1 },
      },
      {
        host: 'node2',
        tick: '6',
        event: 'SAY [1,"{"] from 1',
        clock: { node1: 1, node2: 1 },
      },
    ]);
  });

  it('has a host for the store, by its name in clocks and words', () => {
    const { nodes, store } = STORE_PLAN;

    const events = readBack(logOf(storeRecords(), nodes, store), true);

    expect(faultsOf(events)).toEqual([]);
    expect(events.filter(({ host }) => host === 'store' || host === 'node1')).toEqual([
      { host: 'node1', tick: '0', event: 'starts: CLAIM to store', clock: { node1: 1 } },
      {
        host: 'store',
        tick: '1',
        event: 'CLAIM from 2: GRANT 2 to 2',
        clock: { node2: 1, store: 1 },
      },
      {
        host: 'store',
        tick: '2',
        event: 'CLAIM from 1: GRANT 2 to 1',
        clock: { node1: 1, node2: 1, store: 2 },
      },
      {
        host: 'node1',
        tick: '4',
        event: 'GRANT 2 from store: persists epoch 3, holder 2; follows 2 in epoch 3',
        clock: { node1: 2, node2: 1, store: 2 },
      },
      {
        host: 'store',
        tick: '5',
        event: 'CLAIM from 3: GRANT 2 to 3',
        clock: { node1: 1, node2: 1, node3: 1, store: 3 },
      },
    ]);
  });

  it('says what the network did to a call where it was made', () => {
    const { nodes, store } = STORE_PLAN;

    const events = readBack(logOf(lostReads(), nodes, store), true);

    expect(events.map(({ host, event }) => [host, event])).toEqual([
      ['node2', 'starts: READ to store (lost), store (copied)'],
      ['store', 'READ from 2: READ_REPLY to 2 (lost, 2 is down)'],
      ['node2', 'crashes'],
    ]);
  });

  it('keeps an event on its line whatever a name holds', () => {
    const action = { type: 'timeout', node: 1, timer: 'a\nb\u2028node1 {"node1":1}' } as const;
    const records: TraceRecord[] = [
      { seq: 0, t: 0, action, effects: [] },
      { seq: 1, t: 1, action, effects: [] },
    ];

    const events = readBack(logOf(records, 1), true);

    expect(events.map(({ event }) => event)).toEqual([
      'timer a b node1 {"node1":1}',
      'timer a b node1 {"node1":1}',
    ]);
    expect(faultsOf(events)).toEqual([]);
  });

  it('is the golden one', async () => {
    const simulation = createSimulation({
      protocol: 'cr-join',
      nodes: 3,
      ring: [3, 1, 2],
      seed: SEED,
      trace: true,
    });
    runElection(simulation);

    const log = logOf(simulation.records(), 3);

    await expect(log).toMatchFileSnapshot('../../golden/cr-join.shiviz');
  });
});
