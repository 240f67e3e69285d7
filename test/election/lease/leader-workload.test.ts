/**
 * @module
 * A leader that works: when it registers and writes, what it makes of the answers, and what passes
 * through to the protocol.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { ResourceKind, ResourceState } from '../../../src/election/lease/stores/resource.ts';
import type { LeaderWorkloadState } from '../../../src/election/lease/workload-cast.ts';
import { createLeaderWorkload, WORK_TIMER } from '../../../src/election/lease/workload-cast.ts';
import type { Event, Json, Machine, Message } from '../../../src/election/machine.ts';
import { toRank } from '../../../src/election/world/cast.ts';
import type { EffectRecord } from '../../../src/election/world/effect-record.ts';
import type { Seed } from '../../../src/random.ts';
import { parseSeed } from '../../../src/random.ts';
import type { ScheduledFault } from '../../../src/simulation/faults/schedule.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { recorded, SELF } from '../recorded.ts';

/** Obeys its messages, and remembers every event. */
const PUPPET: Machine<{ seen: Json[] }, Message> = {
  init: () => ({ seen: [] }),
  step(self, state, event, effects) {
    state.seen.push(event.type === 'deliver' ? event.message.type : event.type);
    if (event.type !== 'deliver') return;
    const { type, epoch = 1 } = event.message as Message & { epoch?: number };
    if (type === 'LEAD') effects.elect(self.rank, epoch);
    if (type === 'FOLLOW') effects.elect(toRank(3), epoch);
    if (type === 'STEP_DOWN') effects.stepDown();
    if (type === 'CALL') effects.call({ type: 'LEASE' });
    if (type === 'CHOOSE') effects.choose(2);
    if (type === 'PERSIST') effects.persist({ epoch });
  },
};

const delivery = (type: string, epoch?: number): Event<Message> => ({
  type: 'deliver',
  from: toRank(1),
  message: { type, ...(epoch === undefined ? {} : { epoch }) } as Message,
});
const reply = (type: string, fields: Record<string, Json>): Event<Message> => ({
  type: 'reply',
  value: { type, ...fields } as Message,
});
const TICK: Event<Message> = { type: 'timeout', timer: WORK_TIMER };
const REQUEST: Event<Message> = { type: 'request', value: 'more' };
const REGISTERED = reply('REGISTERED', { epoch: 4 });

/** Effects as words, such as `WRITE 4#1`, and the state after all of it. */
function play(registers: boolean, events: readonly Event<Message>[]) {
  const machine = createLeaderWorkload(PUPPET, { everyTicks: 10, registers });
  const state = machine.init(SELF);
  const words = events.map((event) =>
    recorded((effects) => machine.step(SELF, state, event, effects)).map(wordOf),
  );
  return { state, words, last: words.at(-1) };
}

function wordOf(effect: EffectRecord): string {
  if (effect.type === 'set-timer') return `set ${effect.timer} ${effect.ticks}`;
  if (effect.type === 'cancel-timer') return `cancel ${effect.timer}`;
  if (effect.type === 'elect') return `elect ${effect.leader}@${effect.epoch}`;
  if (effect.type !== 'call') return effect.type;
  const { type, epoch, value } = effect.operation as Message & Record<string, Json>;
  return `${type} ${epoch}${value === undefined ? '' : `#${value}`}`;
}

describe('a leader that does not register', () => {
  it('writes at each turn of its timer, numbering on', () => {
    expect(play(false, [delivery('LEAD', 4), TICK, TICK]).words).toEqual([
      ['elect 2@4', `set ${WORK_TIMER} 10`],
      ['WRITE 4#1'],
      ['WRITE 4#2'],
    ]);
  });

  it('gets the same reign again and continues', () => {
    expect(play(false, [delivery('LEAD', 4), TICK, delivery('LEAD', 4)]).last).toEqual([
      'elect 2@4',
    ]);
  });

  it('writes on in its next epoch, with the next number', () => {
    const { words } = play(false, [delivery('LEAD', 4), TICK, delivery('LEAD', 5), TICK]);

    expect(words.slice(2)).toEqual([['elect 2@5', `set ${WORK_TIMER} 10`], ['WRITE 5#2']]);
  });

  it.each(['FOLLOW', 'STEP_DOWN'])('stops at %s', (end) => {
    const { words } = play(false, [delivery('LEAD', 4), delivery(end, 5), TICK, REQUEST]);

    expect(words[1]).toHaveLength(2);
    expect(words[1]).toContain(`cancel ${WORK_TIMER}`);
    expect(words.slice(2)).toEqual([[], []]);
  });

  it('writes at once for a client', () => {
    expect(play(false, [delivery('LEAD', 4), REQUEST]).last).toEqual(['WRITE 4#1']);
  });
});

