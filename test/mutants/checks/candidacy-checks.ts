/**
 * @module
 * Checks of what is demanded of a message that names somebody as candidate or leader.
 */

import type { ProtocolName } from '../../../src/election/registry.ts';
import { observedBesideNamers } from '../../adversary/staging/observed-words.ts';
import type { Check } from './check.ts';
import { complainUnlessSame, firstComplaint } from './check.ts';

export const CANDIDACY_CHECKS = {
  'whom liars can name on a ring': () => namedByLiars(['cr-join', 'ring-collect', 'hs-wake']),
  'whom liars can name in Bully': () => namedByLiars(['bully-oneshot', 'bully-2phase']),
} satisfies Record<string, Check>;

/** Nobody who has not signed its candidacy, in this election at L3. */
function namedByLiars(protocols: readonly ProtocolName[]): string | null {
  return firstComplaint(protocols, (protocol) =>
    firstComplaint(['L2', 'L3'] as const, (level) => {
      const { unproved } = observedBesideNamers({ protocol, level, number: 0 });
      return complainUnlessSame(`${protocol} at ${level}`, unproved, []);
    }),
  );
}
