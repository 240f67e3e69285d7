/**
 * @module
 * Where the network proves who sends, such as TLS does, messages of detectors need no signature.
 */

import { describe, expect, it } from 'vitest';
import type { SealedMessage } from '../../src/election/authentication/authenticated.ts';
import type { Message } from '../../src/election/machine.ts';
import { toRank } from '../../src/election/world/cast.ts';
import { sealingNode } from './sealing-node.ts';

const HELLO: Message = { type: 'HELLO' };
const BEAT: Message = { type: 'FD_HEARTBEAT', ...{ seq: 7 } };
const LEVELS = ['L2', 'L3'] as const;

function unsigned(body: Message, { by = 1, number = 1 } = {}): SealedMessage {
  const message = { ...body, seal: { by: toRank(by), number } };
  return message;
}

describe.each(LEVELS)('%s over a network that proves who sends', (level) => {
  const setup = { level, provesSenders: true };

  it('a message of a detector is sent and taken without a signature, and any other with one', () => {
    const [one, two] = [sealingNode(setup, 1), sealingNode(setup, 2)];
    const [beat, hello] = [one.say(2, BEAT), one.say(2, HELLO)];

    expect(beat.seal?.signature).toBeUndefined();
    expect(hello.seal?.signature).toBeDefined();
    expect([two.take(1, beat), two.take(1, hello)]).toEqual([null, null]);
    expect(two.take(1, unsigned(HELLO, { number: 9 }))).toBe('malformed');
  });

  it('a message of a detector in the name of another node is refused without its signature', () => {
    expect(sealingNode(setup, 2).take(3, unsigned(BEAT))).toBe('malformed');
  });

  it('a signature that is given must be right', () => {
    const { seal, ...body } = unsigned(BEAT);
    const forged = { ...body, seal: { ...seal, signature: 'forged' } };

    expect(sealingNode(setup, 2).take(1, forged)).toBe('signature');
  });
});

it('a message of a detector without a signature is a replay if its number was used', () => {
  const node = sealingNode({ level: 'L3', provesSenders: true }, 2);

  const answers = [1, 2, 1, 0].map((number) => node.take(1, unsigned(BEAT, { number })));

  expect(answers).toEqual([null, null, 'replay', 'replay']);
});

it.each(LEVELS)('%s: over any other network a message of a detector is signed', (level) => {
  const [one, two] = [sealingNode({ level }, 1), sealingNode({ level }, 2)];

  expect(two.take(1, one.say(2, BEAT))).toBe(null);
  expect(two.take(1, unsigned(BEAT, { number: 2 }))).toBe('malformed');
});
