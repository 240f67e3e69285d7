/**
 * @module
 * A cluster with its files: founders that a policy admits, nodes that join, and the check of all logs at the end. The
 * command line and the server run clusters through it.
 */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

import type { BehaviourName } from '../../adversary/behaviours/registry.ts';
import { clientsText } from '../../election/clients/client-form.ts';
import { flagsText } from '../../election/definition/flags.ts';
import { parseDetector } from '../../election/detectors/registry.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import type { Claim } from '../../identity/claim.ts';
import { parseClaim } from '../../identity/claim.ts';
import type { Policy } from '../../identity/policy.ts';
import { parseKeyFile } from '../../runtime/files/key-file.ts';
import { loadedFiles } from '../../runtime/load/load-definitions.ts';
import { workloadText } from '../../simulation/plan/workload.ts';
import type { Disturbance } from '../check/disturbances.ts';
import { renamed } from '../check/disturbances.ts';
import type { CheckedLogs, ControllerNotes } from '../check/log-check.ts';
import { checkLogs } from '../check/log-check.ts';
import { logSize } from '../check/read-log.ts';
import { assertLive } from '../live-machine.ts';
import { foldJournal } from '../node-log.ts';
import { STORE_RANK } from '../node-record.ts';
import type { Network } from '../peers.ts';
import { parsePeers, rankOf } from '../peers.ts';
import { ownStoreKind } from '../stores/open-store.ts';
import type { OwnStore } from '../stores/own-store.ts';
import { startOwnStore } from '../stores/own-store.ts';
import { holdsWithin } from '../waiting.ts';
import { Cluster, STORE_NUMBER } from './cluster.ts';
import type { JoiningKey, OwnedIdentity } from './cluster-files.ts';
import {
  clusterPolicy,
  freeAddresses,
  newIdentities,
  nodeFiles,
  peersFile,
  writeClusterFiles,
  writeKeyFile,
} from './cluster-files.ts';
import type { ClusterFolder, JoinedNode } from './cluster-folder.ts';
import {
  assertSettingsOf,
  noteDisturbance,
  peersIn,
  readClusterFolder,
  takeFolder,
  writeClusterFolder,
} from './cluster-folder.ts';
import type { ClusterPlan, ClusterSettings } from './cluster-plan.ts';
import { CLUSTER_NODES_MAX } from './cluster-plan.ts';
import { LiveClients } from './live-clients.ts';
import { removal, votersIn } from './members.ts';
import type { LinkConditions } from './namespaces.ts';
import { addressInNamespace, assertNamespaces, Namespaces } from './namespaces.ts';
import type { Watchdog } from './watchdog.ts';
import { startWatchdog, watchedTemporaryFolder } from './watchdog.ts';

const JOIN_MS_MAX = 30_000;
/**
 * How long a node waits for the others that start with it, for each of them: the processes share the processors. One that
 * begins before others listen loses messages to them, after which Bully can elect several leaders.
 */
const GATHER_MS_EACH = 2_000;
const GATHER_MS_MIN = 2_000;

/** What a cluster needs from its process. */
export interface SessionOptions
  extends Pick<ClusterPlan, 'onFault' | 'onWarning' | 'onRecord' | 'onDisturbance' | 'onChange'> {
  /**
   * Where the files are: an empty folder, or that of a cluster, which is started again; null for a temporary one that is
   * removed with the cluster.
   */
  readonly folder: string | null;
  readonly threads: number;
  readonly signal: AbortSignal;
  /** What the links do if each node is to have a network namespace of its own (as root on Linux); null if not. */
  readonly links?: LinkConditions | null | undefined;
}

/** How a node joins. It is Byzantine if it has behaviours. */
export interface Joining {
  readonly behaviours?: readonly BehaviourName[];
  readonly isAdversary?: boolean;
}

export interface ClusterSession {
  readonly settings: ClusterSettings;
  readonly policy: Policy;
  readonly founders: Network;
  readonly cluster: Cluster;
  readonly options: SessionOptions;
  /** The store that was started for the nodes. `close` ends it. */
  readonly store: OwnStore | null;
  readonly namespaces: Namespaces | null;
  /** The clients that ask the nodes; none if absent. */
  readonly clients?: LiveClients | null;
  /** Where the nodes listen, the first of node 1. The controllers of several machines know the founders alone. */
  urls(): readonly string[];
  /** The machine of each founder; absent if all are on this one. */
  readonly machines?: readonly string[];
  /** Stops nodes and store, and removes a temporary folder. */
  close(): Promise<void>;
  /** When it was started for the first time, in ms since 1970. */
  readonly startedMs: number;
  /** Whether this controller knows that it was started before. */
  readonly isBack: boolean;
  /** Starts a node that joins. Returns its number when it is ready, or is down again. */
  join(key: JoiningKey, how?: Joining): Promise<number>;
  /**
   * Ends the membership of a node. Returns why it is not over yet; null if it is. Throws LabError `arguments` in a
   * protocol whose members do not change.
   */
  remove(node: number, signal?: AbortSignal): Promise<string | null>;
  /** The files of what all nodes did; none of a node that has not begun. Empty if a part of them is elsewhere. */
  logs(): readonly string[];
  /** Checks what all nodes did. Call it after `cluster.down`. */
  check(): CheckedLogs;
}

