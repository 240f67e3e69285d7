/**
 * @module
 * Nodes that hold back after a return: step by step at one node, and over storms of crashes and
 * returns under each Bully protocol.
 */

import { describe, expect, it } from 'vitest';
import type { AnyMachine } from '../../src/election/definition/protocol.ts';
import type { Event, Json, Machine, Message } from '../../src/election/machine.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../src/election/registry.ts';
import type {
  ReturnBackOffOptions,
  ReturnBackOffState,
} from '../../src/election/return-back-off.ts';
import { createReturnBackOff } from '../../src/election/return-back-off.ts';
import { toRank } from '../../src/election/world/cast.ts';
import type { EffectRecord } from '../../src/election/world/effect-record.ts';
import { parseSeed } from '../../src/random.ts';
import type { ScheduledFault } from '../../src/simulation/faults/schedule.ts';
import { judgePhases, runElection } from '../../src/simulation/run/simulate.ts';
import type { Simulation } from '../../src/simulation/run/simulation.ts';
import { createSimulation } from '../../src/simulation/run/simulation.ts';
import { recorded, SELF } from './recorded.ts';

const TIMING = { latencyTicksMax: 9 };
const OPTIONS = { backOffTicks: 10, backOffTicksMax: 35, forgetTicks: 100 };
const BULLY_NAMES = PROTOCOL_NAMES.filter((name) => PROTOCOLS[name].family === 'bully');
const [LOW, HIGH] = [toRank(1), toRank(3)];

/** Obeys its messages, and remembers every event. */
const PUPPET: Machine<{ seen: Json[] }, Message> = {
  init: () => ({ seen: [] }),
  step(self, state, event, effects) {
    state.seen.push(nameOf(event));
    if (event.type === 'recover') effects.elect(self.rank, 7);
    if (event.type !== 'deliver') return;
    if (event.message.type === 'LEAD') effects.elect(self.rank, 7);
    if (event.message.type === 'FOLLOW') effects.elect(HIGH, 7);
    if (event.message.type === 'CHOOSE') effects.choose(2);
    if (event.message.type === 'PERSIST') effects.persist('a vote');
  },
};

function nameOf(event: Event<Message>): string {
  if (event.type === 'deliver') return event.message.type;
  if (event.type === 'recover') return `recover ${JSON.stringify(event.persisted)}`;
  return 'node' in event ? `${event.type} ${event.node}` : event.type;
}

const delivery = (type: string, from = LOW, fields: Record<string, Json> = {}): Event<Message> => ({
  type: 'deliver',
  from,
  message: { type, ...fields } as Message, // As it comes off the wire.
});
const leads = (leader: number, from = leader): Event<Message> =>
  delivery('HOLD_LEADER', toRank(from), { leader, epoch: 4 });
const recover = (persisted: Json = null): Event<Message> => ({ type: 'recover', persisted });
const fires = (timer: string): Event<Message> => ({ type: 'timeout', timer });
const word = (type: 'suspect' | 'trust', node = HIGH): Event<Message> => ({ type, node });
const DRAWN: Event<Message> = { type: 'chosen', value: 3 };
const ASK = 'HOLD_ASK';
const STANDS = ['HOLD_STAND>1', 'HOLD_STAND>3', 'set hold:stand 10'];

/** Node 2 of three, its effects step by step as words, and what the protocol was given. */
function play(...events: readonly Event<Message>[]) {
  const machine = createReturnBackOff(PUPPET, TIMING, OPTIONS);
  const state = machine.init(SELF);
  const words = events.map((event) =>
    recorded((effects) => machine.step(SELF, state, event, effects)).map(wordOf),
  );
  return { state, words, last: words.at(-1), seen: seenBy(state) };
}

function seenBy({ inner }: ReturnBackOffState): Json {
  return (inner as { seen: Json[] }).seen; // It is the puppet's.
}

function wordOf(effect: EffectRecord): string {
  if (effect.type === 'set-timer') return `set ${effect.timer} ${effect.ticks}`;
  if (effect.type === 'cancel-timer') return `cancel ${effect.timer}`;
  if (effect.type === 'elect') return `elect ${effect.leader}@${effect.epoch}`;
  if (effect.type === 'send') return `${effect.message.type}>${effect.to}`;
  if (effect.type === 'choose') return `choose ${effect.below}`;
  if (effect.type === 'persist') return `persist ${JSON.stringify(effect.fields)}`;
  return effect.type;
}

