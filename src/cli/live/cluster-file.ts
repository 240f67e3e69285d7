/**
 * @module
 * The files that all nodes of an election share: `usurp cluster entry` prints the entry of one key without its secret.
 * From such entries `usurp cluster peers` makes the peers file of `usurp node`, and `usurp cluster file` the file of a
 * cluster on several machines.
 */

import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import type { BehaviourName } from '../../adversary/behaviours/registry.ts';
import type { Clients } from '../../election/clients/client-form.ts';
import type { DefenceName } from '../../election/defences/registry.ts';
import type { Flags } from '../../election/definition/flags.ts';
import { flagsText } from '../../election/definition/flags.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import type { Policy } from '../../identity/policy.ts';
import { STRICT_POLICY } from '../../identity/policy.ts';
import type { ClusterEntry, PlacedCluster } from '../../live/cluster/cluster-document.ts';
import {
  CLUSTER_BYTES_MAX,
  CLUSTER_FORMAT,
  parseCluster,
  parseClusterEntry,
} from '../../live/cluster/cluster-document.ts';
import { readClusterFolder } from '../../live/cluster/cluster-folder.ts';
import type { ClusterSettings } from '../../live/cluster/cluster-plan.ts';
import type { Here } from '../../live/cluster/machines.ts';
import type { LinkConditions } from '../../live/cluster/namespaces.ts';
import type { LIVE_LEVELS } from '../../live/live-machine.ts';
import type { NemesisKind } from '../../live/nemesis.ts';
import { PEERS_FORMAT, parsePeers } from '../../live/peers.ts';
import type { Seed } from '../../random.ts';
import type { Workload } from '../../simulation/plan/workload.ts';
import { workloadText } from '../../simulation/plan/workload.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { nameOf, readText } from '../shell/files.ts';
import type { Terminal } from '../shell/terminal.ts';
import type { LogCheckOptions } from './log-check.ts';
import { readNodeKey } from './node-key.ts';

/** Prints the entry of a key. */
export async function printEntry(options: ClusterOptions, terminal: Terminal): Promise<ExitCode> {
  const { identity, url, here: machine, listen } = options;
  if (identity === undefined || url === undefined) {
    throw new LabError('arguments', 'entry needs --identity and --url; give both');
  }
  if (machine === undefined && listen !== undefined) {
    const detail =
      'entry needs --here beside --listen; a peers file has no --listen, usurp node has';
    throw new LabError('arguments', detail);
  }
  const { claim, policy } = await readNodeKey(identity, terminal);
  const placed =
    machine === undefined
      ? { url }
      : { machine, url, ...(listen === undefined ? {} : { listen }), key: identity };
  const text = JSON.stringify({ ...placed, claim, policy: shortened(policy) });
  assertEntry(text);
  terminal.print(`${text}\n`);
  return EXIT.holds;
}

/** Throws LabError that names the option. */
function assertEntry(text: string): void {
  try {
    parseClusterEntry(text);
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    const [fault] = error.faults;
    const option = OPTIONS[fault?.pointer ?? ''];
    if (fault === undefined || option === undefined) throw error;
    throw new LabError('arguments', `${option} ${fault.detail}`);
  }
}

/** By the member of an entry. */
const OPTIONS: Readonly<Record<string, string>> = {
  '/url': '--url',
  '/machine': '--here',
  '/listen': '--listen',
};

/** Prints the file of the cluster that these entries describe. */
export async function printClusterFile(
  paths: readonly string[],
  options: ClusterOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { protocol, level, detector, latency, defence: defences } = options;
  if (protocol === undefined) throw new LabError('arguments', 'file needs --protocol');
  const { entries, ...shared } = await readEntries('file', paths, options, terminal);
  const document = {
    format: CLUSTER_FORMAT,
    ...shared,
    protocol,
    level,
    detector,
    latencyMs: Math.max(1, Math.round(latency * 1000)),
    defences,
    store: options.store ?? null,
    resource: options.resource ? workloadText(options.resource) : null,
    ...(options.flags && { flags: flagsText(options.flags) }),
    nodes: entries.map(({ path, policy: _, ...node }) => {
      if (node.machine !== undefined && node.key !== undefined) return node;
      throw new LabError('arguments', `${path} names no machine; make it with entry --here`);
    }),
  };
  const text = textOf(document);
  parseCluster(text);
  terminal.print(text);
  return EXIT.holds;
}

