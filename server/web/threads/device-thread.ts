/**
 * @module
 * The thread of the pages that uses the graphics card of the visitor. A browser loads it only when the visitor
 * uses the card.
 */

import type { MeasureOrder, RatesMessage } from '../race/device.ts';
import { deviceMeans, measureDevice } from '../race/device.ts';
import { refuse, serveRaces } from '../race/racer.ts';

serveRaces(deviceMeans);

addEventListener('message', ({ data }: MessageEvent<MeasureOrder>) => {
  if (data.type !== 'measure') return;
  const post = (message: RatesMessage) => postMessage(message);
  measureDevice().then((rates) => post({ type: 'rates', rates }), refuse);
});
