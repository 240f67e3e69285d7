/**
 * @module
 * The proofs that a node from outside must send with signed messages. Every forgery that
 * differs in one part is refused, and no number is used for two messages.
 */

import { describe, expect, it } from 'vitest';
import { assertSignatures } from '../../../../server/elections/live/outside-proof.ts';
import { SIGNED_BYTES, SIGNED_EXAMPLE } from '../../../../server/elections/routes/node-outbox.ts';
import { SERVER } from '../../../../server/request/principal.ts';
import { bytesToHex, hexToBytes } from '../../../../src/bytes.ts';
import type { SealedMessage } from '../../../../src/election/authentication/authenticated.ts';
import { toRank } from '../../../../src/election/world/cast.ts';
import { ed25519Scheme } from '../../../../src/identity/keys/ed25519.ts';
import { messageBytes } from '../../../../src/identity/message.ts';
import type { Answer } from '../../lab-under-test.ts';
import { labUnderTest } from '../../lab-under-test.ts';
import { OutsidePlayer } from '../outside-player.ts';

const lab = labUnderTest();
const WORD = { type: 'COORDINATOR', leader: 5 };
/** The order of the group that Ed25519 signs in (RFC 8032, section 5.1). */
const L = 2n ** 252n + 27742317777372353535851937790883648493n;

interface Sealed {
  readonly type: string;
  readonly seal: {
    readonly signature: string;
    readonly candidacies: Record<string, string>;
    readonly [name: string]: unknown;
  };
  readonly [name: string]: unknown;
}

async function begun(level = 'L3') {
  const body = { protocol: 'bully-oneshot', nodes: 4, seed: '1', level };
  const made = await lab.post('/v1/elections', body);
  const election = String(made.headers.get('Location'));
  const player = await OutsidePlayer.join({ lab, election });
  await lab.post(`${election}/actions`, { type: 'start' });
  return { election, player, live: lab.elections.get(String(made.json.id), SERVER) };
}

/** A player for messages that are refused. They leave the election as it is. */
const shared = begun();

const sealed = (player: OutsidePlayer, to = 1) => player.sealed(to, WORD) as unknown as Sealed; // It is signed there.
const say = (player: OutsidePlayer, message: object, to = 1): Promise<Answer> =>
  player.outbox({ effects: [{ type: 'send', to, message }] });
const withSeal = (message: Sealed, members: object) => ({
  ...message,
  seal: { ...message.seal, ...members },
});
const messagesOf = async (election: string) =>
  (await lab.call('GET', `${election}/messages?pageSize=100`)).json.items as object[];

/** A signature in hex with one bit flipped. */
function flipped(hex: string, bit: number): string {
  const bytes = hexToBytes(hex);
  bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return bytesToHex(bytes);
}

/** The same signature with another S that a lax verifier accepts. */
function withLargerS(hex: string): string {
  const bytes = hexToBytes(hex);
  let s = [...bytes.subarray(32)].reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n) + L;
  for (let index = 32; index < 64; index += 1, s >>= 8n) bytes[index] = Number(s & 255n);
  return bytesToHex(bytes);
}

