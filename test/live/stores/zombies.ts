/**
 * @module
 * The tests of the zombie on real stores: a leader that slept while another was elected still writes.
 */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runStoreFault } from '../../../bench/study/store-run.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import type { StoreKind } from '../../../src/live/stores/open-store.ts';
import { createTestStores, TESTED } from './test-stores.ts';

/** Each protocol on each store, without a fence and with one. The modelled store explains every answer. */
export function testZombies(
  runs: readonly (readonly [ProtocolName, StoreKind])[],
  latencyTicksMax: number,
): void {
  const stores = createTestStores();
  afterAll(() => stores.close());
  const tested = runs.filter(([, kind]) => TESTED.includes(kind));
  describe.each(tested)('a zombie of %s on %s', (protocol, kind) => {
    const run = async (resource: 'unfenced' | 'fencing-max') => {
      const file = join(mkdtempSync(join(tmpdir(), 'usurp-zombie-')), 'store.sqlite');
      const store = kind === 'sqlite' ? `sqlite:${file}` : (await stores.serverOf(kind)).address;
      const about = { protocol, store, resource, fault: 'pause', nodes: 2 } as const;
      return runStoreFault({ ...about, latencyTicksMax });
    };

    it('writes without a fence', async () => {
      const { lateWrites, defect } = await run('unfenced');

      expect(defect).toBeNull();
      expect(lateWrites).toBeGreaterThan(0);
    });

    it('is refused with a fence', async () => {
      const { lateWrites, refused, defect } = await run('fencing-max');

      expect(defect).toBeNull();
      expect(lateWrites).toBe(0);
      expect(refused).toBeGreaterThan(0);
    });
  });
}
