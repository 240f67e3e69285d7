/**
 * @module
 * Keys, peers files and free ports for tests of live nodes.
 */

import { mkdtempSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytesToHex } from '../../../src/bytes.ts';
import { claimToJson, createClaim } from '../../../src/identity/claim.ts';
import type { Secret } from '../../../src/identity/keys/scheme.ts';
import { STRICT_POLICY } from '../../../src/identity/policy.ts';
import { PEERS_FORMAT } from '../../../src/runtime/live/peers.ts';

const policy = { ...STRICT_POLICY, c1: 0, c2: 0 };

/** Key files and the peers file of a network in a folder of its own. */
export interface TestNetwork {
  readonly folder: string;
  /** The text of the peers file. */
  readonly peers: string;
  readonly secrets: readonly Secret[];
}

export async function testNetwork(nodes: number): Promise<TestNetwork> {
  const folder = mkdtempSync(join(tmpdir(), 'usurp-live-'));
  const ports = await freePorts(nodes);
  const secrets = ports.map((_, index): Secret => {
    return { form: 'seed', bytes: new Uint8Array(32).fill(index + 1) };
  });
  const keys = secrets.map((secret) => {
    const claim = createClaim({ scheme: 'ed25519', secret, policy, solution: null });
    return { claim: claimToJson(claim), secret: { form: 'seed', hex: bytesToHex(secret.bytes) } };
  });
  for (const [index, key] of keys.entries()) {
    const text = JSON.stringify({ format: 'usurp/key/v1', ...key, policy });
    writeFileSync(join(folder, `key-${index + 1}.json`), text, { mode: 0o600 });
  }
  const peers = JSON.stringify({
    ...{ format: PEERS_FORMAT, election: 'test', policy },
    peers: keys.map(({ claim }, index) => ({ url: `http://127.0.0.1:${ports[index]}`, claim })),
  });
  writeFileSync(join(folder, 'peers.json'), peers);
  return { folder, peers, secrets };
}

/** Ports that are free now, all different. */
async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return server;
    }),
  );
  // A TCP server has an address with a port.
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** Waits until the condition holds, 20 s at most. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`waited too long until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
