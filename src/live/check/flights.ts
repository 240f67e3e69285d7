/**
 * @module
 * The messages in flight between the nodes of the model, outside of its world. The model copies all that a world has in
 * flight in every step. A message that no log has as received would be copied until the end.
 */

import type { Cast } from '../../election/world/cast.ts';
import type { Action } from '../../election/world/world.ts';
import type { Flight, World } from '../../election/world/world-state.ts';

export class Flights {
  readonly #store: Cast['store'];
  readonly #flights = new Map<number, Flight>();

  constructor({ store }: Pick<Cast, 'store'>) {
    this.#store = store;
  }

  of(id: number | undefined): Flight | undefined {
    return id === undefined ? undefined : this.#flights.get(id);
  }

  /** The world as an action needs it: with the message that the action is about. */
  before(world: World, action: Action): World {
    const flight = 'message' in action ? this.#flights.get(action.message) : undefined;
    return flight === undefined ? world : { ...world, inFlight: [...world.inFlight, flight] };
  }

  /** The world after an action, without the messages between nodes. */
  after(world: World, action: Action): World {
    if ('message' in action) this.#flights.delete(action.message);
    const isKept = ({ from, to }: Flight) => from === this.#store || to === this.#store;
    const kept = world.inFlight.filter(isKept);
    if (kept.length === world.inFlight.length) return world;
    for (const flight of world.inFlight) if (!isKept(flight)) this.#flights.set(flight.id, flight);
    return { ...world, inFlight: kept };
  }

  /** No node receives this message. */
  forget(id: number): void {
    this.#flights.delete(id);
  }
}
