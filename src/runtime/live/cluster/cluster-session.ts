/**
 * @module
 * A cluster with its files: founders that a policy admits, nodes that join, and the check of all logs at the end. The
 * command line and the server run clusters through it.
 */

import { existsSync, mkdtempSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { BehaviourName } from '../../../adversary/behaviours/registry.ts';
import type { DefenceName } from '../../../election/defences/registry.ts';
import { parseDetector } from '../../../election/detectors/registry.ts';
import { LabError } from '../../../errors.ts';
import type { Claim } from '../../../identity/claim.ts';
import { parseClaim } from '../../../identity/claim.ts';
import type { Policy } from '../../../identity/policy.ts';
import { workloadText } from '../../../simulation/plan/workload.ts';
import { parseKeyFile } from '../../files/key-file.ts';
import { loadedFiles } from '../../load/load-definitions.ts';
import { ownStoreKind } from '../../stores/open-store.ts';
import type { OwnStore } from '../../stores/own-store.ts';
import { startOwnStore } from '../../stores/own-store.ts';
import type { ProcessEnd } from '../check/crash-times.ts';
import type { CheckedLogs } from '../check/log-check.ts';
import { checkLogs } from '../check/log-check.ts';
import { logSize } from '../check/read-log.ts';
import type { LIVE_LEVELS, LiveProtocol } from '../live-machine.ts';
import { assertLive } from '../live-machine.ts';
import { foldJournal } from '../node-log.ts';
import type { Network } from '../peers.ts';
import { rankOf } from '../peers.ts';
import { holdsWithin } from '../waiting.ts';
import { Cluster } from './cluster.ts';
import type { OwnedIdentity } from './cluster-files.ts';
import {
  clusterPolicy,
  freeAddresses,
  newIdentities,
  nodeFiles,
  peersFile,
  writeClusterFiles,
  writeKeyFile,
  writeKeyText,
} from './cluster-files.ts';
import type { ClusterPlan } from './cluster-plan.ts';
import type { LinkConditions } from './namespaces.ts';
import { addressInNamespace, assertNamespaces, Namespaces } from './namespaces.ts';
import type { Watchdog } from './watchdog.ts';
import { startWatchdog } from './watchdog.ts';

export interface ClusterSettings extends LiveProtocol {
  readonly nodes: number;
  readonly level: (typeof LIVE_LEVELS)[number];
  /** As on the command line. */
  readonly detector: string;
  /** Bits of the puzzles that the IDs of all nodes must solve. */
  readonly c1: number;
  readonly c2: number;
  /** Whether the nodes encrypt their connections and prove their identities in them. */
  readonly tls: boolean;
}

const JOIN_MS_MAX = 30_000;

/** What a cluster needs from its process. */
export interface SessionOptions
  extends Pick<ClusterPlan, 'onFault' | 'onRecord' | 'onEnd' | 'onChange'> {
  /** Where the files are, empty; null for a temporary folder that is removed with the cluster. */
  readonly folder: string | null;
  readonly threads: number;
  readonly signal: AbortSignal;
  /** What the links do if each node is to have a network namespace of its own (as root on Linux); null if not. */
  readonly links?: LinkConditions | null | undefined;
}

/** The identity of a node that joins, or the text of its key file. */
export type JoiningKey = { readonly text: string } | OwnedIdentity;

export interface ClusterSession {
  readonly settings: ClusterSettings;
  readonly policy: Policy;
  readonly founders: Network;
  readonly cluster: Cluster;
  readonly options: SessionOptions;
  /** The store that was started for the nodes. `close` ends it. */
  readonly store: OwnStore | null;
  readonly namespaces: Namespaces | null;
  /** The machine of each founder; absent if all are on this one. */
  readonly machines?: readonly string[];
  /** Stops nodes and store, and removes a temporary folder. */
  close(): Promise<void>;
  /** Starts a node that joins, Byzantine if it has behaviours. Returns its number when it is ready, or is down again. */
  join(key: JoiningKey, behaviours: readonly BehaviourName[]): Promise<number>;
  /** The files of what all nodes did; none of a node that has not begun. Empty if a part of them is elsewhere. */
  logs(): readonly string[];
  /** Checks what all nodes did. Call it after `cluster.down`. */
  check(): CheckedLogs;
}

/** A session whose nodes are all on this machine. */
export interface WholeSession extends ClusterSession {
  /** The number of the node with a rank; undefined if none has it. */
  numberOf(rank: string): number | undefined;
  /** The ranks of all nodes, the first of node 1. */
  ranks(): readonly string[];
  /** The behaviours of a node; none of an honest one. */
  behavioursOf(node: number): readonly BehaviourName[];
  /** The processes of nodes that ended before the cluster did. */
  ends(): readonly ProcessEnd[];
  readonly peersFile: string;
}

/** A node as it was started. */
interface StartedNode {
  readonly rank: string;
  readonly behaviours: readonly BehaviourName[];
}

/** Starts the founders. Throws LabError `arguments` for settings that live nodes cannot have. */
export async function startCluster(
  settings: ClusterSettings,
  options: SessionOptions,
): Promise<WholeSession> {
  assertLive(settings, settings.level);
  parseDetector(settings.detector);
  const policy = clusterPolicy(settings);
  const { threads, signal, links = null, onFault, onRecord, onEnd, onChange } = options;
  if (links !== null) assertInNamespaces(settings);
  const identities = await newIdentities(settings.nodes, policy, { threads, signal });
  if (identities.length < settings.nodes)
    throw new LabError('arguments', 'the start was interrupted; start the cluster again');
  const { folder, watchdog } = await watchedFolder(options.folder);
  const { tls } = settings;
  const parts = await endingUnlessStarted(watchdog, async () => {
    const addresses = await addressesOf(1, settings.nodes, links);
    const founders = writeClusterFiles(folder, identities, { policy, tls, addresses });
    const { store, address } = await storeIn(folder, settings.store ?? null, watchdog);
    const stored = { ...settings, store: address };
    const namespaces = links === null ? null : new Namespaces(watchdog, links);
    const cluster = new Cluster({
      founders: identities.map((_, index) => argumentsOf(stored, nodeFiles(folder, index + 1))),
      folder: null,
      ...{ watchdog, namespaces, hasStore: address !== null },
      ...{ onFault, onRecord, onEnd, onChange },
    });
    return { founders, stored, store, namespaces, cluster };
  });
  const { founders, stored, store, namespaces, cluster } = parts;
  const started: StartedNode[] = founders.peers.map(({ rank }) => {
    return { rank: String(rank), behaviours: [] };
  });
  const known = namesIn(started, cluster);
  const logs = () => writtenLogs(folder, settings.nodes, cluster);
  return {
    ...{ settings, policy, founders, cluster, options, store, namespaces, logs, ...known },
    async close() {
      await cluster.down();
      if (options.folder !== null) logs().forEach(foldJournal);
      await store?.close();
      await cluster.close();
    },
    async join(key, behaviours) {
      const rank = String(rankOf(claimOf(key), policy));
      const holder = known.numberOf(rank);
      if (holder !== undefined)
        throw new LabError('id.exists', `node ${holder} has this ID; give another key`);
      const node = cluster.nodes().length + 1;
      const path = nodeFiles(folder, node).key;
      if ('text' in key) writeKeyText(path, key.text);
      else writeKeyFile(path, key, policy);
      const [address = ''] = await addressesOf(node, 1, links);
      const joining = ['--join', '--listen', address];
      const byzantine = behaviours.length === 0 ? [] : ['--behaviour', behaviours.join(',')];
      cluster.join([...argumentsOf(stored, nodeFiles(folder, node)), ...joining, ...byzantine]);
      started.push({ rank, behaviours });
      const isReady = () => cluster.rankOf(node) !== null || cluster.isDown(node);
      await holdsWithin(isReady, { waitMs: JOIN_MS_MAX, signal });
      return node;
    },
    peersFile: peersFile(folder),
    check: () => checkLogs(founders, logs(), { ...known, ends: known.ends() }),
  };
}

/** The logs of the nodes. A newcomer that was refused has none, and neither has a founder that could not start. */
function writtenLogs(folder: string, founders: number, cluster: Cluster): readonly string[] {
  const hasSteps = (node: number, log: string) => node <= founders && isUsedLog(log);
  return cluster.nodes().flatMap((node) => {
    const { log } = nodeFiles(folder, node);
    const hasBegun = cluster.rankOf(node) !== null || hasSteps(node, log);
    return hasBegun && existsSync(log) ? log : [];
  });
}

/** Whether a node has written its name and a step into a file. */
function isUsedLog(path: string): boolean {
  try {
    return logSize(path).count > 0;
  } catch (error) {
    if (error instanceof LabError) return false;
    throw error;
  }
}

/** What is known of the nodes that were started, the first of which is node 1. */
function namesIn(started: readonly StartedNode[], cluster: Cluster) {
  return {
    numberOf: (rank: string) => started.findIndex((each) => each.rank === rank) + 1 || undefined,
    ranks: () => started.map(({ rank }) => rank),
    behavioursOf: (node: number) => started[node - 1]?.behaviours ?? [],
    ends: () => cluster.ends.map(({ node, t }) => ({ rank: started[node - 1]?.rank ?? '', t })),
  };
}

/** The claim of a node that joins. Throws LabError `json.syntax`, `schema` or `arguments`. */
function claimOf(key: JoiningKey): Claim {
  if ('claim' in key) return key.claim;
  const { keys } = parseKeyFile(key.text);
  const [first] = keys;
  if (first !== undefined && keys.length === 1) return parseClaim(first.claim);
  throw new LabError('arguments', `the file has ${keys.length} keys; give a file with one key`);
}

/** The addresses of `count` nodes, the first of which has this number. */
async function addressesOf(
  first: number,
  count: number,
  links: LinkConditions | null,
): Promise<readonly string[]> {
  if (links === null) return freeAddresses(count);
  return Array.from({ length: count }, (_, index) => addressInNamespace(first + index));
}

/** Throws LabError `arguments`. */
function assertInNamespaces({ store = null }: ClusterSettings): void {
  assertNamespaces();
  if (store === null || /^sqlite(?::|$)/.test(store)) return;
  throw new LabError(
    'arguments',
    'nodes in network namespaces can use no store but SQLite; name sqlite, or leave out --netns',
  );
}

/** Closes the watchdog if the cluster cannot be started, which stops all its processes. */
async function endingUnlessStarted<T>(watchdog: Watchdog, start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    await watchdog.close();
    throw error;
  }
}