/** Prints the peers file of these entries, or of the file of a cluster. */
export async function printPeers(
  paths: readonly string[],
  options: ClusterOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  if (options.file !== undefined) {
    if (paths.length > 0) throw new LabError('arguments', 'give peers either entries or --file');
    terminal.print((await readCluster(options.file, terminal)).peers);
    return EXIT.holds;
  }
  const { entries, ...shared } = await readEntries('peers', paths, options, terminal);
  const peers = entries.map(({ url, claim }) => ({ url, claim }));
  const text = textOf({ format: PEERS_FORMAT, ...shared, peers });
  parsePeers(text);
  terminal.print(text);
  return EXIT.holds;
}

/** The entries in these files, and what their nodes share. */
async function readEntries(
  action: Action,
  paths: readonly string[],
  options: ClusterOptions,
  terminal: Terminal,
) {
  if (paths.length === 0) {
    throw new LabError(
      'arguments',
      `${action} needs the entries of the nodes; name the files that usurp cluster entry printed`,
    );
  }
  const entries = await Promise.all(
    paths.map(async (path) => ({ path, ...entryIn(path, await readText(path, terminal)) })),
  );
  assertDistinct(entries);
  return {
    election: options.election ?? randomBytes(8).toString('hex'),
    policy: shortened(sharedPolicy(entries, options)),
    entries,
  };
}

type Action = 'file' | 'peers';
type FiledEntry = ClusterEntry & { readonly path: string };

/** Throws LabError that names the files of two entries of one key or one address. */
function assertDistinct(entries: readonly FiledEntry[]): void {
  for (const [index, entry] of entries.entries()) {
    const earlier = entries.slice(0, index);
    const sameKey = earlier.find(({ claim }) => claim.publicKey === entry.claim.publicKey);
    if (sameKey !== undefined) {
      const detail = `${nameOf(sameKey.path)} and ${nameOf(entry.path)} are of the same key; give one entry for each key`;
      throw new LabError('arguments', detail);
    }
    const sameUrl = earlier.find(({ url }) => url === entry.url);
    if (sameUrl === undefined) continue;
    const detail = `${nameOf(sameUrl.path)} and ${nameOf(entry.path)} have the same address ${entry.url}; make one of them with another --url`;
    throw new LabError('arguments', detail);
  }
}

/** Throws LabError that names the file. */
function entryIn(path: string, text: string): ClusterEntry {
  try {
    return parseClusterEntry(text);
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    throw new LabError(error.code, `${nameOf(path)}: ${error.message}`, error.faults);
  }
}

/** The policy of all entries, with the difficulty that the options name. */
function sharedPolicy(entries: readonly FiledEntry[], { c1, c2 }: ClusterOptions): Policy {
  const [first, ...others] = entries.map(({ path, policy }) => {
    const difficulty = { c1: c1 ?? policy.c1, c2: c2 ?? policy.c2 };
    return { path, policy: { ...policy, ...difficulty } };
  });
  const policy = first?.policy ?? STRICT_POLICY;
  for (const other of others) {
    const member = differing(policy, other.policy)[0];
    if (member === undefined) continue;
    const cure =
      member === 'c1' || member === 'c2'
        ? `give --${member} with the bits that all of them show`
        : 'make all keys under one policy';
    const detail = `the policies of ${first?.path} and ${other.path} have different ${member}; ${cure}`;
    throw new LabError('arguments', detail);
  }
  return policy;
}

/** The policy without the members that have their default value, except the difficulty. */
function shortened(policy: Policy): Partial<Policy> {
  const { c1, c2 } = policy;
  const changed = differing(policy, STRICT_POLICY).map((name) => [name, policy[name]] as const);
  return { c1, c2, ...Object.fromEntries(changed) };
}

function differing(one: Policy, other: Policy): readonly (keyof Policy)[] {
  // Both have all members of a policy.
  const names = Object.keys(STRICT_POLICY) as (keyof Policy)[];
  return names.filter((name) => !isDeepStrictEqual(one[name], other[name]));
}

