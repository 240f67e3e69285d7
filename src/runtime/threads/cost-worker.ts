/**
 * @module
 * A thread that simulates elections and measures the cost of honest nodes.
 */

import type { HonestCost } from '../../experiment/cost/honest-cost.ts';
import { honestCost } from '../../experiment/cost/honest-cost.ts';
import type { ElectionCosts, ElectionsAsked } from '../../experiment/design/cost.ts';
import { measureElections } from '../../experiment/design/cost.ts';
import type { ThreatModel } from '../../experiment/document/threat-model.ts';
import { serveRanges } from './range-pool.ts';

export type CostSpec =
  | { readonly of: 'model'; readonly model: ThreatModel; readonly rateMeasured: number | null }
  | { readonly of: 'design'; readonly asked: ElectionsAsked };

serveRanges(() => (spec: CostSpec): HonestCost | ElectionCosts => {
  if (spec.of === 'design') return measureElections(spec.asked);
  return honestCost(spec.model, spec.rateMeasured);
});
