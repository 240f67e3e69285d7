/** Answers every candidate, and never announces itself: the defence was made for this. */

import { defineBehaviour, intercepted } from 'usurp';

export const NEVER_ANNOUNCED = defineBehaviour({
  name: 'never-announced',
  attack: 'A7',
  summary: 'Answers every candidate, and never announces itself.',
  aim: 'stop',
  needsTopId: true,
  comesLate: false,
  stage: () => ({}),
  unsupportedReason: () => null,
  remains: () => null,
  wrap: (machine) => ({
    init: (self) => machine.init(self),
    step(self, state, event, effects) {
      const out = intercepted(effects, {
        send(to, message) {
          if (message.type === 'COORDINATOR') return;
          effects.send(to, message);
        },
      });
      machine.step(self, state, event, out);
    },
  }),
});
