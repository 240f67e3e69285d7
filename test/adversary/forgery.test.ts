/**
 * @module
 * How words are forged: in the form of their protocol, so that honest machines believe them.
 */

import { describe, expect, it } from 'vitest';
import { namedIn } from '../../src/election/authentication/candidacies.ts';
import { carriedBy, carriedIn } from '../../src/election/authentication/message-forms.ts';
import type { ForgedMessages, ForgerySubject } from '../../src/election/definition/forgery.ts';
import type { ProtocolName } from '../../src/election/registry.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../src/election/registry.ts';
import { createCast, toRank } from '../../src/election/world/cast.ts';
import { recorded } from '../election/recorded.ts';

const TIMING = { latencyTicksMax: 1 };
const TOP = toRank(3);
const MATTER: ForgerySubject = { about: TOP, home: TOP, epoch: 7, serial: 9, ringNodes: 3 };
const WORD_NAMES = ['announcement', 'candidacy', 'answer'] as const;
const ALL = PROTOCOL_NAMES.flatMap((protocol) =>
  WORD_NAMES.map((name) => ({ protocol, name, word: PROTOCOLS[protocol].forgery[name] })),
);
const SPOKEN = ALL.flatMap(({ protocol, name, word }) =>
  typeof word === 'string' ? [] : [{ protocol, name, word }],
);
/** Its nodes have no IDs, so that whose a TOKEN is it does not say. */
const ANONYMOUS = ({ protocol, name }: (typeof SPOKEN)[number]) =>
  protocol === 'itai-rodeh' && name === 'candidacy';

describe('the words of every protocol', () => {
  it.each(SPOKEN)('$protocol: its $name is of types that it sends', ({ protocol, word }) => {
    const types = word.messages(MATTER).map(({ type }) => type);

    expect(types).not.toEqual([]);
    expect(PROTOCOLS[protocol].messageTypes).toEqual(expect.arrayContaining(types));
  });

  it.each(SPOKEN.filter((row) => !ANONYMOUS(row)))(
    '$protocol: a candidacy is asked for exactly where its $name names another',
    ({ protocol, word }) => {
      const named = word
        .messages(MATTER)
        .flatMap((message) => namedIn(protocol, carriedBy(protocol, message) ?? message));

      if (word.names === 'subject') expect(named).toContain(TOP);
      else expect(named).toEqual([]);
    },
  );

  it.each(PROTOCOL_NAMES)('%s: only members that a message has can be altered', (protocol) => {
    for (const { members, alterations } of Object.values(PROTOCOLS[protocol].messages)) {
      const carried = Object.values(members).includes('carried');

      if (!carried)
        expect(Object.keys(members)).toEqual(
          expect.arrayContaining(Object.keys(alterations ?? {})),
        );
    }
  });
});

describe('an honest machine', () => {
  const announced = SPOKEN.filter(({ name }) => name === 'announcement');

  it.each(announced)('$protocol: follows any announced node', ({ protocol, word }) => {
    const followed = receive(protocol, word, MATTER);

    expect(followed.at(-1)).toBe(TOP);
  });

  it.each(announced)('$protocol: follows one below itself or does not', ({ protocol, word }) => {
    const lowest = toRank(1);

    const followed = receive(protocol, word, { ...MATTER, about: lowest, home: lowest });

    expect(followed.includes(lowest)).toBe(PROTOCOLS[protocol].forgery.believes === 'any-rank');
  });
});

describe('carriedIn', () => {
  it('finds what a token of a robust ring carries', () => {
    const message = { type: 'PROBE', candidate: TOP };
    const token = { type: 'PROBE', election: 1, token: [TOP, 0], message };

    expect(carriedIn(token)).toEqual(message);
  });

  it.each([
    ['nothing', { type: 'PROBE', candidate: TOP }],
    ['a text', { type: 'PROBE', token: [TOP, 0], message: 'PROBE' }],
    ['no type', { type: 'PROBE', token: [TOP, 0], message: { candidate: TOP } }],
  ])('finds no message in one that carries %s', (_, message) => {
    expect(carriedIn(message)).toBeNull();
  });
});

/** The nodes that node 2 of three follows in turn when it gets this message from its subject. */
function receive(protocol: ProtocolName, word: ForgedMessages, matter: ForgerySubject): unknown[] {
  const ring = [1, 2, 3];
  const self = createCast({ protocol, timing: TIMING, ring, crashedBefore: [] }).selfOf(2);
  const machine = PROTOCOLS[protocol].create(TIMING);
  const state = machine.init(self);
  const effects = recorded((out) => {
    for (const message of word.messages(matter)) {
      machine.step(self, state, { type: 'deliver', from: matter.about, message }, out);
    }
  });
  return effects.flatMap((effect) => (effect.type === 'elect' ? [effect.leader] : []));
}
