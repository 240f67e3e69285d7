/**
 * @module
 * One node of each form of Chang and Roberts, stepped by hand: node 2 of the ring 1, 2, 3, which sends to node 3.
 * Before the election all nodes followed node 3.
 */

import { describe, expect, it } from 'vitest';

import type { Effects, Event, Message } from '../../../src/election/machine.ts';
import { CR_ALWAYS, CR_JOIN, CR_REPLACE } from '../../../src/election/ring/chang-roberts.ts';
import { createCast, toRank } from '../../../src/election/world/cast.ts';

/** An event in words, and what the node then sends to its successor or elects. */
type Script = readonly (readonly [event: string, effects: string])[];

const RULES = { 'cr-join': CR_JOIN, 'cr-replace': CR_REPLACE, 'cr-always': CR_ALWAYS } as const;

function play(rule: keyof typeof RULES, script: Script): void {
  const cast = createCast({
    protocol: rule,
    timing: { latencyTicksMax: 1 },
    ring: [1, 2, 3],
    crashedBefore: [],
  });
  const self = { ...cast.selfOf(2), incumbent: toRank(3) };
  const machine = cast.machineOf(2);
  const state = machine.init(self);
  const done = script.map(([event]) => {
    const effects: string[] = [];
    machine.step(self, state, eventOf(event), inWords(effects));
    return [event, effects.join(', ')];
  });

  expect(done).toEqual(script);
}

function eventOf(text: string): Event<Message> {
  const [type = '', node = '1'] = text.split(' ');
  const rank = toRank(Number(node));
  if (type === 'start') return { type };
  if (type === 'recover') return { type, persisted: null };
  if (type === 'suspect' || type === 'trust') return { type, node: rank };
  const named = type === 'PROBE' ? { candidate: rank } : { leader: rank };
  return { type: 'deliver', from: toRank(1), message: Object.assign({ type }, named) };
}

function inWords(done: string[]): Effects<Message> {
  const none = () => done.push('something else');
  return {
    send: (to, { type, ...named }) =>
      done.push(`${type} ${Object.values(named)}${Number(to) === 3 ? '' : ` to ${to}`}`),
    elect: (leader, epoch) => done.push(`elect ${leader}${epoch === 0 ? '' : ` in ${epoch}`}`),
    ...{ setTimer: none, cancelTimer: none, choose: none, persist: none },
    ...{ call: none, stepDown: none, accuse: none, respond: none },
  };
}

/** What a node of any form does. */
const SHARED: readonly [name: string, script: Script][] = [
  [
    'leads once its own PROBE has come round, and ends its announcement',
    [
      ['start', 'PROBE 2'],
      ['PROBE 2', 'elect 2, SELECTED 2'],
      ['PROBE 2', ''],
      ['SELECTED 2', ''],
      ['trust 3', 'SELECTED 2'],
      ['SELECTED 3', 'elect 3, SELECTED 3'],
      ['trust 3', ''],
    ],
  ],
  [
    'begins if it suspects the leader of before',
    [
      ['suspect 1', ''],
      ['suspect 3', 'PROBE 2'],
    ],
  ],
  [
    'follows no node after its own return',
    [
      ['SELECTED 3', 'elect 3, SELECTED 3'],
      ['recover', 'PROBE 2'],
      ['suspect 3', ''],
    ],
  ],
  [
    'begins anew when it returns or suspects its leader, not another node',
    [
      ['SELECTED 3', 'elect 3, SELECTED 3'],
      ['suspect 1', ''],
      ['suspect 3', 'PROBE 2'],
      ['PROBE 2', 'elect 2, SELECTED 2'],
      ['recover', 'PROBE 2'],
    ],
  ],
];