describe('a leader that registers', () => {
  it('asks first, and again until it is confirmed, and writes only then', () => {
    expect(play(true, [delivery('LEAD', 4), TICK, REGISTERED, REGISTERED, TICK]).words).toEqual([
      ['elect 2@4', `set ${WORK_TIMER} 10`, 'REGISTER 4'],
      ['REGISTER 4'],
      [],
      [],
      ['WRITE 4#1'],
    ]);
  });

  it('keeps a client waiting until then', () => {
    const { words } = play(true, [delivery('LEAD', 4), REQUEST, REQUEST, REGISTERED, TICK]);

    expect(words.slice(1)).toEqual([[], [], ['WRITE 4#1'], ['WRITE 4#2']]);
  });

  it('does not take the confirmation of another epoch for its own', () => {
    const { last, state } = play(true, [
      delivery('LEAD', 4),
      delivery('LEAD', 5),
      REGISTERED,
      TICK,
    ]);

    expect(state.work.registered).toBe(false);
    expect(last).toEqual(['REGISTER 5']);
  });
});

describe('an answer of the resource', () => {
  const stale = (epoch: number) => reply('REFUSED', { epoch, reason: 'stale', max: 9 });

  it('confirms writes up to the highest number, late and doubled ones too', () => {
    const answers = [2, 1, 2].map((value) => reply('WRITTEN', { epoch: 4, value }));

    expect(play(false, [delivery('LEAD', 4), TICK, TICK, ...answers]).state.work).toMatchObject({
      written: 2,
      confirmed: 2,
    });
  });

  it('that it is fenced off ends the work of that epoch, but not the reign', () => {
    const { words, state } = play(false, [delivery('LEAD', 4), stale(4), stale(4), TICK, REQUEST]);

    expect(words.slice(1)).toEqual([[`cancel ${WORK_TIMER}`], [], [], []]);
    expect(state.work.fencedOff).toBe(1);
  });

  it.each([
    ['about an earlier epoch', stale(3)],
    ['for a step too far', reply('REFUSED', { epoch: 4, reason: 'step', max: 0 })],
    [
      'about an operation without an epoch',
      reply('REFUSED', { epoch: null, reason: 'stale', max: 0 }),
    ],
  ])('that refuses %s ends nothing', (_what, refusal) => {
    expect(play(false, [delivery('LEAD', 4), refusal, TICK]).last).toEqual(['WRITE 4#1']);
  });

  it('never reaches the protocol', () => {
    const answers = [REGISTERED, stale(4), reply('WRITTEN', { epoch: 4, value: 1 })];

    expect(innerOf(play(true, answers).state)).toEqual([]);
  });

  it('in a shape that no resource gives is the protocol’s affair', () => {
    const odd = [
      reply('WRITTEN', {}),
      reply('REFUSED', { epoch: 'x', max: 1, reason: 'stale' }),
      reply('REFUSED', { epoch: 4, max: 1 }),
      // Of a lease service, whose word it is too.
      reply('REFUSED', { request: 1, holder: 2, epoch: 3 }),
    ];

    expect(innerOf(play(true, odd).state)).toEqual(odd.map(() => 'reply'));
  });
});

describe('what is not its own', () => {
  it('passes through, effects and events', () => {
    const events: Event<Message>[] = [
      { type: 'start' },
      { type: 'suspect', node: toRank(1) },
      { type: 'trust', node: toRank(1) },
      { type: 'join', node: toRank(1) },
      { type: 'leave', node: toRank(1) },
      { type: 'timeout', timer: 'lease' },
      reply('LEASED', {}),
      { type: 'chosen', value: 1 },
      { type: 'recover', persisted: null },
      REQUEST,
    ];
    const { state, words } = play(true, [
      ...events,
      ...[delivery('CALL'), delivery('CHOOSE'), delivery('PERSIST')],
    ]);

    expect(innerOf(state)).toEqual([
      ...events.map(({ type }) => type),
      ...['CALL', 'CHOOSE', 'PERSIST'],
    ]);
    expect(words.slice(-3)).toEqual([['LEASE undefined'], ['choose'], ['persist']]);
  });

  it.each([0, -1, 1.5, Number.NaN])('cannot work every %s ticks', (everyTicks) => {
    expect(() => createLeaderWorkload(PUPPET, { everyTicks, registers: true })).toThrow(
      new RangeError(`"everyTicks" expected an integer of at least 1, got ${everyTicks}`),
    );
  });
});