/** A session whose nodes are all on this machine. */
export interface WholeSession extends ClusterSession {
  readonly notes: ClusterNotes;
  readonly peersFile: string;
}

/**
 * Starts the founders, or all nodes of a folder again. Throws LabError `arguments` for settings that live nodes cannot
 * have, or that are not those of the folder.
 */
export async function startCluster(
  settings: ClusterSettings,
  options: SessionOptions,
): Promise<WholeSession> {
  assertLive(settings, settings.level);
  parseDetector(settings.detector);
  const policy = clusterPolicy(settings);
  const { signal, links = null } = options;
  if (links !== null) assertInNamespaces(settings);
  const isBack = filedIn(settings, options) !== null;
  const identities = isBack ? [] : await foundersOf(settings, policy, options);
  const { folder, watchdog } = watchedFolder(options.folder);
  const { founders, stored, store, namespaces, cluster, notes, clients } =
    await endingUnlessStarted(watchdog, () =>
      startNodes(settings, options, { policy, isBack, identities, folder, watchdog }),
    );
  const logs = () => writtenLogs(folder, cluster);
  const scheme = settings.tls ? 'https' : 'http';
  return {
    settings,
    policy,
    founders,
    cluster,
    options,
    store,
    namespaces,
    clients,
    logs,
    notes,
    startedMs: notes.startedMs,
    isBack,
    async close() {
      clients?.end();
      await cluster.down();
      if (options.folder !== null) logs().forEach(foldJournal);
      await store?.close();
      await cluster.close();
    },
    async join(key, { behaviours = [], isAdversary: adversary = false } = {}) {
      const rank = String(rankOf(claimOf(key), policy));
      const holder = notes.numberOf(rank);
      if (holder !== undefined)
        throw new LabError('id.exists', `node ${holder} has this ID; give another key`);
      const node = cluster.nodes().length + 1;
      if (node > CLUSTER_NODES_MAX) throw full();
      const [listen = ''] = await addressesOf(node, 1, links);
      const joining = { rank, listen, behaviours, adversary };
      const files = nodeFiles(folder, node);
      const unused = writeKeyFile(files.key, key, policy);
      if (unused !== null)
        options.onWarning?.(
          node,
          `${files.key} was there, but no node has used it; it is now ${unused}`,
        );
      // A node that is started is noted, so that its key is known to be in use.
      notes.addJoined(joining);
      cluster.join(joiningArguments(stored, files, joining));
      const isReady = () => cluster.rankOf(node) !== null || cluster.isDown(node);
      await holdsWithin(isReady, { waitMs: JOIN_MS_MAX, signal });
      return node;
    },
    remove: (node, within = signal) => removal(settings.protocol, cluster, node, within),
    urls: () => [
      ...founders.peers.map(({ url }) => url),
      ...notes.joined.map(({ listen }) => `${scheme}://${listen}`),
    ],
    peersFile: peersFile(folder),
    check: () => checkLogs(founders, logs(), notes),
  };
}

function full(): LabError {
  const detail = `a cluster has at most ${CLUSTER_NODES_MAX} nodes; start another cluster`;
  return new LabError('arguments', detail);
}

/** The folder of a cluster that is started again; null for a new one. */
function filedIn(
  settings: ClusterSettings,
  { folder, links = null }: SessionOptions,
): ClusterFolder | null {
  const filed = folder === null ? null : readClusterFolder(folder);
  if (filed === null || folder === null) return null;
  assertSettingsOf(folder, filed, { settings, netns: links !== null });
  return filed;
}

interface Beginning {
  readonly policy: Policy;
  /** Whether the folder has a cluster. */
  readonly isBack: boolean;
  /** The identities of the founders, if the cluster is new. */
  readonly identities: readonly OwnedIdentity[];
  readonly folder: string;
  readonly watchdog: Watchdog;
}

