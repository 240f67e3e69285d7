/**
 * @module
 * Each behaviour can succeed, and each defence can be seen to work, in attacks with default settings.
 * UPDATE_STAGED_PAIRS=1 searches for them anew.
 */

import { describe, expect, it } from 'vitest';
import { BEHAVIOUR_NAMES } from '../../../src/adversary/behaviours/registry.ts';
import { DEFENCE_NAMES } from '../../../src/election/defences/registry.ts';
import { NETWORK_DEFENCE_NAMES } from '../../../src/experiment/document/defence-names.ts';
import { isReached, isStopped, recordedPairs, recordPairs } from './staged-pairs.ts';

if (process.env.UPDATE_STAGED_PAIRS === '1') await recordPairs();
const { behaviours, defences } = recordedPairs();

describe('an attack with default settings', () => {
  it.each(BEHAVIOUR_NAMES)('reaches the aim of %s on a protocol at L0', async (name) => {
    expect(behaviours[name]).toMatchObject({ behaviour: name, level: 'L0' });
    expect(await isReached(behaviours[name])).toBe(true);
  });

  it.each([...DEFENCE_NAMES, ...NETWORK_DEFENCE_NAMES])(
    'does harm without %s, and none with it',
    async (name) => {
      expect(defences[name].defences).toContain(name);
      expect(await isStopped(defences[name])).toBe(true);
    },
  );
});
