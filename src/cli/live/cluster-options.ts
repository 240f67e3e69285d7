/**
 * @module
 * The options of `usurp cluster`, as they were parsed, and the settings of the nodes that they ask for.
 */

import type { BehaviourName } from '../../adversary/behaviours/registry.ts';
import type { DefenceName } from '../../election/defences/registry.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import { readClusterFolder } from '../../live/cluster/cluster-folder.ts';
import type { ClusterSettings } from '../../live/cluster/cluster-plan.ts';
import type { LinkConditions } from '../../live/cluster/namespaces.ts';
import type { LIVE_LEVELS } from '../../live/live-machine.ts';
import type { Workload } from '../../simulation/plan/workload.ts';
import type { LogCheckOptions } from './log-check.ts';

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
  readonly c1?: number | undefined;
  readonly c2?: number | undefined;
  readonly tls: boolean;
  readonly script?: string | undefined;
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
  const { c1, c2, tls } = filed.settings;
  const settings: Partial<ClusterOptions> = {
    ...{ nodes, protocol, level, detector, c1, c2, tls },
    ...{ latency: timing.latencyTicksMax / 1000, defence: defences },
    ...(store ? { store } : {}),
    ...(workload ? { resource: workload } : {}),
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
