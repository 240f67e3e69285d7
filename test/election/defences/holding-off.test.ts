/**
 * @module
 * Which nodes a node ignores while its leader is in office, for how long, and what it gets afterwards.
 */

import { describe, expect, it } from 'vitest';
import type { HoldingOffOptions, Turns } from '../../../src/election/defences/holding-off.ts';
import { createHoldingOff } from '../../../src/election/defences/holding-off.ts';
import type { AnyMachine } from '../../../src/election/definition/protocol.ts';
import type { Event, Message } from '../../../src/election/machine.ts';
import { createCast, toRank } from '../../../src/election/world/cast.ts';
import { recorded } from '../recorded.ts';

const TERM: Turns = { type: 'term', electionTicks: 10, termTicks: 100 };
const BACK_OFF: Turns = { type: 'back-off', firstTicks: 5, ticksMax: 40 };
const ANNOUNCED = { type: 'COORDINATOR', leader: toRank(5) };
const OVER = { type: 'TERM_OVER' };

describe('node 2 of five, under leader 4', () => {
  it('accepts a better node until the election is over, and not from then on', () => {
    const node = createNode(TERM);

    expect(node.receive(5, ANNOUNCED)).toEqual(['told COORDINATOR of 5']);
    node.fire('off:begin');

    expect(node.receive(5, ANNOUNCED)).toEqual(['send HELD_OFF to 5']);
    expect(node.receive(3, { type: 'ELECTION' })).toEqual(['told ELECTION of 3']);
    expect(node.receive(4, { type: 'OK' })).toEqual(['told OK of 4']);
  });

  it('ignores messages that name a better node, and answers only the better node', () => {
    const node = createNode(TERM);
    node.fire('off:begin');

    expect(node.receive(1, ANNOUNCED)).toEqual([]);
  });

  it('accepts it again when the term is over by its own timer, or only by the leader’s', () => {
    for (const end of ['timer', 'leader', 'another'] as const) {
      const node = createNode(TERM);
      node.fire('off:begin');

      if (end === 'timer') node.fire('off:term');
      else node.receive(end === 'leader' ? 4 : 3, OVER);

      const words = end === 'another' ? ['send HELD_OFF to 5'] : ['told COORDINATOR of 5'];
      expect(node.receive(5, ANNOUNCED), end).toEqual(words);
    }
  });

  it('gets a report of a return when the leader is suspected, and only then', () => {
    const node = createNode(TERM);
    node.fire('off:begin');

    expect(node.handle({ type: 'trust', node: toRank(5) })).toEqual([]);

    expect(node.handle({ type: 'suspect', node: toRank(4) })).toEqual([
      ...['cancel off:term', 'told trust of 5', 'told suspect of 4'],
    ]);
  });

  it('gets no report of a node that has failed meanwhile', () => {
    const node = createNode(TERM);
    node.fire('off:begin');
    node.handle({ type: 'trust', node: toRank(5) });
    node.handle({ type: 'suspect', node: toRank(5) });

    const words = node.handle({ type: 'suspect', node: toRank(4) });

    expect(words).not.toContain('told trust of 5');
  });

  it('gets the last message of a node that backed off itself', () => {
    const node = createNode(TERM);
    node.fire('off:begin');
    node.receive(5, { type: 'HOLD_STAND' });

    expect(node.receive(5, ANNOUNCED)).toEqual([]);
    expect(node.receive(4, OVER)).toEqual([
      ...['cancel off:term', 'told timeout', 'told trust of 5'],
      ...['told HOLD_STAND of 5', 'told COORDINATOR of 5'],
    ]);
  });

  it('leaves a leader no term that took over from a better one that lives', () => {
    const node = createNode(TERM);

    expect(node.elect(3)).toEqual(['cancel off:begin', 'elect 3']);
    node.fire('off:begin');

    expect(node.elect(4)).toContain('set off:begin 10');
  });

  it('holds off with back-off who has failed, for twice as long at each return', () => {
    const node = createNode(BACK_OFF);
    const back = () => {
      node.handle({ type: 'suspect', node: toRank(5) });
      const early = node.receive(5, ANNOUNCED);
      const words = node.handle({ type: 'trust', node: toRank(5) });
      const late = node.fire('off:turn:5');
      return [...early, ...words, ...late];
    };
    const waiting = (ticks: number) => [
      ...['send HELD_OFF to 5', `set off:turn:5 ${ticks}`],
      ...['set off:forget:5 40', 'told trust of 5'],
    ];

    expect([back(), back(), back(), back(), back()]).toEqual([5, 10, 20, 40, 40].map(waiting));
    node.fire('off:forget:5');
    expect(back()).toEqual(waiting(5));
    expect(node.receive(5, ANNOUNCED)).toEqual(['told COORDINATOR of 5']);
  });
});