/** Where the store is. A kind without an address is started. */
async function storeIn(folder: string, store: string | null, watchdog: Watchdog) {
  const kind = store === null ? null : ownStoreKind(store);
  if (kind === null) return { store: null, address: store };
  const own = await startOwnStore(kind, folder, watchdog);
  return { store: own, address: own.address };
}

/** An empty folder, and the watchdog that removes it if it is a temporary one. */
async function watchedFolder(folder: string | null) {
  if (folder === null) {
    const made = mkdtempSync(join(tmpdir(), 'usurp-cluster-'));
    // Nothing comes between, so that the folder is removed whenever this process is killed.
    return { folder: made, watchdog: startWatchdog(made) };
  }
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length === 0) return { folder, watchdog: startWatchdog(null) };
  throw new LabError('file.exists', `${folder} is not empty; name an empty folder`);
}

/** The arguments of `usurp node` for a node with these files. */
export function argumentsOf(
  { protocol, timing, level, detector, defences, store, workload }: ClusterSettings,
  { key, log, peers }: { readonly key: string; readonly log: string; readonly peers: string },
): readonly string[] {
  const files = ['--identity', key, '--peers', peers, '--data', log];
  const run = ['--protocol', protocol, '--level', level, '--detector', detector];
  const guarded = defences.length === 0 ? [] : ['--defence', namesOf(defences)];
  const stored = store ? ['--store', store] : [];
  const loaded = workload ? ['--resource', workloadText(workload)] : [];
  const latency = ['--latency', `${timing.latencyTicksMax}ms`];
  const definitions = loadedFiles().flatMap(({ path }) => ['--load', resolve(path)]);
  return [...files, ...run, ...guarded, ...latency, ...stored, ...loaded, ...definitions];
}

function namesOf(defences: readonly DefenceName[]): string {
  return defences.join(',');
}
