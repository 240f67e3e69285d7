/**
 * @module
 * The members of a threat model that are read together, and what can be found in them.
 */

import type { Policy } from '../../identity/policy.ts';
import type { SchemeName } from '../../identity/scheme.ts';
import type { Budget } from '../../mining/ledger.ts';
import type { DynamicStrategyName, StrategyName } from '../../mining/strategy.ts';
import type { PropertyName } from '../document/property.ts';
import type { WatchedAdversary, WatchedModel } from '../staging/election-text.ts';

/** The members that are read together; `ThreatModel` has this shape. */
export interface Parts extends WatchedModel {
  readonly work: 'mined' | 'sampled';
  readonly network: WatchedModel['network'] & {
    readonly identity: Policy & { readonly scheme: SchemeName };
  };
  readonly epochs?: { readonly count: number } | undefined;
  readonly adversaries: Readonly<Record<string, Bounded>>;
  readonly expect: { readonly property: PropertyName; readonly places: number };
}

interface Bounded extends WatchedAdversary {
  readonly goal: string;
  readonly strategy: StrategyName;
  readonly dynamicStrategy?: DynamicStrategyName | undefined;
  readonly stockpile?: number | undefined;
  readonly budget: Budget & WatchedAdversary['budget'];
  readonly rate?: number | 'measured' | undefined;
  readonly reveals: number;
}

/** One thing that does not fit: where, and what would. */
export interface UnsupportedReason {
  readonly path: readonly string[];
  readonly message: string;
}
