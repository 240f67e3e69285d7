/**
 * @module
 * What each fault means, one at a time: for messages, for nodes, for clocks, for the membership.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { createCut } from '../../../src/simulation/faults/cuts.ts';
import type { Cut, Schedule, ScheduledFault } from '../../../src/simulation/faults/schedule.ts';
import { timelineOf } from '../../../src/simulation/faults/timeline.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { SEED } from '../ring/rings.ts';
import { listener, run, scheduleOf, talker } from '../schedules.ts';

/** Ids of delivered messages in order, and how many were lost and copied. */
function fates(simulation: Simulation) {
  const records = simulation.records();
  const delivered = records.flatMap(({ action, dropped }) =>
    action.type === 'deliver' && dropped !== true ? [action.message] : [],
  );
  const count = (type: string) => records.filter(({ action }) => action.type === type).length;
  return { delivered, lost: count('drop'), copied: count('duplicate') };
}

const EVER = { from: 0, to: null };

describe('loss and duplication', () => {
  it.each([0, 0.1, 0.3, 1])('of a share of %d hit about that share of messages', (share) => {
    const faults: ScheduledFault[] = [
      { type: 'loss', share, ...EVER },
      { type: 'duplication', share: share / 2, ...EVER },
    ];

    const { lost, copied } = fates(run(talker(5000), scheduleOf(...faults)));

    // Four standard deviations of 10 000 draws are 0.02.
    expect(lost / 10_000).toBeCloseTo(share, 1);
    expect(Math.abs(lost / 10_000 - share)).toBeLessThan(0.02);
    expect(Math.abs(copied / 10_000 - (share / 2) * (1 - share))).toBeLessThan(0.02);
  });

  it('of one link are not shifted by what befalls another, nor by more loss', () => {
    const lostOf = (...faults: ScheduledFault[]) =>
      run(talker(500), scheduleOf(...faults))
        .records()
        .flatMap(({ action }) => (action.type === 'drop' ? [action.message] : []));
    const few = lostOf({ type: 'loss', share: 0.1, ...EVER });
    const others = lostOf(
      { type: 'loss', share: 0.1, ...EVER },
      { type: 'partition', cut: { kind: 'one-way', from: 1, to: 2 }, ...EVER },
    );
    const many = lostOf(
      { type: 'loss', share: 0.1, ...EVER },
      { type: 'loss', share: 0.2, ...EVER },
    );

    // Even ids go to node 2, odd ones to node 3.
    expect(others.filter((id) => id % 2 === 1)).toEqual(few.filter((id) => id % 2 === 1));
    expect(many).toEqual(expect.arrayContaining(few));
    expect(many.length).toBeGreaterThan(few.length);
  });

  it('stop at the calm', () => {
    const schedule: Schedule = {
      faults: [{ type: 'loss', share: 1, ...EVER }],
      calm: { at: 20, ticks: 100, restart: true },
      detector: 'crashes',
    };

    const { delivered, lost } = fates(run(talker(3), schedule));

    expect(lost).toBe(6);
    expect(delivered).toEqual([6, 8, 10, 7, 9, 11].toSorted((left, right) => left - right));
  });
});

describe('links in order', () => {
  const faults: readonly ScheduledFault[] = [
    { type: 'duplication', share: 0.4, ...EVER },
    { type: 'slowdown', factor: 5, from: 0, to: 3 },
  ];
  const latency = { type: 'uniform', ticksMin: 1, ticksMax: 30 } as const;
  const overtakings = (fifo: boolean, ...more: ScheduledFault[]) => {
    const { delivered } = fates(
      run(talker(50), scheduleOf(...faults, ...more), { nodes: 2, latency, fifo }),
    );
    const originals = delivered.filter((id) => id >= 0);
    return originals.filter((id, index) => id < (originals[index - 1] ?? -1)).length;
  };

  it('stay in order where they are asked to, copies and slow periods or not', () => {
    expect(overtakings(true)).toBe(0);
    expect(overtakings(false)).toBeGreaterThan(0);
  });

  it('are overtaken on where messages are held back', () => {
    const held = { type: 'reordering', share: 0.2, ticksMax: 50, ...EVER } as const;

    expect(overtakings(true, held)).toBeGreaterThan(0);
  });
});

