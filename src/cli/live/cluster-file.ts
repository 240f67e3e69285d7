/**
 * @module
 * The file of a cluster on several machines: `usurp cluster entry` prints the entry of one key without its secret, and
 * `usurp cluster file` makes the file from such entries.
 */

import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { LabError } from '../../errors.ts';
import type { PlacedCluster } from '../../runtime/live/cluster/cluster-document.ts';
import {
  CLUSTER_BYTES_MAX,
  CLUSTER_FORMAT,
  parseCluster,
  parseClusterNode,
} from '../../runtime/live/cluster/cluster-document.ts';
import type { Here } from '../../runtime/live/cluster/machines.ts';
import { workloadText } from '../../simulation/plan/workload.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { readText } from '../shell/files.ts';
import type { Terminal } from '../shell/terminal.ts';
import type { ClusterOptions } from './cluster-options.ts';
import { readNodeKey } from './node-key.ts';

/** Prints the entry of a key. */
export async function printEntry(options: ClusterOptions, terminal: Terminal): Promise<ExitCode> {
  const { identity, url, here: machine, listen } = options;
  if (identity === undefined || url === undefined || machine === undefined) {
    throw new LabError('arguments', 'entry needs --identity, --url and --here; give all three');
  }
  const { claim } = await readNodeKey(identity, terminal);
  const node = { machine, url, ...(listen === undefined ? {} : { listen }), key: identity, claim };
  const text = JSON.stringify(node);
  parseClusterNode(text);
  terminal.print(`${text}\n`);
  return EXIT.holds;
}

/** Prints the file of the cluster that these entries describe. */
export async function printClusterFile(
  paths: readonly string[],
  options: ClusterOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { protocol, level, detector, latency, defence: defences, c1, c2 } = options;
  if (protocol === undefined) throw new LabError('arguments', 'file needs --protocol');
  if (paths.length === 0) {
    throw new LabError(
      'arguments',
      'file needs the entries of the nodes; name the files that usurp cluster entry printed',
    );
  }
  const texts = await Promise.all(paths.map((path) => readText(path, terminal)));
  const document = {
    format: CLUSTER_FORMAT,
    election: options.election ?? randomBytes(8).toString('hex'),
    policy: { c1, c2 },
    ...{ protocol, level, detector, latencyMs: Math.max(1, Math.round(latency * 1000)), defences },
    store: options.store ?? null,
    resource: options.resource ? workloadText(options.resource) : null,
    nodes: texts.map(parseClusterNode),
  };
  const text = `${JSON.stringify(document, null, 2)}\n`;
  parseCluster(text);
  terminal.print(text);
  return EXIT.holds;
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
