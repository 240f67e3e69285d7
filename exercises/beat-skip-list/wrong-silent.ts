/** Sends nothing at all: a node that does not answer counts as down, and the next one leads. */

import { defineBehaviour, intercepted } from 'usurp';

export const SILENT = defineBehaviour({
  name: 'silent',
  attack: 'A3',
  summary: 'Sends nothing.',
  aim: 'stop',
  needsTopId: true,
  comesLate: false,
  stage: () => ({}),
  unsupportedReason: () => null,
  remains: () => null,
  wrap: (machine) => ({
    init: (self) => machine.init(self),
    step(self, state, event, effects) {
      machine.step(self, state, event, intercepted(effects, { send: () => undefined }));
    },
  }),
});
