/**
 * @module
 * Keys, peers files and free ports for tests of live nodes.
 */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytesToHex } from '../../src/bytes.ts';
import { claimToJson, createClaim } from '../../src/identity/claim.ts';
import type { Secret } from '../../src/identity/keys/scheme.ts';
import { STRICT_POLICY } from '../../src/identity/policy.ts';
import { PEERS_FORMAT } from '../../src/live/peers.ts';
import { freePorts } from '../../src/live/stores/own-store.ts';
import type { FiledKey } from '../../src/runtime/files/key-file.ts';

const policy = { ...STRICT_POLICY, c1: 0, c2: 0 };

/** Key files and the peers file of a network in a folder of its own. */
export interface TestNetwork {
  readonly folder: string;
  /** The text of the peers file. */
  readonly peers: string;
  readonly keys: readonly FiledKey[];
}

export async function testNetwork(nodes: number): Promise<TestNetwork> {
  const folder = mkdtempSync(join(tmpdir(), 'usurp-live-'));
  const ports = await freePorts(nodes);
  const keys = ports.map((_, index) => testKey(index + 1));
  for (const [index, key] of keys.entries()) writeKey(join(folder, `key-${index + 1}.json`), key);
  const peers = JSON.stringify({
    ...{ format: PEERS_FORMAT, election: 'test', policy },
    peers: keys.map(({ claim }, index) => ({ url: `http://127.0.0.1:${ports[index]}`, claim })),
  });
  writeFileSync(join(folder, 'peers.json'), peers);
  return { folder, peers, keys };
}

/** A key that is the same in every test. */
export function testKey(number: number): FiledKey {
  const secret: Secret = { form: 'seed', bytes: new Uint8Array(32).fill(number) };
  const claim = createClaim({ scheme: 'ed25519', secret, policy, solution: null });
  return { scheme: 'ed25519', secret, claim: claimToJson(claim) };
}

/** Writes a key file. */
export function writeKey(path: string, { claim, secret }: FiledKey): void {
  const file = { claim, secret: { form: 'seed', hex: bytesToHex(secret.bytes) }, policy };
  writeFileSync(path, JSON.stringify({ format: 'usurp/key/v1', ...file }), { mode: 0o600 });
}

/** Waits until the condition holds, a minute at most. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`waited too long until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
