/**
 * @module
 * The files of a cluster on this machine: a new key for each node, and the peers file with free ports.
 */

import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { compareBytes } from '../../bytes.ts';
import { claimToJson, createClaim } from '../../identity/claim.ts';
import type { Secret } from '../../identity/keys/scheme.ts';
import { STRICT_POLICY } from '../../identity/policy.ts';
import { PEERS_FORMAT } from '../../runtime/live/peers.ts';
import { formatKeyFile } from '../mine/key-file.ts';
import { writeWhole } from '../shell/files.ts';

/** The nodes of a cluster are those of one user, so that their IDs show no work. */
const POLICY = { ...STRICT_POLICY, c1: 0, c2: 0 };

/** Where the files of the node at a position are. */
export function clusterFiles(folder: string, position: number) {
  return { key: join(folder, `key-${position}.json`), log: join(folder, `node-${position}.log`) };
}

/** Writes the files. Returns the path of the peers file. */
export async function writeClusterFiles(folder: string, nodes: number): Promise<string> {
  const drawn = Array.from({ length: nodes }, () => {
    const secret: Secret = { form: 'seed', bytes: new Uint8Array(randomBytes(32)) };
    return {
      secret,
      claim: createClaim({ scheme: 'ed25519', secret, policy: POLICY, solution: null }),
    };
  });
  const keys = drawn.sort((one, other) => compareBytes(one.claim.nodeId, other.claim.nodeId));
  for (const [index, key] of keys.entries()) {
    const text = formatKeyFile([key], { isSeveral: false, policy: POLICY });
    const { key: path } = clusterFiles(folder, index + 1);
    await writeWhole(path, text, { force: false, isPrivate: true });
  }
  const ports = await freePorts(nodes);
  const peers = keys.map(({ claim }, index) => {
    return { url: `http://127.0.0.1:${ports[index]}`, claim: claimToJson(claim) };
  });
  const path = join(folder, 'peers.json');
  const document = {
    format: PEERS_FORMAT,
    election: randomBytes(8).toString('hex'),
    policy: POLICY,
    peers,
  };
  await writeWhole(path, `${JSON.stringify(document, null, 2)}\n`, {
    force: false,
    isPrivate: false,
  });
  return path;
}

/** Different ports that are free now. Another program could take one before its node does, which then says so. */
async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      server.once('error', reject).listen(0, '127.0.0.1', resolve);
      await promise;
      return server;
    }),
  );
  // A TCP server has an address with a port.
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