describe('a returned node', () => {
  it('asks who leads and draws its back-off; its protocol stays down', () => {
    const { words, seen } = play(
      recover({ returns: 0, inner: 'a vote' }),
      DRAWN,
      delivery('ELECTION'),
    );

    expect(words).toEqual([
      ['persist {"returns":1,"inner":"a vote"}', `${ASK}>1`, `${ASK}>3`, 'choose 10'],
      ['set hold:back-off 13'],
      [],
    ]);
    expect(seen).toEqual([]);
  });

  it.each([
    [0, 10],
    [1, 20],
    [2, 35],
    [2000, 35],
  ])('after %i returns before it waits at least %i ticks', (returns, ticks) => {
    const { words } = play(recover({ returns, inner: null }), DRAWN);

    expect(words[0]).toContain(`choose ${ticks}`);
    expect(words[1]).toEqual([`set hold:back-off ${ticks + 3}`]);
  });

  it.each([[null], ['junk'], [[1, 2]], [{ returns: -1 }], [{ returns: 1.5 }], [{ returns: '9' }]])(
    'counts from one where the disk says %j',
    (persisted) => {
      expect(play(recover(persisted)).state.returns).toBe(1);
    },
  );

  it('defers to a leader that names itself', () => {
    expect(play(recover(), DRAWN, leads(3)).last).toEqual(['elect 3@4']);
  });

  it('believes no report about a third node', () => {
    expect(play(recover(), DRAWN, leads(3, 1)).last).toEqual([]);
  });

  it('stands when its time is over, without a leader', () => {
    expect(play(recover(), DRAWN, leads(3), fires('hold:back-off')).last).toEqual([
      'cancel hold:back-off',
      'step-down',
      ...STANDS,
    ]);
  });

  it('stands when the leader that it deferred to is suspected, and not another', () => {
    const deferring = [recover(), DRAWN, leads(3)];

    expect(play(...deferring, word('suspect', LOW)).last).toEqual([]);
    expect(play(...deferring, word('suspect', HIGH)).last).toContain('HOLD_STAND>1');
  });

  it('stands when it is followed itself', () => {
    expect(play(recover(), DRAWN, leads(2, 1)).last).toEqual(['cancel hold:back-off', ...STANDS]);
  });

  it('stands when a leader is wanted, unless it knows of one', () => {
    const start: Event<Message> = { type: 'start' };

    expect(play(recover(), DRAWN, start).last).toContain('HOLD_STAND>1');
    expect(play(recover(), DRAWN, leads(3), start).last).toEqual([]);
  });

  it('recovers after it has stood: first its protocol, then what that has missed', () => {
    const { seen, words } = play(
      recover({ returns: 0, inner: 'a vote' }),
      DRAWN,
      delivery('TOO_EARLY'),
      word('trust', LOW),
      word('suspect', LOW),
      word('suspect', HIGH),
      fires('hold:back-off'),
      delivery('ELECTION'),
      fires('hold:stand'),
    );

    expect(seen).toEqual(['recover "a vote"', 'suspect 1', 'suspect 3', 'ELECTION']);
    expect(words.at(-1)).toEqual(['set hold:forget 100', 'elect 2@7']);
  });

  it('forgets its returns when it has been up for long enough', () => {
    const { last } = play(
      ...[recover({ returns: 5, inner: 'a vote' }), DRAWN],
      ...[fires('hold:back-off'), fires('hold:stand'), fires('hold:forget')],
    );

    expect(last).toEqual(['persist {"returns":0,"inner":"a vote"}']);
  });
});

describe('the others', () => {
  it('learn of a return only when the node stands', () => {
    const { words, seen } = play(word('trust'), delivery(ASK, HIGH), delivery('HOLD_STAND', HIGH));

    expect(words).toEqual([
      ['set hold:trust:3 10'],
      ['cancel hold:trust:3'],
      ['cancel hold:trust:3'],
    ]);
    expect(seen).toEqual(['trust 3']);
  });

  it('wait no longer once they have its question', () => {
    expect(play(delivery(ASK, HIGH), word('trust')).last).toEqual([]);
  });

  it('learn Δ + 1 later of one that announces no back-off', () => {
    expect(play(word('trust'), fires('hold:trust:3')).seen).toEqual(['trust 3']);
  });

  it('learn at once of one that takes part', () => {
    expect(play(word('trust'), delivery('ELECTION', HIGH)).seen).toEqual(['trust 3', 'ELECTION']);
  });

  it('learn of a suspicion in any case, and then not of the return before it', () => {
    const { seen } = play(word('trust'), word('suspect'), fires('hold:trust:3'));

    expect(seen).toEqual(['suspect 3']);
  });

  it('answer if they lead, or follow the one that asks', () => {
    expect(play(delivery('LEAD'), delivery(ASK, HIGH)).last).toEqual(['HOLD_LEADER>3']);
    expect(play(delivery('FOLLOW'), delivery(ASK, HIGH)).last).toEqual(['HOLD_LEADER>3']);
    expect(play(delivery('FOLLOW'), delivery(ASK, LOW)).last).toEqual([]);
    expect(play(delivery('FOLLOW'), word('suspect'), delivery(ASK, HIGH)).last).toEqual([]);
  });

  it('inform nodes that back off when they begin to lead', () => {
    expect(play(delivery(ASK, HIGH), delivery('LEAD')).last).toEqual([
      'elect 2@7',
      'HOLD_LEADER>3',
    ]);
  });

  it('get the choices that they asked for, and persist through the count', () => {
    const { seen, last } = play(delivery('CHOOSE'), DRAWN, delivery('PERSIST'));

    expect(seen).toEqual(['CHOOSE', 'chosen', 'PERSIST']);
    expect(last).toEqual(['persist {"returns":0,"inner":"a vote"}']);
  });
});

