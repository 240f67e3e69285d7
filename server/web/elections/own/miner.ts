/**
 * @module
 * The thread that makes keys for the reader's node, so that the page is never blocked.
 */

import type { MinedKey, MiningOrder } from './own-key.ts';
import { mine } from './own-key.ts';

/** What the thread posts. */
export type MinerMessage =
  | { readonly type: 'tested'; readonly keys: number }
  | { readonly type: 'found'; readonly key: MinedKey };

const post = (message: MinerMessage) => postMessage(message);

addEventListener('message', ({ data }: MessageEvent<MiningOrder>) => {
  post({ type: 'found', key: mine(data, (keys) => post({ type: 'tested', keys })) });
});