describe('a partition', () => {
  const CUTS: readonly { readonly cut: Cut; readonly pairs: string }[] = [
    { cut: { kind: 'isolate', rank: 3 }, pairs: '1>3 2>3 3>1 3>2 3>4 3>5 4>3 5>3' },
    { cut: { kind: 'halves' }, pairs: '1>3 1>4 1>5 2>3 2>4 2>5 3>1 3>2 4>1 4>2 5>1 5>2' },
    { cut: { kind: 'minority' }, pairs: '1>4 1>5 2>4 2>5 3>4 3>5 4>1 4>2 4>3 5>1 5>2 5>3' },
    { cut: { kind: 'majorities-ring' }, pairs: '1>3 1>4 2>4 2>5 3>1 3>5 4>1 4>2 5>2 5>3' },
    { cut: { kind: 'one-way', from: 1, to: 2 }, pairs: '1>2' },
    {
      cut: {
        kind: 'links',
        links: [
          [1, 2],
          [5, 4],
        ],
      },
      pairs: '1>2 2>1 4>5 5>4',
    },
  ];

  it.each(CUTS)('$cut.kind among 5 cuts $pairs', ({ cut, pairs }) => {
    const isCut = createCut(cut, 5);

    const found = ranks(5).flatMap((from) =>
      ranks(5).flatMap((to) => (from !== to && isCut(from, to) ? [`${from}>${to}`] : [])),
    );

    expect(found.join(' ')).toBe(pairs);
  });

  it.each<[Cut, string]>([
    [{ kind: 'halves' }, '1 2'],
    [{ kind: 'minority' }, '4 5'],
    [{ kind: 'majorities-ring' }, ''],
    [{ kind: 'isolate', rank: 4 }, '4'],
  ])('%o keeps a store beside 5 nodes from %s', (cut, lonely) => {
    const isCut = createCut(cut, 5);

    expect(
      ranks(5)
        .filter((rank) => isCut(rank, 6))
        .join(' '),
    ).toBe(lonely);
  });

  it('is symmetric unless it is one-way, and spares what a node sends itself', () => {
    const kinds = CUTS.map(({ cut }) => cut).filter(({ kind }) => kind !== 'one-way');
    const cases = fc.tuple(fc.constantFrom(...kinds), fc.integer({ min: 5, max: 40 }), fc.nat());

    fc.assert(
      fc.property(cases, ([cut, nodes, draw]) => {
        const isCut = createCut(cut, nodes);
        const [from, to] = [1 + (draw % nodes), 1 + ((draw * 7) % nodes)];

        expect(isCut(from, to)).toBe(isCut(to, from));
        expect(isCut(from, from)).toBe(false);
      }),
      { seed: 1, numRuns: 300 },
    );
  });

  it('majorities-ring leaves every node a majority, no two the same', () => {
    for (let nodes = 5; nodes <= 15; nodes += 2) {
      const isCut = createCut({ kind: 'majorities-ring' }, nodes);
      const seen = ranks(nodes).map((by) => ranks(nodes).filter((of) => !isCut(of, by)));

      expect(seen.every((heard) => heard.length > nodes / 2)).toBe(true);
      expect(new Set(seen.map(String)).size).toBe(nodes);
    }
  });

  it('loses what is sent while it lasts and not what was under way', () => {
    const cut = { kind: 'isolate', rank: 2 } as const;
    const lostIn = (from: number, to: number) =>
      fates(run(talker(1), scheduleOf({ type: 'partition', cut, from, to }))).lost;

    expect(lostIn(0, 1)).toBe(1);
    expect(lostIn(1, 50)).toBe(0);
  });

  it('is noticed by a detector on the nodes, on the side that receives nothing', () => {
    const cut = { kind: 'one-way', from: 1, to: 2 } as const;
    const schedule: Schedule = {
      ...scheduleOf({ type: 'partition', cut, from: 5, to: 40 }),
      detector: 'links',
    };

    const words = run(listener(), schedule)
      .records()
      .flatMap(({ t, action }) => ('about' in action ? [{ t, ...action }] : []));

    expect(words).toEqual([
      { t: 8, type: 'suspect', node: 2, about: 1 },
      { t: 40, type: 'trust', node: 2, about: 1 },
    ]);
  });
});

