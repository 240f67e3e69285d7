/**
 * @module
 * Runs in which no election is held: identities are made, and it is looked at who holds which ranks. A
 * Sybil adversary that holds a majority has every quorum; one that holds the nodes after a victim on a
 * ring, or the highest ranks, decides what they hear.
 */

import { createRandom, deriveSeed } from '../../random.ts';
import type { CAPTURES } from '../document/property.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import type { Member } from '../epochs/epochs.ts';
import { holdsSuccessors, holdsTop } from './capture.ts';
import type { Owners } from './membership.ts';
import { minePopulation } from './mined-run.ts';
import { drawPopulation, planPopulation } from './population-draw.ts';
import type { Runner, Services } from './runner.ts';

type Capture = (typeof CAPTURES)[number];

/** The runner of a model whose property is a capture. */
export function captureRunner(model: ThreatModel, services: Services): Runner {
  const { property, places } = model.expect;
  if (property !== 'top-captured' && property !== 'successors-captured') {
    if (property !== 'majority-captured') {
      throw new TypeError(`"property" expected a capture, got ${property}`);
    }
  }
  const wanted = { capture: property, places };
  if (model.work === 'mined') {
    return ({ seed, run }) => {
      const runSeed = deriveSeed(seed, 'run', run);
      const { owners, ...mined } = minePopulation(model, runSeed, services);
      const won = isCaptured(owners, wanted, () => victimOf(owners, runSeed));
      return { run, elections: [], ...mined, won };
    };
  }
  const plan = planPopulation(model, services.rateMeasured);
  return ({ seed, run }) => {
    const runSeed = deriveSeed(seed, 'run', run);
    const { owners, observations } = drawPopulation(plan, runSeed);
    const won = isCaptured(owners, wanted, () => victimOf(owners, runSeed));
    return { run, elections: [], forges: [], honestLedger: null, observations, won };
  };
}

/** A number among the honest, drawn. */
function victimOf(owners: Owners, runSeed: Parameters<typeof createRandom>[0]): number {
  const honest = owners.filter((owner) => owner === null).length;
  return createRandom(runSeed, 'victim').below(Math.max(1, honest));
}

/** Whether adversaries hold together what is asked for. */
export function isCaptured(
  owners: Owners,
  { capture, places }: { readonly capture: Capture; readonly places: number },
  victim: () => number,
): boolean {
  switch (capture) {
    case 'majority-captured':
      return 2 * owners.filter((owner) => owner !== null).length > owners.length;
    case 'top-captured':
      return holdsTop(fromTop(owners), places);
    case 'successors-captured':
      return holdsSuccessors(fromTop(owners), { victim: victim(), successors: places });
    default:
      return capture satisfies never;
  }
}

/** The highest first; honest nodes are numbered from the lowest. */
function fromTop(owners: Owners): readonly Member[] {
  let honest = -1;
  const members = owners.map((owner, index): Member => {
    if (owner !== null) return { owner: 'adversary', number: index };
    honest += 1;
    return { owner: 'honest', number: honest };
  });
  return members.toReversed();
}
