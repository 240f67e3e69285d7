/**
 * @module
 * One node of the one-shot Bully, stepped by hand. A message takes at most one tick, so that an answer is awaited for 3
 * ticks and an announcement for 8.
 */

import { describe, expect, it } from 'vitest';

import { BULLY_ONESHOT, createBullyOneshot } from '../../../src/election/bully/bully-oneshot.ts';
import type { Flags } from '../../../src/election/definition/flags.ts';
import type { Effects, Event, Message } from '../../../src/election/machine.ts';
import { createCast, toRank } from '../../../src/election/world/cast.ts';

const TIMING = { latencyTicksMax: 1 };
/** What node 2 of four does when it begins an election. */
const ASK = 'ELECTION 3, ELECTION 4, set answer 3';

/** An event in words with its effects. Messages name their sender, COORDINATOR its leader. */
type Script = readonly (readonly [event: string, effects: string])[];

function play(rank: number, script: Script, flags: Flags = {}): void {
  const cast = createCast({
    protocol: 'bully-oneshot',
    timing: TIMING,
    ring: [1, 2, 3, 4],
    crashedBefore: [],
  });
  const self = { ...cast.selfOf(rank), incumbent: toRank(4) };
  const machine = createBullyOneshot(TIMING, flags);
  const state = machine.init(self);
  const done = script.map(([event]) => {
    const effects: string[] = [];
    machine.step(self, state, eventOf(event), inWords(effects));
    return [event, effects.join(', ')];
  });

  expect(done).toEqual(script);
}

// The words of a script are those of the events.
function eventOf(text: string): Event<never> {
  const [type = '', of = '1'] = text.split(' ');
  if (type === 'start') return { type };
  if (type === 'recover') return { type, persisted: null };
  if (type === 'timeout') return { type, timer: of };
  const node = toRank(Number(of));
  if (type === 'suspect' || type === 'trust') return { type, node };
  const message = type === 'COORDINATOR' ? { type, leader: node } : { type };
  return { type: 'deliver', from: node, message } as Event<never>;
}

function inWords(done: string[]): Effects<Message> {
  const none = () => done.push('something else');
  return {
    send: (to, { type }) => done.push(`${type} ${to}`),
    setTimer: (timer, ticks, periodic) =>
      done.push(`set ${timer} ${ticks}${periodic ? ' periodic' : ''}`),
    cancelTimer: (timer) => done.push(`cancel ${timer}`),
    elect: (leader, epoch) => done.push(`elect ${leader}${epoch === 0 ? '' : ` in ${epoch}`}`),
    stepDown: () => done.push('step down'),
    ...{ choose: none, persist: none, call: none, accuse: none, respond: none },
  };
}