const OWN: Readonly<Record<keyof typeof RULES, readonly [name: string, script: Script][]>> = {
  'cr-join': [
    [
      'joins before it passes the first PROBE on, and only then',
      [
        ['PROBE 3', 'PROBE 2, PROBE 3'],
        ['PROBE 3', 'PROBE 3'],
        ['PROBE 1', ''],
      ],
    ],
    [
      'starts once, until it knows how its candidacy ended',
      [
        ['start', 'PROBE 2'],
        ['start', ''],
        ['SELECTED 1', 'elect 1, SELECTED 1'],
        ['start', ''],
        ['SELECTED 3', 'elect 3, SELECTED 3'],
        ['start', 'PROBE 2'],
      ],
    ],
    [
      'repeats its PROBE when a node returns, while its candidacy is open',
      [
        ['trust 1', ''],
        ['start', 'PROBE 2'],
        ['trust 1', 'PROBE 2'],
        ['SELECTED 1', 'elect 1, SELECTED 1'],
        ['trust 1', 'PROBE 2'],
        ['SELECTED 3', 'elect 3, SELECTED 3'],
        ['trust 1', ''],
      ],
    ],
    [
      'joins for its own PROBE, too, and does not wait for it',
      [['PROBE 2', 'PROBE 2, elect 2, SELECTED 2']],
    ],
  ],
  'cr-replace': [
    [
      'replaces a lower PROBE once',
      [
        ['PROBE 1', 'PROBE 2'],
        ['PROBE 1', ''],
        ['start', ''],
      ],
    ],
    [
      'drops lower ones after a higher one, until SELECTED has passed',
      [
        ['PROBE 3', 'PROBE 3'],
        ['PROBE 1', ''],
        ['start', ''],
        ['SELECTED 3', 'elect 3, SELECTED 3'],
        ['PROBE 1', 'PROBE 2'],
      ],
    ],
    [
      'starts again after it has led, not when its announcement ends',
      [
        ['start', 'PROBE 2'],
        ['SELECTED 2', ''],
        ['start', ''],
        ['PROBE 2', 'elect 2, SELECTED 2'],
        ['start', 'PROBE 2'],
      ],
    ],
    [
      'forgets what it has sent when a node returns, and repeats its own PROBE',
      [
        ['PROBE 3', 'PROBE 3'],
        ['trust 1', ''],
        ['PROBE 1', 'PROBE 2'],
        ['trust 1', 'PROBE 2'],
        ['start', ''],
      ],
    ],
    ['does not lead by a PROBE that it has not sent', [['PROBE 2', '']]],
  ],
  'cr-always': [
    [
      'replaces every lower PROBE, and starts whenever it is asked to',
      [
        ['start', 'PROBE 2'],
        ['start', 'PROBE 2'],
        ['PROBE 1', 'PROBE 2'],
        ['PROBE 1', 'PROBE 2'],
        ['PROBE 3', 'PROBE 3'],
        ['trust 1', ''],
      ],
    ],
    [
      'leads again after another leader',
      [
        ['start', 'PROBE 2'],
        ['SELECTED 3', 'elect 3, SELECTED 3'],
        ['PROBE 2', 'elect 2, SELECTED 2'],
      ],
    ],
    ['does not lead by a PROBE that it has not sent', [['PROBE 2', '']]],
  ],
};

describe.each(['cr-join', 'cr-replace', 'cr-always'] as const)('a node of %s', (rule) => {
  it.each([...SHARED, ...OWN[rule]])('%s', (_name, script) => {
    play(rule, script);
  });
});

describe('the messages of an election', () => {
  it('are about as many as on the average ring', () => {
    const harmonic = Array.from({ length: 100 }, (_, index) => 1 / (index + 1)).reduce(
      (sum, each) => sum + each,
    );

    for (const { messagesAbout } of [CR_JOIN, CR_REPLACE]) {
      expect(messagesAbout(100) / (100 * harmonic + 100)).toBeCloseTo(1.07, 2);
    }
    // n PROBE of the highest, n(n − 1) + n(n − 1)/2 of the others, and n SELECTED.
    expect(CR_ALWAYS.messagesAbout(100)).toBe(100 + 100 * 99 + (100 * 99) / 2 + 100);
  });
});
