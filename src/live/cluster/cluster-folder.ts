/**
 * @module
 * The folder of a cluster on this machine, which can be started again: what its nodes run, the nodes that joined, and what
 * the controller did. The keys, the peers file, the logs and the store are beside this.
 */

import {
  appendFileSync,
  existsSync,
  readdirSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { BehaviourName } from '../../adversary/behaviours/registry.ts';
import { BEHAVIOUR_NAMES } from '../../adversary/behaviours/registry.ts';
import { clientsText, parseClients } from '../../election/clients/client-form.ts';
import { flagsText } from '../../election/definition/flags.ts';
import { LabError } from '../../errors.ts';
import { readWithin } from '../../runtime/files/bounded-file.ts';
import { lockFile } from '../../runtime/files/file-lock.ts';
import { codeOf, makeFolder } from '../../runtime/files/file-sink.ts';
import { parseTextBySchema } from '../../schema.ts';
import { workloadText } from '../../simulation/plan/workload.ts';
import type { Disturbance } from '../check/disturbances.ts';
import { PEERS_BYTES_MAX } from '../peers.ts';
import { CLUSTER_BYTES_MAX, runIn, runMembers } from './cluster-document.ts';
import { peersFile } from './cluster-files.ts';
import type { ClusterSettings } from './cluster-plan.ts';

export const FOLDER_FORMAT = 'usurp/cluster-folder/v1';

const joinedSchema = z.strictObject({
  rank: z.string(),
  listen: z.string(),
  behaviours: z.array(z.enum(BEHAVIOUR_NAMES)),
  adversary: z.boolean(),
});

const documentSchema = z.strictObject({
  format: z.literal(FOLDER_FORMAT, `must be ${FOLDER_FORMAT}`),
  started: z.int(),
  ...runMembers,
  clients: z.string().nullable().default(null),
  nodes: z.int().min(1),
  c1: z.int().min(0),
  c2: z.int().min(0),
  tls: z.boolean(),
  netns: z.boolean(),
  joined: z.array(joinedSchema),
});

const timed = { t: z.number() };
const disturbanceSchema = z.union([
  z.strictObject({
    ...timed,
    type: z.enum(['end', 'stop', 'return', 'pause', 'resume', 'remove']),
    node: z.string(),
  }),
  z.strictObject({
    ...timed,
    type: z.literal('partition'),
    sides: z.array(z.array(z.string())),
    isOneWay: z.literal(true).optional(),
  }),
  z.strictObject({ ...timed, type: z.literal('heal') }),
]);

/** A node that has joined a cluster, or was to. */
export interface JoinedNode {
  readonly rank: string;
  /** Where it listens in all its lives, as host:port. */
  readonly listen: string;
  readonly behaviours: readonly BehaviourName[];
  /** Whether an attack has started it. */
  readonly adversary: boolean;
}

/** What a folder says of the cluster that was started in it. */
export interface ClusterFolder {
  readonly settings: ClusterSettings;
  /** Whether each node has a network namespace. */
  readonly netns: boolean;
  /** When it was started for the first time, in ms since 1970. */
  readonly startedMs: number;
  /** In the order of their numbers, after the founders. */
  readonly joined: readonly JoinedNode[];
  /** By the ranks of the nodes. */
  readonly disturbances: readonly Disturbance<string>[];
}

const documentIn = (folder: string) => join(folder, 'cluster.json');
const disturbancesIn = (folder: string) => join(folder, 'disturbances.jsonl');
/** A disturbance takes about 100 bytes. */
const DISTURBANCES_BYTES_MAX = 2 ** 26;
/** Held by the controller of the cluster. */
const LOCK_NAME = 'cluster.lock';
const REMEDY = 'name an empty folder, or one of up --folder';

/**
 * Null if it is empty or does not exist. Throws LabError `arguments` if it is no folder, `file.exists` if it has other files,
 * and `file.missing` or `file.unreadable` for a file that cannot be read.
 */
export function readClusterFolder(folder: string): ClusterFolder | null {
  const path = documentIn(folder);
  const names = namesIn(folder).filter((name) => name !== LOCK_NAME);
  if (names.length === 0) return null;
  if (!existsSync(path) || !existsSync(peersFile(folder))) {
    const detail = `${folder} is not empty, and no cluster was started in it; ${REMEDY}`;
    throw new LabError('file.exists', detail);
  }
  const text = bytesIn(path, CLUSTER_BYTES_MAX).toString('utf8');
  const document = parseTextBySchema(documentSchema, text, 'cluster.json of up --folder');
  const { nodes, c1, c2, tls, netns, started: startedMs, joined } = document;
  const clients = document.clients === null ? null : parseClients(document.clients);
  const settings = { ...runIn(document), clients, nodes, c1, c2, tls };
  return { settings, netns, startedMs, joined, disturbances: disturbancesOf(folder) };
}

/** The text of the peers file of a folder. Throws LabError `file.missing` or `file.unreadable`. */
export function peersIn(folder: string): string {
  return bytesIn(peersFile(folder), PEERS_BYTES_MAX).toString('utf8');
}

/** The names of what is in it; none if it does not exist. */
function namesIn(folder: string): readonly string[] {
  try {
    if (statSync(folder, { throwIfNoEntry: false }) === undefined) return [];
    return readdirSync(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR')
      throw new LabError('arguments', `${folder} is no folder; ${REMEDY}`);
    const detail = `${folder} cannot be read (${codeOf(error)}); ${REMEDY}`;
    throw new LabError('file.unreadable', detail);
  }
}

function bytesIn(path: string, bytesMax: number): Buffer {
  const remedy = 'put the file of the cluster back, or name another folder';
  return readWithin(path, { kind: 'the file of a cluster', bytesMax, remedy });
}

function disturbancesOf(folder: string): readonly Disturbance<string>[] {
  const path = disturbancesIn(folder);
  if (!existsSync(path)) return [];
  // The last line can be a part: the controller was killed.
  const lines = bytesIn(path, DISTURBANCES_BYTES_MAX).toString('utf8').split('\n').slice(0, -1);
  return lines.map((line, index) => {
    try {
      return parseTextBySchema(disturbanceSchema, line, 'disturbance of up --folder');
    } catch (error) {
      if (!(error instanceof LabError)) throw error;
      const detail = `${path}:${index + 1}: ${error.message}; remove this line, or name another folder`;
      throw new LabError(error.code, detail, error.faults);
    }
  });
}

/**
 * Makes the folder if there is none, and takes it for this controller until the function that this returns is called, or the
 * process ends. Throws LabError `file.exists` if another controller has it, and `file.unwritable` if it cannot be made.
 */
export function takeFolder(folder: string): () => void {
  try {
    makeFolder(folder);
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    throw new LabError(error.code, `${error.message}; ${REMEDY}`);
  }
  const release = lockFile(join(folder, LOCK_NAME));
  if (release === null) {
    const detail = `another usurp runs the cluster of ${folder}; wait until it has ended, or name another folder`;
    throw new LabError('file.exists', detail);
  }
  cutDisturbances(folder);
  return release;
}

/** Removes a last line that is a part, so that the next one does not continue it. */
function cutDisturbances(folder: string): void {
  const path = disturbancesIn(folder);
  if (!existsSync(path)) return;
  const bytes = bytesIn(path, DISTURBANCES_BYTES_MAX);
  const whole = bytes.lastIndexOf('\n') + 1;
  if (whole < bytes.length) truncateSync(path, whole);
}

/** Writes what the folder says, apart from the disturbances. */
export function writeClusterFolder(
  folder: string,
  { settings, netns, startedMs, joined }: Omit<ClusterFolder, 'disturbances'>,
): void {
  const { protocol, level, detector, timing, defences, store, workload, ...rest } = settings;
  const { clients, flags, nodes, c1, c2, tls } = rest;
  const document: z.input<typeof documentSchema> = {
    format: FOLDER_FORMAT,
    started: startedMs,
    protocol,
    level,
    detector,
    latencyMs: timing.latencyTicksMax,
    defences: [...defences],
    store: store ?? null,
    resource: workload ? workloadText(workload) : null,
    clients: clients ? clientsText(clients) : null,
    flags: flags ? flagsText(flags) : null,
    nodes,
    c1,
    c2,
    tls,
    netns,
    joined: joined.map((node) => ({ ...node, behaviours: [...node.behaviours] })),
  };
  const path = documentIn(folder);
  const aside = `${path}.tmp`;
  // A process that is killed leaves the old file or the new one.
  writeFileSync(aside, `${JSON.stringify(document, null, 2)}\n`);
  renameSync(aside, path);
}

/** Adds what the controller did. */
export function noteDisturbance(folder: string, disturbance: Disturbance<string>): void {
  appendFileSync(disturbancesIn(folder), `${JSON.stringify(disturbance)}\n`);
}

/** Throws LabError `arguments` that names the flags in which these settings differ from those of the folder. */
export function assertSettingsOf(
  folder: string,
  filed: Pick<ClusterFolder, 'settings' | 'netns'>,
  given: Pick<ClusterFolder, 'settings' | 'netns'>,
): void {
  const now = valuesOf(given);
  const differing = valuesOf(filed).flatMap(({ flag, name, value }, index) => {
    const other = now[index]?.value;
    return value === other ? [] : [{ flag, text: `${name} ${value}, not ${other}` }];
  });
  if (differing.length === 0) return;
  const flags = differing.map(({ flag }) => flag).join(' and ');
  const texts = differing.map(({ text }) => text).join(', and with ');
  throw new LabError(
    'arguments',
    `the cluster of ${folder} runs with ${texts}; leave ${flags} out to start it again, or name another folder for a new cluster`,
  );
}

interface FlagValue {
  readonly flag: string;
  /** What people call it. */
  readonly name: string;
  readonly value: string;
}

/** The settings in one order. */
function valuesOf({
  settings,
  netns,
}: Pick<ClusterFolder, 'settings' | 'netns'>): readonly FlagValue[] {
  const { protocol, level, detector, timing, defences, store, workload, ...rest } = settings;
  const { clients, flags, tls } = rest;
  const value = (flag: string, shown: string | number) => {
    return { flag, name: flag, value: String(shown) };
  };
  const isOn = (on: boolean) => (on ? 'on' : 'off');
  return [
    ...[value('--nodes', settings.nodes), value('--protocol', protocol)],
    ...[value('--level', level), value('--detector', detector)],
    value('--latency', `${timing.latencyTicksMax}ms`),
    ...[value('--defence', defences.join(',') || 'none'), value('--store', store ?? 'none')],
    value('--resource', workload ? workloadText(workload) : 'none'),
    value('--clients', clients ? clientsText(clients) : 'none'),
    value('--flags', flags ? flagsText(flags) : 'none'),
    ...[value('--c1', settings.c1), value('--c2', settings.c2)],
    { flag: '--no-tls', name: 'TLS', value: isOn(tls) },
    { flag: '--netns', name: 'network namespaces', value: isOn(netns) },
  ];
}
