/**
 * @module
 * Derivations for the documents about spoofed announcements.
 */

import type { ThreatModel } from '../../../src/experiment/document/threat-model.ts';
import type { Facts } from './fact.ts';
import { changed, fact, shares } from './fact.ts';

export const SPOOFING: Facts = {
  'spoofed-coordinator-l0': [
    fact('In every run no live leader is followed by all', (model) => [
      Math.min(...BOTH.map((protocol) => leaderless(model, [protocol], 0))),
    ]),
    fact(/Level L1, at which .* stops the attack on bully-gm82/g, (model) => [
      firstLevelWithout(model, ['bully-gm82']),
    ]),
    fact('again no leader lasts in any run', (model) => [leaderless(model, ['bully-oneshot'], 1)]),
    fact('L2 stops both', (model) => [firstLevelWithout(model, BOTH)]),
  ],
};

const BOTH = ['bully-oneshot', 'bully-gm82'];

/** The lowest level at which no run of these protocols has the property. */
function firstLevelWithout(model: ThreatModel, protocols: readonly string[]): number {
  return [0, 1, 2, 3].find((level) => leaderless(model, protocols, level) === 0) ?? Number.NaN;
}

/** The largest share of runs of one of these protocols that have the property. */
function leaderless(model: ThreatModel, protocols: readonly string[], level: number): number {
  const settings = [
    `network.election.protocols=[${protocols.join(',')}]`,
    `network.election.level=L${level}`,
  ];
  return Math.max(...shares(changed(model, ...settings), 40));
}