describe('a paused node', () => {
  const pause = { type: 'pause', rank: 2, from: 1, to: 60 } as const;

  it('takes nothing and fires no timer, and then all of it at once', () => {
    const simulation = run(listener(), scheduleOf(pause));

    const acts = simulation
      .records()
      .filter(
        ({ action, effects }) => effects.length > 0 || !('node' in action) || action.node === 2,
      )
      .map(({ t, action }) => `${t} ${action.type}`);

    expect(simulation.stateOf(2)).toEqual(['start', 'deliver', 'timeout ten']);
    expect(acts.filter((act) => act.startsWith('60'))).toEqual([
      '60 resume',
      '60 deliver',
      '60 timeout',
    ]);
  });

  it('is told when it resumes what others were told before', () => {
    const crash = { type: 'crash', rank: 3, at: 10 } as const;

    const simulation = run(listener(), scheduleOf(pause, crash));

    expect(simulation.stateOf(1)).toContain('suspect');
    expect(simulation.stateOf(2)).toEqual(['start', 'suspect', 'deliver', 'timeout ten']);
  });

  it('loses with a crash what waited for it', () => {
    const crash = { type: 'crash', rank: 2, at: 30 } as const;
    const restart = { type: 'restart', rank: 2, at: 90, amnesia: false } as const;

    const simulation = run(listener(), scheduleOf(pause, crash, restart));

    expect(simulation.stateOf(2)).toEqual(['recover', 'of 2']);
    expect(fates(simulation).lost).toBe(1);
  });

  it('stays paused while a longer pause lasts', () => {
    const longer = { type: 'pause', rank: 2, from: 30, to: 80 } as const;

    const resumed = run(listener(), scheduleOf(pause, longer))
      .records()
      .filter(({ action }) => action.type === 'resume');

    expect(resumed.map(({ t }) => t)).toEqual([80]);
  });
});

describe('a node that restarts', () => {
  it.each([
    { amnesia: false, recalled: 'of 2' },
    { amnesia: true, recalled: null },
  ])('with amnesia $amnesia recalls $recalled', ({ amnesia, recalled }) => {
    const crash = { type: 'crash', rank: 2, at: 5 } as const;

    const simulation = run(
      listener(),
      scheduleOf(crash, { type: 'restart', rank: 2, at: 9, amnesia }),
    );

    expect(simulation.stateOf(2)).toEqual(['recover', recalled]);
  });

  it('returns at the calm at the latest, and not at all if it was not to', () => {
    const schedule: Schedule = {
      faults: [
        { type: 'crash', rank: 2, at: 5 },
        { type: 'crash', rank: 3, at: 5 },
        { type: 'restart', rank: 2, at: 900, amnesia: false },
      ],
      calm: { at: 50, ticks: 100, restart: false },
      detector: 'crashes',
    };

    const simulation = run(listener(), schedule);

    expect(simulation.nodes().map(({ up }) => up)).toEqual([true, true, false]);
    expect(simulation.records().find(({ action }) => action.type === 'recover')?.t).toBe(50);
  });
});

describe('a clock that jumps', () => {
  it.each([
    ['forwards, so that the timer is overdue', 20, 4],
    ['forwards', 3, 7],
    ['backwards', -5, 15],
  ])('%s changes when the timers of its node fire, and no others', (_how, ticks, fires) => {
    const simulation = run(listener(), scheduleOf({ type: 'jump', rank: 2, at: 4, ticks }));

    const timeouts = simulation
      .records()
      .flatMap(({ t, action }) => (action.type === 'timeout' ? [[action.node, t]] : []));
    expect(Object.fromEntries(timeouts)).toEqual({ 1: 10, 2: fires, 3: 10 });
  });
});

