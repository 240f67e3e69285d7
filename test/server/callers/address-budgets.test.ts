/**
 * @module
 * What an address may take before its callers are known. Requests with a token that is known wait in the line of its holder,
 * and do not count.
 */

import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import {
  ADDRESS_CONNECTIONS,
  AddressBudgets,
  ALL_CONNECTIONS,
  KNOWN_ADDRESSES,
} from '../../../server/callers/address-budgets.ts';
import { TrustedProxies } from '../../../server/callers/client-address.ts';
import { Sessions } from '../../../server/callers/sessions.ts';
import { TokenSet } from '../../../server/callers/tokens.ts';

const TOKEN = 'operator-token-0123456789';

function budgetsOf({ isShared = true, requestsPerSecond = 10, proxies = [''] } = {}) {
  const clock = { now: 0 };
  const tokens = isShared
    ? new TokenSet([{ name: 'owner', role: 'operator', token: TOKEN }])
    : null;
  const credentials = {
    ...{ tokens, sessions: new Sessions() },
    participants: { participantWith: () => null },
  };
  const budgets = new AddressBudgets(
    credentials,
    { limits: { requestsPerSecond }, nowMs: () => clock.now },
    new TrustedProxies(proxies),
  );
  const send = (remoteAddress: string, { token = '', url = '/v1/elections', from = '' } = {}) => {
    const headers = {
      ...(token !== '' && { authorization: `Bearer ${token}` }),
      ...(from !== '' && { 'x-forwarded-for': from }),
    };
    // It uses nothing else.
    const incoming = { headers, method: 'GET', url, socket: { remoteAddress } };
    return budgets.senderOf(incoming as unknown as IncomingMessage);
  };
  const connect = (address: string, count: number) =>
    Array.from({ length: count }, () => budgets.takeConnection(address)).filter(Boolean).length;
  return { clock, send, connect };
}

describe('an address', () => {
  it('can open a bounded number of new connections, and all together', () => {
    const { clock, connect } = budgetsOf();
    const most = ADDRESS_CONNECTIONS.burst;

    expect(connect('10.0.0.1', most + 5)).toBe(most);
    expect(connect('::ffff:10.0.0.1', 1)).toBe(0);
    clock.now += 1_000;
    expect(connect('10.0.0.1', most)).toBe(ADDRESS_CONNECTIONS.perSecond);
    const others = Array.from({ length: 10 }, (_, index) => connect(`10.0.1.${index}`, most));
    const all = others.reduce((sum, each) => sum + each, 0);
    expect(all).toBeLessThanOrEqual(ALL_CONNECTIONS.burst);
  });

  it('of a caller opens connections when strangers have spent those of all, until its token is long ago', () => {
    const { clock, send, connect } = budgetsOf();
    const flood = () => {
      for (let host = 0; host < 10; host += 1) connect(`10.0.1.${host}`, ADDRESS_CONNECTIONS.burst);
    };
    send('10.0.0.1', { token: TOKEN });
    flood();

    expect(connect('10.0.0.2', 1)).toBe(0);
    expect(connect('10.0.0.1', ADDRESS_CONNECTIONS.burst + 5)).toBe(ADDRESS_CONNECTIONS.burst);
    clock.now += KNOWN_ADDRESSES.ms + 1;
    flood();
    expect(connect('10.0.0.1', 1)).toBe(0);
  });

  it('is one of the last few of its caller, or has no connections of its own', () => {
    const { send, connect } = budgetsOf();
    for (let host = 0; host <= KNOWN_ADDRESSES.perCaller; host += 1) {
      send(`10.0.0.${host}`, { token: TOKEN });
    }
    for (let host = 0; host < 10; host += 1) connect(`10.0.1.${host}`, ADDRESS_CONNECTIONS.burst);

    expect(connect('10.0.0.0', 1)).toBe(0);
    expect(connect('10.0.0.1', 1)).toBe(1);
  });

  it('can send a bounded number of requests without a known token; health checks do not count', () => {
    const { clock, send } = budgetsOf();
    const refusals = Array.from({ length: 50 }, () => send('10.0.0.1', { token: 'x'.repeat(20) }));

    expect(refusals.filter(({ refusal }) => refusal === null)).toHaveLength(40);
    expect(refusals.at(-1)?.refusal).toMatchObject({ code: 'limit.rate', retryAfterS: 1 });
    expect(send('10.0.0.1', { url: '/healthz' }).refusal).toBeNull();
    expect(send('10.0.0.2').refusal).toBeNull();
    expect(send('10.0.0.1', { token: TOKEN })).toEqual({
      ...{ line: { name: 'caller owner', isPreferred: true }, refusal: null },
    });
    clock.now += 1_000;
    expect(send('10.0.0.1').refusal).toBeNull();
  });

  it('of a server without tokens has no limits', () => {
    const { send, connect } = budgetsOf({ isShared: false, requestsPerSecond: 0 });

    expect(connect('127.0.0.1', 5_000)).toBe(5_000);
    expect(send('127.0.0.1', { token: TOKEN })).toEqual({
      ...{ line: { name: '127.0.0.1', isPreferred: false }, refusal: null },
    });
  });
});

describe('a trusted proxy', () => {
  it('opens any number of connections, and each client behind it has requests of its own', () => {
    const { connect, send } = budgetsOf({ proxies: ['10.0.0.9'] });
    const most = 5 * ADDRESS_CONNECTIONS.burst;
    const refusalsFrom = (from: string) =>
      Array.from({ length: 100 }, () => send('::ffff:10.0.0.9', { from })).filter(
        ({ refusal }) => refusal !== null,
      ).length;

    expect(connect('10.0.0.9', most)).toBe(most);
    expect(refusalsFrom('192.0.2.1')).toBeGreaterThan(0);
    expect(send('10.0.0.9', { from: '192.0.2.2' }).refusal).toBeNull();
    expect(send('10.0.0.9', { from: 'invented, 192.0.2.3' }).line.name).toBe('192.0.2.3');
  });

  it('is none for another address: its header counts for nothing', () => {
    const { send } = budgetsOf({ proxies: ['10.0.0.9'] });

    expect(send('10.0.0.1', { from: '192.0.2.1' }).line.name).toBe('10.0.0.1');
    expect(send('10.0.0.1', { from: '10.0.0.9' }).line.name).toBe('10.0.0.1');
  });
});