describe('a signature', () => {
  it('is invalid with any bit flipped', async () => {
    const { player, live } = await shared;
    const message = sealed(player);
    const { proofRules, stage } = live;
    const verify = stage.keysOf?.(toRank(5)).verify ?? (() => true);
    const judge = (signature: string) => {
      const proposed = { by: 5, to: 1, index: 0, pointer: '/effects/0/message' };
      const forged = withSeal(message, { signature });
      assertSignatures(proofRules, { ...proposed, message: forged }, verify);
    };

    judge(message.seal.signature);

    for (let bit = 0; bit < 512; bit += 1) {
      expect(() => judge(flipped(message.seal.signature, bit)), `${bit}`).toThrow('signature');
    }
  });

  it.each<[string, (message: Sealed) => object]>([
    ['a flipped bit', (m) => withSeal(m, { signature: flipped(m.seal.signature, 300) })],
    ['S + L', (m) => withSeal(m, { signature: withLargerS(m.seal.signature) })],
    ['a byte less', (m) => withSeal(m, { signature: m.seal.signature.slice(2) })],
    ['a byte more', (m) => withSeal(m, { signature: `${m.seal.signature}00` })],
    ['nothing in it', (m) => withSeal(m, { signature: '' })],
    ['capital hex', (m) => withSeal(m, { signature: m.seal.signature.toUpperCase() })],
    ['another type', (m) => ({ ...m, type: 'ELECTION' })],
    ['another leader', (m) => ({ ...m, leader: 4 })],
    ['another member', (m) => ({ ...m, term: 1 })],
    ['another number', (m) => withSeal(m, { number: 77 })],
    ['another sender', (m) => withSeal(m, { by: 4 })],
    ['no sender', (m) => withSeal(m, { by: undefined })],
    ['a sender that is text', (m) => withSeal(m, { by: '5' })],
    ['no candidacy', (m) => withSeal(m, { candidacies: {} })],
    ['a wrong candidacy', (m) => withSeal(m, { candidacies: { 5: m.seal.signature } })],
    [
      'a candidacy of no node',
      (m) => withSeal(m, { candidacies: { ...m.seal.candidacies, x: '00' } }),
    ],
    [
      'the candidacy of another',
      (m) => withSeal(m, { candidacies: { ...m.seal.candidacies, 4: m.seal.candidacies[5] } }),
    ],
  ])('is refused with %s, and nothing changes', async (_what, forge) => {
    const { election, player } = await shared;
    const before = await messagesOf(election);

    const answer = await say(player, forge(sealed(player)));

    expect(answer).toMatchObject({ status: 422, json: { code: 'message.signature' } });
    expect(await messagesOf(election)).toEqual(before);
  });

  it('that is invalid uses no number', async () => {
    const { player } = await shared;
    const message = sealed(player);

    const forged = await say(player, { ...message, leader: 4 });
    const answer = await say(player, message);

    expect(forged.status).toBe(422);
    expect(answer.json).toMatchObject({ status: 'accepted' });
  });

  it('is for one recipient, and the refusal contains the text to sign', async () => {
    const { player, live } = await begun();

    const answer = await say(player, sealed(player, 1), 2);

    const text = `["usurp/election/v1","bully-oneshot",5,2,"${live.name}",1,{"leader":5,"type":"COORDINATOR"}]`;
    expect(answer).toMatchObject({ status: 422, json: { code: 'message.signature' } });
    expect(String(answer.json.detail)).toContain(text);
  });

  it('is for one election', async () => {
    const [one, other] = [await begun(), await begun()];
    expect(one.player.nodeId).toBe(other.player.nodeId);

    const answer = await say(other.player, sealed(one.player));

    expect(answer).toMatchObject({ status: 422, json: { code: 'message.signature' } });
  });

  it('is checked with the key of the claim, not with a key that is sent with it', async () => {
    const { player } = await shared;
    const stranger = { form: 'seed', bytes: new Uint8Array(32).fill(7) } as const;
    const publicKey = bytesToHex(ed25519Scheme.publicKeyOf(stranger));
    const message = sealed(player);
    const text = JSON.stringify(['usurp/election/v1', 'bully-oneshot', 5, 1]);
    const signature = bytesToHex(ed25519Scheme.sign(stranger, messageBytes(text)));

    const answer = await say(player, withSeal(message, { signature, publicKey }));

    expect(answer).toMatchObject({ status: 422, json: { code: 'message.signature' } });
  });

  it.each(['L2', 'L3'])('is required at %s', async (level) => {
    const { player } = await begun(level);

    const answer = await say(player, WORD);

    expect(answer).toMatchObject({ status: 400, json: { code: 'schema' } });
    expect(answer.json.errors).toMatchObject([{ pointer: '#/effects/0/message/seal' }]);
  });

  it.each([0, -1, 1.5, '1', null, undefined])('needs a valid number, not %j', async (number) => {
    const { player } = await shared;

    const answer = await say(player, withSeal(sealed(player), { number }));

    expect(answer).toMatchObject({ status: 400, json: { code: 'schema' } });
  });
});

