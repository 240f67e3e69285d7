/**
 * @module
 * What a receiver demands of messages at each level, check by check and in their order, and numbers
 * across crashes.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type {
  Level,
  Seal,
  SealedMessage,
} from '../../src/election/authentication/authenticated.ts';
import {
  candidacyText,
  LEVELS,
  messageText,
  NUMBERS_PER_LIFE,
  NUMBERS_WINDOW,
  REFUSALS,
} from '../../src/election/authentication/authenticated.ts';
import type { Message } from '../../src/election/machine.ts';
import { toRank } from '../../src/election/world/cast.ts';
import { authenticationOf, keys, sealed, sealingNode } from './sealing-node.ts';

const HELLO = { type: 'HELLO' };
const NAMES_FIVE = { type: 'PROBE', candidate: toRank(5) };
const L2 = { level: 'L2' } as const;
const L3 = { level: 'L3' } as const;

/** Something that comes from outside, whatever it is. */
function foreign(seal: unknown, body: Message = HELLO): SealedMessage {
  const message = { ...body, seal };
  return message as SealedMessage;
}

/** What 5 has to sign before 1 may name it. */
function candidacyOf5(setup: { readonly level: Level; readonly election?: string }): string {
  return keys()(toRank(5)).sign(candidacyText(authenticationOf(setup), toRank(5)));
}

function named(setup: { readonly level: Level }, candidacy: string): SealedMessage {
  const message = sealed(setup, { by: 1, to: 2, number: 2 }, NAMES_FIVE);
  return { ...message, seal: { ...message.seal, candidacies: { 5: candidacy } } };
}

describe('a message with several faults', () => {
  // Each has the faults of all rows below its own: number 1 was used, and 5 has signed nothing.
  const forged = { by: 1, signature: 'forged' };
  const unproved = sealed(L3, { by: 1, to: 2, number: 2 }, NAMES_FIVE);
  const rows = [
    ['sender', 0, foreign({ by: 6 }, NAMES_FIVE)],
    ['malformed', 0, foreign({ by: 1, number: 1 }, NAMES_FIVE)],
    ['malformed', 0, foreign({ ...forged, number: 1, candidacies: null }, NAMES_FIVE)],
    ['replay', 0, foreign({ ...forged, number: 1 }, NAMES_FIVE)],
    ['signature', 1, foreign({ ...forged, number: 2 }, NAMES_FIVE)],
    ['candidacy', 1, unproved],
    ['candidacy', 2, named(L3, 'forged')],
    [null, 2, named(L3, candidacyOf5(L3))],
  ] as const;

  it('is listed in the order of the checks', () => {
    expect([...new Set(rows.map(([refusal]) => refusal))]).toEqual([...REFUSALS, null]);
  });

  it.each(rows)('is refused for the first, %s, after %i signatures', (refusal, checks, message) => {
    const node = sealingNode(L3, 2);
    node.take(1, sealed(L3, { by: 1, to: 2, number: 1 }, HELLO));
    const before = node.checks();

    expect(node.take(1, message)).toBe(refusal);
    expect(node.checks() - before).toBe(checks);
    expect(node.heard).toHaveLength(refusal === null ? 2 : 1);
  });
});

