/**
 * @module
 * A thread that searches the responses of the adversaries of one model.
 */

import type { ThreatModel } from '../../experiment/document/threat-model.ts';
import type { Settled } from '../../experiment/response/settle.ts';
import { settled } from '../../experiment/runs/run.ts';
import { serveRanges } from './range-pool.ts';

export interface SettlingSpec {
  readonly model: ThreatModel;
  readonly rateMeasured: number | null;
}

serveRanges(
  ({ model, rateMeasured }: SettlingSpec) =>
    (): Settled =>
      settled(model, rateMeasured),
);
