/**
 * @module
 * What a node must refuse, and with what answer: malformed, oversized, unsigned, forged and replayed messages, and
 * newcomers whose presentation is wrong.
 */

import { messageText } from '../../election/authentication/authenticated.ts';
import type { Message, Rank } from '../../election/machine.ts';
import { claimToJson, createClaim } from '../../identity/claim.ts';
import type { Secret } from '../../identity/keys/scheme.ts';
import type { Finding } from '../../simulation/conform/finding.ts';
import { failed, held } from '../../simulation/conform/finding.ts';
import { MESSAGE_BYTES_MAX } from '../peer-api.ts';
import type { Network, Peer } from '../peers.ts';
import type { PeerAnswer, PlayedPeer } from './played-peer.ts';

export interface RefusalTrial {
  readonly network: Network;
  readonly node: Peer;
  readonly lower: PlayedPeer;
  readonly higher: PlayedPeer;
  /** The secret of a node that is no member. */
  readonly stranger: Secret;
}

interface Wrong {
  readonly sent: string;
  readonly body: string;
  readonly path?: '/peers';
  readonly expected: PeerAnswer;
}

const MALFORMED = { status: 400, refusal: 'malformed' } as const;
const forbidden = (refusal: string): PeerAnswer => ({ status: 403, refusal });
const ZEROS = '00'.repeat(64);
const OK: Message = { type: 'OK' };

/** One finding for each request that must be refused. */
export async function refusalFindings(trial: RefusalTrial): Promise<readonly Finding[]> {
  const { lower } = trial;
  const findings: Finding[] = [];
  for (const { sent, body, path, expected } of [
    ...wrongMessages(trial),
    ...wrongNewcomers(trial),
  ]) {
    const got = await lower.post(body, path);
    findings.push(judged(`refuses ${sent}`, sent, expected, got));
  }
  return lower.authentication.level === 'L3' ? [...findings, await replayed(lower)] : findings;
}

async function replayed(lower: PlayedPeer): Promise<Finding> {
  const check = 'refuses a message that it has received before';
  const body = lower.envelope(lower.sealed(OK));
  const first = await lower.post(body);
  if (typeof first === 'string' || first.status !== 202)
    return judged(check, 'a signed OK', TAKEN, first);
  return judged(check, 'the same signed OK again', forbidden('replay'), await lower.post(body));
}

const TAKEN: PeerAnswer = { status: 202, refusal: null };

function judged(
  check: string,
  sent: string,
  expected: PeerAnswer,
  got: PeerAnswer | string,
): Finding {
  const isRight =
    typeof got !== 'string' && got.status === expected.status && got.refusal === expected.refusal;
  if (isRight) return held(check, textOf(expected));
  return failed(check, `sent ${sent}; expected ${textOf(expected)}; received ${textOf(got)}`);
}

function textOf(answer: PeerAnswer | string): string {
  if (typeof answer === 'string') return answer;
  return answer.refusal === null ? `${answer.status}` : `${answer.status} "${answer.refusal}"`;
}

function wrongMessages({ lower, higher, node }: RefusalTrial): readonly Wrong[] {
  const { level } = lower.authentication;
  const signed = (body: Message, changes: { to?: Rank; election?: string; number?: number } = {}) =>
    lower.envelope(signedBy(lower, body, { to: node.rank, ...changes }));
  const unproved = { by: lower.rank, number: lower.nextNumber(), signature: ZEROS };
  const naming = { type: 'COORDINATOR', leader: higher.rank };
  const stranger = JSON.stringify({ from: 'f'.repeat(64), message: OK, stamp: null });
  const inOther = {
    from: higher.rank,
    message: signedBy(lower, OK, { to: node.rank }),
    stamp: null,
  };
  const numbered: readonly Wrong[] = [
    {
      sent: 'an OK that another member than its sender has signed',
      body: JSON.stringify(inOther),
      expected: forbidden('sender'),
    },
    {
      sent: 'an OK that is signed for another election',
      body: signed(OK, { election: 'another' }),
      expected: forbidden('signature'),
    },
    {
      sent: 'a signed OK with the number 0',
      body: signed(OK, { number: 0 }),
      expected: forbidden('replay'),
    },
  ];
  return [
    { sent: 'a body that is not JSON', body: '{', expected: MALFORMED },
    {
      sent: 'an envelope without a message',
      body: JSON.stringify({ from: lower.rank, stamp: null }),
      expected: MALFORMED,
    },
    {
      sent: `a body of ${MESSAGE_BYTES_MAX + 1} bytes`,
      body: '1'.repeat(MESSAGE_BYTES_MAX + 1),
      expected: { status: 413, refusal: 'malformed' },
    },
    {
      sent: 'a message of a node that is no member',
      body: stranger,
      expected: forbidden('sender'),
    },
    { sent: 'an unsigned OK', body: lower.envelope(OK), expected: forbidden('malformed') },
    {
      sent: 'a COORDINATOR without a leader',
      body: signed({ type: 'COORDINATOR' }),
      expected: forbidden('malformed'),
    },
    {
      sent: 'an OK with a false signature',
      body: lower.envelope({ ...OK, seal: unproved }),
      expected: forbidden('signature'),
    },
    {
      sent: 'an OK that is signed for another recipient',
      body: signed(OK, { to: higher.rank }),
      expected: forbidden('signature'),
    },
    {
      sent: 'a COORDINATOR that names another node',
      body: signed(naming),
      expected: forbidden('candidacy'),
    },
    ...(level === 'L3' ? numbered : []),
  ];
}

/** A message with a signature for this recipient, election and number. */
function signedBy(
  peer: PlayedPeer,
  body: Message,
  {
    to,
    election = peer.authentication.election,
    number = peer.nextNumber(),
  }: {
    readonly to: Rank;
    readonly election?: string;
    readonly number?: number;
  },
): object {
  const { authentication, rank } = peer;
  const text = messageText({ ...authentication, election }, { by: rank, to, number, body });
  return { ...body, seal: { by: rank, number, signature: authentication.keysOf(rank).sign(text) } };
}

function wrongNewcomers({ network, stranger }: RefusalTrial): readonly Wrong[] {
  const { policy } = network;
  const key = { scheme: 'ed25519', secret: stranger } as const;
  const claim = claimToJson(createClaim({ ...key, policy, solution: null }));
  const presentation = { url: 'http://127.0.0.1:1', claim, signature: ZEROS };
  return [
    {
      sent: 'a newcomer without a claim',
      body: JSON.stringify({ url: presentation.url, signature: ZEROS }),
      path: '/peers',
      expected: MALFORMED,
    },
    {
      sent: 'a newcomer with a false signature',
      body: JSON.stringify(presentation),
      path: '/peers',
      expected: forbidden('signature'),
    },
  ];
}
