/**
 * @module
 * The address of a client behind a reverse proxy. X-Forwarded-For counts only on connections from a proxy that the operator
 * trusts, and only its last addresses, which such proxies have added: everything before them can be the client's invention.
 */

import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

import { plainAddress } from '../../src/live/transport/work-budget.ts';

/** Far above the longest list of a chain of proxies. Longer headers count as none. */
const HEADER_CHARACTERS_MAX = 1_024;

/** What is needed of a request. */
export type FromClient = Pick<IncomingMessage, 'headers'> & {
  readonly socket: Pick<IncomingMessage['socket'], 'remoteAddress'>;
};

export class TrustedProxies {
  readonly #addresses: ReadonlySet<string>;

  constructor(addresses: readonly string[] = []) {
    this.#addresses = new Set(addresses.map(plainAddress));
  }

  /** Whether a connection comes from a trusted proxy. */
  has(remoteAddress: string | undefined): boolean {
    return remoteAddress !== undefined && this.#addresses.has(plainAddress(remoteAddress));
  }

  /**
   * The address of the client: that of the connection, or the last one in X-Forwarded-For that is no trusted proxy if the
   * connection comes from one. A malformed list leaves the address of the connection. Undefined without a socket.
   */
  addressOf({ headers, socket: { remoteAddress } }: FromClient): string | undefined {
    if (!this.has(remoteAddress)) return remoteAddress;
    const header = headers['x-forwarded-for'];
    const text = Array.isArray(header) ? header.join(',') : (header ?? '');
    if (text.length > HEADER_CHARACTERS_MAX) return remoteAddress;
    for (const entry of text.split(',').toReversed()) {
      const address = addressIn(entry.trim());
      if (address === null) return remoteAddress;
      if (!this.has(address)) return address;
    }
    return remoteAddress;
  }
}

/** The address of an entry, which may have a port: 192.0.2.1:443, [2001:db8::1]:443. Null if it is none. */
function addressIn(entry: string): string | null {
  const bracketed = /^\[([0-9a-f:.]+)\](?::\d{1,5})?$/i.exec(entry)?.[1];
  const withPort = /^(\d+\.\d+\.\d+\.\d+):\d{1,5}$/.exec(entry)?.[1];
  const address = plainAddress(bracketed ?? withPort ?? entry);
  return isIP(address) === 0 ? null : address;
}
