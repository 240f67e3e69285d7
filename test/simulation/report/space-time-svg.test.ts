/**
 * @module
 * Space-time diagrams: what is in the picture, that it is one well-formed document that loads
 * nothing, and where it is refused. How it looks is for eyes; the golden one shows when it changes.
 */

import { describe, expect, it } from 'vitest';

import { toRank } from '../../../src/election/world/cast.ts';
import type { Action } from '../../../src/election/world/world.ts';
import { LabError } from '../../../src/errors.ts';
import type { TraceRecord } from '../../../src/simulation/engine/trace.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import {
  SVG_NODES_LIMIT,
  SVG_RECORDS_LIMIT,
  spaceTimeSvg,
} from '../../../src/simulation/report/space-time/svg.ts';
import { runElection } from '../../../src/simulation/run/simulate.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { SEED } from '../ring/rings.ts';
import { lostReads, STORE_PLAN, storeRecords } from '../store-runs.ts';
import { stormRecords } from '../storms.ts';

function planOf(nodes: number, down: readonly number[] = []) {
  const nodeOrder = Array.from({ length: nodes }, (_, index) => index + 1);
  return { protocol: 'cr-join', seed: SEED, nodeOrder, crashedBefore: down } as const;
}

function record(
  seq: number,
  action: Action,
  effects: TraceRecord['effects'] = [],
  t = seq,
): TraceRecord {
  return { seq, t, action, effects };
}

function send(id: number, to: number, type = 'SAY') {
  return { type: 'send', id, to: toRank(to), message: { type } } as const;
}

function drawn(options: Omit<SimulationOptions, 'seed' | 'trace'>): string {
  const simulation = createSimulation({ ...options, seed: SEED, trace: true });
  runElection(simulation);
  return spaceTimeSvg(simulation.plan, simulation.records());
}

/** The titles of a drawing, for a screen reader. */
function titlesOf(svg: string): string[] {
  return [...svg.matchAll(/<title>(.*?)<\/title>/g)].map(([, title = '']) => title);
}

