/**
 * @module
 * Checks of the reduction of the model checker: on contrived machines, each of which needs one of its conditions, the
 * reduced search has the verdicts of the search of all worlds.
 */

import type { Instance } from '../../../src/checking/instance.ts';
import type { AnyMachine } from '../../../src/election/definition/protocol.ts';
import type { Handlers, Step } from '../../../src/election/handlers.ts';
import { createMachine } from '../../../src/election/handlers.ts';
import { createCast, toRank } from '../../../src/election/world/cast.ts';
import type { Given } from '../../checking/small-instances.ts';
import { instanceOf } from '../../checking/small-instances.ts';
import { fullVerdicts, reducedVerdicts } from '../../checking/verdicts.ts';
import type { Check } from './check.ts';
import { complainUnlessSame } from './check.ts';

type State = { seen: boolean };
type Contrived = { readonly type: 'A' | 'B' };
type On = Handlers<State, Contrived>;
type Own = Step<State, Contrived>;

const lead = ({ self, effects }: Own) => effects.elect(self.rank, 0);
const see = ({ state }: Own) => {
  state.seen = true;
};
const leadUnlessSeen = (step: Own) => {
  if (!step.state.seen) lead(step);
};
const send = (to: number, type: Contrived['type']) => (step: Own) =>
  step.effects.send(toRank(to), { type });
const time = ({ effects }: Own) => effects.setTimer('timer', 1, false);

export const REDUCTION_CHECKS = {
  'reduction: visible actions in any order': () =>
    same([{ start: lead }, { start: lead }], { starts: 'again' }),
  'reduction: a message before the start': () =>
    same([{ start: see, deliver: leadUnlessSeen }, { start: send(1, 'A') }], { starts: 'again' }),
  'reduction: a message that overtakes': () =>
    same(
      [
        { deliver: { A: see, B: leadUnlessSeen } },
        {
          start(step) {
            send(1, 'A')(step);
            time(step);
          },
          timeout: send(1, 'B'),
        },
      ],
      { links: 'any' },
    ),
  'reduction: a node that works for ever': () =>
    same([{ start: ({ effects }) => effects.setTimer('timer', 1, true) }, { start: lead }], {
      starts: 'again',
    }),
  'reduction: a timer that delays others': () =>
    same(
      [{ start: time, timeout: send(3, 'A') }, { start: time, timeout: lead }, { deliver: lead }],
      { timing: 'synchronous' },
    ),
  'reduction: a timer that uses up the bound': () =>
    same(
      [
        { start: time, timeout: see },
        { start: time, timeout: lead },
      ],
      {
        bounds: { timeout: 1 },
      },
    ),
  'reduction: a message to a node that returns': () =>
    same([{ deliver: lead }, { start: send(1, 'A') }], {
      crashedBefore: [1],
      bounds: { recover: 1 },
    }),
} satisfies Record<string, Check>;

/** Complains unless both searches have the same verdicts. The nodes run these handlers, by rank. */
function same(handlers: readonly On[], given: Given): string | null {
  const instance = contrived(handlers, { links: 'fifo', ...given });
  const asked = { order: 'breadth', statesMax: 1000 } as const;
  const [full, reduced] = [fullVerdicts(instance, asked), reducedVerdicts(instance, asked)];
  if (full === null) return 'the search of all worlds was capped';
  const verdictsOf = ({ views, ends }: typeof full) => ({ views, ends });
  return complainUnlessSame('verdicts', reduced && verdictsOf(reduced), verdictsOf(full));
}

function contrived(handlers: readonly On[], given: Given): Instance {
  const plain = instanceOf('cr-join', handlers.length, given);
  const machines = handlers.map((on) =>
    createMachine<State, Contrived>({ settings: null, init: () => ({ seen: false }), on }),
  );
  // Drivers pass a machine only the states that it made itself.
  const machineOf = (rank: number) => machines[rank - 1] as unknown as AnyMachine;
  const ring = handlers.map((_, index) => index + 1);
  const { crashedBefore } = plain;
  const options = { protocol: 'cr-join', timing: { latencyTicksMax: 1 }, ring, crashedBefore };
  return { ...plain, cast: createCast({ ...options, protocol: 'cr-join' }, machineOf) };
}