describe('its times', () => {
  it.each([
    ['backOffTicks', 0],
    ['backOffTicksMax', 1.5],
    ['forgetTicks', 1_000_000_001],
  ])('%s is not %d', (name, ticks) => {
    const create = () => createReturnBackOff(PUPPET, TIMING, { [name]: ticks });

    expect(create).toThrow(`"${name}" expected 1..1000000000, got ${ticks}`);
  });

  it.each([1, 1_000_000_000])('are %d at the edges', (ticks) => {
    const create = () => createReturnBackOff(PUPPET, TIMING, { forgetTicks: ticks });

    expect(create).not.toThrow();
  });
});

/** Five nodes that hold back, or do not, under these faults; then calm. */
function storm(
  number: number,
  protocol: (typeof BULLY_NAMES)[number],
  faults: readonly ScheduledFault[],
  options: Partial<ReturnBackOffOptions> | null = {},
): Simulation {
  const plain = PROTOCOLS[protocol].create(TIMING);
  const machine: AnyMachine =
    options === null ? plain : createReturnBackOff(plain, TIMING, options);
  return createSimulation(
    {
      ...{ protocol, nodes: 5, seed: parseSeed(String(number)), fifo: number % 2 === 0 },
      latency: { type: 'uniform', ticksMin: 1, ticksMax: TIMING.latencyTicksMax },
      schedule: {
        faults,
        calm: { at: 3000, ticks: 20_000, restart: false },
        detector: number % 4 < 2 ? 'crashes' : 'links',
      },
      audit: true,
    },
    () => machine,
  );
}

function changesOf(simulation: Simulation): number {
  return simulation.audit()?.finish(3000).changes ?? 0;
}

describe.each(BULLY_NAMES)('%s whose nodes hold back', (protocol) => {
  it('never has two leaders and ends with one, in 60 storms of crashes and returns', () => {
    const bad = Array.from({ length: 60 }, (_, number) => number).filter((number) => {
      const churn: ScheduledFault = {
        ...{ type: 'churn', from: 0, to: 3000, joins: [] },
        ticksMean: number % 3 === 0 ? 150 : 40,
        amnesiaShare: number % 5 === 0 ? 0.5 : 0,
      };
      const simulation = storm(number, protocol, [churn]);

      const { safety, liveness } = judgePhases(runElection(simulation));

      const split = simulation.audit()?.finish(simulation.status().ticks).ticksSplit;
      return safety !== 'true' || liveness !== 'true' || split !== 0;
    });

    expect(bad).toEqual([]);
  });
});

describe('a top node that is up for 200 ticks and down for 100, nine times', () => {
  const FLAPS = Array.from({ length: 9 }, (_, index) => 200 + 300 * index).flatMap(
    (at): ScheduledFault[] => [
      { type: 'crash', rank: 5, at },
      { type: 'restart', rank: 5, at: at + 100, amnesia: false },
    ],
  );
  /** T' = 48: the back-offs are at least 48, 96, 192 and 384 ticks, so that three can be sat out. */
  const LEADING_RETURNS_MAX = 3;

  it('leads after each return without back-off', () => {
    const simulation = storm(1, 'bully-oneshot', FLAPS, null);

    runElection(simulation);

    expect(changesOf(simulation)).toBe(18);
  });

  it('leads after three of them at most with it, and after all of them where they are forgotten', () => {
    for (let number = 0; number < 40; number += 1) {
      const holding = storm(number, 'bully-oneshot', FLAPS);
      const forgetful = storm(number, 'bully-oneshot', FLAPS, { forgetTicks: 10 });
      for (const simulation of [holding, forgetful]) runElection(simulation);

      expect(changesOf(holding), `seed ${number}`).toBeLessThanOrEqual(1 + 2 * LEADING_RETURNS_MAX);
      expect(changesOf(forgetful), `seed ${number}`).toBe(18);
    }
  });
});
