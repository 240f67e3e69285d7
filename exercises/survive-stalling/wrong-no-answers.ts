/** Ignores every answer, so that a node never waits for a higher one, also not for an honest one. */

import { defineDefence } from 'usurp';

export const NO_ANSWERS = defineDefence({
  kind: 'inside',
  name: 'no-answers',
  code: 'D11',
  summary: 'Waits for no node that answers.',
  unsupportedReason: () => null,
  limit: () => null,
  needsLevel: null,
  response: { newcomers: 'admitted', ranks: 'by-id' },
  guard: (machine) => ({
    init: (self) => machine.init(self),
    step(self, state, event, effects) {
      if (event.type === 'deliver' && event.message.type === 'OK') return;
      machine.step(self, state, event, effects);
    },
  }),
});
