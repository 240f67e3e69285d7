/**
 * @module
 * Checks of what is demanded of a message that names somebody as candidate or leader.
 */

import type { ProtocolName } from '../../../src/election/registry.ts';
import { observedBesideNamers } from '../../adversary/staging/observed-words.ts';
import type { Check } from './check.ts';
import { complainUnlessSame, firstComplaint } from './check.ts';

export const CANDIDACY_CHECKS = {
  'nodes that Byzantine nodes can name on a ring': () =>
    namedByByzantine(['cr-join', 'ring-collect', 'hs-wake']),
  'nodes that Byzantine nodes can name in Bully': () =>
    namedByByzantine(['bully-oneshot', 'bully-2phase']),
} satisfies Record<string, Check>;

/** No node without a signed candidacy, at L3 in this election. */
function namedByByzantine(protocols: readonly ProtocolName[]): string | null {
  return firstComplaint(protocols, (protocol) =>
    firstComplaint(['L2', 'L3'] as const, (level) => {
      const { unproved } = observedBesideNamers({ protocol, level, number: 0 });
      return complainUnlessSame(`${protocol} at ${level}`, unproved, []);
    }),
  );
}
