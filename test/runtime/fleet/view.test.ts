/**
 * @module
 * What the driver of a sweep prints while no worker can help it.
 */

import { describe, expect, it } from 'vitest';

import { FleetView } from '../../../src/runtime/fleet/view.ts';

const OWN = '0.1.0+aaaa';

/** The line of a driver whose only live worker has this code. */
function lineBeside(codeVersion: string): string {
  const link = { address: 'redis://lab:6379', awaySeconds: () => 0 };
  // The view reads these two members of a link only.
  const fleet = { link, queue: 'default' } as unknown as ConstructorParameters<typeof FleetView>[0];
  const view = new FleetView(fleet, OWN);
  view.update([JSON.stringify({ id: 'one', codeVersion, threads: 2 })], 0);
  return view.status();
}

describe('a fleet whose workers have other code', () => {
  it('asks for the same loaded files if nothing else differs', () => {
    expect(lineBeside(`${OWN}+bbbb`)).toBe(
      'no live worker has code 0.1.0+aaaa, 1 worker has 0.1.0+aaaa+bbbb; start the sweep and the worker with --load and the same files: usurp worker --redis redis://lab:6379',
    );
  });

  it('asks for the same sources if they differ', () => {
    expect(lineBeside('0.1.0+cccc')).toContain('; start a worker from the same sources: usurp');
  });
});
