/**
 * @module
 * A thread that searches the responses of the adversaries of models, one model with each order.
 */

import type { ThreatModel } from '../../experiment/document/threat-model.ts';
import type { Settled } from '../../experiment/response/settle.ts';
import { settled } from '../../experiment/runs/run.ts';
import { serveRanges } from './range-pool.ts';

export interface SettlingOrder {
  readonly model: ThreatModel;
  readonly rateMeasured: number | null;
}

serveRanges(
  () =>
    ({ model, rateMeasured }: SettlingOrder): Settled =>
      settled(model, rateMeasured),
);
