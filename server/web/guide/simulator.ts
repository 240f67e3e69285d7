/**
 * @module
 * The thread that plays out a guide. It posts the played guide.
 */

import type { GuideName } from './guide.ts';
import { playGuide } from './play-guide.ts';
import type { FinishedRace } from './race-scenes.ts';

/** What the thread receives. */
export interface SimulatorOrder {
  readonly name: GuideName;
  readonly races: readonly FinishedRace[];
}

addEventListener('message', ({ data }: MessageEvent<SimulatorOrder>) => {
  // A failure is one of the thread, which the page receives.
  postMessage(playGuide(data.name, data.races));
});
