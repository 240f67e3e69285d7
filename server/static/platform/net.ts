/**
 * @module
 * `node:net` without a network: no proxy is between a page and the API in its thread.
 */

export * from 'unenv/node/net';

/** A list of addresses that stays empty. */
export class BlockList {
  addSubnet(): void {
    // No address is asked for.
  }

  check(): boolean {
    return false;
  }
}
