/**
 * @module
 * The files of a cluster on this machine: a key for each node, which the policy admits, and the peers file.
 */

import { randomBytes } from 'node:crypto';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bytesToHex } from '../../bytes.ts';
import type { Forged } from '../../experiment/attack/population.ts';
import type { Claim } from '../../identity/claim.ts';
import { claimToJson, createClaim } from '../../identity/claim.ts';
import { byRank, rankRuleOf } from '../../identity/ids/rank-key.ts';
import type { Secret } from '../../identity/keys/scheme.ts';
import type { Policy } from '../../identity/policy.ts';
import { STRICT_POLICY } from '../../identity/policy.ts';
import type { Goal } from '../../mining/goal.ts';
import type { Budget } from '../../mining/ledger.ts';
import { STRONGEST_STRATEGY } from '../../mining/strategies.ts';
import type { Seed } from '../../random.ts';
import { parseSeed } from '../../random.ts';
import { formatKeyFile } from '../../runtime/files/key-file.ts';
import { createForge } from '../../runtime/threads/forge.ts';
import type { MiningOptions } from '../../runtime/threads/mining-pool.ts';
import type { Network } from '../peers.ts';
import { PEERS_FORMAT, parsePeers } from '../peers.ts';
import { freePorts } from '../stores/own-store.ts';

/** An identity with its secret. */
export interface OwnedIdentity {
  readonly claim: Claim;
  readonly secret: Secret;
}

/** The identity of a node that joins, or the text of its key file. */
export type JoiningKey = { readonly text: string } | OwnedIdentity;

/** What every node of a cluster demands of a claim. */
export function clusterPolicy({ c1, c2 }: { readonly c1: number; readonly c2: number }): Policy {
  return { ...STRICT_POLICY, c1, c2 };
}

/** Where the files of a node are. */
export function nodeFiles(folder: string, node: number) {
  const peers = peersFile(folder);
  return { peers, key: join(folder, `key-${node}.json`), log: join(folder, `node-${node}.log`) };
}

/** Where the peers file is. */
export function peersFile(folder: string): string {
  return join(folder, 'peers.json');
}

/** New identities under a policy. They are mined if it demands work. */
export async function newIdentities(
  count: number,
  policy: Policy,
  options: MiningOptions,
): Promise<readonly OwnedIdentity[]> {
  if (policy.c1 > 0 || policy.c2 > 0) {
    const goal: Goal = { type: 'count', identities: count };
    return (await mineIdentities(goal, policy, {}, options)).identities;
  }
  return Array.from({ length: count }, () => {
    const secret: Secret = { form: 'seed', bytes: new Uint8Array(randomBytes(32)) };
    return { secret, claim: createClaim({ scheme: 'ed25519', secret, policy, solution: null }) };
  });
}

/** Searches for identities with a seed that is drawn and forgotten. */
export function mineIdentities(
  goal: Goal,
  policy: Policy,
  budget: Budget,
  options: MiningOptions,
): Promise<Forged> {
  const order = { goal, policy, budget, strategy: STRONGEST_STRATEGY, seed: drawnSeed() };
  const { onProgress = () => undefined, ...crew } = options;
  return createForge({ ...crew, onProgress: (_order, progress) => onProgress(progress) })(order);
}

function drawnSeed(): Seed {
  return parseSeed(BigInt(`0x${bytesToHex(randomBytes(32))}`).toString());
}

/** Addresses of 127.0.0.1 that are free. Another program could take one before its node does. The node then reports this. */
export async function freeAddresses(count: number): Promise<readonly string[]> {
  return (await freePorts(count)).map((port) => `127.0.0.1:${port}`);
}

/** Writes the keys and the peers file of the founders, the lowest rank first. Returns their network. */
export function writeClusterFiles(
  folder: string,
  identities: readonly OwnedIdentity[],
  {
    policy,
    tls,
    addresses,
  }: {
    readonly policy: Policy;
    readonly tls: boolean;
    /** Addresses as host:port. */
    readonly addresses: readonly string[];
  },
): Network {
  const ranked = byRank(
    identities.map((identity) => ({ ...identity, nodeId: identity.claim.nodeId })),
    rankRuleOf(policy),
  );
  for (const [index, identity] of ranked.entries()) {
    writeKeyFile(nodeFiles(folder, index + 1).key, identity, policy);
  }
  const document = {
    format: PEERS_FORMAT,
    election: randomBytes(8).toString('hex'),
    policy,
    peers: ranked.map(({ claim }, index) => {
      return {
        url: `${tls ? 'https' : 'http'}://${addresses[index]}`,
        claim: claimToJson(claim),
      };
    }),
  };
  const text = `${JSON.stringify(document, null, 2)}\n`;
  writeFileSync(peersFile(folder), text, { flag: 'wx' });
  return parsePeers(text);
}

/**
 * Writes the key file of a node. A file that is there is kept under another name, which is returned; else null. No node uses it
 * if the controller notes each node before it starts it, and was killed before it noted this one.
 */
export function writeKeyFile(path: string, key: JoiningKey, policy: Policy): string | null {
  const text = 'text' in key ? key.text : formatKeyFile([key], { isSeveral: false, policy });
  const unused = existsSync(path) ? path.replace(/json$/, `unused-${Date.now()}.json`) : null;
  if (unused !== null) renameSync(path, unused);
  writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
  return unused;
}
