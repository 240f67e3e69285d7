/**
 * @module
 * What a node reads of others is bounded before anything walks through it: the bytes, the pieces and the values.
 */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Rank } from '../../../src/election/machine.ts';
import type { Charge } from '../../../src/live/peer-api.ts';
import {
  bodyOf,
  charged,
  envelopeSchema,
  MESSAGE_BYTES_MAX,
  MESSAGE_MEMBERS_MAX,
  MESSAGE_VALUES_MAX,
} from '../../../src/live/peer-api.ts';
import type { Peer } from '../../../src/live/peers.ts';
import { PEERS_MAX } from '../../../src/live/peers.ts';
import { parseExchanged, readBounded } from '../../../src/live/transport/bounded-json.ts';
import { ask, plainTransport } from '../../../src/live/transport/transport.ts';
import { PEER_ALLOWANCES, POINTS, WorkBudget } from '../../../src/live/transport/work-budget.ts';

const members = (count: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, value]));

describe('a JSON text', () => {
  it.each([
    ['[1,2,3]', 4],
    ['{"a":{"b":[",,,{[",2]}}', 5],
    ['7', 1],
  ])('%s has %i values, and is not read if fewer are allowed', (text, values) => {
    expect(parseExchanged(text, values)).toEqual(JSON.parse(text));
    expect(parseExchanged(text, values - 1)).toBe(undefined);
  });
});

describe('an envelope', () => {
  const envelope = (more: object, clock: object) =>
    envelopeSchema.safeParse({
      from: 'a',
      message: { type: 'OK', ...more },
      stamp: { id: 0, clock },
    });

  it('can have a clock of all members that there can be, and as many members as a message can have', () => {
    const { success } = envelope(members(MESSAGE_MEMBERS_MAX - 1, 1), members(PEERS_MAX, 1));

    expect(success).toBe(true);
  });

  it.each([
    ['a clock of too many', {}, members(PEERS_MAX + 1, 1)],
    ['a clock of what are no counts', {}, members(PEERS_MAX, -1)],
    ['too many members of its message', members(MESSAGE_MEMBERS_MAX, 1), {}],
  ])('with %s is refused with one fault, whatever their number', (_what, more, clock) => {
    expect(envelope(more, clock).error?.issues).toHaveLength(1);
  });

  it('of the longest message has room in the bounds', () => {
    const rank = (index: number) => index.toString(16).padStart(64, 'f');
    const ranks = Array.from({ length: PEERS_MAX }, (_, index) => rank(index));
    const of = (value: unknown) => Object.fromEntries(ranks.map((each) => [each, value]));
    const seal = { by: rank(0), number: Number.MAX_SAFE_INTEGER, signature: 'f'.repeat(128) };
    const candidacies = of('f'.repeat(128));
    const message = { type: 'ELECTION', ids: ranks, seal: { ...seal, candidacies } };
    const stamp = { id: Number.MAX_SAFE_INTEGER, clock: of(Number.MAX_SAFE_INTEGER) };
    const text = JSON.stringify({ from: rank(0), message, stamp });

    expect(text.length).toBeLessThan(MESSAGE_BYTES_MAX);
    expect(envelopeSchema.safeParse(parseExchanged(text, MESSAGE_VALUES_MAX)).success).toBe(true);
  });
});

describe('a body', () => {
  const inPieces = (text: string, bytes: number) => {
    const pieces = Array.from({ length: Math.ceil(text.length / bytes) }, (_, index) =>
      Buffer.from(text.slice(index * bytes, (index + 1) * bytes)),
    );
    return Readable.from(pieces, { objectMode: false });
  };
  const text = Array.from({ length: 1_024 }, (_, index) => index % 10).join('');

  it.each([1_024, 1_000, 64, 40])('is read in pieces of %i bytes', async (bytes) => {
    expect(await readBounded(inPieces(text, bytes), 1_024)).toBe(text);
  });

  it('is refused if it is longer than allowed, or comes in many pieces', async () => {
    expect(await readBounded(inPieces(text, 1_024), 1_023)).toBe(null);
    expect(await readBounded(inPieces(text, 16), 1_024)).toBe(null);
  });

  it('of a request is not read without a stated length', async () => {
    const incoming = { headers: { 'transfer-encoding': 'chunked' } };

    expect(await bodyOf(incoming as Parameters<typeof bodyOf>[0], 10)).toBe(null);
  });
});

describe('the account of a request', () => {
  const payer = { member: 'aa' as string as Rank };
  const left = (work: (charge: Charge) => void) => {
    const budget = new WorkBudget(
      PEER_ALLOWANCES,
      () => 0,
      () => true,
    );
    const connections = { payerOf: () => payer };
    const request = { socket: null };
    type Of = Parameters<typeof charged>;
    const charge = charged(
      { connections, budget } as unknown as Of[0],
      request as unknown as Of[1],
      5,
    );
    if (charge === null) throw new Error('no points');
    work(charge);
    let points = 0;
    while (budget.take(payer, 1)) points += 1;
    return PEER_ALLOWANCES.payer.most - points;
  };

  it('takes points for the CPU time if that is far above what its points stand for', () => {
    const usual = left(({ costs, took }) => {
      costs(POINTS.message);
      took(1);
    });
    const slow = left(({ costs, took }) => {
      costs(POINTS.message);
      took(40);
    });

    expect([usual, slow]).toEqual([POINTS.message, 400]);
  });
});

it('an answer with more values than nodes send is taken for none', async () => {
  let suspects = 0;
  const server = createServer((_, answer) => {
    answer.end(JSON.stringify({ suspects: Array(suspects).fill(1) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // A TCP server has an address with a port.
  const transport = plainTransport();
  const peer = { rank: 'aa' as string as Rank, url: `http://127.0.0.1:${port}` } as Peer;
  const answerWith = (count: number) => {
    suspects = count;
    return ask(transport, peer, '/status', { waitMs: 5_000 });
  };

  const answers = [await answerWith(PEERS_MAX), await answerWith(3 * PEERS_MAX)];

  transport.close();
  server.close();
  expect(answers).toEqual([{ suspects: Array(PEERS_MAX).fill(1) }, null]);
});
