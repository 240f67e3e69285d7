/**
 * @module
 * What the driver of a sweep prints while no worker can help it.
 */

import { describe, expect, it } from 'vitest';

import { FleetView } from '../../../src/runtime/fleet/fleet-sweep.ts';

const OWN = '0.1.0+aaaa';

/** The line of a driver whose only live workers have these codes. */
function lineBeside(...codeVersions: readonly string[]): string {
  const link = { address: 'redis://lab:6379', awaySeconds: () => 0 };
  // The view reads these two members of a link only.
  const fleet = { link, queue: 'default' } as unknown as ConstructorParameters<typeof FleetView>[0];
  const view = new FleetView(fleet, OWN);
  const notes = codeVersions.map((codeVersion, index) =>
    JSON.stringify({ id: `w${index}`, codeVersion, threads: 2 }),
  );
  view.update(notes, 0);
  return view.status();
}

describe('a fleet whose workers have other code', () => {
  it('asks for the same loaded files if nothing else differs', () => {
    expect(lineBeside(`${OWN}+bbbb`)).toBe(
      'no live worker has code 0.1.0+aaaa, 1 worker has 0.1.0+aaaa+bbbb; start the sweep and the worker with --load and the same files: usurp worker --redis redis://lab:6379',
    );
  });

  it('names every other code with its workers, in the same order', () => {
    const line = lineBeside('0.1.0+cccc', `${OWN}+bbbb`, '0.1.0+cccc');

    expect(line).toBe(
      'no live worker has code 0.1.0+aaaa, 1 worker has 0.1.0+aaaa+bbbb, 2 workers have 0.1.0+cccc; start the sweep and the worker with --load and the same files, or start a worker from the same sources: usurp worker --redis redis://lab:6379',
    );
    expect(lineBeside('0.1.0+cccc', '0.1.0+cccc', `${OWN}+bbbb`)).toBe(line);
  });

  it('asks for the same sources if they differ', () => {
    expect(lineBeside('0.1.0+cccc')).toContain('; start a worker from the same sources: usurp');
  });
});