describe('a seal from outside', () => {
  const seals = [
    ...[null, 5, 'seal', [], {}, { by: null }, { by: '1' }, { by: {} }, { signature: 7 }],
    ...[0, -1, 1.5, 2 ** 53, Number.NaN, '2', null].map((number) => ({ by: 1, number })),
    ...[5, null, 'x', [], { 5: 7 }, { 5: null }].map((candidacies) => ({ by: 1, candidacies })),
  ];

  it.each(LEVELS)('%s: of any form throws nothing', (level) => {
    for (const seal of seals) {
      for (const signature of [
        undefined,
        'x',
        sealed({ level }, { by: 1, to: 2 }, NAMES_FIVE).seal,
      ]) {
        const proof = typeof signature === 'object' ? signature.signature : signature;
        const whole =
          typeof seal === 'object' && seal !== null
            ? { number: 1, signature: proof, ...seal }
            : seal;

        expect(() => sealingNode({ level }, 2).take(1, foreign(whole, NAMES_FIVE))).not.toThrow();
      }
    }
  });

  it.each([
    ['L0', null, 3],
    ['L1', 'sender', null],
    ['L2', 'malformed', null],
    ['L3', 'malformed', null],
  ] as const)("%s: in another's name and no more is refused so: %s", (level, refusal, from) => {
    const node = sealingNode({ level }, 2);

    expect(node.take(1, foreign({ by: 3 }))).toBe(refusal);
    expect(node.heard).toEqual(from === null ? [] : [[from, HELLO]]);
  });

  it('is not handed on to the protocol', () => {
    const node = sealingNode(L3, 2);

    node.take(1, sealed(L3, { by: 1, to: 2 }, HELLO));

    expect(node.heard).toEqual([[1, HELLO]]);
  });
});

describe('a signature', () => {
  const setup = { ...L3, election: '7' };
  const message = sealed(setup, { by: 1, to: 2, number: 3 }, { ...NAMES_FIVE, ...{ round: 1 } });
  const seal: Seal = { ...message.seal, candidacies: { 5: candidacyOf5(setup) } };
  const take = (to: number, where: Parameters<typeof sealingNode>[0], changed: SealedMessage) =>
    sealingNode(where, to).take(1, changed);

  it('holds as it was made, whatever the order of the members', () => {
    const reordered = { seal, round: 1, candidate: toRank(5), type: 'PROBE' };

    expect(take(2, setup, reordered)).toBeNull();
  });

  it.each([
    ['recipient', 3, setup, {}, {}],
    ['election', 2, { ...setup, election: '8' }, {}, {}],
    ['protocol', 2, { ...setup, protocol: 'cr-replace' }, {}, {}],
    ['level', 2, { ...setup, level: 'L2' }, {}, {}],
    ['sender', 2, setup, {}, { by: toRank(3) }],
    ['number', 2, setup, {}, { number: 4 }],
    ['body', 2, setup, { round: 2 }, {}],
    ['body, longer', 2, setup, { more: null }, {}],
  ] as const)('does not hold for another %s', (_what, to, where, body, sealParts) => {
    const changed = { ...message, ...body, seal: { ...seal, ...sealParts } };

    expect(take(to, where, changed)).toBe('signature');
  });

  it('of a candidacy is none of a message, nor the other way round', () => {
    const text = messageText(authenticationOf(L2), {
      ...{ by: toRank(5), to: toRank(2), number: 0, body: HELLO },
    });
    const asCandidacy = named(L2, keys()(toRank(5)).sign(text));
    const asMessage = foreign({ by: 5, signature: candidacyOf5(L2) });

    expect(sealingNode(L2, 2).take(1, asCandidacy)).toBe('candidacy');
    expect(sealingNode(L2, 2).take(5, asMessage)).toBe('signature');
  });
});