describe('a skewed clock', () => {
  it.each([
    { numerator: 3, denominator: 2, fires: 15 },
    { numerator: 1, denominator: 4, fires: 3 },
    { numerator: 1, denominator: 1000, fires: 1 },
    { numerator: 1, denominator: 1, fires: 10 },
  ])('$numerator/$denominator fires a timer of 10 ticks at $fires', (row) => {
    const { fires, ...rate } = row;

    const simulation = run(listener(), scheduleOf({ type: 'skew', rank: 2, ...rate }));

    const timeouts = simulation
      .records()
      .flatMap(({ t, action }) => (action.type === 'timeout' ? [[action.node, t]] : []));
    expect(new Map(timeouts as [number, number][])).toEqual(
      new Map([
        [1, 10],
        [2, fires],
        [3, 10],
      ]),
    );
  });
});

describe('a late joiner', () => {
  const join = (rank: number, at: number) => ({ type: 'join', rank, at }) as const;

  it.each(['bully-oneshot', 'cr-join'] as const)('with the best rank leads %s', (protocol) => {
    const simulation = createSimulation({
      protocol,
      nodes: 5,
      seed: SEED,
      trace: true,
      schedule: scheduleOf(join(5, 100)),
    });
    simulation.start();

    simulation.advance({ until: 99 });
    const before = simulation.status();
    simulation.advance({ until: 'idle' });

    expect(before).toMatchObject({ leader: 4, agreed: true });
    expect(simulation.status()).toMatchObject({ leader: 5, agreed: true });
    // No node sent to it before it joined.
    expect(fates(simulation).lost).toBe(0);
  });

  it('is heard of by the others before its first step, and knows them', () => {
    const acts = run(listener(), scheduleOf(join(2, 7)))
      .records()
      .filter(({ t }) => t === 7)
      .map(({ action }) => ('node' in action ? `${action.type} ${action.node}` : action.type));

    expect(acts).toEqual(['enter 2', 'join 1', 'join 3', 'trust 1', 'trust 3', 'start 2']);
  });

  it('is no member, and cannot recover, before', () => {
    const simulation = createSimulation({
      protocol: 'cr-join',
      nodes: 3,
      seed: SEED,
      schedule: scheduleOf(join(3, 50)),
    });

    expect(simulation.nodes().map(({ up }) => up)).toEqual([true, true, false]);
    expect(() => simulation.recover(3)).toThrow('node 3 has not joined at 0');
  });
});

describe('churn', () => {
  it('crashes and returns members, lets newcomers in, and keeps somebody up', () => {
    const times = { from: 0, to: 300, ticksMean: 10 };
    const churn = { type: 'churn', ...times, amnesiaShare: 0.5, joins: [4] } as const;
    const simulation = run(listener(), scheduleOf(churn), { nodes: 4 });
    const up = new Set([1, 2, 3]);

    for (const { action } of simulation.records()) {
      if (action.type === 'crash') up.delete(action.node);
      if (action.type === 'recover' || action.type === 'enter') up.add(action.node);
      expect(up.size).toBeGreaterThan(0);
    }

    const returns = simulation
      .records()
      .flatMap(({ action }) => (action.type === 'recover' ? [action.amnesia] : []));
    expect(new Set(returns)).toEqual(new Set([true, false]));
    expect(up).toEqual(new Set([1, 2, 3, 4]));
  });

  it('draws at most 10 000 events in all, so that many churns take no longer than one', () => {
    const churn = {
      type: 'churn',
      from: 0,
      to: 1e6,
      ticksMean: 1,
      amnesiaShare: 0,
      joins: [],
    } as const;
    const crashes = (churns: number) => {
      const schedule = scheduleOf(...Array.from({ length: churns }, () => churn));
      const incidents = timelineOf(schedule, 20, SEED);
      return incidents.filter(({ incident }) => incident.type === 'crash').length;
    };

    expect(crashes(1)).toBe(10_000);
    expect(crashes(64)).toBe(64 * Math.floor(10_000 / 64));
  });
});

function ranks(nodes: number): number[] {
  return Array.from({ length: nodes }, (_, index) => index + 1);
}