describe('node 5 of five, which leads by its own account', () => {
  const refusal = { type: 'HELD_OFF', leader: toRank(4) };

  it('begins again when three of the four others ignore it, and not for two', () => {
    const node = createNode(TERM, 5);

    expect([1, 1, 2].flatMap((from) => node.receive(from, refusal))).toEqual([]);
    expect(node.receive(3, refusal)).toEqual(['cancel off:begin', 'step down', 'told recover']);
  });

  it.each([
    ['the leader that it follows itself', { type: 'HELD_OFF', leader: toRank(5) }],
    ['no leader', { type: 'HELD_OFF' }],
    ['who is no member', { type: 'HELD_OFF', leader: toRank(9) }],
  ])('does not for %s', (_, message) => {
    const node = createNode(TERM, 5);

    expect([1, 2, 3, 4].flatMap((from) => node.receive(from, message))).toEqual([]);
  });
});

/** A protocol that reports its events, follows 4 or, as node 5, itself, and `ELECT` at a word. */
const PUPPET: AnyMachine = {
  init: () => ({}),
  step(self, _state, event, effects) {
    if (event.type === 'request') {
      effects.elect(toRank(Number(event.value)), 0);
      return;
    }
    const about = event.type === 'deliver' ? event.from : 'node' in event ? event.node : null;
    const what = event.type === 'deliver' ? event.message.type : event.type;
    if (event.type === 'start') effects.elect(self.rank === 5 ? self.rank : toRank(4), 0);
    else effects.respond(`told ${what}${about === null ? '' : ` of ${about}`}`);
  },
};

function createNode(turns: Turns, rank = 2) {
  const self = createCast({
    ...{ protocol: 'bully-oneshot', timing: { latencyTicksMax: 1 } },
    ...{ ring: [1, 2, 3, 4, 5], crashedBefore: [] },
  }).selfOf(rank);
  const options: HoldingOffOptions = {
    ...{ protocol: 'bully-oneshot', turns, speaking: 'by-sender' },
  };
  const machine = createHoldingOff(PUPPET, options);
  const state = machine.init(self);
  const handle = (event: Event<Message>) =>
    recorded((effects) => machine.step(self, state, event, effects)).map((effect) => {
      switch (effect.type) {
        case 'respond':
          return String(effect.value);
        case 'send':
          return `send ${effect.message.type} to ${effect.to}`;
        case 'set-timer':
          return `set ${effect.timer} ${effect.ticks}`;
        case 'cancel-timer':
          return `cancel ${effect.timer}`;
        case 'elect':
          return `elect ${effect.leader}`;
        case 'step-down':
          return 'step down';
        default:
          return effect.type;
      }
    });
  handle({ type: 'start' });
  return {
    handle,
    receive: (from: number, message: Message) =>
      handle({ type: 'deliver', from: toRank(from), message }),
    fire: (timer: string) => handle({ type: 'timeout', timer }),
    elect: (leader: number) => handle({ type: 'request', value: leader }),
  };
}