describe('a leader that is paused past its lease', () => {
  const SEEDS = Array.from({ length: 10 }, (_, index) => parseSeed(String(index + 1)));

  it.each([
    ['unfenced', 'overwrites what the next leader wrote', 1, 0],
    ['fencing-register', 'is refused', 0, 1],
    ['fencing-max', 'is refused', 0, 1],
  ] as const)('%s: %s', (resource, _what, stale, refused) => {
    for (const seed of SEEDS) {
      const { lateWrites, refused: turnedAway, recent } = afterPause(resource, seed);

      expect({ lateWrites, turnedAway }).toEqual({ lateWrites: stale, turnedAway: refused });
      expect(new Set(recent.map(({ by }) => by)).size).toBe(1);
    }
  });

  /** Db-lease among three, whose leader stands still from tick 300 to 800. */
  function afterPause(resource: ResourceKind, seed: Seed): ResourceState {
    const held = (faults: readonly ScheduledFault[]) =>
      createSimulation({
        ...{ protocol: 'db-lease', nodes: 3, seed, workload: { resource, everyTicks: 5 } },
        latency: { type: 'uniform', ticksMin: 1, ticksMax: 3 },
        schedule: { faults, calm: null, detector: 'crashes' },
      });
    const calm = held([]);
    calm.start();
    calm.advance({ until: 300 });
    const { leader } = calm.status();
    const paused = held([{ type: 'pause', rank: leader ?? 0, from: 300, to: 800 }]);
    paused.start();
    paused.advance({ until: 1000 });
    const state = paused.resource();
    if (state === null) throw new Error('no node worked');
    return state;
  }
});

describe('any history', () => {
  const events = fc.array(
    fc.oneof(
      fc
        .constantFrom('LEAD', 'FOLLOW', 'STEP_DOWN', 'OTHER')
        .chain((type) => fc.integer({ min: 1, max: 3 }).map((epoch) => delivery(type, epoch))),
      fc
        .constantFrom('REGISTERED', 'WRITTEN', 'REFUSED')
        .chain((type) =>
          fc
            .integer({ min: 1, max: 3 })
            .map((epoch) => reply(type, { epoch, value: 1, max: 3, reason: 'stale' })),
        ),
      fc.constantFrom(TICK, REQUEST, { type: 'start' } as const),
    ),
    { maxLength: 40 },
  );
  const check = (law: (registers: boolean, history: readonly Event<Message>[]) => void) =>
    fc.assert(fc.property(fc.boolean(), events, law), { seed: 27, numRuns: 500 });

  it('writes only while it leads, in that epoch, registered, and no number twice', () => {
    check((registers, history) => {
      const machine = createLeaderWorkload(PUPPET, { everyTicks: 10, registers });
      const state = machine.init(SELF);
      let epoch: number | null = null;
      let timer = false;
      let written = 0;
      for (const event of history) {
        const confirmed = state.work.registered;
        for (const effect of recorded((each) => machine.step(SELF, state, event, each))) {
          if (effect.type === 'elect') epoch = effect.leader === SELF.rank ? effect.epoch : null;
          if (effect.type === 'step-down') epoch = null;
          if (effect.type === 'set-timer') timer = true;
          if (effect.type === 'cancel-timer') timer = false;
          if (effect.type !== 'call') continue;
          expect(effect.operation).toMatchObject({ epoch });
          if (effect.operation.type !== 'WRITE') continue;
          expect(confirmed || event.type === 'reply').toBe(true);
          written += 1;
          expect(effect.operation).toMatchObject({ value: written });
        }
        expect(timer).toBe(state.work.epoch !== null);
      }
    });
  });

  it('has a state that survives JSON', () => {
    check((registers, history) => {
      const { state } = play(registers, history);

      expect(JSON.parse(JSON.stringify(state))).toEqual(state);
    });
  });
});

function innerOf({ inner }: LeaderWorkloadState): Json {
  return (inner as { readonly seen: Json }).seen;
}