describe('a number', () => {
  it('is for one message: the same again has no effect, another is refused', async () => {
    const { election, player } = await begun();
    const message = sealed(player);
    const other = player.sealed(1, { type: 'OK' }, 1);

    const first = await say(player, message);
    const sent = await messagesOf(election);
    const again = await say(player, message);
    const twoFaced = await say(player, other);

    expect(first).toMatchObject({ status: 200, json: { status: 'accepted' } });
    expect(again).toMatchObject({ status: 200, json: { status: 'duplicate' } });
    expect(twoFaced).toMatchObject({ status: 409, json: { code: 'message.equivocation' } });
    expect(await messagesOf(election)).toEqual(sent);
  });

  it('is counted for each recipient', async () => {
    const { player } = await begun();

    const one = await say(player, player.sealed(1, WORD, 1), 1);
    const other = await say(player, player.sealed(2, WORD, 1), 2);

    expect([one.json.status, other.json.status]).toEqual(['accepted', 'accepted']);
  });

  it('that is refused makes the whole outbox fail', async () => {
    const { election, player } = await begun();
    await say(player, player.sealed(1, WORD, 1), 1);
    const before = await messagesOf(election);
    const effects = [
      { type: 'send', to: 2, message: player.sealed(2, WORD, 1) },
      { type: 'send', to: 1, message: player.sealed(1, { type: 'OK' }, 1) },
    ];

    const answer = await player.outbox({ through: 1, effects });

    expect(answer).toMatchObject({ status: 409, json: { code: 'message.equivocation' } });
    expect(await messagesOf(election)).toEqual(before);
    expect((await player.inbox()).json).toMatchObject({ answered: 0 });
    // Number 1 to node 2 is still free.
    expect((await player.outbox({ effects: effects.slice(0, 1) })).json.status).toBe('accepted');
  });

  it('twice in one outbox is for one message, or refused', async () => {
    const { election, player } = await begun();
    const before = await messagesOf(election);
    const word = { type: 'send', to: 1, message: player.sealed(1, WORD, 1) };
    const other = { type: 'send', to: 1, message: player.sealed(1, { type: 'OK' }, 1) };

    const twoFaced = await player.outbox({ effects: [word, other] });
    const same = await player.outbox({ effects: [word, word] });

    expect(twoFaced).toMatchObject({ status: 409, json: { code: 'message.equivocation' } });
    expect(same.json.status).toBe('accepted');
    expect(await messagesOf(election)).toHaveLength(before.length + 1);
  });

  it('that is repeated still answers events', async () => {
    const { player } = await begun();
    const message = sealed(player);
    await say(player, message);

    const again = await player.outbox({
      through: 1,
      effects: [{ type: 'send', to: 1, message }],
    });

    expect(again.json).toMatchObject({ status: 'duplicate', answered: 1 });
  });

  it('is used by one of 20 messages that arrive at the same moment', async () => {
    const { election, player } = await begun();
    const before = await messagesOf(election);
    const bodies = Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0 ? WORD : { type: 'OK', index },
    );

    const answers = await Promise.all(bodies.map((body) => say(player, player.sealed(1, body, 1))));

    const outcomes = answers.map(({ status, json }) => (status === 200 ? json.status : json.code));
    const count = (outcome: string) => outcomes.filter((each) => each === outcome).length;
    expect(count('accepted')).toBe(1);
    expect(count('accepted') + count('duplicate') + count('message.equivocation')).toBe(20);
    expect(await messagesOf(election)).toHaveLength(before.length + 1);
  });

  it('far below those used is refused, because it may have been used', async () => {
    const { player } = await begun();
    await say(player, player.sealed(1, WORD, 5_000));

    const answers = [
      await say(player, player.sealed(1, WORD, 3_976)),
      await say(player, player.sealed(1, WORD, 3_977)),
    ];

    expect(answers[0]).toMatchObject({ status: 409, json: { code: 'message.equivocation' } });
    expect(answers[1]).toMatchObject({ status: 200, json: { status: 'accepted' } });
  });
});

describe('the documentation of signed bytes', () => {
  it('has an example with valid signatures', () => {
    const { secretKey, message, text, candidacyText, bytes } = SIGNED_EXAMPLE;
    const secret = { form: 'seed', bytes: hexToBytes(secretKey) } as const;
    const sign = (signed: string) => bytesToHex(ed25519Scheme.sign(secret, messageBytes(signed)));

    expect(sign(text)).toBe(message.seal.signature);
    expect(sign(candidacyText)).toBe(message.seal.candidacies[5]);
    expect(Buffer.from(messageBytes(text)).toString()).toBe(bytes.replace('\\0', '\0'));
    expect(SIGNED_BYTES).toContain(text);
  });

  it('has an example that this server accepts', () => {
    const { secretKey, protocol, election, to } = SIGNED_EXAMPLE;
    const { seal, ...body } = SIGNED_EXAMPLE.message;
    const message: SealedMessage = { ...body, seal: { ...seal, by: toRank(seal.by) } };
    const publicKey = ed25519Scheme.publicKeyOf({ form: 'seed', bytes: hexToBytes(secretKey) });
    const plan = { protocol, level: 'L3', nodes: 5 } as const;
    const rules = { plan, election, earlier: [] };
    const verify = (signer: unknown, text: string, signature: string) =>
      signer === toRank(5) &&
      ed25519Scheme.verify(publicKey, messageBytes(text), hexToBytes(signature), {
        strict: true,
        lowS: true,
      });

    expect(() =>
      assertSignatures(rules, { by: 5, to, message, index: 0, pointer: '' }, verify),
    ).not.toThrow();
  });
});