describe('a candidacy', () => {
  it('of an earlier election counts at L2 and not at L3', () => {
    const refusals = ([L2, L3] as const).map((setup) =>
      sealingNode(setup, 2).take(1, named(setup, candidacyOf5({ ...setup, election: '0' }))),
    );

    expect(refusals).toEqual([null, 'candidacy']);
  });

  it('is checked once and goes along with what names the candidate', () => {
    const node = sealingNode(L2, 2);
    node.take(1, named(L2, candidacyOf5(L2)));
    const before = node.checks();

    const said = node.say(3, NAMES_FIVE);
    node.take(1, sealed(L2, { by: 1, to: 2 }, NAMES_FIVE));

    expect(said.seal?.candidacies).toEqual({ 5: candidacyOf5(L2) });
    expect(node.checks() - before).toBe(1);
    expect(sealingNode(L2, 3).take(2, said)).toBeNull();
  });

  it.each([L2, L3])('of the listener has to be its own like any other: %o', (setup) => {
    const toFive = (candidacies?: Record<string, string>) => {
      const { seal, ...body } = sealed(setup, { by: 1, to: 5 }, NAMES_FIVE);
      return { ...body, seal: { ...seal, ...(candidacies === undefined ? {} : { candidacies }) } };
    };
    const shown = { 5: candidacyOf5(setup) };
    const standing = sealingNode(setup, 5);
    standing.say(1, NAMES_FIVE);
    const again = sealed(setup, { by: 1, to: 5, number: 2 }, NAMES_FIVE);
    const home = { ...again, seal: { ...again.seal, candidacies: shown } };

    expect(sealingNode(setup, 5).take(1, toFive())).toBe('candidacy');
    expect(sealingNode(setup, 5).take(1, toFive({ 5: 'forged' }))).toBe('candidacy');
    expect(standing.take(1, toFive())).toBe('candidacy');
    // Its own comes home to it, also where it does not remember it.
    expect(standing.take(1, home)).toBeNull();
    expect(sealingNode(setup, 5).take(1, home)).toBeNull();
  });

  it('of the listener need not come along with a vote for it', () => {
    const setup = { ...L2, protocol: 'zab-fle' } as const;
    const counts = { zxid: 0, peerEpoch: 0, round: 1 };
    const vote = { type: 'NOTIFICATION', leader: toRank(5), state: 'LOOKING', ...counts };
    const node = sealingNode(setup, 5);

    const before = node.take(1, sealed(setup, { by: 1, to: 5 }, vote));
    node.say(1, vote);

    expect([before, node.take(1, sealed(setup, { by: 1, to: 5 }, vote))]).toEqual([
      'candidacy',
      null,
    ]);
  });

  it('does not let another say what a coordinator says of itself', () => {
    const setup = { ...L2, protocol: 'bully-oneshot' } as const;
    const body = { type: 'COORDINATOR', leader: toRank(5) };
    const { seal, ...said } = sealed(setup, { by: 1, to: 2 }, body);
    const proof = keys()(toRank(5)).sign(candidacyText(authenticationOf(setup), toRank(5)));

    const repeated = { ...said, seal: { ...seal, candidacies: { 5: proof } } };

    expect(sealingNode(setup, 2).take(1, repeated)).toBe('candidacy');
    expect(sealingNode(setup, 2).take(5, sealingNode(setup, 5).say(2, body))).toBeNull();
  });
});

describe('numbers', () => {
  const said = (count: number) => {
    const sender = sealingNode(L3, 1);
    return Array.from({ length: count }, (_, index) => {
      const body = { type: 'SAY', index };
      return sender.say(2, body);
    });
  };

  it('are not used up by a forger', () => {
    const node = sealingNode(L3, 2);
    const messages = said(3);

    for (const number of [3, 2, 1, Number.MAX_SAFE_INTEGER]) {
      expect(node.take(4, foreign({ by: 1, number, signature: 'forged' }))).toBe('signature');
    }

    expect(messages.map((message) => node.take(1, message))).toEqual([null, null, null]);
  });

  it.each([
    ['L2', 30],
    ['L3', 15],
  ] as const)('%s: of 15 messages that come twice in any order %i are heard', (level, count) => {
    const messages = said(15).map((message, index) =>
      level === 'L3' ? message : sealed(L2, { by: 1, to: 2 }, { type: `SAY${index}` }),
    );
    const order = fc.shuffledSubarray([...messages, ...messages], { minLength: 30 });

    fc.assert(
      fc.property(order, (arriving) => {
        const node = sealingNode({ level }, 2);

        for (const message of arriving) node.take(1, message);

        expect(node.heard).toHaveLength(count);
        expect(new Set(node.heard.map((each) => JSON.stringify(each))).size).toBe(15);
      }),
      { seed: 4303, numRuns: 40 },
    );
  });

  it.each([
    [NUMBERS_WINDOW - 1, null],
    [NUMBERS_WINDOW, null],
    [NUMBERS_WINDOW + 1, 'replay'],
  ] as const)('of a message that %i have overtaken: %s', (overtaking, refusal) => {
    const node = sealingNode(L3, 2);
    const late = sealed(L3, { by: 1, to: 2, number: 1 }, HELLO);

    node.take(1, sealed(L3, { by: 1, to: 2, number: 1 + overtaking }, HELLO));

    expect(node.take(1, late)).toBe(refusal);
  });

  it('are for each recipient and from each sender its own', () => {
    const sender = sealingNode(L3, 1);

    const numbers = [2, 3, 2].map((to) => sender.say(to, HELLO).seal?.number);
    const node = sealingNode(L3, 2);
    const refusals = [1, 3].map((by) => node.take(by, sealed(L3, { by, to: 2 }, HELLO)));

    expect(numbers).toEqual([1, 1, 2]);
    expect(refusals).toEqual([null, null]);
  });

  it('are used once the signature held, even of what is refused after it', () => {
    const node = sealingNode(L3, 2);
    const unproved = sealed(L3, { by: 1, to: 2 }, NAMES_FIVE);

    expect([node.take(1, unproved), node.take(1, unproved)]).toEqual(['candidacy', 'replay']);
  });
});

