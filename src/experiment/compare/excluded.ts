/**
 * @module
 * The honest nodes that a set of defences keeps out, or that cannot afford an identity. It follows from the
 * definitions of the defences, from the policy, and from elections among honest nodes.
 */

import { z } from 'zod';
import { winProbability } from '../../mining/odds.ts';
import { realBits, requiredBits } from '../../mining/policy-cost.ts';
import type { ElectionCost } from '../cost/election-cost.ts';
import type { JoinCost } from '../cost/honest-cost.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { responseFactsOf } from '../response/space.ts';
import { JOIN_QUANTILE } from './defences.ts';
import type { ComparedDefence } from './names.ts';
import { isByMembers } from './names.ts';

/** Honest nodes without a part in the election, or in the lead. `label` is for a table, `reason` a sentence. */
export const excludedSchema = z.object({
  label: z.string(),
  reason: z.string(),
  share: z.number().nullable(),
});

type Excluded = z.output<typeof excludedSchema>;

export interface ExclusionFacts {
  /** With the settings of the defences. */
  readonly model: ThreatModel;
  readonly defences: readonly ComparedDefence[];
  /** Candidates that an honest node tests before it must have joined. */
  readonly attempts: number;
  readonly join: JoinCost;
  /** Null if no election is held. */
  readonly election: ElectionCost | null;
}

export function excludedBy(facts: ExclusionFacts): readonly Excluded[] {
  return [...facts.defences.flatMap(newcomers), ...tooSlow(facts), ...leaderless(facts)];
}

function newcomers(name: ComparedDefence): readonly Excluded[] {
  if (isByMembers(name)) {
    if (name !== 'commit-then-beacon') return [];
    const reason = `${name}: a node that misses the window waits for the next epoch.`;
    return [{ label: 'late nodes', reason, share: null }];
  }
  const { newcomers: fact } = responseFactsOf(name);
  switch (fact) {
    case 'admitted':
      return [];
    case 'refused':
      return [
        {
          label: 'newcomers',
          reason: `${name}: a node that comes after registration waits for the next election.`,
          share: null,
        },
      ];
    case 'held-off':
      return [
        {
          label: 'new leaders',
          reason: `${name}: a better node that comes waits for a term before it leads.`,
          share: null,
        },
      ];
    default:
      return fact satisfies never;
  }
}

/** The least share that a table shows. */
const SHARE_MIN = 0.0005;

/** Nodes of the reference speed without an identity in time, and the speed that most of them need. */
function tooSlow({ model, attempts, join }: ExclusionFacts): readonly Excluded[] {
  const { identity } = model.network;
  // The sum of two puzzles has another law.
  if (requiredBits(identity).c2 > 0) return [];
  const valid = winProbability(identity, { type: 'any' });
  const share = Math.exp(attempts * Math.log1p(-valid));
  if (valid >= 1 || share < SHARE_MIN) return [];
  const needed = join.attempts.p95 / attempts;
  const percent = Number((100 * share).toPrecision(2));
  const reason =
    `${realBits(identity).c1} bits: ${percent} % of honest nodes have no identity in time. A node that is to have one with ` +
    `${100 * JOIN_QUANTILE} % needs ${Number(needed.toPrecision(2))} times the speed.`;
  return [{ label: `${percent} % slow`, reason, share }];
}

function leaderless({ election }: ExclusionFacts): readonly Excluded[] {
  if (election === null || election.agreed === election.runs) return [];
  const missed = election.runs - election.agreed;
  const label = `no leader ${missed}/${election.runs}`;
  const reason = `${missed} of ${election.runs} elections among honest nodes alone had no leader.`;
  return [{ label, reason, share: missed / election.runs }];
}
