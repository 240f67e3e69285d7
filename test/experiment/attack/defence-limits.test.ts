/**
 * @module
 * What a defence states about each protocol that it fits: a protocol without a limit shows the whole effect
 * in runs, and a protocol with one lacks what the limit names.
 */

import { describe, expect, it } from 'vitest';
import type { DefenceName } from '../../../src/election/defences/registry.ts';
import { DEFENCES } from '../../../src/election/defences/registry.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import type { Harm } from '../../../src/experiment/staging/judgement.ts';
import type { Asked } from './attacks.ts';
import { attacked } from './attacks.ts';

/** Attack whose harm the defence ends where it has no limit. */
const LIMITED: readonly (readonly [DefenceName, Pick<Asked, 'behaviours' | 'level'>, Harm])[] = [
  ['incumbency', { behaviours: ['flap'], level: 'L0' }, 'no-leader'],
  ['receipts', { behaviours: ['swallow'], level: 'L2' }, 'no-leader'],
  ['equivocation-proofs', { behaviours: ['double-vote'], level: 'L2' }, 'split'],
];

function fitting(name: DefenceName, isLimited: boolean): ProtocolName[] {
  const { unsupportedReason, limit } = DEFENCES[name];
  return PROTOCOL_NAMES.filter(
    (each) => unsupportedReason(each) === null && (limit(each) !== null) === isLimited,
  );
}

async function harmsOf(given: Asked): Promise<readonly Harm[]> {
  return (await attacked({ ...given, seed: '1' })).harms;
}

const rows = (isLimited: boolean) =>
  LIMITED.flatMap(([name, attack, harm]) =>
    fitting(name, isLimited).map((protocol) => [name, protocol, attack, harm] as const),
  );

describe('a defence with a limit', () => {
  it.each(rows(true))(
    '%s on %s does not end the harm of %o: %s',
    async (name, protocol, attack, harm) => {
      expect(await harmsOf({ ...attack, protocol })).toContain(harm);
      expect(await harmsOf({ ...attack, protocol, defences: [name] })).toContain(harm);
    },
  );

  it.each(fitting('incumbency', true))('incumbency stops a late joiner on %s', async (protocol) => {
    const late: Asked = { protocol, behaviours: ['late-joiner'] };

    expect(await harmsOf(late)).toContain('captured-leader');
    expect(await harmsOf({ ...late, defences: ['incumbency'] })).toEqual([]);
  });
});

describe('a defence without a limit', () => {
  const ending = rows(false).filter(([name]) => name !== 'equivocation-proofs');

  it.each(ending)('%s on %s ends the harm of %o: %s', async (name, protocol, attack, harm) => {
    expect(await harmsOf({ ...attack, protocol })).toContain(harm);
    expect(await harmsOf({ ...attack, protocol, defences: [name] })).not.toContain(harm);
  });

  it('equivocation-proofs ends two announcements of one node', async () => {
    const [protocol = 'raft', ...others] = fitting('equivocation-proofs', false);
    const announced: Asked = { protocol, behaviours: ['equivocate'], level: 'L2' };

    expect(others).toEqual([]);
    expect(await harmsOf(announced)).toContain('split');
    expect(await harmsOf({ ...announced, defences: ['equivocation-proofs'] })).toEqual([]);
  });
});
