/**
 * @module
 * Runs without elections: identities are made, and the owners of the ranks are judged. An adversary with a
 * majority of the identities has every quorum. One with the nodes after a victim on a ring, or with the
 * highest ranks, decides what others receive.
 */

import type { ThreatModel } from '../document/threat-model.ts';
import type { Member } from '../properties/property.ts';
import { PROPERTIES, victimIndex } from '../properties/registry.ts';
import type { Owners, Side } from './registration.ts';
import { ownerFor, sidesOf } from './registration.ts';
import type { Judge } from './runner.ts';

export function captureJudge(model: ThreatModel): Judge {
  const { property, count } = model.expect;
  const { ranking } = PROPERTIES[property].judges;
  const sides = sidesOf(model);
  return (owners, runSeed) => {
    const honest = owners.filter((owner) => owner === null).length;
    const victim = () => victimIndex(honest, runSeed);
    const won = sides.some(
      (side) => ranking?.({ members: rankingOf(owners, side), count, victim }) === true,
    );
    return [{ won, elections: [] }];
  };
}

/** The ranking as a side sees it, the highest rank first. Honest nodes are numbered from the lowest. */
export function rankingOf(owners: Owners, side: Side): readonly Member[] {
  let honest = -1;
  const members = owners.map((owner, index): Member => {
    if (owner !== null) return { owner: ownerFor(side, owner), number: index };
    honest += 1;
    return { owner: 'honest', number: honest };
  });
  return members.toReversed();
}