function textOf(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** The cluster of a file. */
export async function readCluster(path: string, terminal: Terminal): Promise<PlacedCluster> {
  return parseCluster(await readText(path, terminal, CLUSTER_BYTES_MAX));
}

/** The part of the cluster that runs on this machine. */
export function hereOf({ file = '', here: machine, wait }: ClusterOptions): Here {
  if (machine !== undefined) return { machine, keys: dirname(file), gatherMs: wait * 1000 };
  throw new LabError('arguments', '--file needs the name of this machine; give it with --here');
}

/** The options of `usurp cluster`, as they were parsed, and the settings of the nodes that they ask for. */
export interface ClusterOptions extends LogCheckOptions {
  readonly nodes: number;
  readonly protocol?: ProtocolName | undefined;
  readonly level: (typeof LIVE_LEVELS)[number];
  readonly detector: string;
  /** In seconds. */
  readonly latency: number;
  readonly defence: readonly DefenceName[];
  readonly store?: string | undefined;
  readonly resource?: Workload | undefined;
  readonly clients?: Clients | undefined;
  readonly flags?: Flags | undefined;
  readonly c1?: number | undefined;
  readonly c2?: number | undefined;
  readonly tls: boolean;
  readonly script?: string | undefined;
  /** The kinds of drawn faults; true for all. */
  readonly nemesis?: readonly NemesisKind[] | true | undefined;
  /** How long faults are drawn, in seconds. */
  readonly for: number;
  readonly seed?: Seed | undefined;
  /** Where the script of the nemesis is written. */
  readonly record?: string | undefined;
  /** Runs that shrink a failure, at most. */
  readonly trials: number;
  /** In seconds. */
  readonly wait: number;
  /** A cluster on several machines, and the name of this one. */
  readonly file?: string | undefined;
  readonly here?: string | undefined;
  readonly identity?: string | undefined;
  readonly url?: string | undefined;
  readonly listen?: string | undefined;
  readonly election?: string | undefined;
  readonly netns?: true | undefined;
  readonly loss?: number | undefined;
  /** In seconds. */
  readonly delay?: number | undefined;
  readonly cpu?: number | undefined;
  readonly attempts?: number | undefined;
  readonly behaviour: readonly BehaviourName[];
  readonly threads: number;
  /** The names of the options that the command line states. */
  readonly given: readonly string[];
}

/** The options with the settings of the cluster of a folder, apart from those that the command line states. */
export function withFolder(options: ClusterOptions): ClusterOptions {
  const filed = options.folder === undefined ? null : readClusterFolder(options.folder);
  if (filed === null) return options;
  const { nodes, protocol, level, detector, timing, defences, store, workload } = filed.settings;
  const { clients, flags, c1, c2, tls } = filed.settings;
  const settings: Partial<ClusterOptions> = {
    nodes,
    protocol,
    level,
    detector,
    c1,
    c2,
    tls,
    latency: timing.latencyTicksMax / 1000,
    defence: defences,
    ...(store ? { store } : {}),
    ...(workload ? { resource: workload } : {}),
    ...(clients ? { clients } : {}),
    ...(flags ? { flags } : {}),
    ...(filed.netns ? { netns: true } : {}),
  };
  const missing = Object.entries(settings).filter(([name]) => !options.given.includes(name));
  return { ...options, ...Object.fromEntries(missing) };
}

/** What all nodes run. Throws LabError `arguments` if the action lacks a protocol. */
export function settingsOf(options: ClusterOptions, action: string): ClusterSettings {
  const { nodes, protocol, level, detector, defence: defences, c1 = 0, c2 = 0, tls } = options;
  if (protocol === undefined) {
    const where =
      options.folder === undefined
        ? ''
        : `; ${options.folder} has no cluster that it could start again`;
    throw new LabError('arguments', `${action} needs --protocol${where}`);
  }
  const latencyTicksMax = Math.max(1, Math.round(options.latency * 1000));
  const stored = { store: options.store ?? null, workload: options.resource ?? null };
  return {
    ...stored,
    clients: options.clients ?? null,
    flags: options.flags,
    nodes,
    protocol,
    level,
    detector,
    defences,
    c1,
    c2,
    tls,
    timing: { latencyTicksMax },
  };
}

/** What the kernel does to packets; null without namespaces. Throws LabError `arguments`. */
export function linksOf({ netns, loss, delay: seconds }: ClusterOptions): LinkConditions | null {
  if (netns) return { loss: loss ?? 0, delayMs: (seconds ?? 0) * 1000 };
  if (loss === undefined && seconds === undefined) return null;
  throw new LabError('arguments', '--loss and --delay need --netns');
}