/** The elements that are left open or closed out of order, and what is no markup at all. */
function faultsOf(svg: string): string[] {
  const open: string[] = [];
  const faults: string[] = [];
  const tag = /<(\/?)([a-z]+)((?: [a-zA-Z:-]+="[^"<]*")*)(\/?)>/g;
  for (const [, closes, name = '', , isEmpty] of svg.matchAll(tag)) {
    if (isEmpty === '/') continue;
    if (closes === '') open.push(name);
    else if (open.pop() !== name) faults.push(`</${name}>`);
  }
  const text = svg.replaceAll(tag, '');
  if (/[<>]|&(?!(amp|lt|gt|quot|apos);)/.test(text)) faults.push(text);
  return [...faults, ...open];
}

describe('a space-time diagram', () => {
  it('names Byzantine nodes above and below their lines', () => {
    const byzantine = [{ rank: 2, behaviours: ['swallow'] }] as const;
    const svg = drawn({ protocol: 'cr-join', nodes: 3, level: 'L0', byzantine });

    expect(svg.match(/>node 2, Byzantine</g)).toHaveLength(2);
    expect(svg).not.toMatch(/>node [13], Byzantine</);
  });

  it('has an arrow for every message, which says what it is', () => {
    const svg = drawn({ protocol: 'cr-join', nodes: 3, ring: [3, 1, 2] });

    const arrows = titlesOf(svg).filter((title) => title.includes(', sent at tick'));

    expect(arrows).toEqual([
      'PROBE 3 from 3 to 1, sent at tick 0, arrives at tick 1',
      'PROBE 1 from 1 to 2, sent at tick 0, arrives at tick 1',
      'PROBE 2 from 2 to 3, sent at tick 0, arrives at tick 1',
      'PROBE 3 from 1 to 2, sent at tick 1, arrives at tick 2',
      'PROBE 3 from 2 to 3, sent at tick 2, arrives at tick 3',
      'SELECTED 3 from 3 to 1, sent at tick 3, arrives at tick 4',
      'SELECTED 3 from 1 to 2, sent at tick 4, arrives at tick 5',
      'SELECTED 3 from 2 to 3, sent at tick 5, arrives at tick 6',
    ]);
    expect(svg.match(/marker-end="url\(#usurp-arrives\)"/g)).toHaveLength(8 + 1); // The legend's.
  });

  it('says how each message that did not arrive ended', () => {
    const svg = spaceTimeSvg(planOf(3, [3]), [
      record(0, { type: 'start', node: 1 }, [send(0, 2), send(1, 3), send(2, 2), send(3, 2)]),
      record(1, { type: 'drop', message: 0 }, [], 0),
      record(2, { type: 'duplicate', message: 2 }, [], 0),
      { ...record(3, { type: 'deliver', message: 1 }), dropped: true },
      record(4, { type: 'deliver', message: -1 }),
    ]);

    expect(titlesOf(svg)).toEqual(
      expect.arrayContaining([
        'SAY from 1 to 2, sent at tick 0, lost at tick 0',
        'SAY from 1 to 3, sent at tick 0, lost at tick 3: 3 is down',
        'SAY from 1 to 2, a copy, sent at tick 0, arrives at tick 4',
        'SAY from 1 to 2, sent at tick 0, still under way',
      ]),
    );
    // Two crosses and the two of the legend; two messages of this kind under way and one of the legend.
    expect(svg.match(/url\(#usurp-lost\)/g)).toHaveLength(4);
    expect(svg.match(/url\(#usurp-open\)/g)).toHaveLength(3);
  });

  it('has a line for the store behind the nodes, which it calls by its name', () => {
    const svg = spaceTimeSvg({ ...planOf(3), ...STORE_PLAN }, storeRecords());

    const heads = [...svg.matchAll(/<text x="(\d+)" y="16">(.*?)<\/text>/g)];
    const positions = heads.map(([, x]) => Number(x));
    expect(heads.map(([, , head]) => head)).toEqual([
      'tick',
      'node 1',
      'node 2',
      'node 3',
      'store',
    ]);
    expect(positions).toEqual(positions.toSorted((left, right) => left - right));
    expect(svg).toContain('>cr-join, 3 nodes and a store</text>');
    expect(svg).toContain('a line for each node and the store,');
    expect(titlesOf(svg)).toEqual(
      expect.arrayContaining([
        'CLAIM from 1 to store, sent at tick 0, arrives at tick 2',
        'GRANT 2 from store to 1, sent at tick 2, arrives at tick 4',
        'tick 2, store: CLAIM from 1: GRANT 2 to 1',
        'tick 3, node 2: GRANT 2 from store: persists epoch 3, holder 2; leads in epoch 3',
      ]),
    );
    expect(svg).not.toMatch(/node 4|(from|to) 4\b/);
    expect(faultsOf(svg)).toEqual([]);
  });

  it('says how each call of the store ended', () => {
    const svg = spaceTimeSvg({ ...planOf(3), ...STORE_PLAN }, lostReads());

    expect(titlesOf(svg).filter((title) => title.includes(', sent at tick'))).toEqual([
      'READ from 2 to store, sent at tick 0, lost at tick 0',
      'READ from 2 to store, sent at tick 0, arrives at tick 2',
      'READ_REPLY from store to 2, sent at tick 2, lost at tick 4: 2 is down',
      'READ from 2 to store, a copy, sent at tick 0, still under way',
    ]);
  });

  it('explains in its legend what occurs, and nothing else', () => {
    const calm = drawn({ protocol: 'cr-join', nodes: 3, ring: [3, 1, 2] });
    const crash = drawn({
      protocol: 'bully-oneshot',
      nodes: 3,
      faults: [{ type: 'crash', rank: 3, at: 5 }],
    });

    expect(calm).toContain('>becomes leader</text>');
    expect(calm).not.toContain('>crashes</text>');
    for (const words of ['crashes', 'is down', 'leads', 'a timer fires']) {
      expect(crash).toContain(`>${words}</text>`);
    }
  });

  it('dashes the line of a node that is down and thickens that of a leader', () => {
    const svg = spaceTimeSvg(planOf(1), [
      record(0, { type: 'start', node: 1 }, [{ type: 'elect', leader: toRank(1), epoch: 0 }]),
      record(1, { type: 'pause', node: 1 }),
      record(2, { type: 'resume', node: 1 }),
      record(3, { type: 'crash', node: 1 }),
      record(4, { type: 'recover', node: 1, amnesia: false }),
    ]);

    const lives = [...svg.matchAll(/<path d="M84 (\d+)V(\d+)"([^>]*)\/>/g)];

    const widths = lives.map(([, , , stroke = '']) => /width="([\d.]+)"/.exec(stroke)?.[1]);
    const dashes = lives.map(([, , , stroke = '']) => stroke.includes('dasharray'));
    expect(widths).toEqual(['1.5', '5', '4', '5', '1', '1.5']);
    expect(dashes).toEqual([false, false, true, false, true, false]);
    // Each begins where the one before ends.
    expect(lives.slice(1).map(([, from]) => from)).toEqual(
      lives.slice(0, -1).map(([, , to]) => to),
    );
  });

  it('draws time downwards, and no two events of a node in one place', () => {
    const records = stormRecords(3, 'bully-oneshot');
    const svg = spaceTimeSvg({ ...planOf(5), absent: [] }, records);

    const positions = [
      ...svg.matchAll(/translate\((\d+) (\d+)\)"><title>tick (\d+), node (\d+)/g),
    ].map(([, x, y, tick, node]) => ({ at: `${x} ${y}`, y: Number(y), tick: Number(tick), node }));

    expect(positions.length).toBeGreaterThan(50);
    expect(new Set(positions.map(({ at }) => at)).size).toBe(positions.length);
    for (const [index, position] of positions.entries()) {
      const before = positions.slice(0, index).findLast(({ node }) => node === position.node);
      if (before !== undefined) expect(position.y).toBeGreaterThan(before.y);
      const earlier = positions.slice(0, index).filter(({ tick }) => tick < position.tick);
      expect(Math.max(0, ...earlier.map(({ y }) => y))).toBeLessThan(position.y);
    }
  });

  it('is one well-formed document that loads and runs nothing', () => {
    for (const number of [1, 2, 3, 4]) {
      const svg = spaceTimeSvg(planOf(5), stormRecords(number, 'bully-oneshot'));

      expect(faultsOf(svg)).toEqual([]);
      expect(svg).not.toMatch(/<script|<style|<image|<use|href|@import|on[a-z]+=/);
      expect(svg.match(/https?:[^"]*/g)).toEqual(['http://www.w3.org/2000/svg']);
      expect(svg).not.toMatch(/NaN|undefined|null|Infinity/);
    }
  });

  it('takes the words of a message for words', () => {
    const hostile = '</title><script>alert("1" & \'2\')</script>\u0000\ud800';
    const svg = spaceTimeSvg(planOf(2), [
      record(0, { type: 'start', node: 1 }, [send(0, 2, hostile)]),
      record(1, { type: 'deliver', message: 0 }),
    ]);

    expect(faultsOf(svg)).toEqual([]);
    expect(svg).not.toContain('<script');
    expect(svg).toContain('&lt;/title&gt;&lt;script&gt;alert(&quot;1&quot; &amp; &apos;2&apos;)');
    expect(svg).toContain('\ufffd\ufffd');
    expect(svg.isWellFormed()).toBe(true);
  });

  it('writes long words short and says them whole in the title', () => {
    const svg = spaceTimeSvg(planOf(2), [
      record(0, { type: 'start', node: 1 }, [send(0, 2, 'X'.repeat(29))]),
      record(1, { type: 'deliver', message: 0 }),
    ]);

    expect(svg).toContain(`>${'X'.repeat(27)}…</text>`);
    expect(svg).toContain(`<title>tick 1, node 2: ${'X'.repeat(29)} from 1</title>`);
  });

  it('keeps the leader that a node follows when the text before it is too long', () => {
    const follows = { type: 'elect', leader: toRank(2), epoch: 3 } as const;
    const svg = spaceTimeSvg(planOf(2), [
      record(0, { type: 'start', node: 2 }, [send(0, 1, 'X'.repeat(6)), send(1, 1, 'X'.repeat(7))]),
      record(1, { type: 'deliver', message: 0 }, [follows]),
      record(2, { type: 'deliver', message: 1 }, [follows]),
    ]);

    expect(svg).toContain('>XXXXXX: follows 2 in epoch 3</text>');
    expect(svg).toContain('>XXXXX…: follows 2 in epoch 3</text>');
  });

  it('is drawn for an election in which nothing happened', () => {
    expect(faultsOf(spaceTimeSvg(planOf(3), []))).toEqual([]);
  });

  it(`is for ${SVG_NODES_LIMIT} nodes and ${SVG_RECORDS_LIMIT} records, not for one more`, () => {
    const starts = Array.from({ length: SVG_RECORDS_LIMIT + 1 }, (_, seq) =>
      record(seq, { type: 'start', node: 1 }),
    );

    expect(faultsOf(spaceTimeSvg(planOf(SVG_NODES_LIMIT), starts.slice(0, 1)))).toEqual([]);
    expect(titlesOf(spaceTimeSvg(planOf(1), starts.slice(1)))).toHaveLength(SVG_RECORDS_LIMIT + 1);
    expect(() => spaceTimeSvg(planOf(SVG_NODES_LIMIT + 1), [])).toThrow(LabError);
    // A store is no node.
    const withStore = { ...planOf(SVG_NODES_LIMIT), store: SVG_NODES_LIMIT + 1 };
    expect(faultsOf(spaceTimeSvg(withStore, []))).toEqual([]);
    expect(() => spaceTimeSvg(planOf(1), starts)).toThrow(LabError);
  });

  it('is the golden one', async () => {
    const svg = drawn({
      protocol: 'bully-oneshot',
      nodes: 3,
      faults: [{ type: 'crash', rank: 3, at: 2 }],
    });

    await expect(svg).toMatchFileSnapshot('../../golden/bully-oneshot-crash.svg');
  });
});
