/**
 * @module
 * Derivations for the documents about spoofed announcements.
 */

import type { ThreatModel } from '../../../src/experiment/document/threat-model.ts';
import { modelOf } from '../catalogue-judged.ts';
import type { Facts } from './fact.ts';
import { changed, fact, long, shares, statement } from './fact.ts';
import { meanOf, shareOf, watchedRuns } from './watched.ts';

export const SPOOFING: Facts = {
  'spoofed-coordinator-l0': [
    fact('two forms of Bully', ({ network }) => [network.election.protocols.length]),
    statement('It cannot become leader under its own ID', (model) =>
      shares(changed(model, 'expect.property=adversary-leads'), 40).every((share) => share === 0),
    ),
    fact('In every run no live leader is followed by all', (model) => [
      Math.min(...BOTH.map((protocol) => leaderless(model, [protocol], 0))),
    ]),
    fact(/Level L1, at which .* stops the attack on bully-gm82/g, (model) => [
      firstLevelWithout(model, ['bully-gm82']),
    ]),
    fact('again no leader lasts in any run', (model) => [leaderless(model, ['bully-oneshot'], 1)]),
    long(fact('L2 stops both', (model) => [firstLevelWithout(model, BOTH)])),
  ],
  'spoofed-coordinator-l2': [
    fact('two forms of Bully', ({ network }) => [network.election.protocols.length]),
    long(
      fact('In every run of either protocol all honest nodes follow the highest live', (model) => {
        // The adversary is below all, and the highest honest node has crashed.
        const highest = model.network.honest;
        const runs = Object.values(watchedRuns(model)).flat();
        return [shareOf(runs, ({ seen }) => seen.leader === highest)];
      }),
    ),
    fact('also leads at L2', () => [
      Number(modelOf('spoofed-coordinator-ring').network.election.level?.slice(1)),
    ]),
  ],
  'spoofed-coordinator-ring': [
    fact('In every run of either protocol all honest nodes follow it in the end', (model) => [
      shareOf(Object.values(watchedRuns(model)).flat(), ({ seen }) => seen.isUsurped),
    ]),
    fact('16 with cr-join and 10 with ring-collect', (model) => {
      const runs = watchedRuns(model);
      return ['cr-join', 'ring-collect'].map((protocol) =>
        meanOf((runs[protocol] ?? []).map(({ seen }) => seen.splitTicks)),
      );
    }),
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
