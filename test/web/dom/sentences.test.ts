/**
 * @module
 * What the lab says of an event and of the proof of a message.
 */

import { expect, it } from 'vitest';

import { eventSentence, sealText } from '../../../src/simulation/report/sentences.ts';

it('names the store of a protocol as the picture does', () => {
  const event = {
    v: 1,
    ...{ election: 'e_1', seq: 1, t: 3, event: 'message.delivered', effects: [] },
    ...{ action: { type: 'deliver', message: 7 }, node: 2, from: 4 },
  } as const;

  expect(eventSentence(event, 4)).toBe('Node 2 receives message 7 from the store.');
  expect(eventSentence({ ...event, node: 4, from: 2 }, 4)).toBe(
    'The store receives message 7 from node 2.',
  );
  expect(eventSentence(event, null)).toBe('Node 2 receives message 7 from node 4.');
});

it('says that a message is signed only if it has a signature', () => {
  expect(sealText({ type: 'OK', seal: { by: 5 } })).toBe('not signed, in the name of node 5');
  expect(sealText({ type: 'OK', seal: { by: 5, signature: 'aa' } })).toBe('signed by node 5');
  expect(sealText({ type: 'OK' })).toBeNull();
});
