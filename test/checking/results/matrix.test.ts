/**
 * @module
 * The table of docs/model-checking.md says what searches find of cells of the fault matrix. These are the cells of some
 * protocols; matrix.slow.test.ts has all.
 */

import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import type { Trace } from '../../../src/checking/traces/trace.ts';
import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import { fromRank } from '../../../src/election/world/cast.ts';
import { CHECKED_FAULT_NAMES, confirmCell, rowsOf } from './matrix.ts';

const DOCUMENT = readFileSync('docs/model-checking.md', 'utf8');

describe('the documented findings', () => {
  it.each(['bully-oneshot', 'cr-join', 'ring-lelann', 'peterson'] as const)(
    'of %s are those of the searches',
    (protocol) => {
      for (const row of rowsOf(protocol, CHECKED_FAULT_NAMES)) expect(DOCUMENT).toContain(row);
    },
  );
});

describe('a disagreement with the fault matrix', () => {
  const cells = [...DOCUMENT.matchAll(/^\| `([\w:-]+)` \| `([\w-]+)` \| .*disagrees: /gm)];

  it('is the exception', () => {
    expect(cells).toHaveLength(8);
  });

  it.each(cells.map(([, protocol, fault]) => [protocol, fault]))(
    'of %s under %s has a timer that fires before one of 0 ticks',
    (protocol, fault) => {
      const name = PROTOCOL_NAMES.find((each) => each === protocol) ?? 'cr-join';
      const found = CHECKED_FAULT_NAMES.filter((each) => each === fault)
        .flatMap((each) => confirmCell(name, each))
        .filter(({ finding }) => finding === 'disagrees');

      expect(found.map(({ trace }) => trace !== null && isOvertaking(trace))).toEqual(
        found.map(() => true),
      );
    },
  );
});

/** Whether some timer fires while another that was set to 0 ticks waits. */
function isOvertaking({ actions }: Trace): boolean {
  const recipients = new Map<number, number>();
  /** The ticks of the timers that are set, by node. */
  const timersOf = new Map<number, Map<string, number>>();
  return actions.some(({ action, effects }) => {
    const node =
      'message' in action
        ? (recipients.get(action.message) ?? 0)
        : 'node' in action
          ? action.node
          : 0;
    const timers =
      (action.type === 'crash' ? null : timersOf.get(node)) ?? new Map<string, number>();
    timersOf.set(node, timers);
    const waiting = [...timersOf.values()].flatMap((each) => [...each.values()]);
    const isLate =
      action.type === 'timeout' && (timers.get(action.timer) ?? 0) > 0 && waiting.includes(0);
    if (action.type === 'timeout') timers.delete(action.timer);
    for (const effect of effects) {
      if (effect.type === 'send') recipients.set(effect.id, fromRank(effect.to));
      if (effect.type === 'set-timer') timers.set(effect.timer, effect.ticks);
      if (effect.type === 'cancel-timer') timers.delete(effect.timer);
    }
    return isLate;
  });
}