describe('node 2 of four', () => {
  it.each<[name: string, script: Script]>([
    [
      'leads if no higher node answers, once',
      [
        ['start', ASK],
        ['start', ''],
        ['timeout answer', 'elect 2, COORDINATOR 1'],
        ['timeout answer', ''],
        ['start', ASK],
      ],
    ],
    [
      'waits for an announcement after an answer, and asks again if none comes',
      [
        ['start', ASK],
        ['OK 3', 'cancel answer, set coordinator 8'],
        ['OK 4', ''],
        ['timeout coordinator', ASK],
        ['OK 4', 'cancel answer, set coordinator 8'],
        ['COORDINATOR 4', 'cancel coordinator, elect 4'],
        ['timeout coordinator', ''],
        ['timeout answer', ''],
      ],
    ],
    [
      'takes an announcement for an answer',
      [
        ['start', ASK],
        ['COORDINATOR 3', 'cancel answer, elect 3'],
        ['COORDINATOR 4', 'elect 4'],
        ['timeout answer', ''],
      ],
    ],
    [
      'takes no answer of a node that is not higher, or that it did not ask',
      [
        ['OK 3', ''],
        ['start', ASK],
        ['OK 1', ''],
        ['OK 2', ''],
        ['timeout answer', 'elect 2, COORDINATOR 1'],
      ],
    ],
    [
      'answers lower nodes only, and asks for them once',
      [
        ['ELECTION 3', ''],
        ['ELECTION 2', ''],
        ['ELECTION 1', `OK 1, ${ASK}`],
        ['ELECTION 1', 'OK 1'],
      ],
    ],
    [
      'bullies a lower leader',
      [
        ['COORDINATOR 1', ASK],
        ['timeout answer', 'elect 2, COORDINATOR 1'],
      ],
    ],
    [
      'begins if it suspects its leader, not another node',
      [
        ['suspect 3', ''],
        ['suspect 4', ASK],
        ['COORDINATOR 3', 'cancel answer, elect 3'],
        ['suspect 4', ''],
        ['suspect 3', ASK],
      ],
    ],
    [
      'no longer leads when a higher node returns',
      [
        ['start', ASK],
        ['timeout answer', 'elect 2, COORDINATOR 1'],
        ['trust 1', ''],
        ['trust 3', 'step down, set coordinator 8'],
        ['trust 4', ''],
      ],
    ],
    [
      'takes the return of a higher node for an answer',
      [
        ['trust 3', ''],
        ['start', ASK],
        ['trust 3', 'cancel answer, set coordinator 8'],
      ],
    ],
    [
      'does not believe an announcement that a higher node has overtaken',
      [
        ['trust 4', ''],
        ['COORDINATOR 3', ''],
        ['suspect 4', ASK],
        ['COORDINATOR 3', 'cancel answer, elect 3'],
      ],
    ],
    [
      'forgets a node that it suspects, and no other',
      [
        ['trust 3', ''],
        ['trust 4', ''],
        ['suspect 3', ''],
        ['COORDINATOR 3', ''],
      ],
    ],
    [
      'notes after its own return which higher nodes are up',
      [
        ['recover', ASK],
        ['OK 4', 'cancel answer, set coordinator 8'],
        ['COORDINATOR 3', ''],
        ['COORDINATOR 4', 'cancel coordinator, elect 4'],
      ],
    ],
    [
      'notes after its own return whose announcement it has heard',
      [
        ['recover', ASK],
        ['suspect 4', ''],
        ['COORDINATOR 4', 'cancel answer, elect 4'],
        ['COORDINATOR 3', ''],
      ],
    ],
    [
      'that was not down believes the last announcement',
      [
        ['COORDINATOR 4', 'elect 4'],
        ['COORDINATOR 3', 'elect 3'],
      ],
    ],
  ])('%s', (_name, script) => {
    play(2, script);
  });

  it('announces itself to all nodes, also to higher ones, if the flag says so', () => {
    play(
      2,
      [
        ['start', ASK],
        ['timeout answer', 'elect 2, COORDINATOR 1, COORDINATOR 3, COORDINATOR 4'],
      ],
      { coordTo: 'all' },
    );
  });

  it('runs one election for each question if it is naive', () => {
    const [first, second, third] = [1, 2, 3].map((count) =>
      ASK.replace('answer', `answer:${count}`),
    );
    play(
      2,
      [
        ['start', first ?? ''],
        ['ELECTION 1', `OK 1, ${second}`],
        ['timeout answer:1', 'elect 2, COORDINATOR 1'],
        ['OK 3', 'cancel answer:2, step down, set coordinator 8'],
        ['start', (third ?? '').replace('set', 'cancel coordinator, set')],
        ['timeout answer:2', ''],
        ['COORDINATOR 4', 'cancel answer:3, elect 4'],
      ],
      { rejoin: 'naive' },
    );
  });
});

describe('the highest node', () => {
  const LEAD = 'elect 4, COORDINATOR 1, COORDINATOR 2, COORDINATOR 3';

  it('announces itself at once, and again after the questions of a tick', () => {
    play(4, [
      ['start', LEAD],
      ['ELECTION 1', 'OK 1, set announce 0'],
      ['ELECTION 2', 'OK 2, set announce 0'],
      ['timeout announce', LEAD],
      ['trust 1', ''],
    ]);
  });

  it('only answers for a time after its announcement if it announces itself once', () => {
    play(
      4,
      [
        ['start', `${LEAD}, set quiet 3`],
        ['ELECTION 1', 'OK 1'],
        ['timeout quiet', ''],
        ['ELECTION 1', 'OK 1, set announce 0'],
        ['timeout announce', `${LEAD}, set quiet 3`],
        ['trust 1', 'cancel quiet'],
        ['trust 1', ''],
        ['ELECTION 1', 'OK 1, set announce 0'],
      ],
      { aliveTop: 'announceOnce' },
    );
    play(
      3,
      [
        ['start', 'ELECTION 4, set answer 3'],
        ['timeout answer', 'elect 3, COORDINATOR 1, COORDINATOR 2'],
      ],
      { aliveTop: 'announceOnce' },
    );
  });
});

describe('the flags', () => {
  it.each([
    [{ rejoin: 'never' }, /rejoin/],
    [{ patience: 'long' }, /^"flags" expected rejoin,coordTo,aliveTop, got patience$/],
  ])('refuse %j', (flags, message) => {
    expect(() => createBullyOneshot(TIMING, flags)).toThrow(RangeError);
    expect(() => createBullyOneshot(TIMING, flags)).toThrow(message);
  });

  it('decide how many messages are about sent', () => {
    // n(n − 1)/2 ELECTION, (n − 1)(n − 2)/2 OK, n − 2 COORDINATOR: n² − n − 1.
    expect(BULLY_ONESHOT.messagesAbout(100) / (100 ** 2 - 101)).toBeCloseTo(1.02, 2);
    expect(BULLY_ONESHOT.messagesAbout(10, { rejoin: 'naive' })).toBe(15 * 2 ** 8);
  });
});
