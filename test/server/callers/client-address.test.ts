/**
 * @module
 * X-Forwarded-For counts only from a trusted proxy, and hostile headers change nothing.
 */

import { describe, expect, it } from 'vitest';

import { TrustedProxies } from '../../../server/callers/client-address.ts';

const proxies = new TrustedProxies(['10.0.0.9', '2001:DB8::9']);

function addressOf(remoteAddress: string, header?: string | string[]) {
  return proxies.addressOf({
    headers: header === undefined ? {} : { 'x-forwarded-for': header },
    socket: { remoteAddress },
  });
}

describe('the address of a client', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['192.0.2.1:4711', '192.0.2.1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::ffff:C000:0201', '192.0.2.1'],
    ['[0:0:0:0:0:ffff:c000:201]:443', '192.0.2.1'],
    ['2001:0DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['192.0.2.1, 2001:db8:0::0009', '192.0.2.1'],
    // What the client has sent is before what the proxy has added.
    ['203.0.113.7, 192.0.2.1', '192.0.2.1'],
    ['<script>, 192.0.2.1', '192.0.2.1'],
    ['192.0.2.1, 10.0.0.9', '192.0.2.1'],
    ['192.0.2.1,2001:db8::9 , 10.0.0.9', '192.0.2.1'],
  ])('is the last one of %j that is no trusted proxy', (header, client) => {
    expect(addressOf('10.0.0.9', header)).toBe(client);
    expect(addressOf('::ffff:10.0.0.9', header)).toBe(client);
    expect(addressOf('2001:db8::9', header)).toBe(client);
  });

  it.each([
    '',
    ',',
    'unknown',
    '192.0.2.1, unknown',
    '192.0.2.1,',
    '192.0.2.256',
    '192.0.2.1:port',
    '[192.0.2.1',
    'example.org',
    '10.0.0.9',
    '192.0.2.1\t; rm',
    '0x7f.1',
    `${'192.0.2.1, '.repeat(200)}192.0.2.1`,
  ])('is that of the proxy for the malformed list %j', (header) => {
    expect(addressOf('10.0.0.9', header)).toBe('10.0.0.9');
  });

  it('is that of the connection if this is of no trusted proxy, whatever the header says', () => {
    expect(addressOf('192.0.2.8', '192.0.2.1')).toBe('192.0.2.8');
    expect(addressOf('192.0.2.8', '10.0.0.9')).toBe('192.0.2.8');
    expect(new TrustedProxies().has(undefined)).toBe(false);
  });

  it.each([
    ['0:0:0:0:0:0:0:1', '::1'],
    ['2001:0DB8::0:9', '2001:db8::9'],
    ['::ffff:0a00:0009', '10.0.0.9'],
    ['::FFFF:10.0.0.9', '::ffff:10.0.0.9'],
  ])('is that of a client of the proxy %s, which connects as %s', (given, remoteAddress) => {
    expect(new TrustedProxies([given]).has(remoteAddress)).toBe(true);
    expect(new TrustedProxies([remoteAddress]).has(given)).toBe(true);
  });

  it('is the last one of a repeated header', () => {
    expect(addressOf('10.0.0.9', ['203.0.113.7', '192.0.2.1'])).toBe('192.0.2.1');
  });
});