/** Writes the files of a new cluster, and starts the store and the nodes. */
async function startNodes(
  settings: ClusterSettings,
  options: SessionOptions,
  { policy, isBack, identities, folder, watchdog }: Beginning,
) {
  // Read now that no other controller changes it.
  const filed = filedIn(settings, options);
  if ((filed !== null) !== isBack) throw startedMeanwhile(folder);
  const { links = null, onFault, onWarning, onRecord, onChange, onDisturbance } = options;
  const { nodes: count, tls } = settings;
  const addresses = filed === null ? await addressesOf(1, count, links) : [];
  const founders =
    filed === null
      ? writeClusterFiles(folder, identities, { policy, tls, addresses })
      : parsePeers(peersIn(folder));
  const ranks = founders.peers.map(({ rank }) => String(rank));
  const kept = options.folder === null ? null : { folder, settings, netns: links !== null };
  const notes = new ClusterNotes(ranks, filed, kept);
  const { store, address } = await storeIn(folder, settings.store ?? null, watchdog);
  const stored = { ...settings, store: address };
  const namespaces = links === null ? null : new Namespaces(watchdog, links);
  const beginMs = performance.now() - (Date.now() - notes.startedMs);
  const clients = settings.clients
    ? new LiveClients(
        settings.clients,
        settings,
        { isBack, clock: () => Math.round(performance.now() - beginMs) },
        () => cluster,
      )
    : null;
  const filesOf = (node: number) => nodeFiles(folder, node);
  const joined = notes.joined.map((node, index) =>
    joiningArguments(stored, filesOf(count + index + 1), node),
  );
  const cluster: Cluster = new Cluster({
    founders: [
      ...ranks.map((_, index) => foundingArguments(stored, filesOf(index + 1), count)),
      ...joined,
    ],
    folder: null,
    watchdog,
    namespaces,
    hasStore: address !== null,
    electsInStore: PROTOCOLS[settings.protocol].store !== null,
    removed: notes.removed,
    votersIn: votersIn(settings.protocol),
    founderRanks: ranks,
    onFault,
    onWarning,
    onRecord,
    onChange,
    onClient: (node, message) => clients?.receive(node, message),
    onDisturbance(disturbance) {
      notes.addDisturbance(disturbance);
      onDisturbance?.(disturbance);
    },
  });
  return { founders, stored, store, namespaces, cluster, notes, clients };
}

/** New identities for the founders. */
async function foundersOf(
  { nodes }: ClusterSettings,
  policy: Policy,
  { threads, signal }: SessionOptions,
): Promise<readonly OwnedIdentity[]> {
  const identities = await newIdentities(nodes, policy, { threads, signal });
  if (identities.length === nodes) return identities;
  throw new LabError('arguments', 'the start was interrupted; start the cluster again');
}

/** What the files of a folder say to the check of its logs. Throws LabError `arguments` if no cluster was started in it. */
export function filedLogs(folder: string): {
  readonly founders: Network;
  readonly logs: readonly string[];
  readonly notes: ClusterNotes;
} {
  const filed = readClusterFolder(folder);
  if (filed === null) {
    throw new LabError('arguments', `no cluster was started in ${folder}; name one of up --folder`);
  }
  const founders = parsePeers(peersIn(folder));
  const ranks = founders.peers.map(({ rank }) => String(rank));
  const notes = new ClusterNotes(ranks, filed);
  const logs = notes.ranks
    .map((_, index) => nodeFiles(folder, index + 1).log)
    .filter((log) => existsSync(log));
  return { founders, logs, notes };
}

