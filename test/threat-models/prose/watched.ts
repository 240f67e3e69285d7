/**
 * @module
 * What derivations need of watched elections: the sightings of some runs.
 */

import type { Timing } from '../../../src/election/timing.ts';
import type { ThreatModel } from '../../../src/experiment/document/threat-model.ts';
import type { Sighting } from '../../../src/experiment/properties/sighting.ts';
import { ordinaryOwners } from '../../../src/experiment/runs/registration.ts';
import { createStaging } from '../../../src/experiment/staging/model-stage.ts';
import { readScript } from '../../../src/experiment/staging/script.ts';
import type { Stage } from '../../../src/experiment/staging/stage.ts';
import { watchAttack } from '../../../src/experiment/staging/watch.ts';
import { deriveSeed, parseSeed } from '../../../src/random.ts';
import type { TraceRecord } from '../../../src/simulation/engine/trace.ts';
import { onlyOf } from '../../experiment/models.ts';

/** One watched run of a model whose adversaries forge nothing, with its trace. */
export interface WatchedRun {
  readonly seen: Sighting;
  readonly records: readonly TraceRecord[];
  readonly timing: Timing;
}

/** The first runs of each protocol under seed 1. */
export function watchedRuns(
  model: ThreatModel,
  runs = model.runs,
): Readonly<Record<string, readonly WatchedRun[]>> {
  const stage = createStaging(model, readScript(model));
  const owners = ordinaryOwners(model);
  return Object.fromEntries(
    model.network.election.protocols.map((protocol) => [
      protocol,
      Array.from({ length: runs }, (_, run) => {
        const seed = deriveSeed(deriveSeed(parseSeed('1'), 'run', run), 'election', protocol);
        return watched(stage({ protocol, owners, seed }));
      }),
    ]),
  );
}

function watched({ options, ...stage }: Stage): WatchedRun {
  const runs: Omit<WatchedRun, 'seen'>[] = [];
  const seen = watchAttack({ ...stage, options: { ...options, trace: true } }, undefined, (ended) =>
    runs.push({ records: ended.records(), timing: ended.plan.timing }),
  );
  return { seen, ...onlyOf(runs) };
}

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The share of values that pass. */
export function shareOf<T>(values: readonly T[], test: (value: T) => boolean): number {
  return values.filter(test).length / values.length;
}
