/** Stays silent while the others pass it over, and then announces itself to the lowest node alone, again and again. */

import { defineBehaviour, intercepted } from 'usurp';

const AGAIN = 'byz:again';
const EVERY_TICKS = 50;

export const HALF_ANNOUNCED = defineBehaviour({
  name: 'half-announced',
  attack: 'A7',
  summary: 'Answers every candidate, and announces itself to the lowest node alone.',
  aim: 'stop',
  needsTopId: true,
  comesLate: false,
  stage: () => ({}),
  unsupportedReason: () => null,
  remains: () => null,
  wrap: (machine) => ({
    init: (self) => machine.init(self),
    step(self, state, event, effects) {
      const [lowest = self.rank] = self.members;
      if (event.type === 'start') effects.setTimer(AGAIN, EVERY_TICKS, true);
      if (event.type === 'timeout' && event.timer === AGAIN) {
        const announcement = { type: 'COORDINATOR', leader: self.rank };
        effects.send(lowest, announcement);
        return;
      }
      const out = intercepted(effects, {
        send(to, message) {
          if (message.type !== 'COORDINATOR') effects.send(to, message);
        },
      });
      machine.step(self, state, event, out);
    },
  }),
});