/** The logs of the nodes. A newcomer that was refused has none, and neither has a founder that could not start. */
function writtenLogs(folder: string, cluster: Cluster): readonly string[] {
  return cluster.nodes().flatMap((node) => {
    const { log } = nodeFiles(folder, node);
    if (!existsSync(log)) return [];
    return cluster.rankOf(node) !== null || isUsedLog(log) ? log : [];
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

/** The folder, and the watchdog, which removes a temporary one and gives another back when it is closed. */
function watchedFolder(folder: string | null) {
  if (folder === null) return watchedTemporaryFolder();
  const release = takeFolder(folder);
  const watchdog = startWatchdog(null);
  const close = () => watchdog.close().finally(release);
  return { folder, watchdog: { ...watchdog, close } };
}

function startedMeanwhile(folder: string): LabError {
  const detail = `another usurp has started or removed the cluster of ${folder} meanwhile; give the command again`;
  return new LabError('file.exists', detail);
}

/** The arguments of `usurp node` for one of this many nodes that start together. */
function foundingArguments(
  settings: ClusterSettings,
  files: ReturnType<typeof nodeFiles>,
  count: number,
): readonly string[] {
  const gatherMs = Math.max(GATHER_MS_MIN, count * GATHER_MS_EACH);
  return [...argumentsOf(settings, files), '--gather', `${gatherMs}ms`];
}

/** The arguments of `usurp node` for a node that joins. */
function joiningArguments(
  settings: ClusterSettings,
  files: ReturnType<typeof nodeFiles>,
  { listen, behaviours }: Pick<JoinedNode, 'listen' | 'behaviours'>,
): readonly string[] {
  const byzantine = behaviours.length === 0 ? [] : ['--behaviour', behaviours.join(',')];
  return [...argumentsOf(settings, files), '--join', '--listen', listen, ...byzantine];
}

/** The arguments of `usurp node` for a node with these files. */
export function argumentsOf(
  { protocol, timing, level, detector, defences, store, workload, ...rest }: ClusterSettings,
  { key, log, peers }: { readonly key: string; readonly log: string; readonly peers: string },
): readonly string[] {
  const files = ['--identity', key, '--peers', peers, '--data', log];
  const run = ['--protocol', protocol, '--level', level, '--detector', detector];
  const guarded = defences.length === 0 ? [] : ['--defence', defences.join(',')];
  const stored = store ? ['--store', store] : [];
  const loaded = workload ? ['--resource', workloadText(workload)] : [];
  const { clients, flags } = rest;
  const varied = flags ? ['--flags', flagsText(flags)] : [];
  const asked = clients ? ['--clients', clientsText(clients)] : [];
  const latency = ['--latency', `${timing.latencyTicksMax}ms`];
  const definitions = loadedFiles().flatMap(({ path }) => ['--load', resolve(path)]);
  const used = [...varied, ...stored, ...loaded, ...asked];
  return [...files, ...run, ...guarded, ...latency, ...used, ...definitions];
}

/** Where the notes are kept. */
interface Kept extends Pick<ClusterFolder, 'settings' | 'netns'> {
  readonly folder: string;
}

/**
 * What the controller of a cluster on this machine knows of its nodes and notes while they run. The check of the
 * logs and the traces use it. A folder that is kept has it, too.
 */
class ClusterNotes implements ControllerNotes {
  readonly startedMs: number;
  readonly disturbances: Disturbance<string>[];
  readonly #founders: readonly string[];
  readonly #joined: JoinedNode[];
  readonly #kept: Kept | null;

  /** `founders` are the ranks of the founders. A cluster that is started again goes on with what its folder says. */
  constructor(
    founders: readonly string[],
    filed: Pick<ClusterFolder, 'startedMs' | 'joined' | 'disturbances'> | null,
    kept: Kept | null = null,
  ) {
    this.#founders = founders;
    this.#joined = [...(filed?.joined ?? [])];
    this.#kept = kept;
    this.startedMs = filed?.startedMs ?? Date.now();
    this.disturbances = [...(filed?.disturbances ?? [])];
    if (filed === null) this.#write();
  }

  /** The nodes that joined, or were to, in the order of their numbers. */
  get joined(): readonly JoinedNode[] {
    return this.#joined;
  }

  /** The ranks of all nodes, the first of node 1. */
  get ranks(): readonly string[] {
    return [...this.#founders, ...this.#joined.map(({ rank }) => rank)];
  }

  get adversaries(): readonly string[] {
    return this.#joined.flatMap(({ rank, adversary }) => (adversary ? rank : []));
  }

  /** The number of the node with a rank; undefined if none has it. */
  readonly numberOf = (rank: string): number | undefined =>
    this.ranks.indexOf(rank) + 1 || undefined;

  /** The behaviours of a node; none of an honest one. */
  behavioursOf(node: number): readonly BehaviourName[] {
    return this.#joinedAt(node)?.behaviours ?? [];
  }

  /** Whether an attack has started a node. */
  isAdversary(node: number): boolean {
    return this.#joinedAt(node)?.adversary === true;
  }

  /** The nodes that were removed. */
  get removed(): readonly number[] {
    return this.disturbances.flatMap((each) =>
      each.type === 'remove' ? (this.numberOf(each.node) ?? []) : [],
    );
  }

  addJoined(node: JoinedNode): void {
    this.#joined.push(node);
    this.#write();
  }

  addDisturbance(disturbance: Disturbance<number>): void {
    const named = renamed(disturbance, (node) =>
      node === STORE_NUMBER ? String(STORE_RANK) : this.ranks[node - 1],
    );
    if (named === null) return;
    this.disturbances.push(named);
    if (this.#kept !== null) noteDisturbance(this.#kept.folder, named);
  }

  #joinedAt(node: number): JoinedNode | undefined {
    return this.#joined[node - 1 - this.#founders.length];
  }

  #write(): void {
    if (this.#kept === null) return;
    const { folder, settings, netns } = this.#kept;
    writeClusterFolder(folder, {
      settings,
      netns,
      startedMs: this.startedMs,
      joined: this.#joined,
    });
  }
}
