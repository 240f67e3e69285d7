/**
 * @module
 * Makes keys for the reader's node in a thread, so that the page is never blocked (threads/mining-thread.ts).
 */

import type { MinedKey, MiningOrder } from './own-key.ts';
import { mine } from './own-key.ts';

/** What the thread receives. */
export interface MinerOrder {
  readonly type: 'mine';
  readonly order: MiningOrder;
}

/** What the thread posts. */
export type MinerMessage =
  | { readonly type: 'tested'; readonly keys: number }
  | { readonly type: 'found'; readonly key: MinedKey };

const post = (message: MinerMessage) => postMessage(message);

addEventListener('message', ({ data }: MessageEvent<MinerOrder>) => {
  if (data.type !== 'mine') return;
  post({ type: 'found', key: mine(data.order, (keys) => post({ type: 'tested', keys })) });
});
