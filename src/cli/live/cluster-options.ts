/**
 * @module
 * The options of `usurp cluster`, as they were parsed.
 */

import type { BehaviourName } from '../../adversary/behaviours/registry.ts';
import type { DefenceName } from '../../election/defences/registry.ts';
import type { ProtocolName } from '../../election/registry.ts';
import type { LIVE_LEVELS } from '../../runtime/live/live-machine.ts';
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
  readonly folder?: string | undefined;
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
}