describe('after a crash', () => {
  /** A receiver that has heard three messages of 1's first life. */
  const hearer = (sender = sealingNode(L3, 1)) => {
    const node = sealingNode(L3, 2);
    for (let said = 0; said < 3; said += 1) node.take(1, sender.say(2, HELLO));
    return node;
  };

  it('a sender is heard, with what it had saved and without', () => {
    const sender = sealingNode(L3, 1);
    sender.save('saved');
    const node = hearer(sender);

    const returned = sender.returned(sender.disk());
    const again = returned.returned(returned.disk());
    const takes = [sender.returned(null), again].map((each) => node.take(1, each.say(2, HELLO)));

    expect(takes).toEqual([null, null]);
    expect(again.say(2, HELLO).seal?.number).toBe(2 * NUMBERS_PER_LIFE + 2);
  });

  it('a sender that loses its disk again is not heard before it is past its numbers', () => {
    const sender = sealingNode(L3, 1);
    const node = hearer(sender);
    node.take(1, sender.returned(null).say(2, HELLO));

    const third = sender.returned(null);

    expect([1, 2].map(() => node.take(1, third.say(2, HELLO)))).toEqual(['replay', null]);
  });

  it('a receiver accepts a message a second time, and then no more', () => {
    const old = sealed(L3, { by: 1, to: 2 }, HELLO);
    const node = sealingNode(L3, 2);
    node.take(1, old);

    const returned = node.returned(node.disk());

    expect([returned.take(1, old), returned.take(1, old)]).toEqual([null, 'replay']);
  });

  it.each(LEVELS)('%s: a protocol is given what it saved last', (level) => {
    const node = sealingNode({ level }, 1);
    node.save({ term: 1 });
    node.save({ term: 2 });

    const once = node.returned(node.disk());
    const twice = once.returned(level === 'L3' ? once.disk() : node.disk());

    expect(twice.heard).toEqual([['recover', { term: 2 }]]);
  });

  it.each([null, 5, 'x', [], { life: 1 }, { life: 'x', saved: 1 }])(
    'a disk that holds %o is as good as none',
    (disk) => {
      const returned = sealingNode(L3, 1).returned(disk);

      expect(returned.say(2, HELLO).seal?.number).toBe(NUMBERS_PER_LIFE + 1);
    },
  );
});

describe('L0 and L1', () => {
  it.each(['L0', 'L1'] as const)('%s: messages go as they are', (level) => {
    expect(sealingNode({ level }, 1).say(2, NAMES_FIVE)).toEqual(NAMES_FIVE);
  });

  it.each(['L0', 'L1'] as const)('%s: nothing is checked that costs a signature', (level) => {
    const node = sealingNode({ level }, 2);

    node.take(1, named({ level }, 'forged'));

    expect(node.heard).toEqual([[1, NAMES_FIVE]]);
    expect(node.checks()).toBe(0);
  });
});
