/**
 * @module
 * The members of a threat model that are read together, and what can be found in them.
 */

import type { AlgorithmName } from '../election/registry.ts';
import type { Policy } from '../identity/policy.ts';
import type { SchemeName } from '../identity/scheme.ts';
import type { Budget } from '../mining/ledger.ts';
import type { DynamicStrategyName, StrategyName } from '../mining/strategy.ts';
import type { PropertyName } from './property.ts';
import type { Decisive } from './run-kind.ts';

/** The members that are read together; `ThreatModel` has this shape. */
export interface Parts {
  readonly work: 'mined' | 'sampled';
  readonly network: {
    readonly honest: number;
    readonly identity: Policy & { readonly scheme: SchemeName };
    readonly election: Decisive['network']['election'] & {
      readonly algorithms: readonly AlgorithmName[];
      readonly latency: number | string;
    };
  };
  readonly faults?: object | undefined;
  readonly epochs?: { readonly count: number } | undefined;
  readonly adversaries: Readonly<Record<string, Bounded>>;
  readonly expect: { readonly property: PropertyName; readonly places: number };
}

interface Bounded {
  readonly goal: string;
  readonly strategy: StrategyName;
  readonly dynamicStrategy?: DynamicStrategyName | undefined;
  readonly stockpile?: number | undefined;
  readonly budget: Budget;
  readonly rate?: number | 'measured' | undefined;
  readonly identities: number;
  readonly behaviours: readonly string[];
  readonly reveals: number;
}

/** One thing that does not fit: where, and what would. */
export interface Misfit {
  readonly path: readonly string[];
  readonly message: string;
}
