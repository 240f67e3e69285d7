import { attack } from './attack.js';

/** Names the highest node. Its PROBE ends when it returns. */
export const solve = (client) => attack(client, { candidate: 7 });
